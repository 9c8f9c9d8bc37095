/** A short form of `npm run soak -- cluster`: two workers, one kill, one wiped folder. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leftOut, needs } from '../left-out.ts';
import { ShortCluster, shortestPause } from './short-cluster.ts';

const DELAY = 100;
const ADDRESS_DELAY = 20;

describe.skipIf(leftOut(await needs.server('nats')))(
  'a crawl by two workers, of which one is killed and loses its disk',
  () => {
    let cluster: ShortCluster;

    beforeAll(async () => {
      cluster = await ShortCluster.start({
        ...{ agents: 4, domains: 20, pages: 10, pace: 0.2, commit: '500ms' },
        settings: {
          delay: DELAY,
          addressDelay: ADDRESS_DELAY,
          checkpoint: '200ms',
          maxCrawlDelay: '1s',
        },
      });
      cluster.join(1);
      const second = cluster.join(2);
      await cluster.requests(60);
      second.kill('SIGKILL');
      rmSync(cluster.dir(2), { recursive: true, force: true });
      cluster.join(3);
    }, 120_000);

    afterAll(async () => {
      await cluster?.close();
    });

    test('ends by itself with every page in the archive once, and breaks no delay', async () => {
      expect(await cluster.ended()).toEqual([0, 0]);
      const { counts, unconfirmed } = await cluster.archived();
      const web = cluster.lab.web.allUrls();
      expect([...web].filter((url) => !counts.has(url))).toEqual([]);
      expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
      expect([unconfirmed, await cluster.indexFaults()]).toEqual([0, []]);
      expect(cluster.logs()).toMatch(/"event":"agent-taken".*"files":"restored"/);
      const asked = await cluster.asked();
      expect(shortestPause(asked, 'host')).toBeGreaterThanOrEqual(DELAY);
      expect(shortestPause(asked, 'address')).toBeGreaterThanOrEqual(ADDRESS_DELAY);
    }, 120_000);
  },
);
