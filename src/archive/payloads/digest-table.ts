/**
 * Where payloads are stored, by their digests, in fixed memory.
 *
 * Idea      Sets of four entries, each a key of 64 bits and a position. When a set is full, its
 *           oldest entry is evicted. Positions grow with time, so the smallest is the oldest.
 * Ensures   `find` returns the position that was put last for a key, or -1 if the key was never put
 *           or was evicted, which is counted. Two digests may have the same key, so a caller must
 *           verify the position it finds.
 * Cost      16 bytes per entry; one or two cache lines per look-up.
 */
import type { Bytes } from '../../base/units.ts';

const WAYS = 4;
const ENTRY_BYTES = 16;

export class DigestTable {
  /** Low and high word of each key in turn. */
  readonly #keys: Uint32Array;
  readonly #places: Float64Array;
  readonly #mask: number;
  readonly #key = new BigUint64Array(1);
  readonly #words = new Uint32Array(this.#key.buffer);
  /** Number of evicted entries. */
  forgotten = 0;

  constructor(memory: Bytes) {
    const sets = 2 ** Math.max(0, Math.floor(Math.log2(memory / (WAYS * ENTRY_BYTES))));
    this.#keys = new Uint32Array(sets * WAYS * 2);
    this.#places = new Float64Array(sets * WAYS).fill(-1);
    this.#mask = sets - 1;
  }

  get capacity(): number {
    return this.#places.length;
  }

  find(key: bigint): number {
    const at = this.#entryOf(key);
    return at < 0 ? -1 : this.#places[at];
  }

  /** Ignores an entry that is older than all entries of a full set. */
  put(key: bigint, place: number): void {
    const known = this.#entryOf(key);
    if (known >= 0) {
      this.#places[known] = Math.max(place, this.#places[known]);
      return;
    }
    const first = this.#firstOf();
    let oldest = first;
    for (let at = first + 1; at < first + WAYS; at++) {
      if (this.#places[at] < this.#places[oldest]) oldest = at;
    }
    if (this.#places[oldest] >= 0) this.forgotten++;
    if (this.#places[oldest] > place) return;
    this.#keys[2 * oldest] = this.#words[0];
    this.#keys[2 * oldest + 1] = this.#words[1];
    this.#places[oldest] = place;
  }

  #entryOf(key: bigint): number {
    this.#key[0] = key;
    const first = this.#firstOf();
    for (let at = first; at < first + WAYS; at++) {
      if (this.#places[at] < 0) continue;
      if (this.#keys[2 * at] === this.#words[0] && this.#keys[2 * at + 1] === this.#words[1])
        return at;
    }
    return -1;
  }

  #firstOf(): number {
    return (this.#words[0] & this.#mask) * WAYS;
  }
}
