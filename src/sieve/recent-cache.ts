/**
 * Remembers keys seen a moment ago, so that a menu repeated on every page does not go through the
 * sieve each time.
 *
 * Idea      a table of sets of four keys: a key belongs to one set, the most recent first; the
 *           oldest is dropped.
 * Ensures   never a false hit: `admit` sets 0 only for a key that it was given before. It forgets
 *           keys, which then pass again; that costs only time. Key 0 marks an empty place and is
 *           never remembered.
 * Costs     the memory given, rounded down to a power of two, whatever passes; one cache line a
 *           key.
 *
 * The sets of a page's links are anywhere in memory. A first pass reads all of them; its steps do
 * not depend on each other, so that the processor loads them in parallel. A key that is the most
 * recent of its set needs no more than that.
 */
const WAYS = 4;
const SET_BYTES = WAYS * 8;

export class RecentCache {
  /** Low and high word of each key in turn: comparing words makes no BigInts. */
  readonly #table: Uint32Array;
  readonly #mask: number;

  constructor(memory: number) {
    const sets = 2 ** Math.floor(Math.log2(Math.max(SET_BYTES, memory) / SET_BYTES));
    this.#table = new Uint32Array(sets * WAYS * 2);
    this.#mask = sets - 1;
  }

  /**
   * Sets keep[i] to 0 if key i was seen recently, else to 1, for the first n keys; returns how many
   * are 1.
   */
  admit(keys: BigUint64Array, n: number, keep: Uint8Array): number {
    const words = new Uint32Array(keys.buffer, keys.byteOffset, n * 2);
    const table = this.#table;
    for (let i = 0; i < n; i++) {
      const low = words[2 * i];
      const high = words[2 * i + 1];
      const set = this.#setOf(low);
      const isLast = table[set] === low && table[set + 1] === high && (low | high) !== 0;
      keep[i] = isLast ? 0 : 1;
    }
    let kept = 0;
    for (let i = 0; i < n; i++) {
      if (keep[i] === 0) continue;
      keep[i] = this.#isKnown(words[2 * i], words[2 * i + 1]) ? 0 : 1;
      kept += keep[i];
    }
    return kept;
  }

  /**
   * The low bits choose the set: the high ones are the partition, the same for all keys of an
   * agent.
   */
  #setOf(low: number): number {
    return (low & this.#mask) * WAYS * 2;
  }

  /** Whether a key is in its set; it becomes the most recent one there. */
  #isKnown(low: number, high: number): boolean {
    const table = this.#table;
    const set = this.#setOf(low);
    let way = 0;
    while (way < WAYS && (table[set + 2 * way] !== low || table[set + 2 * way + 1] !== high)) way++;
    for (let at = set + 2 * Math.min(way, WAYS - 1); at > set; at -= 2) {
      table[at] = table[at - 2];
      table[at + 1] = table[at - 1];
    }
    table[set] = low;
    table[set + 1] = high;
    return way < WAYS && (low !== 0 || high !== 0);
  }
}
