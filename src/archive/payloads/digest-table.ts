/**
 * Where payloads lie, by their digests, in memory that does not grow.
 *
 * Idea      Sets of four entries, a key of 64 bits and a place each. When a set is full its oldest entry goes, and places grow with
 *           time, so the smallest is the oldest.
 * Ensures   `find` gives the place that was put last for a key, or -1: the key was never put, or was forgotten, which is counted.
 *           Two digests may have one key: whoever finds a place looks there before he believes it.
 * Cost      16 bytes an entry; one or two cache lines a look-up.
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
  /** Entries that had to make room. */
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

  /** An entry that is older than all of a full set is not taken. */
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
