/** Hosts whose answers never end hold their own turns, and nothing else. */
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import { startCrawl } from './here.ts';
import { type Handler, linking, type SmallSite, startSmallSite } from './small-site.ts';

const CHAIN = 20;
const sites: SmallSite[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

test('links of another host are fetched soon while a turn is out for ever', async () => {
  const drip: Handler = (_, response) => {
    response.writeHead(200);
    const drops = setInterval(() => response.write('drip'), 1000);
    response.on('close', () => clearInterval(drops));
  };
  const dripping = await startSmallSite({ '/': drip }, '127.0.0.2');
  const reached = new EventTarget();
  const end = once(reached, 'end');
  const chain = Object.fromEntries(
    Array.from({ length: CHAIN }, (_, i) => [`/${i}`, linking(`/${i + 1}`)]),
  );
  const good = await startSmallSite({
    ...chain,
    [`/${CHAIN}`]: (_, response) => {
      response.end('end');
      reached.dispatchEvent(new Event('end'));
    },
  });
  sites.push(dripping, good);
  // No checkpoint comes to the rescue.
  const config = { allowPrivate: true, delay: 0, agents: 1, checkpoint: 3_600_000 };
  const seeds = [`${dripping.origin}/`, `${good.origin}/0`];
  const run = await startCrawl(seeds, resolveConfig(config));
  await end;
  run.stop();
  await dripping.close();
  expect((await run.finished).pages).toBeGreaterThanOrEqual(CHAIN);
});
