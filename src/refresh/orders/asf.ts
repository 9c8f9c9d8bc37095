/**
 * `asf`, active sites first: test a few pages of each host, then the hosts with the greatest share
 * of living ones (LiveRank, section 2.4, after Cho and Ntoulas, "Effective change detection using
 * sampling").
 *
 * The sample is k random pages of each host, largest hosts first while z lasts; a smaller host
 * gives all its pages. The other pages follow by the share of their host's tested pages that are
 * alive. Hosts without a verdict come last. Hosts of equal size by name; pages of equal share by
 * PageRank, then by name.
 *
 * It is the only order that looks at names, and the only one that does not look at links.
 */

import { randomNumbers, shuffle } from '../../base/random-numbers.ts';
import { orderWithin } from '../../rank/engine/order.ts';
import type { Collection } from './collection.ts';
import { listed, type OrderMethod, type SampleSize, VERDICT } from './order.ts';

/** Pages of a host that are tested, by default. */
const PER_HOST = 10;

export const asf: OrderMethod = {
  name: 'asf',
  title: 'Active sites first',
  kind: 'sampled',
  sample: sampleHosts,
  async open(collection, sample) {
    const hosts = await collection.hosts();
    const alive = new Uint32Array(hosts.count);
    const tested = new Uint32Array(hosts.count);
    for (const [i, page] of sample.pages.entries()) {
      if (sample.verdicts[i] === VERDICT.unknown) continue;
      tested[hosts.of[page]]++;
      if (sample.verdicts[i] === VERDICT.alive) alive[hosts.of[page]]++;
    }
    const shares = Float64Array.from(hosts.of, (host) =>
      tested[host] === 0 ? -1 : alive[host] / tested[host],
    );
    return listed(orderWithin(await collection.byPageRank(), shares), sample);
  },
};

async function sampleHosts(
  collection: Collection,
  { z, seed, perHost = PER_HOST }: SampleSize,
): Promise<Uint32Array> {
  const { count, of } = await collection.hosts();
  const starts = new Uint32Array(count + 1);
  for (const host of of) starts[host + 1]++;
  for (let host = 0; host < count; host++) starts[host + 1] += starts[host];
  const pages = new Uint32Array(of.length);
  const next = starts.slice();
  for (let page = 0; page < of.length; page++) pages[next[of[page]]++] = page;
  const size = (host: number) => starts[host + 1] - starts[host];
  // The number of a host follows its first page, so equal sizes are ordered by name.
  const largest = Uint32Array.from({ length: count }, (_, host) => host).sort(
    (a, b) => size(b) - size(a) || a - b,
  );
  const random = randomNumbers(seed);
  const sample: number[] = [];
  for (const host of largest) {
    const own = pages.slice(starts[host], starts[host + 1]);
    shuffle(own, random);
    for (const page of own.subarray(0, perHost)) if (sample.length < z) sample.push(page);
    if (sample.length === z) break;
  }
  return Uint32Array.from(sample);
}
