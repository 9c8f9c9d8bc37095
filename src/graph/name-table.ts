/**
 * Names in memory, numbered as they come: no object per name, and few cache misses per look-up.
 *
 * Layout    the arena holds an entry for each name: its number (four bytes), its length (two), its
 *           bytes. The table holds, by hash, the hash and the position of the entry. The hash
 *           nearly always tells different names apart, and all that a hit reads is together.
 * Requires  names without zero bytes, of at most MAX_NAME_BYTES: an empty table has room for any.
 * Costs     the memory given, up to 4 GiB; only the part in use becomes resident.
 */

import { MAX_NAME_BYTES } from './name-format.ts';
import { ENTRY_HEAD, lengthAt, numberAt, sortNames } from './name-sort.ts';

/** Positions of entries have 32 bits: more memory cannot be used. */
const MOST_MEMORY = 4 * 2 ** 30;

export class NameTable {
  readonly arena: Uint8Array;
  /** The position of each number's entry. */
  readonly #entries: Uint32Array;
  /** Pairs of a hash and the position of its entry plus one; 0 is free. */
  readonly #slots: Uint32Array;
  #used = 0;
  count = 0;

  constructor(given: number) {
    const memory = Math.min(given, MOST_MEMORY);
    // A sixteenth for the entries, a quarter for the table, an eighth for sorting.
    const most = 2 ** Math.max(4, Math.floor(Math.log2(memory / 64)));
    this.arena = new Uint8Array(
      Math.max(2 * (MAX_NAME_BYTES + ENTRY_HEAD), Math.floor(memory / 2)),
    );
    this.#entries = new Uint32Array(most);
    this.#slots = new Uint32Array(most * 4);
  }

  /** The number of a name; a new name gets the next one; -1 if there is no room for it. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const key = hash(bytes, start, end);
    for (let slot = (key << 1) & mask; ; slot = (slot + 2) & mask) {
      const entry = slots[slot + 1] - 1;
      if (entry < 0) {
        const number = this.append(bytes, start, end);
        if (number < 0) return -1;
        slots[slot] = key;
        slots[slot + 1] = this.#entries[number] + 1;
        return number;
      }
      if (slots[slot] === key && isName(this.arena, entry, bytes, start, end))
        return numberAt(this.arena, entry);
    }
  }

  /** Adds a name without checking whether it is there. */
  append(bytes: Uint8Array, start: number, end: number): number {
    const { arena, count } = this;
    const entry = this.#used;
    const length = end - start;
    if (count === this.#entries.length || entry + ENTRY_HEAD + length > arena.length) return -1;
    for (let i = 0; i < 4; i++) arena[entry + i] = count >>> (8 * i);
    arena[entry + 4] = length;
    arena[entry + 5] = length >>> 8;
    for (let i = 0; i < length; i++) arena[entry + ENTRY_HEAD + i] = bytes[start + i];
    this.#entries[count] = entry;
    this.#used = entry + ENTRY_HEAD + length;
    return this.count++;
  }

  /** A view of a name. */
  bytesOf(number: number): Uint8Array {
    const entry = this.#entries[number];
    return this.arena.subarray(
      entry + ENTRY_HEAD,
      entry + ENTRY_HEAD + lengthAt(this.arena, entry),
    );
  }

  clear(): void {
    this.count = 0;
    this.#used = 0;
    this.#slots.fill(0);
  }

  /** Positions of the entries, in byte order of the names. */
  sorted(): Uint32Array {
    const order = this.#entries.slice(0, this.count);
    sortNames(this.arena, order);
    return order;
  }
}

function isName(
  arena: Uint8Array,
  entry: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  const length = end - start;
  if (lengthAt(arena, entry) !== length) return false;
  for (let i = 0; i < length; i++)
    if (arena[entry + ENTRY_HEAD + i] !== bytes[start + i]) return false;
  return true;
}

/** FNV-1a, with its bits mixed once more. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let h = 0x811c9dc5;
  for (let i = start; i < end; i++) h = Math.imul(h ^ bytes[i], 0x01000193);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 0;
}
