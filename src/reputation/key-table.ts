/**
 * Numbers 0, 1, 2, … for 64-bit keys that are hashes.
 *
 * Idea      Most keys that are asked for are not in the table. A filter of a few bits a key, small enough to stay in a cache, knows that
 *           for most of them; the others look at one place of the table, seldom two.
 * Requires  at most as many keys as there is room for; keys that are hashes.
 * Cost      about 5 ns for a key that is not there, 10 to 50 for one that is; 25 to 49 bytes a key that there is room for.
 */
const SLOT_WORDS = 3;
const FILTER_BITS_A_KEY = 8;
const MOST_FILTER_BITS = 2 ** 23;

export class KeyTable {
  /** Low, high, number + 1; zero where there is nothing. */
  readonly #slots: Uint32Array;
  readonly #mask: number;
  readonly #filter: Uint32Array;
  readonly #filterMask: number;
  #size = 0;

  constructor(most: number) {
    const slots = powerAbove(1.5 * (most + 1));
    this.#slots = new Uint32Array(SLOT_WORDS * slots);
    this.#mask = slots - 1;
    const bits = Math.min(MOST_FILTER_BITS, powerAbove(FILTER_BITS_A_KEY * (most + 4)));
    this.#filter = new Uint32Array(bits / 32);
    this.#filterMask = bits - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** The number of a key, which is given one if it has none. */
  numberOf(low: number, high: number): number {
    const at = this.#find(low, high);
    const slots = this.#slots;
    if (slots[at + 2] !== 0) return slots[at + 2] - 1;
    slots[at] = low;
    slots[at + 1] = high;
    slots[at + 2] = this.#size + 1;
    const bit = (low ^ high) & this.#filterMask;
    this.#filter[bit >>> 5] |= 1 << (bit & 31);
    return this.#size++;
  }

  /** The number of a key, or -1. */
  lookUp(low: number, high: number): number {
    const bit = (low ^ high) & this.#filterMask;
    if (((this.#filter[bit >>> 5] >>> (bit & 31)) & 1) === 0) return -1;
    return this.#slots[this.#find(low, high) + 2] - 1;
  }

  /** Where a key is, or would be. */
  #find(low: number, high: number): number {
    const slots = this.#slots;
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = SLOT_WORDS * slot;
      if (slots[at + 2] === 0 || (slots[at] === low && slots[at + 1] === high)) return at;
    }
  }
}

function powerAbove(value: number): number {
  return 2 ** Math.ceil(Math.log2(value));
}
