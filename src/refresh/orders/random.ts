/**
 * `random`: all pages in an order drawn by the seed (R in LiveRank, section 2.3).
 *
 * It knows nothing, so finding the living pages costs n / n_a tests each: what other orders are
 * measured against.
 */
import type { Collection } from './collection.ts';
import { listed, type OrderMethod } from './order.ts';

export const random: OrderMethod = {
  name: 'random',
  title: 'Random',
  kind: 'static',
  open: async (collection, sample, { seed }) => listed(shuffled(collection, seed), sample),
};

export function shuffled({ pages }: Pick<Collection, 'pages'>, seed: number): Uint32Array {
  const order = Uint32Array.from({ length: pages }, (_, page) => page);
  shuffle(order, randomNumbers(seed));
  return order;
}

/** Fisher and Yates. */
export function shuffle(values: Uint32Array, random: () => number): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const value = values[i];
    values[i] = values[j];
    values[j] = value;
  }
}

/** Numbers in [0, 1) by a seed: SplitMix32 in 32 bits, enough for a shuffle of 2^32 pages. */
export function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed ^ 0x6a09e667, 0x9e3779b1) ^ Math.floor(seed / 2 ** 32);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
  };
}
