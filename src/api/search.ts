/**
 * Search: full text over every version of every archived page, at any time.
 *
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { crawl } from 'drumlin';
 * import { startLab } from 'drumlin/lab';
 * import { indexArchives, openIndex } from 'drumlin/search';
 *
 * const folder = await mkdtemp(join(tmpdir(), 'search-'));
 * const [dir, out] = [join(folder, 'crawl'), join(folder, 'index')];
 * const lab = await startLab({ scenario: 'site', pages: 10 });
 * const settings = { seeds: lab.seeds, dns: [lab.dns], allowPrivate: true, delay: 0, dir };
 * for await (const _ of crawl(settings));
 * await lab.close();
 * await indexArchives([dir], out);
 * const index = await openIndex([out]);
 * for (const { url, snippet } of await index.search('a* or e*')) console.log(url, snippet);
 * await index.close();
 * ```
 *
 * @module search
 */
import { Disk } from '../disk/disk.ts';
import { indexArchives as writeIndex } from '../search/build/build-index.ts';
import { whatChanged } from '../search/changed/changed.ts';
import { CHANGED } from '../search/changed/order.ts';
import { statesOf } from '../search/changed/states.ts';
import { LinkGraph } from '../search/links/link-graph.ts';
import { describe } from '../search/query/results.ts';
import { SearchIndex } from '../search/query/search-index.ts';
import { timelineOf } from '../search/query/timeline.ts';
import { rangeOf } from '../search/query/times.ts';

export { DrumlinError, EXIT, type ExitCode } from '../base/errors.ts';

/** How an index is made. Every field may be omitted. */
export interface IndexingOptions {
  /** What a timeline counts by. An existing index keeps its own. Default: `crawl`. */
  readonly epoch?: 'crawl' | 'month' | 'day';
  /** Whether phrases can be searched for. An existing index keeps its own. Default: true. */
  readonly positions?: boolean;
  /** Whether links are kept, for `changed`. An existing index keeps its own. Default: true. */
  readonly links?: boolean;
  /** Bytes of memory for the words of a run. Default: 268,435,456. */
  readonly memory?: number;
  /** Bytes of a page to read. Default: 10,000,000. */
  readonly maxPage?: number;
  /** Called with a sentence about a damaged file. */
  readonly onWarning?: (sentence: string) => void;
  /** Ends the work; the same call resumes it. */
  readonly signal?: AbortSignal;
}

/** What was indexed. */
export interface IndexingCounts {
  /** Captures of pages that were read. */
  readonly pages: number;
  /** Revisits that were read: captures that prolong a version. */
  readonly revisits: number;
  /** Revisits of another URL, and captures without a date: they are not in the index. */
  readonly leftOut: number;
  /** New versions. */
  readonly versions: number;
  /** Versions of the whole index. */
  readonly allVersions: number;
  /** WARC files that the index had already. */
  readonly skippedFiles: number;
}

/**
 * Indexes crawls, folders of WARC files and WARC files; adds them if the index exists. A call that
 * was stopped resumes.
 */
export async function indexArchives(
  places: readonly string[],
  out: string,
  options: IndexingOptions = {},
): Promise<IndexingCounts> {
  const counts = await writeIndex(places, out, options);
  const { pages, revisits, copies, undated, versions, allVersions, skippedFiles } = counts;
  return { pages, revisits, leftOut: copies + undated, versions, allVersions, skippedFiles };
}

/** What is searched for, besides the words. Every field may be omitted. */
export interface QueryOptions {
  /** Each page as it was at this time (UTC), such as `2011-10-15`. Default: all versions. */
  readonly at?: string;
  /** Versions that were valid at or after this time. Default: no limit. */
  readonly from?: string;
  /** Versions that were valid at or before this time. Default: no limit. */
  readonly to?: string;
  /** Only pages of this host, or of hosts that end in it. Default: all. */
  readonly site?: string;
  /** Only versions in this language, ISO 639-1. Default: all. */
  readonly language?: string;
  /** Whether one of the words is enough. Default: false. */
  readonly any?: boolean;
  /** The most results. Default: 10. */
  readonly top?: number;
  /** Whether results have snippets, for which archives are read. Default: true. */
  readonly snippets?: boolean;
  /** BM25's saturation of frequencies. Default: 1.2. */
  readonly k1?: number;
  /** BM25's share of the length. Default: 0.75. */
  readonly b?: number;
  /** The weight of a word in a title; in a text it is 1. Default: 3. */
  readonly titleWeight?: number;
  /** The weight of a word in the text of links to the page. Default: 2. */
  readonly anchorWeight?: number;
  /** The share of the weight that another form of the word has. Default: 0.5. */
  readonly variantWeight?: number;
}

/** A page that was found, by its best version. */
export interface PageResult {
  /** In canonical form. */
  readonly url: string;
  /** As the page states it; '' if it has none. */
  readonly title: string;
  /** BM25. */
  readonly score: number;
  /** ISO 639-1; '' if the text is too short to tell. */
  readonly language: string;
  /** When this version was first captured, in milliseconds since 1970. */
  readonly first: number;
  /** When this version was last captured. */
  readonly last: number;
  /** How often this version was captured. */
  readonly captures: number;
  /** How many versions the page has. */
  readonly versions: number;
  /** The archive with the page, as it was named when it was indexed. */
  readonly place: string;
  /** When the capture of this version that is there was made; `first` if the archive is gone. */
  readonly stored: number;
  /** A piece of the text with the words; '' if the archive is gone. */
  readonly snippet: string;
}

/** What happened, besides the words. Every field but the time may be omitted. */
export interface ChangedQuery extends QueryOptions {
  /** The share of the text, from 0 to 1; the rest is that of the change. Default: 0.5. */
  readonly alpha?: number;
  /** Pages by BM25 to begin with. Default: 100. */
  readonly seeds?: number;
  /** Pages to add that are linked with these and changed. Default: 100. */
  readonly expand?: number;
  /** The order of the results. Default: `combined`. */
  readonly by?: 'none' | 'pagerank' | 'hits-authority' | 'hits-hub' | 'combined';
}

/** What a page has at one time; all 0 if it is not there. */
export interface PageCounts {
  /** Links to it. */
  readonly in: number;
  /** Links on it. */
  readonly out: number;
  /** Words of its text. */
  readonly words: number;
}

/** A page that changed. */
export interface ChangedResult {
  /** In canonical form. */
  readonly url: string;
  /** As the page states it afterwards; '' if it has none. */
  readonly title: string;
  /** The score in the order asked for. */
  readonly rank: number;
  /** BM25; 0 for a page that was added by its links and does not match. */
  readonly score: number;
  /** How much it changed. */
  readonly change: number;
  /** Its counts before. */
  readonly before: PageCounts;
  /** Its counts afterwards. */
  readonly after: PageCounts;
}

/** How many pages match at the end of an epoch. */
export interface EpochCount {
  /** The name of a crawl, a month (`2011-10`) or a day. */
  readonly epoch: string;
  /** The end of the epoch, in milliseconds since 1970. */
  readonly end: number;
  /** Pages that match as they were then. */
  readonly pages: number;
}

/** An index that is open for searching. */
export interface OpenIndex {
  /** Versions in all its folders. */
  readonly versions: number;
  /** The best pages for a query, best first. */
  search(query: string, options?: QueryOptions): Promise<PageResult[]>;
  /** What happened around `at`, or between `from` and `to`: the pages that changed most. */
  changed(query: string, options: ChangedQuery): Promise<ChangedResult[]>;
  /** How many pages match at the end of each epoch. */
  timeline(query: string, options?: QueryOptions): Promise<EpochCount[]>;
  /** Closes its files. */
  close(): Promise<void>;
}

/** Opens one index, or several that are searched as one. */
export async function openIndex(folders: readonly string[]): Promise<OpenIndex> {
  const index = await SearchIndex.open(folders);
  return {
    versions: index.pages.versions,
    search: async (query, options = {}) => {
      const found = await index.search(query, optionsOf(options));
      return describe(index, found, { snippets: options.snippets ?? true });
    },
    changed: async (query, options) => {
      const states = statesOf(index, options);
      const links = await LinkGraph.open(new Disk(), folders, index.crawls);
      try {
        const { by, alpha, seeds, expand } = { ...CHANGED, ...options };
        const wanted = { ...optionsOf(options), by, alpha, seeds, expand };
        const { pages } = await whatChanged(index, links, states, query, wanted);
        return pages.map(({ url, title, rank, score, change, before, after }) => ({
          ...{ url, title, rank, score, change, before, after },
        }));
      } finally {
        await links.close();
      }
    },
    timeline: (query, options = {}) => timelineOf(index, query, optionsOf(options)),
    close: () => index.close(),
  };
}

function optionsOf(options: QueryOptions) {
  const { site, language, any, top, k1, b, titleWeight, anchorWeight, variantWeight } = options;
  const weights = {
    ...(k1 !== undefined && { k1 }),
    ...(b !== undefined && { b }),
    ...(titleWeight !== undefined && { title: titleWeight }),
    ...(anchorWeight !== undefined && { anchor: anchorWeight }),
    ...(variantWeight !== undefined && { variant: variantWeight }),
  };
  return { ...rangeOf(options), site, language, any, top, weights };
}
