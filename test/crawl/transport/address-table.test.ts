import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { xxh64 } from '../../../src/base/xxh64.ts';
import { SharedAddressTable, shareAddresses } from '../../../src/crawl/transport/address-table.ts';
import type { SlotOptions } from '../../../src/crawl/transport/shared-slots.ts';
import { unsharedAddresses } from '../../../src/frontier/workbench.ts';
import { TYPESCRIPT_THREAD } from '../threads/typescript-threads.ts';
import type { HammerData, HammerReport } from './address-table-thread.ts';

const tables = (agents: number, options: SlotOptions = {}) => {
  const shared = shareAddresses({ slots: 4, lease: 100, retry: 10, ...options });
  return Array.from({ length: agents }, (_, agent) => new SharedAddressTable(shared, agent));
};

/** Two addresses in one slot, and one in another. */
const slotOf = (ip: string) => Number(xxh64(ip) & 3n);
const ips = Array.from({ length: 40 }, (_, i) => `127.0.0.${i}`);
const [first] = ips;
const twin = ips.slice(1).find((ip) => slotOf(ip) === slotOf(first))!;
const stranger = ips.find((ip) => slotOf(ip) !== slotOf(first))!;

describe('the address table', () => {
  test('an address held by one agent is not given to another, and is ready at the time of its return', () => {
    const [a, b] = tables(2);
    expect(a.tryTake(first, 1000)).toBe(0);
    expect(b.tryTake(first, 1003)).toBe(1013);
    a.giveBack(first, 1050);
    expect(b.tryTake(first, 1020)).toBe(1050);
    expect(a.tryTake(first, 1049)).toBe(1050);
    expect(b.tryTake(first, 1050)).toBe(0);
  });

  test('two addresses in one slot delay each other, and not those of other slots', () => {
    const [a, b] = tables(2);
    expect(a.tryTake(first, 1000)).toBe(0);
    expect(b.tryTake(twin, 1000)).toBe(1010);
    expect(b.tryTake(stranger, 1000)).toBe(0);
  });

  test('an agent that holds a slot may take another address there, and gives the slot back with the last', () => {
    const [a, b] = tables(2);
    expect(a.tryTake(first, 1000)).toBe(0);
    expect(a.tryTake(twin, 1000)).toBe(0);
    expect(a.tryTake(first, 1000)).toBe(1010);
    a.giveBack(first, 1050);
    expect(a.tryTake(first, 1049)).toBe(1050);
    expect(b.tryTake(first, 1050)).toBe(1060);
    a.giveBack(twin, 1030);
    expect(b.tryTake(twin, 1049)).toBe(1050);
    expect(b.tryTake(twin, 1050)).toBe(0);
  });

  test('the address of a dead holder is free when the lease ends, and the old holder cannot free it again', () => {
    const [dead, b] = tables(2);
    dead.tryTake(first, 1000);
    expect(b.tryTake(first, 1095)).toBe(1100);
    expect(b.tryTake(first, 1100)).toBe(0);
    dead.giveBack(first, 0);
    expect(dead.tryTake(first, 1110)).toBe(1120);
    b.giveBack(first, 1110);
    expect(dead.tryTake(first, 1110)).toBe(0);
  });

  test('a hold that outlived its lease does not free a newer hold of the same agent in the same slot', () => {
    const [a, b] = tables(2);
    a.tryTake(first, 1000);
    expect(a.tryTake(twin, 1100)).toBe(0);
    a.giveBack(first, 0);
    expect(b.tryTake(twin, 1110)).toBe(1120);
    a.giveBack(twin, 1110);
    expect(b.tryTake(twin, 1110)).toBe(0);
  });

  test('an agent that read the clock slightly too early does not disturb the holder of the address', () => {
    const [a, b] = tables(2);
    a.tryTake(first, 1001);
    expect(b.tryTake(first, 1000)).toBe(1010);
    a.giveBack(first, 1002);
    expect(b.tryTake(first, 1002)).toBe(0);
  });

  test('a delay longer than the lease is kept, even an infinite one, and fractions of milliseconds are rounded up', () => {
    const [a, b] = tables(2);
    a.tryTake(first, 1000.25);
    a.giveBack(first, 5010.25);
    expect(b.tryTake(first, 5010.5)).toBe(5011);
    expect(b.tryTake(first, 5011)).toBe(0);
    b.giveBack(first, Infinity);
    expect(a.tryTake(first, 1e14)).toBeGreaterThan(2e14);
  });

  test('rejects the return of an address that was not taken, and impossible tables', () => {
    const [a, b] = tables(2);
    a.tryTake(first, 1000);
    expect(() => b.giveBack(first, 1000)).toThrow('was not taken');
    a.giveBack(first, 1000);
    expect(() => a.giveBack(first, 1000)).toThrow('was not taken');
    expect(() => shareAddresses({ slots: 100 })).toThrow('not a power of two');
    expect(() => new SharedAddressTable(shareAddresses(), 2 ** 15)).toThrow('no agent');
  });

  test('a single agent can take every address that its workbench allows', () => {
    expect(unsharedAddresses.tryTake(first, 5)).toBe(0);
    expect(unsharedAddresses.tryTake(first, 5)).toBe(0);
    unsharedAddresses.giveBack(first, 1e15);
  });

  test('agrees with a model of holds and ready times, for any actions and times', () => {
    const step = fc.record({
      agent: fc.nat(2),
      ip: fc.constantFrom(...ips.slice(0, 6)),
      pass: fc.nat(40),
      delay: fc.nat(60),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const agents = tables(3);
        /** The naive model: every hold and every ready time, of keys, never forgotten. */
        const held = agents.map(() => new Map<string, number>());
        const readyAt = new Map<string, number>();
        /** Ready times of holds that outlived their lease: the table may keep or forget them. */
        const lateReadyAt = new Map<string, number>();
        let now = 1000;
        for (const { agent, ip, pass, delay } of steps) {
          now += pass;
          const lease = held[agent].get(ip);
          if (lease !== undefined) {
            held[agent].delete(ip);
            agents[agent].giveBack(ip, now + delay);
            const times = lease > now ? readyAt : lateReadyAt;
            times.set(ip, Math.max(times.get(ip) ?? 0, now + delay));
            continue;
          }
          const inSlot = held.map((own) => [...own].filter(([key]) => slotOf(key) === slotOf(ip)));
          const isHeld = inSlot.some(
            (own, other) => other !== agent && own.some(([, lease]) => lease > now),
          );
          const isPaused = (times: Map<string, number>) =>
            [...times].some(([key, ready]) => slotOf(key) === slotOf(ip) && ready > now);
          const paused = isPaused(readyAt);
          const leaseOver = inSlot.some((own) => own.some(([, lease]) => lease <= now));
          const again = agents[agent].tryTake(ip, now);
          if (again === 0) {
            if (!leaseOver) expect({ isHeld, paused }).toEqual({ isHeld: false, paused: false });
            held[agent].set(ip, now + 100);
          } else {
            expect(again).toBeGreaterThan(now);
            expect(isHeld || paused || leaseOver || isPaused(lateReadyAt)).toBe(true);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test('threads never hold one address at the same time, nor take it before it is ready', async () => {
    const data: HammerData = {
      addresses: shareAddresses({ slots: 2, lease: 60_000, retry: 1 }),
      ips: ips.slice(0, 3),
      inside: new Int32Array(new SharedArrayBuffer(12)),
      readyAt: new Float64Array(new SharedArrayBuffer(24)),
      ready: new Int32Array(new SharedArrayBuffer(4)),
      threads: 3,
      takes: 20_000,
    };
    const reports = await Promise.all(
      Array.from({ length: data.threads }, async (_, agent) => {
        const main = new URL('./address-table-thread.ts', import.meta.url);
        const worker = new Worker(main, { ...TYPESCRIPT_THREAD, workerData: { ...data, agent } });
        const [report] = (await once(worker, 'message')) as [HammerReport];
        return report;
      }),
    );
    expect(reports.map(({ violations }) => violations)).toEqual([[], [], []]);
    expect(reports.every(({ refused }) => refused > 0)).toBe(true);
  });
});
