/**
 * `pagerank`: pages by PageRank with d = 0.85 and a uniform jump, best first (P in LiveRank,
 * section 2.3); equals by name.
 */
import { listed, type OrderMethod } from './order.ts';

export const pagerank: OrderMethod = {
  name: 'pagerank',
  title: 'PageRank',
  kind: 'static',
  open: async (collection, sample) => listed(await collection.byPageRank(), sample),
};
