/**
 * A spam model in a crawl: verdicts from what a crawl has of a domain, its name and the sums of its
 * first pages.
 *
 * Idea      The features are those of "drumlin spam features", from the same functions. Before the
 *           first page all features of content are missing, and the model decides by the name.
 * Requires  a model trained on the sets `content` (part `a`) and `names` only: a crawl has neither
 *           a graph nor the terms of whole sites.
 * Ensures   a verdict depends on the model, the name and the sums alone. It is a multiple of
 *           1/10,000, as it is stored.
 */
import { DrumlinError } from '../../base/errors.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { contentColumns, type SiteContent } from '../features/content/content-set.ts';
import { SiteSums } from '../features/content/site-sums.ts';
import type { WordLists } from '../features/content/word-lists.ts';
import { NAME_COLUMNS, nameValues } from '../features/names/name-set.ts';
import { type SpamModel, scoreRow } from '../model.ts';

const STEPS = 10_000;

/** A feature of a domain, by its content and by the values of its name. */
type Feature = (site: SiteContent, ofName: Float64Array) => number;

export class LiveModel {
  readonly words: WordLists;
  /** Sums of pages that were measured with other lists of words cannot be continued. */
  readonly listsId: number;
  readonly #model: SpamModel;
  readonly #features: readonly Feature[];
  readonly #row: Float64Array;

  /** `path` is named in errors. */
  constructor(model: SpamModel, path: string) {
    const { words } = model;
    const known = featuresOf((words?.queries.length ?? 0) > 0);
    const other = model.features.find((name) => !known.has(name));
    if (other !== undefined)
      throw refusal(`${path} needs the feature "${other}", which a crawl does not have.`);
    if (words === undefined) throw refusal(`${path} has no lists of frequent words.`);
    this.words = words;
    this.listsId = Number(
      xxh64(`${words.collection.join(' ')}\n${words.queries.join(' ')}`) & 0xffff_ffffn,
    );
    this.#model = model;
    this.#features = model.features.map((name) => known.get(name) as Feature);
    this.#row = new Float64Array(model.features.length);
  }

  /** The verdict on a domain of which no page was measured. */
  byName(name: string): number {
    return this.verdict(name, NO_PAGES);
  }

  /** The probability that a domain is spam. */
  verdict(name: string, sums: SiteSums): number {
    const row = this.#row;
    const site = { name, sums };
    const ofName = nameValues(name);
    for (let i = 0; i < row.length; i++) row[i] = this.#features[i](site, ofName);
    return Math.round(scoreRow(this.#model, row) * STEPS) / STEPS;
  }
}

const NO_PAGES = SiteSums.empty();

/** Every feature that a crawl has, by its name in tables. */
function featuresOf(withQueries: boolean): Map<string, Feature> {
  const content = contentColumns('a', withQueries).map(
    ({ name, of }) => [`content:${name}`, of] as const,
  );
  const names = NAME_COLUMNS.map(
    (name, i) => [`names:${name}`, (_: SiteContent, ofName: Float64Array) => ofName[i]] as const,
  );
  return new Map<string, Feature>([...content, ...names]);
}

const refusal = (fact: string): DrumlinError =>
  new DrumlinError(
    'SPAM_MODEL',
    fact,
    'Make features with "drumlin spam features --sets content,names", and train a model with them.',
  );
