/**
 * Names in memory, numbered as they come, in one arena and one table: no object for a name.
 *
 * Requires  names without zero bytes, of at most MAX_NAME_BYTES: an empty table has room for any.
 * Costs     the memory given, of which only what is used becomes resident; about 50 ns a look-up.
 */
import { MAX_NAME_BYTES } from './name-format.ts';
import { sortNames } from './name-sort.ts';

export class NameTable {
  readonly arena: Uint8Array;
  /** Name i is arena[starts[i] .. starts[i + 1]). */
  readonly starts: Uint32Array;
  /** Numbers of names plus one, by hash; 0 is free. */
  readonly #slots: Uint32Array;
  count = 0;

  constructor(memory: number) {
    this.arena = new Uint8Array(Math.max(2 * MAX_NAME_BYTES, Math.floor(memory / 2)));
    // An eighth for the starts, a quarter for the table, an eighth for sorting.
    const most = 2 ** Math.max(4, Math.floor(Math.log2(memory / 32)));
    this.starts = new Uint32Array(most + 1);
    this.#slots = new Uint32Array(most * 2);
  }

  /** The number of a name, a new one if it is new; -1 when there is no room for it. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash(bytes, start, end) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot];
      if (entry === 0) {
        const number = this.append(bytes, start, end);
        this.#slots[slot] = number + 1;
        return number;
      }
      if (this.#is(entry - 1, bytes, start, end)) return entry - 1;
    }
  }

  /** Takes a name without looking whether it is there. */
  append(bytes: Uint8Array, start: number, end: number): number {
    const at = this.starts[this.count];
    const length = end - start;
    if (this.count === this.starts.length - 1 || at + length > this.arena.length) return -1;
    for (let i = 0; i < length; i++) this.arena[at + i] = bytes[start + i];
    this.starts[this.count + 1] = at + length;
    return this.count++;
  }

  clear(): void {
    this.count = 0;
    this.#slots.fill(0);
  }

  /** The numbers in byte order of the names. */
  sorted(): Uint32Array {
    const order = new Uint32Array(this.count);
    for (let i = 0; i < order.length; i++) order[i] = i;
    sortNames(this.arena, this.starts, order, order.length);
    return order;
  }

  #is(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const at = this.starts[number];
    if (this.starts[number + 1] - at !== end - start) return false;
    for (let i = 0; i < end - start; i++) if (this.arena[at + i] !== bytes[start + i]) return false;
    return true;
  }
}

/** FNV-1a, its bits stirred once more. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let h = 0x811c9dc5;
  for (let i = start; i < end; i++) h = Math.imul(h ^ bytes[i], 0x01000193);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  return h ^ (h >>> 13);
}
