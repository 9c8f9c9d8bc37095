/**
 * A spam model in a crawl: verdicts from what a crawl has of a domain, its name and the sums of its
 * first pages.
 *
 * Idea      The features are those of "drumlin spam features", from the same functions. Before the
 *           first page the model decides by the name: of content only the length of the name is
 *           known.
 *
 *           In a table `content:pages` is the number of pages of a whole crawl, in a verdict how
 *           far this crawl has come. So it is missing here. A model may have parts of its own for
 *           domains of which few pages were read (`stages`): means of one page tell other things
 *           than means of thirty.
 * Requires  a model trained on the sets `content` (part `a`), `names` and `copies` only: a crawl
 *           has neither a graph nor the terms of whole sites.
 * Ensures   a verdict depends on the model, the name, the sums and the copied pages alone. It is a
 *           multiple of 1/10,000, as it is stored.
 * Cost      about 10 µs a verdict with a model of stumps and linear learners. A forest goes down
 *           every branch where a value is missing.
 */
import { DrumlinError } from '../../base/errors.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { contentColumns, type SiteContent } from '../features/content/content-set.ts';
import { PageMeter } from '../features/content/page-meter.ts';
import { SiteSums } from '../features/content/site-sums.ts';
import type { WordLists } from '../features/content/word-lists.ts';
import { NAME_COLUMNS, nameValues } from '../features/names/name-set.ts';
import { COPIED_SHARE, copiedShare } from '../features/neighbours/copies-set.ts';
import { type Calibration, probability } from '../learn/calibrate.ts';
import { scoreSite } from '../learn/learners.ts';
import type { ModelPart, SpamModel } from '../model.ts';

const STEPS = 10_000;
/** Verdicts by name that are remembered: links lead to the same domains again and again. */
const MOST_NAMES = 8192;

/** What a verdict is made of, beside the name. */
interface LiveSite extends SiteContent {
  /** Pages that are copies of other domains' pages. */
  readonly copied: number;
}

/** A feature of a domain, by its content and by the values of its name. */
type Feature = (site: LiveSite, ofName: Float64Array) => number;

export class LiveModel {
  readonly words: WordLists;
  /** Copied pages are to be counted. */
  readonly copies: boolean;
  /**
   * Sums of pages that were measured with other lists of words, or without copies, cannot be
   * continued.
   */
  readonly listsId: number;
  readonly #features: readonly Feature[];
  readonly #row: Float64Array;
  readonly #stages: readonly Stage[];
  readonly #byName = new Map<string, number>();

  /** `path` is named in errors. */
  constructor(model: SpamModel, path: string) {
    const { words } = model;
    if (model.level === 'host')
      throw new DrumlinError(
        'SPAM_MODEL',
        `${path} was trained on hosts; a crawl judges domains.`,
        'Make features with "drumlin spam features --level domain", and train a model with them.',
      );
    const known = featuresOf((words?.queries.length ?? 0) > 0);
    known.set('content:pages', () => Number.NaN);
    const other = model.features.find((name) => !known.has(name));
    if (other !== undefined)
      throw refusal(`${path} needs the feature "${other}", which a crawl does not have.`);
    if (words === undefined) throw refusal(`${path} has no lists of frequent words.`);
    this.words = words;
    this.copies = model.features.includes(COPIED_SHARE);
    this.listsId = Number(
      xxh64(
        `${words.collection.join(' ')}\n${words.queries.join(' ')}${this.copies ? '\ncopies' : ''}`,
      ) & 0xffff_ffffn,
    );
    this.#features = model.features.map((name) => known.get(name) as Feature);
    this.#row = new Float64Array(model.features.length);
    this.#stages = [{ ...model, pages: 0 }, ...(model.stages ?? [])].map((stage) => ({
      ...{ pages: stage.pages, calibration: stage.calibration },
      rows: rowsOf(stage.parts),
    }));
  }

  /** The verdict on a domain of which no page was measured. */
  byName(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const verdict = this.verdict(name, NO_PAGES);
    if (this.#byName.size >= MOST_NAMES) this.#byName.clear();
    this.#byName.set(name, verdict);
    return verdict;
  }

  /** The probability that a domain is spam. */
  verdict(name: string, sums: SiteSums, copied = 0): number {
    const row = this.#row;
    const site = { name, sums, copied };
    const ofName = nameValues(name);
    for (let i = 0; i < row.length; i++) row[i] = this.#features[i](site, ofName);
    const { rows, calibration } = this.#stages.findLast(
      ({ pages }) => pages <= sums.pages,
    ) as Stage;
    let sum = 0;
    for (const { features, values, parts } of rows) {
      for (let i = 0; i < values.length; i++) values[i] = row[features[i]];
      for (const { fitted, weight } of parts) sum += weight * scoreSite(fitted, values);
    }
    return Math.round(probability(calibration, sum) * STEPS) / STEPS;
  }
}

/**
 * The model of a crawl, after a first verdict and a first meter: what a damaged file lacks shows
 * here, and not in the middle of a crawl.
 */
export function checkedLiveModel(model: SpamModel, path: string): LiveModel {
  try {
    const live = new LiveModel(model, path);
    new PageMeter(live.words);
    if (!Number.isNaN(live.byName('example.org'))) return live;
  } catch (cause) {
    if (cause instanceof DrumlinError) throw cause;
    throw damaged(path, cause);
  }
  throw damaged(path);
}

const damaged = (path: string, cause?: unknown): DrumlinError =>
  new DrumlinError(
    'SPAM_MODEL',
    `${path} is damaged.`,
    'Train it anew with "drumlin spam train".',
    {
      cause,
    },
  );

interface Stage {
  readonly pages: number;
  readonly calibration: Calibration;
  /** The row of each set of features, which several parts share. */
  readonly rows: readonly SetRow[];
}

interface SetRow {
  readonly features: readonly number[];
  readonly values: Float64Array;
  readonly parts: readonly ModelPart[];
}

function rowsOf(parts: readonly ModelPart[]): SetRow[] {
  const sets = new Map<string, ModelPart[]>();
  for (const part of parts) {
    const key = part.features.join(' ');
    sets.set(key, [...(sets.get(key) ?? []), part]);
  }
  return [...sets.values()].map((own) => ({
    features: own[0].features,
    values: new Float64Array(own[0].features.length),
    parts: own,
  }));
}

const NO_PAGES = SiteSums.empty();

/** Every feature that a crawl has, by its name in tables. */
function featuresOf(withQueries: boolean): Map<string, Feature> {
  const content = contentColumns('a', withQueries).map(
    ({ name, of }) => [`content:${name}`, of] as const,
  );
  const names = NAME_COLUMNS.map(
    (name, i) => [`names:${name}`, (_: LiveSite, ofName: Float64Array) => ofName[i]] as const,
  );
  const copies: Feature = ({ copied, sums }) => copiedShare(copied, sums.pages);
  return new Map<string, Feature>([...content, ...names, [COPIED_SHARE, copies]]);
}

const refusal = (fact: string): DrumlinError =>
  new DrumlinError(
    'SPAM_MODEL',
    fact,
    'Make features with "drumlin spam features --sets content,names", and train a model with them.',
  );
