/** When the distributor must be woken although nothing happens. */
import { expect, test } from 'vitest';
import { BatchBuilder } from '../../src/drum/keyed-batch.ts';
import { Backlog } from '../../src/frontier/backlog/backlog.ts';
import { Distributor } from '../../src/frontier/distributor.ts';
import { Frontier, type HostTurn } from '../../src/frontier/frontier.ts';
import { encodeDiscovery } from '../../src/frontier/queue/discovered-url.ts';
import { SieveSupply } from '../../src/frontier/supply.ts';
import { MemorySieve } from '../../src/sieve/memory-sieve.ts';
import { fingerprint } from '../../src/url/fingerprint.ts';
import { virtualClock } from '../fetch/virtual-clock.ts';

/** How long the sieve takes to decide. */
const FLUSH = 50;

const LIMITS = {
  ...{ hosts: 100, urls: 1000, front: 10, choice: 1 },
  ...{ pagesPerHost: Infinity, pagesPerDomain: Infinity },
  ...{ hostsPerAddress: Infinity, hostsPerDomain: Infinity },
};

test('while a turn is out for ever, it wakes when the sieve may decide early again', async () => {
  const clock = virtualClock();
  const sieve = new MemorySieve();
  const supply = new (class extends SieveSupply {
    override async decide(): Promise<void> {
      clock.advance(FLUSH);
      await super.decide();
    }
  })(sieve);
  const frontier = new Frontier({
    ...{ backlog: Backlog.inMemory(), store: undefined, clock },
    limits: LIMITS,
    onSkipped: () => {},
  });
  const distributor = new Distributor(supply, frontier, clock);
  const discover = async (url: string) => {
    const batch = new BatchBuilder();
    const entry = Buffer.from(encodeDiscovery({ url, depth: 0, redirects: 0 }));
    batch.add(fingerprint(url), entry);
    await sieve.offer(batch);
    supply.offered();
    while (await distributor.step());
  };
  const turnOf = (ip: string): HostTurn => {
    const host = frontier.unresolved();
    if (host) frontier.resolved(host, [{ ip, family: 4 }]);
    const turn = frontier.acquire(clock.now());
    if (!turn) throw new Error('No host is ready.');
    frontier.take(turn);
    return turn;
  };

  await discover('http://dripping.test/');
  turnOf('192.0.2.1');
  clock.advance(60_000);
  await discover('http://good.test/1');
  const turn = turnOf('192.0.2.2');
  frontier.countPage(turn);
  frontier.release(turn, clock.now(), clock.now());
  await discover('http://good.test/2');
  expect(frontier.queued).toBe(0);
  expect(distributor.wakeAt).toBe(clock.now() + 20 * FLUSH);
  clock.advance(20 * FLUSH);
  while (await distributor.step());
  expect(frontier.queued).toBe(1);
});

test('a supply that chooses decides every few seconds, although the front is large enough', async () => {
  const clock = virtualClock();
  const decidedAt: number[] = [];
  const begun = clock.now();
  const supply = new (class extends SieveSupply {
    override readonly chooses = true;
    override async decide(): Promise<void> {
      decidedAt.push(clock.now() - begun);
      clock.advance(FLUSH);
    }
    override get undecided(): number {
      return 1;
    }
  })(new MemorySieve());
  const frontier = new Frontier({
    ...{ backlog: Backlog.inMemory(), store: undefined, clock, onSkipped: () => {} },
    limits: { ...LIMITS, front: 0 },
  });
  const distributor = new Distributor(supply, frontier, clock);
  expect(frontier.wantsMore).toBe(false);
  while (clock.now() - begun < 10_000) {
    await distributor.step();
    expect(distributor.wakeAt).toBeGreaterThan(clock.now());
    clock.advance(distributor.wakeAt - clock.now());
  }
  expect(decidedAt).toEqual([0, 4000, 8000]);
});
