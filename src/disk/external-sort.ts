/**
 * Pairs of 32-bit numbers sorted by key, then by value, repeats removed: in memory, or through the disk.
 */

/** Values grouped by key: those of key `first + i` are `values[offsets[i] .. offsets[i + 1])`, strictly increasing. */
export interface Groups {
  readonly first: number;
  readonly count: number;
  readonly offsets: Uint32Array;
  readonly values: Uint32Array;
}

/** Up to here an insertion sort is faster than calling the engine's. */
const SHORT_LIST = 24;

/**
 * Sorts every list `values[offsets[i] .. offsets[i + 1])`, removes repeats and closes the gaps that they leave.
 * Returns how many values are left; `offsets` is brought up to date. Lists that are sorted already cost one look.
 */
export function settleLists(offsets: Uint32Array, count: number, values: Uint32Array): number {
  let kept = 0;
  let start = offsets[0];
  for (let i = 0; i < count; i++) {
    const end = offsets[i + 1];
    sortRange(values, start, end);
    offsets[i] = kept;
    for (let at = start; at < end; at++) {
      const value = values[at];
      if (at === start || value !== values[kept - 1]) values[kept++] = value;
    }
    start = end;
  }
  offsets[count] = kept;
  return kept;
}

function sortRange(values: Uint32Array, start: number, end: number): void {
  let at = start + 1;
  while (at < end && values[at - 1] <= values[at]) at++;
  if (at >= end) return;
  if (end - start > SHORT_LIST) {
    values.subarray(start, end).sort();
    return;
  }
  for (; at < end; at++) {
    const value = values[at];
    let hole = at;
    for (; hole > start && values[hole - 1] > value; hole--) values[hole] = values[hole - 1];
    values[hole] = value;
  }
}
