/**
 * `pa+-`: the walk of `pa` divided by the same walk from the dead pages of the sample; zeros of the
 * divisor are replaced by its least entry above 0 (P_a^{+/-} in LiveRank, section 2.4). Death is
 * passed on along links, too.
 *
 * Equals, and pages that the living do not reach, by PageRank, then by name. If all pages of the
 * sample are alive, or all are dead, the order is `pagerank`. src/rank/methods/live.ts has the
 * definition for any graph, and says how accurate the walks must be.
 */
import { orderWithin } from '../../rank/engine/order.ts';
import { ratioOf } from '../../rank/methods/live.ts';
import { listed, type OrderMethod, pagesWith, VERDICT } from './order.ts';

export const paPlusMinus: OrderMethod = {
  name: 'pa+-',
  title: 'Living over dead PageRank',
  kind: 'sampled',
  async open(collection, sample) {
    const sides = [VERDICT.alive, VERDICT.dead].map((verdict) => pagesWith(sample, verdict));
    const byPageRank = await collection.byPageRank();
    if (sides.some((side) => side.length === 0)) return listed(byPageRank, sample);
    const [plus, minus] = await collection.walks(sides);
    return listed(orderWithin(byPageRank, ratioOf(plus, minus)), sample);
  },
};
