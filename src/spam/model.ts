/**
 * A spam model: which features it needs, its parts with their weights, and how scores become
 * probabilities. The file is JSON. Numbers keep all their digits, so a model that is read again
 * gives the same scores to the last bit.
 */
import { DrumlinError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { WordLists } from './features/content/word-lists.ts';
import type { SiteLevel } from './features/sites.ts';
import type { TermStatistics } from './features/terms/bm25.ts';
import { type Calibration, logOdds, probability } from './learn/calibrate.ts';
import { rowOf } from './learn/examples.ts';
import { type Fitted, scoreSite } from './learn/learners.ts';

const FORMAT = 'drumlin-spam-model';
const VERSION = 1;

export interface ModelPart {
  /** The name in LEARNERS. */
  readonly learner: string;
  readonly set: string;
  /** Places of its features in the model's list. */
  readonly features: readonly number[];
  readonly weight: number;
  readonly fitted: Fitted;
}

/** What judges domains in a crawl of which so many pages were read, or more. */
export interface StageModel {
  readonly pages: number;
  readonly parts: readonly ModelPart[];
  readonly calibration: Calibration;
}

export interface SpamModel {
  readonly features: readonly string[];
  readonly parts: readonly ModelPart[];
  readonly calibration: Calibration;
  /** The lists that features of content look at; a crawl measures pages with them. */
  readonly words?: WordLists | undefined;
  /** What its sites are. */
  readonly level?: SiteLevel | undefined;
  /** For crawls: models of domains of which few pages were read, in ascending order of pages. */
  readonly stages?: readonly StageModel[] | undefined;
  /** What term weights depend on. */
  readonly terms?: TermStatistics | undefined;
  /** What a user of the model must know: a crawl prints it as a warning. */
  readonly about?: string | undefined;
  readonly trained: TrainingFacts;
}

interface TrainingFacts {
  readonly sites: number;
  readonly spam: number;
  readonly groups: number;
  readonly folds: number;
  readonly seed: number;
  /** The AUC on sites that the parts were not trained on, and its 95 % interval. */
  readonly auc: number;
  readonly aucHalfWidth: number;
}

export function modelText(model: SpamModel): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...model })}\n`;
}

export function parseModel(text: string, path: string): SpamModel {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (cause) {
    throw new DrumlinError(
      'SPAM_MODEL',
      `${path} is not JSON.`,
      'Give a file of "drumlin spam train".',
      {
        cause,
      },
    );
  }
  const model = read as Partial<SpamModel> & { format?: string; version?: number };
  if (model?.format !== FORMAT || !Array.isArray(model.parts) || !Array.isArray(model.features))
    throw new DrumlinError(
      'SPAM_MODEL',
      `${path} is not a spam model.`,
      'Give a file of "drumlin spam train".',
    );
  if (model.version !== VERSION)
    throw new DrumlinError(
      'SPAM_MODEL',
      `${path} is a model of version ${model.version}; this build reads version ${VERSION}.`,
      'Train it anew.',
    );
  return model as SpamModel;
}

interface Columns {
  readonly names: readonly string[];
  readonly columns: readonly Float64Array[];
}

/** The probability of spam of each site. */
export function scoreSites(model: SpamModel, table: Columns): Float64Array {
  const rows = rowsFor(model, table);
  return Float64Array.from({ length: table.columns[0].length }, (_, site) =>
    scoreRow(model, rows(site)),
  );
}

/** Gives the features of a site in the order of the model's list; valid until the next call. */
export function rowsFor(model: SpamModel, table: Columns): (site: number) => Float64Array {
  const columns = model.features.map((name) => table.columns[placeOf(name, table.names)]);
  const row = new Float64Array(columns.length);
  return (site) => rowOf({ columns }, site, row);
}

/** The probability of spam of a site whose features are in the order of the model's list. */
export function scoreRow(model: SpamModel, row: ArrayLike<number>): number {
  return probability(model.calibration, meanScore(model, row));
}

/** The logarithm of spam : ham that this probability means. */
export function logOddsOfRow(model: SpamModel, row: ArrayLike<number>): number {
  return logOdds(model.calibration, meanScore(model, row));
}

function meanScore({ parts }: SpamModel, row: ArrayLike<number>): number {
  let sum = 0;
  for (const { fitted, features, weight } of parts)
    sum +=
      weight *
      scoreSite(
        fitted,
        features.map((place) => row[place]),
      );
  return sum;
}

function placeOf(name: string, names: readonly string[]): number {
  const place = names.indexOf(name);
  if (place >= 0) return place;
  throw new DrumlinError(
    'SPAM_MODEL',
    `The model needs the feature "${name}", which the file does not have (the nearest is "${nearest(name, names)}").`,
    'Make the features with the sets that the model was trained on.',
  );
}
