import { expect, test } from 'vitest';
import { resolveConfig } from '../../../src/config/settings.ts';
import { Outage } from '../../../src/crawl/hosts/outage.ts';
import { RobotsKeeper } from '../../../src/crawl/hosts/robots-keeper.ts';
import { RobotsMemory } from '../../../src/crawl/hosts/robots-memory.ts';
import { Counters } from '../../../src/crawl/record/counters.ts';
import { InternalErrors } from '../../../src/crawl/record/internal-errors.ts';
import type { Exchange } from '../../../src/fetch/exchange.ts';
import type { HostTurn } from '../../../src/frontier/frontier.ts';
import { Domain, Host } from '../../../src/frontier/host.ts';
import { AskedDelays } from '../../../src/politeness/asked-delays.ts';
import { Politeness } from '../../../src/politeness/politeness.ts';
import { RetryPolicy } from '../../../src/politeness/retries-and-pauses.ts';
import { virtualClock } from '../../fetch/virtual-clock.ts';

/** What an inquiry costs, for an answer; the host may have a second address. */
async function costOf(answer: Partial<Exchange>, header?: string, other = true) {
  const clock = virtualClock();
  const log = { event: () => {} };
  const config = resolveConfig({});
  const headers = { get: () => header, all: () => [], entries: () => [] };
  const exchange = { status: 200, headers, payload: new Uint8Array(), wireBody: [], ...answer };
  const keeper = new RobotsKeeper({
    ...{ clock, log, productToken: 'drumlin', maxCrawlDelay: 60_000 },
    client: { fetch: async () => exchange as unknown as Exchange },
    bodies: { hold: () => ({ end() {} }) as never },
    resolver: { resolve: () => Promise.reject(), close() {} },
    guard: { allows: () => true, reason: () => undefined },
    frontier: { tryOtherAddress: () => other } as never,
    memory: new RobotsMemory(),
    counters: new Counters(),
    internal: new InternalErrors(log),
    store: { store: async () => {} },
    politeness: new Politeness(config, new AskedDelays(config, undefined), undefined),
    retries: new RetryPolicy(config),
    outage: new Outage({ clock, log }),
  });
  const host = new Host('host.test', new Domain('host.test'));
  const address = { ip: '192.0.2.1', family: 4 } as const;
  const turn = { host, address, moved: false } as unknown as HostTurn;
  return keeper.ask(turn, 'http://host.test/', () => false);
}

test('a host that asks for a pause is not asked at its other address instead', async () => {
  expect(await costOf({ status: 503 }, '26')).toMatchObject({ pause: 26_000, cause: 'status-503' });
});

test('a host that fails without asking for a pause is asked at its other address next', async () => {
  expect(await costOf({ status: 503 })).toEqual({ requested: true, pause: 0 });
});

const payload = Buffer.from('User-agent: *\nAllow: /\n');

test.each([
  ['disconnect', 'reset'],
  ['time', 'response-timeout'],
] as const)('half a robots.txt, cut by %s, is none', async (truncated, cause) => {
  const cost = await costOf({ payload, truncated }, undefined, false);
  expect(cost).toMatchObject({ requested: true, cause });
});

test('a robots.txt that is cut by its length counts as far as it goes', async () => {
  const cost = await costOf({ payload, truncated: 'length' }, undefined, false);
  expect(cost).toEqual({ requested: true, pause: 0 });
});
