/**
 * `random`: all pages in an order drawn by the seed (R in LiveRank, section 2.3).
 *
 * It knows nothing, so finding the living pages costs n / n_a tests each: what other orders are
 * measured against.
 */
import { randomNumbers, shuffle } from '../../base/random-numbers.ts';
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
