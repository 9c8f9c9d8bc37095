/** What an export is: its inputs, its settings and the sizes of its pieces. */
import type { Bytes } from '../base/units.ts';
import type { Extract } from '../text/text-reader.ts';
import type { InputFile } from './inputs.ts';
import type { Mask } from './mask.ts';

export type CorpusFormat = 'parquet' | 'jsonl.gz' | 'jsonl.zst';
export type Duplicates = 'keep' | 'mark' | 'drop';

/** Everything that the bytes of the corpus depend on, besides its inputs. */
export interface CorpusSettings {
  readonly format: CorpusFormat;
  readonly extract: Extract;
  /** Conditions that all must hold. */
  readonly where: readonly string[];
  readonly duplicates: Duplicates;
  readonly similarity: number;
  readonly includeOptOuts: boolean;
  readonly mask: readonly Mask[];
  readonly maxPage: Bytes;
  /** Lists of domains with values: paths, or undefined. */
  readonly ranks?: string | undefined;
  readonly spam?: string | undefined;
  readonly sizes: CorpusSizes;
}

interface CorpusSizes {
  /** Bytes of a WARC file that are read as one task. */
  readonly segment: Bytes;
  readonly rowGroup: Bytes;
  /** About the size of a file of the corpus. */
  readonly part: Bytes;
  /** Memory for sorting. */
  readonly memory: Bytes;
}

export const SIZES: CorpusSizes = {
  segment: 64e6,
  rowGroup: 64e6,
  part: 512e6,
  memory: 64e6,
};

export interface CorpusPlan {
  readonly version: string;
  readonly settings: CorpusSettings;
  readonly inputs: readonly InputFile[];
}

/** A piece of a WARC file: the records that begin at `start` or after it, and before `end`. */
export interface Segment {
  readonly input: number;
  readonly crawl: string;
  readonly start: number;
  readonly end: number;
}

/** Counts by name. */
export type Counts = Record<string, number>;

export function addTo(counts: Counts, name: string, count = 1): void {
  counts[name] = (counts[name] ?? 0) + count;
}
