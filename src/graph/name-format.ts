/**
 * Names on disk, in byte order, so that the number of a name is its rank.
 *
 *   names         blocks of 64 names: the first as its length and its bytes; each other as the
 *                 length it shares with the one before it, the length of the rest, and the rest
 *                 (lengths as varints)
 *   names.index   where each block begins in `names`, as doubles
 *
 * A name is any text in UTF-8 without white space or control characters, of at most 4,096 bytes.
 */
import { join } from 'node:path';
import type { Format } from '../disk/format.ts';

export const NAMES_FORMAT: Format = { type: 'gnm', version: 1 };
export const NAME_INDEX_FORMAT: Format = { type: 'gni', version: 1 };
export const BLOCK_NAMES = 64;
/** Twice the longest canonical URL. */
export const MAX_NAME_BYTES = 4096;

/** The number of hosts of each node of a graph of domains: a u32 each, in the order of ids. */
export const HOSTS_FORMAT: Format = { type: 'ghc', version: 1 };
export const hostsPath = (folder: string) => join(folder, 'hosts');

export const namesPath = (folder: string) => join(folder, 'names');
export const nameIndexPath = (folder: string) => join(folder, 'names.index');

/** Compares two byte ranges: negative, zero or positive. */
export function compareBytes(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const length = Math.min(aEnd - aStart, bEnd - bStart);
  for (let i = 0; i < length; i++) {
    const difference = a[aStart + i] - b[bStart + i];
    if (difference !== 0) return difference;
  }
  return aEnd - aStart - (bEnd - bStart);
}
