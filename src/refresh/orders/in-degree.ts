/**
 * `in`: pages by the number of other pages that link to them, most first (I in LiveRank, section
 * 2.3); equals by PageRank, then by name.
 */
import { orderWithin } from '../../rank/engine/order.ts';
import { ranker } from '../../rank/methods/in-degree.ts';
import type { Collection } from './collection.ts';
import { listed, type OrderMethod } from './order.ts';

export const inDegree: OrderMethod = {
  name: 'in',
  title: 'In-degree',
  kind: 'static',
  open: async (collection, sample) => listed(await byInDegree(collection), sample),
};

export async function byInDegree(collection: Collection): Promise<Uint32Array> {
  const scores = await inDegrees(collection);
  return orderWithin(await collection.byPageRank(), scores);
}

/** How many other pages link to each page. */
export async function inDegrees({ graph }: Collection): Promise<Float64Array> {
  const options = { threads: 1, memory: Number.POSITIVE_INFINITY };
  const { scores } = await ranker.run(graph, {}, options);
  return scores;
}
