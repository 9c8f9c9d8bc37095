/**
 * Sorts names in one arena by their bytes.
 *
 * Idea      Quicksort on four bytes at a time (Bentley and Sedgewick 1997): names are split into
 *           those below, at and above a pivot's four bytes. Only those at it compare further bytes,
 *           and never these again. The four bytes are stored beside the order, so a split reads
 *           memory in order and not all over the arena.
 * Requires  no zero bytes in names: zero marks the end of a name. Entries of an arena as
 *           name-table.ts lays them out, and names so short that a recursion for each four bytes is
 *           not too deep.
 * Ensures   `order`, a permutation of the entries it held, is in byte order of their names; equal
 *           names are adjacent.
 */

/** Bytes of an entry before its name: the number, and the length of the name. */
export const ENTRY_HEAD = 6;
/** Up to this number of names, insertion sort. */
const FEW = 12;

export function sortNames(arena: Uint8Array, order: Uint32Array): void {
  new NameSort(arena, order).sort(0, order.length, 0);
}

class NameSort {
  readonly #arena: Uint8Array;
  readonly #order: Uint32Array;
  /** Four bytes of each name, parallel to `order`. */
  readonly #keys: Uint32Array;

  constructor(arena: Uint8Array, order: Uint32Array) {
    this.#arena = arena;
    this.#order = order;
    this.#keys = new Uint32Array(order.length);
  }

  /** Sorts the names order[from .. to), all equal in their first `depth` bytes. */
  sort(from: number, to: number, depth: number): void {
    for (;;) {
      if (to - from <= FEW) {
        this.#insert(from, to, depth);
        return;
      }
      this.#loadKeys(from, to, depth);
      [from, to] = this.#splitAndSort(from, to, depth);
      // If the last of the four bytes is zero, these names have ended: they are equal.
      if ((this.#keys[from] & 255) === 0) return;
      depth += 4;
    }
  }

  /**
   * Sorts the names that differ in their keys. Returns the range in which all have the pivot's key.
   */
  #splitAndSort(from: number, to: number, depth: number): [number, number] {
    const keys = this.#keys;
    const pivot = middle(keys[from], keys[(from + to) >>> 1], keys[to - 1]);
    let below = from;
    let above = to;
    for (let i = from; i < above; ) {
      const key = keys[i];
      if (key < pivot) this.#swap(i++, below++);
      else if (key > pivot) this.#swap(i, --above);
      else i++;
    }
    this.#sortByKeys(from, below, depth);
    this.#sortByKeys(above, to, depth);
    return [below, above];
  }

  /** Like `sort`, with the keys at this depth already loaded. */
  #sortByKeys(from: number, to: number, depth: number): void {
    if (to - from <= FEW) {
      this.#insert(from, to, depth);
      return;
    }
    const [below, above] = this.#splitAndSort(from, to, depth);
    if ((this.#keys[below] & 255) !== 0) this.sort(below, above, depth + 4);
  }

  #loadKeys(from: number, to: number, depth: number): void {
    const arena = this.#arena;
    for (let i = from; i < to; i++) {
      const entry = this.#order[i];
      const at = entry + ENTRY_HEAD + depth;
      const length = lengthAt(arena, entry) - depth;
      let key = 0;
      for (let byte = 0; byte < 4; byte++)
        key = (key << 8) | (byte < length ? arena[at + byte] : 0);
      this.#keys[i] = key;
    }
  }

  #insert(from: number, to: number, depth: number): void {
    const order = this.#order;
    for (let i = from + 1; i < to; i++) {
      const entry = order[i];
      let hole = i;
      for (; hole > from && this.#compare(order[hole - 1], entry, depth) > 0; hole--)
        order[hole] = order[hole - 1];
      order[hole] = entry;
    }
  }

  #compare(a: number, b: number, depth: number): number {
    const arena = this.#arena;
    let i = a + ENTRY_HEAD + depth;
    let j = b + ENTRY_HEAD + depth;
    const aEnd = a + ENTRY_HEAD + lengthAt(arena, a);
    const bEnd = b + ENTRY_HEAD + lengthAt(arena, b);
    for (; i < aEnd && j < bEnd; i++, j++) {
      if (arena[i] !== arena[j]) return arena[i] - arena[j];
    }
    return aEnd - i - (bEnd - j);
  }

  #swap(i: number, j: number): void {
    const [order, keys] = [this.#order, this.#keys];
    const name = order[i];
    order[i] = order[j];
    order[j] = name;
    const key = keys[i];
    keys[i] = keys[j];
    keys[j] = key;
  }
}

function middle(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

export function numberAt(arena: Uint8Array, entry: number): number {
  return (
    (arena[entry] |
      (arena[entry + 1] << 8) |
      (arena[entry + 2] << 16) |
      (arena[entry + 3] << 24)) >>>
    0
  );
}

export function lengthAt(arena: Uint8Array, entry: number): number {
  return arena[entry + 4] | (arena[entry + 5] << 8);
}
