/**
 * An index, opened: one folder or several, searched as one.
 *
 * Ensures   Scores and order are those of one index of all captures, however these are divided into
 *           folders and parts: pages, versions and statistics are joined first (pages.ts).
 * Cost      Opening reads the tables of versions and the sightings. A query reads the lists of its
 *           words; with a time, it also counts in them the versions that are valid then.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import { Disk } from '../../disk/disk.ts';
import { isStopWord } from '../../text/stop-words.ts';
import { FIELD } from '../store/formats.ts';
import { type CrawlSpan, type Epoch, partFolder, requireManifest } from '../store/index-folder.ts';
import { Part } from '../store/part.ts';
import type { ReadCounts } from '../store/posting-list.ts';
import { VariantTable } from '../store/words.ts';
import { Anchors } from './anchors.ts';
import { evaluate, listsOf, type PartLists, PartQuery, type Receiver } from './evaluate.ts';
import { Pages } from './pages.ts';
import { type Atom, parseQuery, type Query } from './parse-query.ts';
import { type Plan, Planner, WEIGHTS, type Weights } from './plan.ts';
import { Scanner } from './scanner.ts';
import { ALL_TIMES, requireTime, type Selection, select, type TimeRange } from './times.ts';
import { type ScoredVersion, TopPages } from './top-pages.ts';

export interface SearchOptions {
  /** The time; by default all times. `asked` is what the user wrote, for errors. */
  readonly range?: TimeRange | undefined;
  readonly asked?: TimeRange | undefined;
  readonly site?: string | undefined;
  readonly language?: string | undefined;
  /** Whether one word is enough. Default: all must match. */
  readonly any?: boolean | undefined;
  readonly top?: number | undefined;
  readonly weights?: Partial<Weights> | undefined;
  /** Factors of at most 1, by version (prior.ts). */
  readonly prior?: Float64Array | undefined;
}

export interface Found {
  readonly results: readonly ScoredVersion[];
  readonly reads: ReadCounts;
  /** Words of the query, as they are in the text: for snippets. */
  readonly words: readonly string[];
}

/** A function word is left out if this part of all versions has it. */
const FREQUENT = 1 / 5;
const TOP = 10;
/** Selections that are kept. */
const KEPT = 4;

interface Prepared {
  readonly plan: Plan;
  readonly query: Query;
  readonly selection: Selection;
  readonly lists: readonly PartLists[];
  readonly weights: Weights;
  readonly reads: ReadCounts;
}

export class SearchIndex {
  readonly pages: Pages;
  readonly #anchors: Anchors;
  readonly parts: readonly Part[];
  readonly epoch: Epoch;
  readonly crawls: readonly CrawlSpan[];
  readonly #positions: boolean;
  readonly #languages: readonly string[];
  readonly #variants = new VariantTable();
  readonly #selections = new Map<string, Selection>();
  readonly #scanners: readonly Scanner[];
  readonly #valid = new WeakMap<Selection, readonly Uint8Array[]>();
  #turn: Promise<void> = Promise.resolve();

  private constructor(
    parts: readonly Part[],
    { pages, anchors }: { pages: Pages; anchors: Anchors },
    epoch: Epoch,
    positions: boolean,
  ) {
    this.parts = parts;
    this.pages = pages;
    this.#anchors = anchors;
    this.epoch = epoch;
    this.#positions = positions;
    const { bases } = pages;
    this.#scanners = parts.map(
      (part, i) => new Scanner(part, anchors.words.subarray(bases[i], bases[i + 1])),
    );
    this.crawls = joinSpans(parts.flatMap(({ info }) => info.crawls));
    this.#languages = [...new Set(parts.flatMap(({ info }) => info.languages))].sort();
  }

  static async open(folders: readonly string[], disk = new Disk()): Promise<SearchIndex> {
    const parts: Part[] = [];
    try {
      let [epoch, positions]: [Epoch, boolean] = ['crawl', true];
      for (const [i, folder] of folders.entries()) {
        const { settings, parts: infos } = await requireManifest(disk, folder);
        if (i === 0) epoch = settings.epoch;
        positions &&= settings.positions;
        for (const [part, info] of infos.entries())
          parts.push(await Part.open(disk, partFolder(folder, part), info, settings));
      }
      const pages = await Pages.join(parts);
      const anchors = await Anchors.join(parts, pages);
      return new SearchIndex(parts, { pages, anchors }, epoch, positions);
    } catch (error) {
      for (const part of parts) await part.close();
      throw error;
    }
  }

  /** The best pages, each by its best version. */
  async search(text: string, options: SearchOptions = {}): Promise<Found> {
    const prepared = await this.#prepare(text, options);
    const { pages } = this;
    const prefer = (a: number, b: number) =>
      pages.firsts[a] !== pages.firsts[b]
        ? pages.firsts[a] > pages.firsts[b]
        : pages.lasts[a] > pages.lasts[b];
    const top = new TopPages(options.top ?? TOP, prefer);
    const { prior } = options;
    await this.#evaluate(
      prepared,
      () => top.threshold,
      (version, score) => {
        top.offer(pages.pageOf[version], version, prior ? prior[version] * score : score);
      },
    );
    const { reads, query } = prepared;
    return { results: top.results, reads, words: wordsOf(query) };
  }

  /** The scores of some versions; those that do not match are left out. */
  async scores(
    text: string,
    options: SearchOptions,
    versions: readonly number[],
  ): Promise<Map<number, number>> {
    const prepared = await this.#prepare(text, options);
    const all = () => Number.NEGATIVE_INFINITY;
    const wanted = new Set(versions);
    const scores = new Map<number, number>();
    await this.#evaluate(prepared, all, (version, score) => {
      if (wanted.has(version)) scores.set(version, score);
    });
    return scores;
  }

  /** Every version that matches. */
  async matches(text: string, options: SearchOptions = {}): Promise<number[]> {
    const versions: number[] = [];
    const prepared = await this.#prepare(text, options);
    const all = () => Number.NEGATIVE_INFINITY;
    await this.#evaluate(prepared, all, (version) => versions.push(version));
    return versions;
  }

  async close(): Promise<void> {
    for (const part of this.parts) await part.close();
  }

  /** The part of a version, and its number there. */
  partOf(version: number): { readonly part: Part; readonly local: number } {
    const { bases } = this.pages;
    let at = 0;
    while (bases[at + 1] <= version) at++;
    return { part: this.parts[at], local: version - bases[at] };
  }

  async #prepare(text: string, options: SearchOptions): Promise<Prepared> {
    const { range = ALL_TIMES, asked = range, any = false, site, language } = options;
    requireTime(range, asked, this.pages);
    const weights = { ...WEIGHTS, ...options.weights };
    const selection = this.#select(range);
    const query = await this.#withoutStopWords(parsed(text), selection);
    const planner = new Planner(this.parts, this.#variants, {
      ...{ weights, any, site, language, languages: this.#languages },
      ...{ positions: this.#positions, anchors: this.#anchors.hasAny && weights.anchor > 0 },
    });
    const plan = await planner.plan(query);
    const lists = await Promise.all(
      this.parts.map((part, i) => listsOf(part, plan, (term) => this.#anchors.listBytes(i, term))),
    );
    return { plan, query, selection, lists, weights, reads: { blocks: 0, decoded: 0 } };
  }

  /** One query at a time: the scanners hold its lists. */
  async #evaluate(
    prepared: Prepared,
    threshold: () => number,
    offer: (version: number, score: number) => void,
  ): Promise<void> {
    const turn = this.#turn.then(() => this.#evaluateNow(prepared, threshold, offer));
    this.#turn = turn.catch(() => {}); // thrown to the one who asked
    await turn;
  }

  async #evaluateNow(
    { plan, selection, lists, weights, reads }: Prepared,
    threshold: () => number,
    offer: (version: number, score: number) => void,
  ): Promise<void> {
    const queries = this.parts.map((part, i) =>
      PartQuery.start(part, this.#scanners[i], lists[i], plan, this.#validIn(i, selection)),
    );
    const factors = factorsOf(plan, queries, selection);
    for (const [i, query] of queries.entries()) {
      const base = this.pages.bases[i];
      query.setScores(factors, weights, selection);
      const receiver: Receiver = {
        get threshold() {
          return threshold();
        },
        offer: (version, score) => offer(base + version, score),
      };
      await evaluate(query, receiver, reads);
    }
  }

  /** The versions of a part that a selection has: always the same array. */
  #validIn(part: number, selection: Selection): Uint8Array {
    let arrays = this.#valid.get(selection);
    if (arrays === undefined) {
      const { bases } = this.pages;
      arrays = this.parts.map((_, i) => selection.valid.subarray(bases[i], bases[i + 1]));
      this.#valid.set(selection, arrays);
    }
    return arrays[part];
  }

  #select(range: TimeRange): Selection {
    const name = `${range.from} ${range.to}`;
    const known = this.#selections.get(name);
    if (known) return known;
    const selection = select(this.parts, this.pages, this.#anchors.words, range);
    if (this.#selections.size >= KEPT) this.#selections.clear();
    this.#selections.set(name, selection);
    return selection;
  }

  /**
   * Leaves out function words that are frequent in texts, unless the user asks for them in titles;
   * an error if nothing else is left.
   */
  async #withoutStopWords(query: Query, selection: Selection): Promise<Query> {
    const clauses: (readonly Atom[])[] = [];
    const left: string[] = [];
    for (const clause of query.clauses) {
      const [atom] = clause;
      const isPlain = clause.length === 1 && atom.kind === 'word' && !atom.inTitle;
      if (isPlain && (await this.#isStop(atom.word, selection))) left.push(atom.word);
      else clauses.push(clause);
    }
    if (clauses.length > 0 || left.length === 0) return { ...query, clauses };
    throw new DrumlinError(
      'QUERY',
      `The query has only function words that more than a fifth of the versions have: ${left.join(', ')}.`,
      'Add a word, or put the words in quotation marks to search for them as a phrase.',
    );
  }

  async #isStop(word: string, selection: Selection): Promise<boolean> {
    if (!isStopWord(word)) return false;
    let found = 0;
    for (const [i, part] of this.parts.entries()) {
      const list = await part.list(FIELD.body + word);
      const base = this.pages.bases[i];
      if (selection.isAll) found += list?.count ?? 0;
      else
        list?.eachBlock((ids, count) => {
          for (let at = 0; at < count; at++) found += selection.valid[base + ids[at]];
        });
    }
    return found > FREQUENT * selection.count;
  }
}

/** The weight of each term that scores times its inverse document frequency. */
function factorsOf(
  plan: Plan,
  queries: readonly PartQuery[],
  selection: Selection,
): Map<string, number> {
  const factors = new Map<string, number>();
  for (const [term, weight] of plan.scoring) {
    let found = 0;
    for (const query of queries) found += query.count(term, selection);
    const rarity = Math.log(1 + (selection.count - found + 0.5) / (found + 0.5));
    if (found > 0) factors.set(term, weight * rarity);
  }
  return factors;
}

function parsed(text: string): Query {
  const query = parseQuery(text);
  if (query.clauses.length > 0) return query;
  throw new DrumlinError(
    'QUERY',
    query.excluded.length > 0
      ? 'The query only excludes words.'
      : 'The query has no word to search for.',
    'Write a word that pages should have, such as: libya -stocks.',
  );
}

const wordsOf = ({ clauses }: Query): string[] =>
  clauses.flat().flatMap((atom) => {
    if (atom.kind === 'site') return [];
    return atom.kind === 'phrase' ? [...atom.words] : [atom.word];
  });

/** Crawls by the time of their first capture; spans of the same name are joined. */
function joinSpans(spans: readonly CrawlSpan[]): CrawlSpan[] {
  const joined = new Map<string, CrawlSpan>();
  for (const { name, first, last } of spans) {
    const before: { first: Millis; last: Millis } = joined.get(name) ?? { first, last };
    joined.set(name, {
      ...{ name, first: Math.min(before.first, first), last: Math.max(before.last, last) },
    });
  }
  return [...joined.values()].sort((a, b) => a.last - b.last || (a.name < b.name ? -1 : 1));
}
