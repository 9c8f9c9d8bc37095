/**
 * `pa`: PageRank whose jump is uniform on the living pages of the sample, d = 0.85, dangling mass
 * lost (P_a in LiveRank, section 2.4). Life is passed on along links.
 *
 * Equals, and pages that the walk does not reach, by PageRank, then by name. If no page of the
 * sample is alive, the order is `pagerank`.
 */
import { orderWithin } from '../../rank/engine/order.ts';
import { withoutNoise } from '../../rank/methods/live.ts';
import { listed, type OrderMethod, pagesWith, VERDICT } from './order.ts';

export const pa: OrderMethod = {
  name: 'pa',
  title: 'PageRank from living pages',
  kind: 'sampled',
  async open(collection, sample) {
    const alive = pagesWith(sample, VERDICT.alive);
    const byPageRank = await collection.byPageRank();
    if (alive.length === 0) return listed(byPageRank, sample);
    const [scores] = await collection.walks([alive]);
    return listed(orderWithin(byPageRank, withoutNoise(scores)), sample);
  },
};
