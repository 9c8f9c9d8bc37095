/**
 * Makes a damaged WARC file whole again: every record that can be read, and nothing else, in a new file.
 *
 * Idea      Whole members are copied to the byte. Where reading stops, it begins again at the next place that looks like the
 *           beginning of a record and turns out to be one. Records that share a member are given one each.
 * Requires  a file that nobody writes to.
 * Ensures   the file itself is not changed, so nothing is lost. The new file is there whole or not at all. What is left
 *           out is told, by place and reason.
 * Cost      One read of the file; where it is damaged, the damaged stretch is searched once more.
 */

import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import {
  type Compression,
  type Compressor,
  compressionOf,
  compressorFor,
} from '../compress/compression.ts';
import { measureFrame, SKIPPABLE_HEADER } from '../compress/zstd-frame.ts';
import { readWarc, type WarcRecord } from '../warc/warc-reader.ts';

/** Bytes of the file that are in no record. */
export interface LeftOut {
  readonly offset: number;
  readonly length: number;
  readonly why: string;
}

export interface RepairReport {
  readonly records: number;
  readonly leftOut: readonly LeftOut[];
  /** Records that were given a member of their own. */
  readonly parted: number;
  readonly compression: Compression;
  /** Bytes of the new file. */
  readonly bytes: Bytes;
}

/** What a record begins with. */
const BEGINNINGS: Readonly<Record<Compression, Buffer>> = {
  gzip: Buffer.from([0x1f, 0x8b, 8]),
  zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
  none: Buffer.from('WARC/'),
};
const LINE_ENDS = Buffer.from('\r\n\r\n');
const SEARCH_BYTES: Bytes = 2 ** 20;
const COPY_BYTES: Bytes = 2 ** 20;

/** What `repair` would find, without writing anything. */
export function inspect(disk: Disk, path: string): Promise<RepairReport> {
  return salvage(disk, path, undefined);
}

/** Writes the whole records of `path` to the new file `out`. A file without any is refused. */
export async function repair(disk: Disk, path: string, out: string): Promise<RepairReport> {
  const draft = `${out}.tmp`;
  const file = await disk.open(draft, 'exclusive');
  try {
    const report = await salvage(disk, path, file);
    if (report.records === 0) throw nothingWhole(path, report.leftOut);
    await file.sync();
    await file.close();
    await disk.rename(draft, out);
    return report;
  } catch (error) {
    await file.close();
    await disk.remove(draft);
    throw error;
  }
}

async function salvage(disk: Disk, path: string, out: DiskFile | undefined): Promise<RepairReport> {
  const file = await disk.open(path, 'read');
  try {
    const size = await file.size();
    const beginning = Buffer.alloc(SKIPPABLE_HEADER);
    await file.readUpTo(beginning, 0);
    const compression = compressionOf(beginning);
    const compressor = await compressorFor({ compress: compression, gzipLevel: 6 });
    const copy = new Copy(file, out, compressor, dictionaryLength(beginning));
    const leftOut: LeftOut[] = [];
    let at = 0;
    while (at < size) {
      const reader = readWarc(path, { disk, start: at });
      for await (const record of reader) await copy.take(record);
      if (!reader.fault) break;
      const damage = reader.wholeLength;
      at = await nextRecord(disk, path, file, damage + 1, BEGINNINGS[compression]);
      leftOut.push({
        offset: damage,
        length: at - damage,
        why: `${reader.fault.kind}: ${reader.fault.fact}`,
      });
    }
    const bytes = await copy.end();
    return { records: copy.records, parted: copy.parted, compression, leftOut, bytes };
  } finally {
    await file.close();
  }
}

/** Where the next record begins that can be read; the end of the file where there is none. */
async function nextRecord(
  disk: Disk,
  path: string,
  file: DiskFile,
  from: number,
  beginning: Buffer,
): Promise<number> {
  const size = await file.size();
  const window = Buffer.allocUnsafe(SEARCH_BYTES + beginning.length);
  for (let at = from; at < size; at += SEARCH_BYTES) {
    const length = await file.readUpTo(window, at);
    const bytes = window.subarray(0, length);
    for (
      let found = bytes.indexOf(beginning);
      found >= 0;
      found = bytes.indexOf(beginning, found + 1)
    ) {
      if (found >= SEARCH_BYTES) break;
      for await (const _ of readWarc(path, { disk, start: at + found })) return at + found;
    }
  }
  return size;
}

/** The new file while it is written: consecutive whole members are copied together. */
class Copy {
  records = 0;
  parted = 0;
  readonly #from: DiskFile;
  readonly #out: DiskFile | undefined;
  readonly #compressor: Compressor;
  #written = 0;
  #start = 0;
  #end: number;

  /** What stands before the byte `head` is copied in any case. */
  constructor(from: DiskFile, out: DiskFile | undefined, compressor: Compressor, head: number) {
    this.#from = from;
    this.#out = out;
    this.#compressor = compressor;
    this.#end = head;
  }

  async take(record: WarcRecord): Promise<void> {
    this.records++;
    if (record.sharesMember) {
      await this.#copy();
      this.parted++;
      await this.#write(
        await this.#compressor.member(Buffer.concat([record.bytes, LINE_ENDS]), Buffer.from),
      );
      return;
    }
    if (record.offset !== this.#end) {
      await this.#copy();
      this.#start = record.offset;
    }
    this.#end = record.offset + record.length;
  }

  async end(): Promise<Bytes> {
    await this.#copy();
    return this.#written;
  }

  async #copy(): Promise<void> {
    for (let at = this.#start; at < this.#end; at += COPY_BYTES) {
      const bytes = Buffer.allocUnsafe(Math.min(COPY_BYTES, this.#end - at));
      if (this.#out) await this.#from.readAll(bytes, at);
      await this.#write(bytes);
    }
    this.#start = this.#end;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#out?.writeAll(bytes, this.#written);
    this.#written += bytes.length;
  }
}

/** Records cannot be read without the dictionary that stands in front of them. */
function dictionaryLength(beginning: Buffer): number {
  const frame = measureFrame(beginning);
  return frame.kind === 'skippable' && frame.isDictionary ? frame.length : 0;
}

function nothingWhole(path: string, leftOut: readonly LeftOut[]): DrumlinError {
  return new DrumlinError(
    'NOTHING_WHOLE',
    `${path} holds no whole record (${leftOut[0]?.why ?? 'it is empty'}).`,
    'There is nothing to repair; restore it from a copy.',
    { exitCode: EXIT.damaged },
  );
}
