/**
 * Corpora: the text, language and quality of archived pages as tables, and the index of an archive
 * in the schema of Common Crawl.
 *
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { crawl } from 'drumlin';
 * import { exportCorpus } from 'drumlin/corpus';
 * import { startLab } from 'drumlin/lab';
 *
 * const folder = await mkdtemp(join(tmpdir(), 'corpus-'));
 * const [dir, out] = [join(folder, 'crawl'), join(folder, 'corpus')];
 * const lab = await startLab({ scenario: 'site', pages: 10 });
 * const settings = { seeds: lab.seeds, dns: [lab.dns], allowPrivate: true, delay: 0, dir };
 * for await (const _ of crawl(settings));
 * await lab.close();
 * const { rows, words } = await exportCorpus([dir], out, { where: ['words >= 50'] });
 * console.log(rows, words);
 * ```
 *
 * @module corpus
 */
import { exportIndex as writeIndex } from '../corpus/columnar/export-index.ts';
import { PRESETS } from '../corpus/condition.ts';
import { exportCorpus as writeCorpus } from '../corpus/export.ts';
import { Disk } from '../disk/disk.ts';

export { DrumlinError, EXIT, type ExitCode } from '../base/errors.ts';

/** How a corpus is made. Every field may be omitted. */
export interface CorpusOptions {
  /** The format of the files. Default: `parquet`. */
  readonly format?: 'parquet' | 'jsonl.gz' | 'jsonl.zst';
  /** The main text, all visible text, or what Readability finds. Default: `main`. */
  readonly extract?: 'main' | 'all' | 'readability';
  /** Conditions that a page must meet, such as `language == en and words >= 50`. Default: none. */
  readonly where?: readonly string[];
  /** The conditions of a well-known corpus, before `where`. Default: none. */
  readonly preset?: 'fineweb' | 'gopher' | 'c4';
  /** Near-duplicates: do not look, mark or drop them. Default: `mark`. */
  readonly duplicates?: 'keep' | 'mark' | 'drop';
  /** The part of the longer text that stands in a near-duplicate of it. Default: 0.75. */
  readonly similarity?: number;
  /** Also pages that say they do not want to be used. Default: false. */
  readonly includeOptOuts?: boolean;
  /** What to replace in texts. Default: nothing. */
  readonly mask?: readonly ('emails' | 'addresses')[];
  /** Bytes of a page to read. Default: 10,000,000. */
  readonly maxPage?: number;
  /**
   * A file of domains with values for the column `domain_rank`. Default: the ranks of the crawls.
   */
  readonly ranks?: string;
  /** A file of domains with values for the column `spam`. Default: none. */
  readonly spam?: string;
  /** Threads. The bytes do not depend on it. Default: 1. */
  readonly threads?: number;
  /** Called with a sentence about a damaged file. */
  readonly onWarning?: (sentence: string) => void;
  /** Ends the export; the same call resumes it. */
  readonly signal?: AbortSignal;
}

/** What an export did. `corpus.json` in its folder has more. */
export interface CorpusCounts {
  /** Pages in the archives: responses of status 200 that are HTML or text. */
  readonly pages: number;
  /** Rows of the corpus. */
  readonly rows: number;
  /** Words of all rows, before near-duplicates are dropped. */
  readonly words: number;
  /** Bytes of all files. */
  readonly bytes: number;
  /** Rows with an earlier near-duplicate: marked or dropped. */
  readonly nearDuplicates: number;
  /** Pages left out, by what they say against their use. */
  readonly optOuts: Readonly<Record<string, number>>;
  /** Pages left out, by the condition that they do not meet. */
  readonly conditions: Readonly<Record<string, number>>;
}

/**
 * Writes a corpus from crawls, folders of WARC files and WARC files. A call that was stopped
 * resumes.
 */
export async function exportCorpus(
  places: readonly string[],
  out: string,
  options: CorpusOptions = {},
): Promise<CorpusCounts> {
  const { preset, where = [], ...rest } = options;
  const conditions = preset === undefined ? where : [PRESETS[preset], ...where];
  const { counts } = await writeCorpus(places, out, {
    ...rest,
    where: conditions,
    ranksOf: async (folder) => {
      const { ranksOf } = await import('../crawl/state/domain-list.ts');
      return ranksOf(new Disk(), folder);
    },
  });
  const { pages, rows, words, bytes, nearDuplicates, optOuts, conditions: unmet } = counts;
  return { pages, rows, words, bytes, nearDuplicates, optOuts, conditions: unmet };
}

/** How an index is written. */
export interface ColumnarIndexOptions {
  /** The name of the crawl. Default: that of the folder. */
  readonly crawl?: string;
  /** Called with a sentence about a damaged file. */
  readonly onWarning?: (sentence: string) => void;
}

/**
 * Writes the index of an archive as tables in the schema of Common Crawl, and returns the rows of
 * each subset.
 */
export function exportIndex(
  place: string,
  out: string,
  options: ColumnarIndexOptions = {},
): Promise<Partial<Record<'warc' | 'crawldiagnostics' | 'robotstxt', number>>> {
  return writeIndex(place, out, options);
}
