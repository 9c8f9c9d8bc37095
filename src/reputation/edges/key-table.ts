/**
 * Numbers 0, 1, 2, … for 64-bit keys that are hashes.
 *
 * Idea      Most keys that are looked up are not in the table. A filter of a few bits a key, small
 *           enough to stay in a cache, recognises most of these. The others probe one slot of the
 *           table, seldom two.
 * Requires  keys that are hashes.
 * Cost      about 5 ns for a key that is not there, 10 to 50 for one that is; 17 to 33 bytes a key.
 *           It doubles when it is full, which takes about 30 ns a key.
 */
const SLOT_WORDS = 3;
const LEAST_SLOTS = 1024;
/** The share of slots in use at which their number doubles. */
const MOST_USED = 0.75;
const FILTER_BITS_A_SLOT = 8;
const MOST_FILTER_BITS = 2 ** 23;

export class KeyTable {
  /** Each slot: low, high, number + 1; all zero if it is free. */
  #slots = new Uint32Array(SLOT_WORDS * LEAST_SLOTS);
  #mask = LEAST_SLOTS - 1;
  #filter = new Uint32Array((FILTER_BITS_A_SLOT * LEAST_SLOTS) / 32);
  #filterMask = FILTER_BITS_A_SLOT * LEAST_SLOTS - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of a key; a new key gets the next one. */
  numberOf(low: number, high: number): number {
    const at = this.#find(low, high);
    if (this.#slots[at + 2] !== 0) return this.#slots[at + 2] - 1;
    this.#put(at, low, high, ++this.#size);
    if (this.#size > MOST_USED * (this.#mask + 1)) this.#double();
    return this.#size - 1;
  }

  /** The number of a key, or -1. */
  lookUp(low: number, high: number): number {
    const bit = (low ^ high) & this.#filterMask;
    if (((this.#filter[bit >>> 5] >>> (bit & 31)) & 1) === 0) return -1;
    return this.#slots[this.#find(low, high) + 2] - 1;
  }

  /** The slot of a key, or the free one it would get. */
  #find(low: number, high: number): number {
    const slots = this.#slots;
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = SLOT_WORDS * slot;
      if (slots[at + 2] === 0 || (slots[at] === low && slots[at + 1] === high)) return at;
    }
  }

  #put(at: number, low: number, high: number, entry: number): void {
    this.#slots[at] = low;
    this.#slots[at + 1] = high;
    this.#slots[at + 2] = entry;
    const bit = (low ^ high) & this.#filterMask;
    this.#filter[bit >>> 5] |= 1 << (bit & 31);
  }

  #double(): void {
    const old = this.#slots;
    const slots = 2 * (this.#mask + 1);
    const bits = Math.min(MOST_FILTER_BITS, FILTER_BITS_A_SLOT * slots);
    this.#slots = new Uint32Array(SLOT_WORDS * slots);
    this.#mask = slots - 1;
    this.#filter = new Uint32Array(bits / 32);
    this.#filterMask = bits - 1;
    for (let at = 0; at < old.length; at += SLOT_WORDS) {
      if (old[at + 2] !== 0)
        this.#put(this.#find(old[at], old[at + 1]), old[at], old[at + 1], old[at + 2]);
    }
  }
}
