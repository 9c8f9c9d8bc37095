/**
 * The index of a crawl, merged from the parts that its agents wrote: `indexes/index.cdxj`.
 *
 * Idea      The parts are authoritative. The merged index is deleted when a crawl starts or
 *           resumes, and made again when it ends. So an index that exists is correct. A WARC file
 *           without a part (added by hand, or the part was lost) is read instead, and so is one
 *           whose part is not what was written.
 * Requires  A folder with an `archive` in it that no process writes to.
 * Ensures   One line for every capture in the files of the archive, in bytewise order, and none for
 *           files that no longer exist.
 * Cost      `memory`, independent of the size. Each line is written and read twice, or three times
 *           for a large index.
 */
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { readLines } from '../../disk/lines.ts';
import { isWarcName } from '../warc/warc-names.ts';
import { readWarc } from '../warc/warc-reader.ts';
import { captureOf, cdxjLine, indexLine } from './cdxj.ts';
import { writeIndex } from './index-file.ts';
import { partName } from './index-part.ts';

export const archiveDir = (dir: string): string => join(dir, 'archive');
export const indexDir = (dir: string): string => join(dir, 'indexes');
export const partsDir = (dir: string): string => join(dir, 'indexes', 'parts');

const MEMORY: Bytes = 64 * 2 ** 20;
/** From this size on an index is compressed. */
const COMPRESS_FROM: Bytes = 64 * 2 ** 20;

interface MergeOptions {
  readonly memory?: Bytes;
  /** From this total length of the parts on, the index is compressed. */
  readonly compressFrom?: Bytes;
  readonly sums?: PartSums;
  /** The WARC files, if they are elsewhere: each needs a part. By default those of the archive. */
  readonly warcs?: readonly string[];
}

/** The CRC-32 of the parts of some WARC files, as checkpoints have them. */
export type PartSums = ReadonlyMap<string, number>;

/** Names of the WARC files in a folder, in order; empty if the folder does not exist. */
export async function warcNames(disk: Disk, folder: string): Promise<string[]> {
  return (await listed(disk, folder)).filter(isWarcName).sort();
}

async function listed(disk: Disk, folder: string): Promise<string[]> {
  try {
    return await disk.list(folder);
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return [];
    throw error;
  }
}

/** The lines of all captures in a crawl's archive, unsorted, in the form of its parts. */
export async function* partLines(
  disk: Disk,
  dir: string,
  sums?: PartSums,
  warcs?: readonly string[],
): AsyncGenerator<string[]> {
  const parts = new Set(await listed(disk, partsDir(dir)));
  for (const warc of warcs ?? (await warcNames(disk, archiveDir(dir)))) {
    const part = partName(warc);
    const path = join(partsDir(dir), part);
    if (parts.has(part) && (await isWhole(disk, path, sums?.get(warc))))
      yield* readLines(disk, path);
    else yield* scannedLines(disk, join(archiveDir(dir), warc), warc);
  }
}

/** Whether a part has its checksum, if that is known. */
async function isWhole(disk: Disk, path: string, sum: number | undefined): Promise<boolean> {
  if (sum === undefined) return true;
  let found = 0;
  for await (const lines of readLines(disk, path))
    found = crc32(Buffer.from(`${lines.join('\n')}\n`, 'latin1'), found);
  return found === sum;
}

/**
 * The lines of the captures in a WARC file, read from the file itself. Damage ends the reading and
 * is reported.
 */
export async function* scannedLines(
  disk: Disk,
  path: string,
  filename: string,
  onFault: (at: number, fact: string) => void = () => {},
): AsyncGenerator<string[]> {
  const reader = readWarc(path, { disk });
  for await (const record of reader) {
    const capture = captureOf(record, filename);
    if (capture) yield [cdxjLine(capture).slice(0, -1)];
  }
  if (reader.fault) onFault(reader.wholeLength, reader.fault.fact);
}

/** Makes the index of a crawl's archive and returns the number of captures. */
export async function mergeIndex(
  disk: Disk,
  dir: string,
  options: MergeOptions = {},
): Promise<number> {
  const { memory = MEMORY, compressFrom = COMPRESS_FROM, sums, warcs } = options;
  await disk.makeFolder(partsDir(dir));
  const sorter = new LineSorter(disk, indexDir(dir), 'index', memory);
  try {
    let bytes = 0;
    for await (const lines of partLines(disk, dir, sums, warcs)) {
      for (const line of lines.map(indexLine)) {
        await sorter.add(line);
        bytes += line.length + 1;
      }
    }
    return await writeIndex(disk, indexDir(dir), sorter.sorted(), bytes >= compressFrom);
  } finally {
    await sorter.close();
  }
}
