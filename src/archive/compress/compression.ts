/**
 * How the records of a WARC file are compressed: each by itself, as a gzip member, as a zstd frame,
 * or not at all.
 *
 * Idea      A writer asks a `Compressor` for members and does not know their kind. A reader looks
 *           at the first bytes: a file name is only a hint.
 * Ensures   Consecutive records become consecutive members, and any tool for the format reads the
 *           records back.
 * Cost      See docs/archive.md; `npm run bench -- archive` measures it.
 */
import { setImmediate as othersHadTheirTurn } from 'node:timers/promises';
import { type GzipLevel, gzipMember } from './gzip.ts';
import { loadZstd, type Zstd, type ZstdLevel } from './zstd.ts';
import { isZstd } from './zstd-frame.ts';

export type Compression = 'gzip' | 'zstd' | 'none';

/** The end of a file name after `.warc`. */
export const SUFFIXES: Readonly<Record<Compression, string>> = {
  gzip: '.gz',
  zstd: '.zst',
  none: '',
};

/** The name of the unit that holds one record. */
export const MEMBERS: Readonly<Record<Compression, string>> = {
  gzip: 'gzip member',
  zstd: 'zstd frame',
  none: 'record',
};

/** Recognises the compression by the beginning of a file, or of a record in it. */
export function compressionOf(bytes: Uint8Array): Compression {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  return isZstd(bytes) ? 'zstd' : 'none';
}

export interface CompressionOptions {
  readonly compress?: Compression | undefined;
  readonly gzipLevel?: GzipLevel | undefined;
  readonly zstdLevel?: ZstdLevel | undefined;
}

export interface Compressor {
  readonly suffix: string;
  /**
   * Compresses the record to one member and passes it to `keep`, which must copy it: the next call
   * reuses the memory. A huge record is compressed later, and a promise is returned. Otherwise
   * `keep` has returned already.
   */
  member<T>(record: Uint8Array, keep: (member: Uint8Array) => T): T | Promise<T>;
}

export async function compressorFor({
  compress = 'gzip',
  gzipLevel = 1,
  zstdLevel = 3,
}: CompressionOptions): Promise<Compressor> {
  const suffix = SUFFIXES[compress];
  if (compress === 'none') return { suffix, member: (record, keep) => keep(record) };
  if (compress === 'gzip')
    return { suffix, member: (record, keep) => gzipMember(record, gzipLevel, keep) };
  const zstd = await loadZstd();
  return {
    suffix,
    member: (record, keep) =>
      record.length <= PIECE
        ? keep(zstd.frame(record, zstdLevel))
        : framesOf(record, zstd, zstdLevel).then(keep),
  };
}

/** A longer piece would block the event loop too long: this one takes 5 to 10 ms. */
const PIECE = 2 ** 20;

/**
 * Compresses a huge record as several frames, which the format allows, and lets other tasks run in
 * between.
 */
async function framesOf(record: Uint8Array, zstd: Zstd, level: ZstdLevel): Promise<Uint8Array> {
  const frames: Uint8Array[] = [];
  for (let from = 0; from < record.length; from += PIECE) {
    if (from > 0) await othersHadTheirTurn();
    frames.push(zstd.frame(record.subarray(from, from + PIECE), level));
  }
  return Buffer.concat(frames);
}
