/** Names that cannot be looked up: how often they are retried, and when an outage excuses them. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Signal } from '../../../src/base/signal.ts';
import { resolveConfig } from '../../../src/config/settings.ts';
import { HostResolver } from '../../../src/crawl/hosts/host-resolver.ts';
import { Outage } from '../../../src/crawl/hosts/outage.ts';
import { Counters } from '../../../src/crawl/record/counters.ts';
import { HostWaits } from '../../../src/crawl/record/host-waits.ts';
import { InternalErrors } from '../../../src/crawl/record/internal-errors.ts';
import { Domain, Host } from '../../../src/frontier/host.ts';
import { DnsError } from '../../../src/net/dns.ts';
import { RetryPolicy } from '../../../src/politeness/retries-and-pauses.ts';
import { virtualClock } from '../../fetch/virtual-clock.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/**
 * Looks up `host.test` for `duration`, after `known.test` was looked up; `answers` decides which
 * name is answered when.
 */
async function lookUpFor(duration: number, answers: (name: string, after: number) => boolean) {
  const clock = virtualClock();
  const start = clock.now();
  const log = { event: () => {} };
  const asked: number[] = [];
  const anews: boolean[] = [];
  const resolver = {
    resolve: async (name: string, anew = false) => {
      if (name === 'host.test') {
        asked.push(clock.now() - start);
        anews.push(anew);
      }
      if (!answers(name, clock.now() - start)) throw new DnsError('dns-failed', 'nobody there');
      outage.resolved(name);
      return [{ ip: '192.0.2.1', family: 4 } as const];
    },
    close: () => {},
  };
  const outage = new Outage({ clock, log });
  outage.resolved('known.test');
  const waiting = [new Host('host.test', new Domain('host.test'))];
  let fate: 'resolved' | 'given up' | undefined;
  const end = (how: typeof fate) => () => {
    fate = how;
    return 1;
  };
  const frontier = {
    unresolved: () => waiting.pop(),
    resolved: end('resolved'),
    giveUp: end('given up'),
  };
  const hostResolver = new HostResolver({
    ...{ resolver, clock, log, outage, frontier },
    guard: { allows: () => true, reason: () => undefined },
    counters: new Counters(),
    internal: new InternalErrors(log),
    retries: new RetryPolicy(resolveConfig({})),
    waits: new HostWaits(clock, log),
    onError: undefined,
    seedTrouble: { failed: async () => {} },
  });
  const names = new Signal(clock);
  let isOver = false;
  const running = hostResolver.run(
    names,
    () => {},
    () => isOver,
  );
  for (let passed = 0; passed < duration; passed += SECOND) {
    clock.advance(SECOND);
    for (let i = 0; i < 5; i++) await turn();
  }
  isOver = true;
  names.notify();
  await running;
  return { fate, asked, anews };
}

describe('a name that cannot be looked up', () => {
  test('is given up after four attempts, a minute apart, while others can be looked up', async () => {
    const { fate, asked, anews } = await lookUpFor(10 * MINUTE, (name) => name === 'known.test');
    expect(fate).toBe('given up');
    // The memory of a failure must not answer a retry, however soon it comes.
    expect(anews).toEqual([false, true, true, true]);
    expect(asked).toHaveLength(4);
    expect(asked[3]).toBeGreaterThanOrEqual(3 * MINUTE);
  });

  test('is not given up if the name servers were gone and come back just as it fails for the last time', async () => {
    const back = 3 * MINUTE;
    const { fate } = await lookUpFor(10 * MINUTE, (name, after) =>
      name === 'known.test' ? after >= back : after >= back + 30 * SECOND,
    );
    expect(fate).toBe('resolved');
  });

  test('is given up when the name servers are gone for more than an hour', async () => {
    expect((await lookUpFor(59 * MINUTE, () => false)).fate).toBe(undefined);
    expect((await lookUpFor(70 * MINUTE, () => false)).fate).toBe('given up');
  });
});
