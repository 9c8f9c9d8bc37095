/**
 * Adjacency lists on disk: four files for each direction.
 *
 *   out.lengths   the length of every list, as a varint
 *   out.widths    two bits for every arc, four to a byte, the first lowest: how many bytes its number takes, less one
 *   out.gaps      the numbers: the first of a list is its target less the node, folded so that small differences
 *                 either way are small (0, -1, 1, -2, … become 0, 1, 2, 3, …); the others are the
 *                 distance to the one before, less one
 *   out.index     for every 256th node, three doubles: the arcs before it; where its length stands in `lengths`;
 *                 where the group of four numbers that holds its first arc begins in `gaps`
 *
 * Widths stand apart from the numbers, so that four numbers are unpacked at once and nothing waits
 * for a byte to say whether another follows (the idea of Stream VByte, Lemire, Kurz and Rupp 2017).
 * Numbers are little-endian.
 */
import { join } from 'node:path';
import type { Format } from '../disk/format.ts';

export type Direction = 'out' | 'in';

export const LIST_FILES = ['lengths', 'widths', 'gaps', 'index'] as const;
export type ListFile = (typeof LIST_FILES)[number];

export const LIST_FORMATS: Readonly<Record<ListFile, Format>> = {
  lengths: { type: 'gln', version: 1 },
  widths: { type: 'gwd', version: 1 },
  gaps: { type: 'ggp', version: 1 },
  index: { type: 'gix', version: 1 },
};

export const INDEXED_NODES = 256;
/** Numbers of an entry of the index. */
export const ENTRY = 3;

/** Ids stay below, so that the folded difference of two of them takes at most four bytes. */
export const MAX_NODES = 2 ** 31 - 1;

export const listPath = (folder: string, direction: Direction, file: ListFile) =>
  join(folder, `${direction}.${file}`);
