/**
 * Adjacency lists on disk: four files for each direction.
 *
 *   out.lengths   the length of every list, as a varint
 *   out.widths    two bits for every arc, four arcs to a byte, the first in the lowest bits: the
 *                 number of bytes of its number, minus one
 *   out.gaps      the numbers: the first of a list is its target minus the node, folded so that
 *                 small differences in either direction are small (0, -1, 1, -2, … become
 *                 0, 1, 2, 3, …); the others are the distance to the one before, minus one
 *   out.index     for every 256th node, three doubles: the number of arcs before it; where its
 *                 length is in `lengths`; where the group of four numbers with its first arc
 *                 begins in `gaps`
 *
 * Widths are stored apart from the numbers, so four numbers are unpacked at once and no step waits
 * for a byte that says whether another follows (the idea of Stream VByte, Lemire, Kurz and Rupp
 * 2017). Numbers are little-endian.
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
/** Numbers per entry of the index. */
export const ENTRY = 3;

/** Ids are below this, so the folded difference of two ids takes at most four bytes. */
export const MAX_NODES = 2 ** 31 - 1;

export const listPath = (folder: string, direction: Direction, file: ListFile) =>
  join(folder, `${direction}.${file}`);
