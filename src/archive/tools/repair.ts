/**
 * Repairs a damaged WARC file: copies every readable record, and nothing else, to a new file.
 *
 * Idea      Complete members are copied to the byte. After damage, reading resumes at the next
 *           position that looks like the beginning of a record and is one. If the beginning of the
 *           file is damaged, its name and the records found in it show how it is compressed.
 *           Records that share a member get one each.
 * Requires  A file that no process writes to.
 * Ensures   The file itself does not change, so nothing is lost. The new file exists completely or
 *           not at all. Every omission is reported with position and reason. The digests of all
 *           kept records are computed again, and each wrong one is reported: such a record is kept,
 *           because it may be the digest that is wrong.
 * Cost      One read of the file; damaged stretches are searched once more.
 */

import { dirname } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import {
  type Compression,
  type Compressor,
  compressionOf,
  compressorFor,
  SUFFIXES,
} from '../compress/compression.ts';
import { measureFrame, SKIPPABLE_HEADER } from '../compress/zstd-frame.ts';
import { readWarc, type WarcRecord } from '../warc/warc-reader.ts';
import { verifyDigests } from './verify.ts';

/** Bytes of the file that belong to no record. */
interface LeftOut {
  readonly offset: number;
  readonly length: number;
  readonly why: string;
}

/** A kept record with a digest that does not match. */
interface WrongDigest {
  readonly offset: number;
  readonly of: 'block' | 'payload';
  readonly url: string | undefined;
}

export interface RepairReport {
  readonly records: number;
  readonly leftOut: readonly LeftOut[];
  readonly wrongDigests: readonly WrongDigest[];
  /** Number of records that got a member of their own. */
  readonly parted: number;
  readonly compression: Compression;
  /** Bytes of the new file. */
  readonly bytes: Bytes;
}

/** The first bytes of a record. */
const BEGINNINGS: Readonly<Record<Compression, Buffer>> = {
  gzip: Buffer.from([0x1f, 0x8b, 8]),
  zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
  none: Buffer.from('WARC/'),
};
const LINE_ENDS = Buffer.from('\r\n\r\n');
const SEARCH_BYTES: Bytes = 2 ** 20;
const COPY_BYTES: Bytes = 2 ** 20;

/** Reports what `repair` would find, without writing. */
export function inspect(disk: Disk, path: string): Promise<RepairReport> {
  return salvage(disk, path, undefined);
}

/** Writes the complete records of `path` to the new file `out`. Throws if there are none. */
export async function repair(disk: Disk, path: string, out: string): Promise<RepairReport> {
  const draft = `${out}.tmp`;
  const file = await disk.open(draft, 'exclusive');
  try {
    const report = await salvage(disk, path, file);
    if (report.records === 0) throw nothingWhole(path, report.leftOut);
    await file.sync();
    await file.close();
    await disk.rename(draft, out);
    await disk.syncFolder(dirname(out));
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
    const compression = await compressionIn(disk, path, file, beginning);
    const compressor = await compressorFor({ compress: compression, gzipLevel: 6 });
    const copy = new Copy(file, out, compressor, dictionaryLength(beginning));
    const leftOut: LeftOut[] = [];
    let at = 0;
    while (at < size) {
      const reader = readWarc(path, { disk, start: at });
      for await (const record of reader) await copy.take(record);
      if (!reader.fault) break;
      const damage = reader.wholeLength;
      at = await nextRecord(disk, path, file, damage + 1, compression);
      leftOut.push({
        offset: damage,
        length: at - damage,
        why: `${reader.fault.kind}: ${reader.fault.fact}`,
      });
    }
    const bytes = await copy.end();
    const { records, parted, wrongDigests } = copy;
    return { records, parted, wrongDigests, compression, leftOut, bytes };
  } finally {
    await file.close();
  }
}

/** How the records are compressed, even if the first one is damaged. */
async function compressionIn(
  disk: Disk,
  path: string,
  file: DiskFile,
  beginning: Buffer,
): Promise<Compression> {
  const stated = compressionOf(beginning);
  if (stated !== 'none' || beginning.indexOf(BEGINNINGS.none) === 0) return stated;
  const size = await file.size();
  for (const kind of kindsFor(path)) {
    if ((await nextRecord(disk, path, file, 1, kind)) < size) return kind;
  }
  return stated;
}

/**
 * The compressions, the most probable first. The name decides: a stored member shows its record
 * uncompressed, and a page may be a compressed archive.
 */
function kindsFor(path: string): readonly Compression[] {
  if (path.endsWith('.warc')) return ['none', 'gzip', 'zstd'];
  return path.endsWith(SUFFIXES.zstd) ? ['zstd', 'gzip', 'none'] : ['gzip', 'zstd', 'none'];
}

/** The position of the next readable record; the end of the file if there is none. */
async function nextRecord(
  disk: Disk,
  path: string,
  file: DiskFile,
  from: number,
  compression: Compression,
): Promise<number> {
  const size = await file.size();
  const beginning = BEGINNINGS[compression];
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
      for await (const record of readWarc(path, { disk, start: at + found })) {
        if (compression === 'gzip' || wrongIn(record).length === 0) return at + found;
        break; // without a checksum, bytes within a page may look like a record
      }
    }
  }
  return size;
}

/** The new file while it is written. Adjacent complete members are copied together. */
class Copy {
  records = 0;
  parted = 0;
  readonly wrongDigests: WrongDigest[] = [];
  readonly #from: DiskFile;
  readonly #out: DiskFile | undefined;
  readonly #compressor: Compressor;
  #written = 0;
  #start = 0;
  #end: number;

  /** Everything before the byte `head` is always copied. */
  constructor(from: DiskFile, out: DiskFile | undefined, compressor: Compressor, head: number) {
    this.#from = from;
    this.#out = out;
    this.#compressor = compressor;
    this.#end = head;
  }

  async take(record: WarcRecord): Promise<void> {
    this.records++;
    const { offset, headers } = record;
    for (const of of wrongIn(record))
      this.wrongDigests.push({ offset, of, url: headers.targetUri });
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

/** The digests of a record that do not match. */
function wrongIn(record: WarcRecord): WrongDigest['of'][] {
  const verdicts = verifyDigests(record);
  return (['block', 'payload'] as const).filter((of) => verdicts[of] === 'mismatch');
}

/** The length of the dictionary in front of the records, which they need. */
function dictionaryLength(beginning: Buffer): number {
  const frame = measureFrame(beginning);
  return frame.kind === 'skippable' && frame.isDictionary ? frame.length : 0;
}

function nothingWhole(path: string, leftOut: readonly LeftOut[]): DrumlinError {
  return new DrumlinError(
    'NOTHING_WHOLE',
    `${path} contains no complete record (${leftOut[0]?.why ?? 'it is empty'}).`,
    'It cannot be repaired; restore it from a copy.',
    { exitCode: EXIT.damaged },
  );
}
