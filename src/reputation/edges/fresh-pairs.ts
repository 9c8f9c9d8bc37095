/**
 * Edges that were added lately, as pairs in memory; and the same as sorted rows.
 *
 * Idea      The engine sorts numbers far faster than it sorts with a comparison function. A number
 *           holds the upper 38 bits of a target and, below them, the index of the pair: sorted
 *           numbers give the order. Targets that agree in 38 bits are then adjacent; an insertion
 *           sort, which mostly has nothing to do, orders them.
 * Requires  at most `MOST_PAIRS` pairs at once.
 * Cost      about 100 ns a pair.
 */
import { ROW_WORDS } from './edge-lists.ts';

export const PAIR_WORDS = 4;
export const PAIR_BYTES = 4 * PAIR_WORDS;
const INDEX_BITS = 15;
export const MOST_PAIRS = 2 ** INDEX_BITS;
const INDEX_MASK = MOST_PAIRS - 1;
const LOW_BITS = 53 - 32 - INDEX_BITS;

/** Pairs in the order they came: target, source, u64 each, as words. */
export class FreshPairs {
  readonly #words: Uint32Array;
  #count = 0;

  constructor(room: number) {
    this.#words = new Uint32Array(PAIR_WORDS * room);
  }

  get room(): number {
    return this.#words.length / PAIR_WORDS - this.#count;
  }

  /** Adds whole pairs, no more than there is room for. */
  add(words: Uint32Array): void {
    this.#words.set(words, PAIR_WORDS * this.#count);
    this.#count += words.length / PAIR_WORDS;
  }

  clear(): void {
    this.#count = 0;
  }

  /** All pairs as rows, see edge-lists.ts. */
  rows(): Uint32Array {
    const pairs = this.#words;
    const order = sortedOrder(pairs, this.#count);
    const rows = new Uint32Array(ROW_WORDS * countTargets(pairs, order) + 2 * this.#count);
    let at = 0;
    let row = 0;
    for (let i = 0; i < order.length; i++) {
      const pair = PAIR_WORDS * order[i];
      if (i === 0 || rows[row] !== pairs[pair] || rows[row + 1] !== pairs[pair + 1]) {
        row = at;
        rows[row] = pairs[pair];
        rows[row + 1] = pairs[pair + 1];
        at += ROW_WORDS;
      }
      rows[row + 2]++;
      rows[at++] = pairs[pair + 2];
      rows[at++] = pairs[pair + 3];
    }
    return rows;
  }
}

/** The indexes of the pairs, ordered by target. */
function sortedOrder(pairs: Uint32Array, count: number): Uint32Array {
  const keys = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const high = pairs[PAIR_WORDS * i + 1];
    const low = pairs[PAIR_WORDS * i] >>> (32 - LOW_BITS);
    keys[i] = (high * 2 ** LOW_BITS + low) * MOST_PAIRS + i;
  }
  keys.sort();
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const pair = keys[i] & INDEX_MASK;
    let hole = i;
    for (; hole > 0 && isBefore(pairs, pair, order[hole - 1]); hole--)
      order[hole] = order[hole - 1];
    order[hole] = pair;
  }
  return order;
}

function isBefore(pairs: Uint32Array, a: number, b: number): boolean {
  const [highA, highB] = [pairs[PAIR_WORDS * a + 1], pairs[PAIR_WORDS * b + 1]];
  return highA < highB || (highA === highB && pairs[PAIR_WORDS * a] < pairs[PAIR_WORDS * b]);
}

function countTargets(pairs: Uint32Array, order: Uint32Array): number {
  let count = order.length > 0 ? 1 : 0;
  for (let i = 1; i < order.length; i++) if (isBefore(pairs, order[i - 1], order[i])) count++;
  return count;
}
