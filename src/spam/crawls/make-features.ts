/**
 * Features of the sites of stored crawls.
 *
 *   crawls ─► pages, graphs ─► sets of features ─► one table
 *
 * Requires  Crawls in the order of time. The last one is described; only the sets of changes look
 *           at those before it. Links are read from the folders of crawls only.
 * Ensures   The same crawls, lists and settings give the same table. What was made in `scratch` is
 *           deleted.
 * Cost      About 0.2 ms a page and reading, and what links take. Memory: the table, about 2 KB a
 *           site, and eight bytes for each site and stem of each crawl.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { FirstTexts } from '../../duplicates/first-texts.ts';
import type { DiskGraph } from '../../graph/open-graph.ts';
import type { Collection } from '../collection.ts';
import { type FeatureTable, setOf } from '../feature-table.ts';
import { type ContentPart, contentSet } from '../features/content/content-set.ts';
import type { WordLists } from '../features/content/word-lists.ts';
import type { FeatureSet } from '../features/feature-set.ts';
import { linkFeatures } from '../features/links/link-features.ts';
import { nameSet } from '../features/names/name-set.ts';
import { copiesSet } from '../features/neighbours/copies-set.ts';
import { NearPages, type SharedPages } from '../features/neighbours/near-pages.ts';
import { neighbourSet } from '../features/neighbours/neighbour-set.ts';
import type { Site, SiteLevel } from '../features/sites.ts';
import { linkChange } from '../features/temporal/link-change.ts';
import { TERM_CHANGES, termChangesOf } from '../features/temporal/term-change.ts';
import { bm25Set, chooseTerms, type TermStatistics } from '../features/terms/bm25.ts';
import { StemNumbers, TermDocument } from '../features/terms/term-documents.ts';
import { graphOf, PageRanks } from './crawl-graphs.ts';
import { readCrawl } from './read-crawl.ts';
import { SiteBook, type SiteRecord, sitesOf } from './site-book.ts';
import { tableOf } from './table-of.ts';
import { termChangeSet } from './term-snapshots.ts';

const TERM_SETS = TERM_CHANGES.map((kind) => `bm25-${kind}` as const);
/** The names of sets that can be asked for. */
export const SET_NAMES = [
  ...(['content', 'content-aa', 'content-b', 'links', 'bm25', 'temporal'] as const),
  ...TERM_SETS,
  ...(['names', 'neighbours', 'copies'] as const),
];
export type SetName = (typeof SET_NAMES)[number];

const CONTENT_PARTS: Readonly<Record<string, ContentPart>> = {
  content: 'a',
  'content-aa': 'aa',
  'content-b': 'b',
};
/** The sets that have all the features of a model. */
export function setsFor(features: readonly string[]): SetName[] {
  const sets = new Set(features.map(setOf));
  const withTop = features.some((name) => name.startsWith('content:top_'));
  return SET_NAMES.filter((name) =>
    name in CONTENT_PARTS
      ? sets.has('content') && name === (withTop ? 'content-b' : 'content')
      : sets.has(name),
  );
}

/** Random permutations for each similarity of links over time. */
const PERMUTATIONS = 100;
const SEED = 1;

export interface FeaturesRequest {
  /** Places of crawls, the latest last. */
  readonly crawls: readonly string[];
  readonly level: SiteLevel;
  readonly sets: readonly SetName[];
  /** Pages of a site that count. */
  readonly pages: number;
  /** The words of queries, the most frequent first; undefined without a list. */
  readonly queries?: readonly string[] | undefined;
  /** Groups of sites, by name. */
  readonly groups?: ReadonlyMap<string, string> | undefined;
  /** Sites that TrustRank trusts. */
  readonly trusted?: readonly string[] | undefined;
  /** Lists and statistics of a model or of another table, instead of those of the crawl. */
  readonly collection?: Collection | undefined;
  /** A folder for temporary files; it is made and deleted. */
  readonly scratch: string;
  readonly memory: Bytes;
  readonly onProgress?: ((step: string, share: number) => void) | undefined;
  readonly onNote?: ((text: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface MadeFeatures {
  readonly table: FeatureTable;
  readonly collection: Collection;
}

export async function makeFeatures(disk: Disk, request: FeaturesRequest): Promise<MadeFeatures> {
  requirePossible(request);
  await disk.makeFolder(request.scratch);
  const making = new Making(disk, request);
  try {
    return await making.make();
  } finally {
    await making.close();
    await disk.removeFolder(request.scratch);
  }
}

function requirePossible({ crawls, sets, queries, collection }: FeaturesRequest): void {
  const content = sets.filter((set) => set in CONTENT_PARTS);
  if (content.length > 1)
    throw new DrumlinError(
      'FEATURES',
      `The sets ${content.join(' and ')} have features of the same names.`,
      'Choose one of content, content-aa and content-b.',
    );
  const lists = collection?.words;
  if (sets.includes('content-aa') && (lists ? lists.queries : (queries ?? [])).length === 0)
    throw new DrumlinError(
      'FEATURES',
      'The set content-aa looks at queries, and there are none.',
      'Give words that people search for with --queries.',
    );
  const possible = [
    ...(crawls.length > 1 ? ['temporal'] : []),
    ...termChangesOf(crawls.length).map((kind) => `bm25-${kind}`),
  ];
  const early = sets.find(
    (set) => (set === 'temporal' || /^bm25-/.test(set)) && !possible.includes(set),
  );
  if (early !== undefined)
    throw new DrumlinError(
      'FEATURES',
      `The set ${early} needs more than ${crawls.length} crawls.`,
      'Give earlier crawls of the same sites before the last one.',
    );
}

class Making {
  readonly #disk: Disk;
  readonly #request: FeaturesRequest;
  readonly #book: SiteBook;
  readonly #stems = new StemNumbers();
  #pageGraph: DiskGraph | undefined;
  #words: WordLists | undefined;
  #terms: TermStatistics | undefined;
  #shared: SharedPages | undefined;
  /** The records of each crawl, by the order of sites in the last one. */
  #snapshots: TermDocument[][] = [];

  constructor(disk: Disk, request: FeaturesRequest) {
    this.#disk = disk;
    this.#request = request;
    this.#book = new SiteBook(request.level, request.pages);
    this.#terms = request.collection?.terms;
  }

  async close(): Promise<void> {
    await this.#pageGraph?.close();
  }

  async make(): Promise<MadeFeatures> {
    const { sets, crawls, level, groups = new Map<string, string>() } = this.#request;
    const last = crawls[crawls.length - 1];
    if (sets.includes('links') || sets.includes('content-b'))
      this.#pageGraph = await graphOf(this.#disk, last, 'page', this.#request);
    await this.#readLast(last);
    const records = this.#book.records();
    if (records.length === 0)
      throw new DrumlinError(
        'FEATURES',
        `${last} has no HTML pages of status 200.`,
        'Give a crawl that fetched pages.',
      );
    if (sets.some((set) => set.startsWith('bm25'))) await this.#readTerms(records);
    const sites = sitesOf(records, groups);
    const made: FeatureSet[] = [];
    for (const set of sets) made.push(await this.#setOf(set, records, sites));
    const collection = { level, words: this.#words, terms: this.#terms };
    return { table: tableOf(sites, made), collection };
  }

  async #readLast(crawl: string): Promise<void> {
    const { sets, queries = [], collection, scratch, memory, pages: _, ...rest } = this.#request;
    const lists = collection?.words;
    const near = sets.includes('neighbours')
      ? await NearPages.create(this.#disk, scratch)
      : undefined;
    const withRanks = sets.includes('content-b') ? this.#pageGraph : undefined;
    this.#words = await readCrawl(this.#disk, crawl, {
      ...{ ...rest, book: this.#book, near },
      texts: sets.includes('copies') ? new FirstTexts() : undefined,
      ...(sets.some((set) => set in CONTENT_PARTS) && {
        content: lists ? { lists } : { queries: queries.slice(0, 1000) },
      }),
      ranks: withRanks && (await PageRanks.of(withRanks, this.#request)),
      stems: sets.some((set) => set.startsWith('bm25')) ? this.#stems : undefined,
    });
    this.#shared = await near?.finish(this.#book.size, memory);
  }

  /** Chooses the terms, and reads those of earlier crawls if changes are wanted. */
  async #readTerms(records: readonly SiteRecord[]): Promise<void> {
    const { sets, crawls, level, pages, onProgress, onNote, signal } = this.#request;
    const documents = records.map(({ terms }) => terms);
    this.#terms ??= chooseTerms(documents, this.#stems.stems);
    this.#snapshots = [documents];
    if (!sets.some((set) => (TERM_SETS as readonly string[]).includes(set))) return;
    for (const crawl of crawls.slice(0, -1).reverse()) {
      const book = new SiteBook(level, pages);
      const wanted = { level, book, stems: this.#stems, onProgress, onNote, signal };
      await readCrawl(this.#disk, crawl, wanted);
      const known = new Map(book.records().map((record) => [record.name, record.terms]));
      const none = new TermDocument();
      this.#snapshots.unshift(records.map(({ name }) => known.get(name) ?? none));
    }
  }

  async #setOf(
    name: SetName,
    records: readonly SiteRecord[],
    sites: readonly Site[],
  ): Promise<FeatureSet> {
    if (name === 'names') return nameSet(records.map((record) => record.name));
    if (name === 'links') return this.#links(sites);
    if (name === 'temporal') return this.#linkChange(sites);
    if (name === 'copies') return copiesSet(records);
    if (name === 'neighbours') return neighbourSet(sites, sorted(required(this.#shared), records));
    if (name in CONTENT_PARTS) {
      const withQueries = (this.#words?.queries.length ?? 0) > 0;
      return contentSet(records, CONTENT_PARTS[name], withQueries);
    }
    const { stems } = this.#stems;
    const terms = required(this.#terms);
    const kind = TERM_CHANGES.find((change) => name === `bm25-${change}`);
    return kind === undefined
      ? bm25Set(this.#snapshots[this.#snapshots.length - 1], stems, terms)
      : termChangeSet(kind, this.#snapshots, stems, terms);
  }

  async #links(sites: readonly Site[]): Promise<FeatureSet> {
    const { level, memory, trusted, onProgress, signal } = this.#request;
    return linkFeatures(required(this.#pageGraph), {
      ...{ sites: sites.map(({ name }) => name), pages: level, trusted, memory, threads: 1 },
      ...{ signal, onProgress: (share) => onProgress?.('links', share) },
    });
  }

  async #linkChange(sites: readonly Site[]): Promise<FeatureSet> {
    const { crawls, level, onProgress, signal } = this.#request;
    const graphs: DiskGraph[] = [];
    try {
      for (const crawl of crawls.slice(-2))
        graphs.push(await graphOf(this.#disk, crawl, level, this.#request));
      return await linkChange([graphs[0], graphs[1]], {
        ...{ sites: sites.map(({ name }) => name), permutations: PERMUTATIONS, seed: SEED },
        ...{ signal, onProgress: (share) => onProgress?.('changes of links', share) },
      });
    } finally {
      for (const graph of graphs) await graph.close();
    }
  }
}

/** What was counted in the order in which sites were found, in the order of records. */
function sorted(shared: SharedPages, records: readonly SiteRecord[]): SharedPages {
  const inOrder = (values: Float64Array) =>
    Float64Array.from(records, ({ number }) => values[number]);
  return {
    pages: inOrder(shared.pages),
    shared: inOrder(shared.shared),
    sites: inOrder(shared.sites),
  };
}

/** What was made before, because a set needs it. */
function required<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError('a set was asked for and not prepared');
  return value;
}
