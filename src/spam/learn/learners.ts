/**
 * The library of learners, by name. A name has all settings in it, so that a model file says how
 * each of its parts was made, and the same name, examples and seed give the same model.
 *
 * A fitted model is plain data: what is written to a model file is what scores a site.
 */
import { randomNumbers } from '../../base/random-numbers.ts';
import { type BayesKind, type BayesModel, fitBayes, scoreBayes } from './bayes.ts';
import { growC45 } from './c45.ts';
import { type Examples, totals } from './examples.ts';
import { growForest } from './forest.ts';
import { fitLogistic, type LogisticModel, scoreLogistic } from './logistic.ts';
import { fitLogitBoost, type Stump, scoreStumps } from './logit-boost.ts';
import { fitSvm, type SvmModel, scoreSvm } from './svm.ts';
import { scoreTree, type Tree } from './tree.ts';

export type Fitted =
  | { readonly kind: 'trees'; readonly trees: readonly Tree[] }
  | { readonly kind: 'stumps'; readonly stumps: readonly Stump[] }
  | { readonly kind: 'logistic'; readonly model: LogisticModel }
  | { readonly kind: 'bayes'; readonly model: BayesModel }
  | { readonly kind: 'svm'; readonly model: SvmModel };

/** The share of spam that a model expects of sites with these features. */
export function scoreSite(fitted: Fitted, row: ArrayLike<number>): number {
  switch (fitted.kind) {
    case 'trees':
      return (
        fitted.trees.reduce((sum, tree) => sum + scoreTree(tree, row), 0) / fitted.trees.length
      );
    case 'stumps':
      return scoreStumps(fitted.stumps, row);
    case 'logistic':
      return scoreLogistic(fitted.model, row);
    case 'bayes':
      return scoreBayes(fitted.model, row);
    case 'svm':
      return scoreSvm(fitted.model, row);
  }
}

type Fit = (examples: Examples, seed: number) => Fitted;

const BAGGED_TREES = 10;
const FOREST_TREES = 250;
const FAST_FOREST_TREES = 100;
/** Trees of bags need no more: a threshold between quantiles is nearly the best one. */
const BAG_CODES = 1023;

const trees = (...list: Tree[]): Fitted => ({ kind: 'trees', trees: list });

const forest =
  (trees: number, part: number): Fit =>
  (examples, seed) => {
    const m = examples.columns.length;
    const features = Math.min(m, Math.max(1, Math.round(part * Math.sqrt(m))));
    return { kind: 'trees', trees: growForest(examples, { trees, features, seed }) };
  };

function bagging(examples: Examples, seed: number): Fitted {
  const n = examples.spam.length;
  return trees(
    ...Array.from({ length: BAGGED_TREES }, (_, bag) => {
      const random = randomNumbers(seed * 1009 + bag);
      const weights = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        const site = Math.floor(random() * n);
        weights[site] += examples.weights[site];
      }
      return growC45({ ...examples, weights }, { prune: false, codes: BAG_CODES });
    }),
  );
}

/** A spam site that is missed costs `cost` times as much as a ham site that is accused. */
const costSensitive =
  (cost: number): Fit =>
  (examples) => {
    const { all, spam } = totals(examples);
    const scale = all / (all - spam + cost * spam);
    const weights = examples.weights.map((w, i) => w * scale * (examples.spam[i] ? cost : 1));
    return trees(growC45({ ...examples, weights }, { prune: true }));
  };

const boost =
  (steps: number): Fit =>
  (examples) => ({ kind: 'stumps', stumps: fitLogitBoost(examples, steps) });

const logistic =
  (ridge: number): Fit =>
  (examples) => ({ kind: 'logistic', model: fitLogistic(examples, ridge) });

const bayes =
  (kind: BayesKind): Fit =>
  (examples) => ({ kind: 'bayes', model: fitBayes(examples, kind) });

const named = <T extends number>(name: string, settings: readonly T[], make: (setting: T) => Fit) =>
  Object.fromEntries(settings.map((setting) => [`${name}-${setting}`, make(setting)]));

/** All learners; those for terms are linear, the others see few features. */
export const LEARNERS: Readonly<Record<string, Fit>> = {
  tree: (examples) => trees(growC45(examples, { prune: true })),
  bagging,
  ...named('boost', [2, 4, 8, 16, 32, 64], boost),
  ...named('cost', [10, 30, 100, 300], costSensitive),
  ...named('logistic', [1e-8, 1e-4, 1e-2, 1, 1e2, 1e4], logistic),
  ...named('forest', [0.5, 1, 2, 4, 8], (part) => forest(FOREST_TREES, part)),
  'forest-fast': forest(FAST_FOREST_TREES, 1),
  'bayes-normal': bayes('normal'),
  'bayes-kernel': bayes('kernel'),
  'bayes-discretised': bayes('discretised'),
  ...named('svm', [0.1, 1, 10], (cost) => (examples, seed) => ({
    kind: 'svm',
    model: fitSvm(examples, cost, seed),
  })),
};

const isFor = (terms: boolean) => (name: string) => name.startsWith('svm-') === terms;

/** The learners for a set of features. */
export function libraryFor(set: { readonly terms: boolean }, fast: boolean): string[] {
  if (set.terms) return fast ? ['svm-1'] : Object.keys(LEARNERS).filter(isFor(true));
  if (fast) return ['forest-fast', 'boost-32', 'logistic-1'];
  return Object.keys(LEARNERS)
    .filter(isFor(false))
    .filter((name) => name !== 'forest-fast');
}
