/**
 * Training: from features and labels to a model.
 *
 * Idea      For each set of features, and for all dense sets together, each learner of the library
 *           is trained five times on four fifths of the sites and scores the last fifth. Ensemble
 *           selection chooses from these scores. What it chose is trained again on all sites, and
 *           the mean score is calibrated on the scores of the folds.
 * Ensures   the same features, labels, seed and version give the same model. No score that chooses
 *           or calibrates comes from a model that saw the site, or one that belongs to it.
 */
import { DrumlinError } from '../base/errors.ts';
import { type FeatureTable, setOf } from './feature-table.ts';
import { groupsOf } from './groups.ts';
import type { Labelled } from './labels.ts';
import { calibrate } from './learn/calibrate.ts';
import { selectEnsemble } from './learn/ensemble-selection.ts';
import { type Examples, examplesOf, pick, rowOf } from './learn/examples.ts';
import { foldsOf } from './learn/folds.ts';
import { LEARNERS, libraryFor, scoreSite } from './learn/learners.ts';
import { auc, aucHalfWidth } from './learn/measures.ts';
import type { ModelPart, SpamModel } from './model.ts';

interface TrainOptions {
  readonly seed: number;
  /** Three learners instead of all. */
  readonly fast: boolean;
  /** The learners to choose from, by name; by default those that `fast` says. */
  readonly learners?: readonly string[] | undefined;
  /** Leave out columns with one value instead of refusing them. */
  readonly skipConstant: boolean;
  /** Called between two learners, with the share that is done; training waits for it. */
  readonly onProgress?: ((share: number) => Promise<void>) | undefined;
}

const FOLDS = 5;
const STEPS = 100;
const BAGS = 10;
/** Sets of term weights: thousands of columns, for linear learners. */
const TERM_SETS = ['bm25'];

interface Candidate {
  readonly learner: string;
  readonly set: string;
  readonly features: readonly number[];
}

export async function trainModel(
  table: FeatureTable,
  { places, spam }: Labelled,
  options: TrainOptions,
): Promise<SpamModel> {
  const all = usable(
    pick(examplesOf(table.names, table.columns, new Uint8Array(table.sites.length)), places),
    options.skipConstant,
  );
  const examples = { ...all, spam };
  // Sites without a label join others, too.
  const together = groupsOf(table.belongings);
  const groups = Array.from(places, (place) => together[place]);
  const distinct = new Set(groups).size;
  if (distinct < FOLDS)
    throw new DrumlinError(
      'LABELS',
      `The labelled sites belong to ${distinct} groups; ${FOLDS} are the least.`,
      'Label sites of more domains, addresses or groups.',
    );
  const folds = foldsOf(spam, groups, FOLDS, options.seed);
  requireBothIn(spam, folds);
  const candidates = candidatesFor(examples.names, options);
  const scores: Float64Array[] = [];
  for (const [i, candidate] of candidates.entries()) {
    await options.onProgress?.(i / (candidates.length + 1));
    scores.push(heldOutScores(examples, candidate, folds, options.seed));
  }
  await options.onProgress?.(candidates.length / (candidates.length + 1));
  const selection = { steps: STEPS, bags: BAGS, seed: options.seed };
  const weights = selectEnsemble(scores, spam, selection);
  const parts = candidates.flatMap((candidate, i): ModelPart[] =>
    weights[i] === 0 ? [] : [fitPart(examples, candidate, weights[i], options.seed)],
  );
  const mean = spam.reduce((sum: Float64Array, _, site) => {
    for (let i = 0; i < scores.length; i++) sum[site] += weights[i] * scores[i][site];
    return sum;
  }, new Float64Array(spam.length));
  return {
    features: examples.names,
    parts,
    calibration: calibrate(mean, spam),
    trained: {
      ...{ sites: spam.length, spam: spam.reduce((sum, label) => sum + label, 0) },
      ...{ groups: distinct, folds: FOLDS, seed: options.seed },
      ...{ auc: auc(mean, spam), aucHalfWidth: aucHalfWidth(mean, spam) },
    },
  };
}

/** Without spam or ham in the other folds, the scores of a fold would mean nothing. */
function requireBothIn(spam: Uint8Array, folds: Uint8Array): void {
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = spam.filter((_, site) => folds[site] !== fold);
    if (others.includes(0) && others.includes(1)) continue;
    throw new DrumlinError(
      'LABELS',
      `All ${others.includes(0) ? 'spam' : 'ham'} sites belong to one group.`,
      'Label sites of both kinds in more domains, addresses or groups.',
    );
  }
}

/** Columns with two values or more. */
function usable(examples: Examples, skipConstant: boolean): Examples {
  const varies = (column: Float64Array): boolean => {
    const known = column.filter((value) => !Number.isNaN(value));
    return known.some((value) => value !== known[0]);
  };
  const kept = [...examples.columns.keys()].filter((j) => varies(examples.columns[j]));
  const constant = examples.names.find((_, j) => !kept.includes(j));
  if (constant !== undefined && !skipConstant)
    throw new DrumlinError(
      'FEATURES',
      `The feature "${constant}" has the same value for all labelled sites.`,
      'Add --skip-constant to leave out such features.',
    );
  if (kept.length === 0)
    throw new DrumlinError(
      'FEATURES',
      'All features have the same value for all labelled sites.',
      'Give other features, or labels of more sites.',
    );
  return {
    ...examples,
    names: kept.map((j) => examples.names[j]),
    columns: kept.map((j) => examples.columns[j]),
  };
}

function candidatesFor(
  names: readonly string[],
  { fast, learners }: Pick<TrainOptions, 'fast' | 'learners'>,
): Candidate[] {
  const sets = new Map<string, number[]>();
  for (const [place, name] of names.entries()) {
    const set = setOf(name);
    sets.set(set, [...(sets.get(set) ?? []), place]);
  }
  const dense = [...sets].filter(([set]) => !TERM_SETS.includes(set));
  if (dense.length > 1)
    sets.set(
      'all',
      dense.flatMap(([, places]) => places),
    );
  return [...sets].flatMap(([set, features]) =>
    (learners ?? libraryFor({ terms: TERM_SETS.includes(set) }, fast)).map((learner) => ({
      learner,
      set,
      features,
    })),
  );
}

const only = (examples: Examples, features: readonly number[]): Examples => ({
  ...examples,
  names: features.map((place) => examples.names[place]),
  columns: features.map((place) => examples.columns[place]),
});

/** The scores of all sites, each by a model that was trained on the other folds. */
function heldOutScores(
  examples: Examples,
  { learner, features }: Candidate,
  folds: Uint8Array,
  seed: number,
): Float64Array {
  const own = only(examples, features);
  const scores = new Float64Array(folds.length);
  const row = new Float64Array(features.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = Uint32Array.from(folds.keys()).filter((site) => folds[site] !== fold);
    const fitted = LEARNERS[learner](pick(own, others), seed);
    for (let site = 0; site < folds.length; site++)
      if (folds[site] === fold) scores[site] = scoreSite(fitted, rowOf(own, site, row));
  }
  return scores;
}

function fitPart(
  examples: Examples,
  { learner, set, features }: Candidate,
  weight: number,
  seed: number,
): ModelPart {
  return {
    learner,
    set,
    features,
    weight,
    fitted: LEARNERS[learner](only(examples, features), seed),
  };
}
