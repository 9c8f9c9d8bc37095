import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Turn, Workbench } from '../../src/frontier/workbench.ts';

interface TestHost {
  readonly name: string;
  queue: number[];
  readyAt: number;
}

const at = (ip: string) => ({ ip, family: 4 as const });
const host = (name: string, ...queue: number[]): TestHost => ({ name, queue, readyAt: 0 });

describe('the workbench', () => {
  test('gives no turn when no host is queued', () => {
    const bench = new Workbench<TestHost>();
    bench.attach(host('empty'), at('10.0.0.1'));
    expect(bench.acquire(1e9)).toBeUndefined();
    expect(bench.nextReadyAt()).toBe(Infinity);
  });

  test('gives one turn at a time to an address, whichever of its hosts is ready', () => {
    const bench = new Workbench<TestHost>();
    bench.attach(host('a', 1), at('10.0.0.1'));
    bench.attach(host('b', 1), at('10.0.0.1'));
    const turn = bench.acquire(0)!;
    expect(bench.acquire(1e9)).toBeUndefined();
    bench.release(turn, 100, 5);
    expect(bench.acquire(4)).toBeUndefined();
    expect(bench.acquire(5)?.host.name).toBe('b');
  });

  test('pauses a host for its own delay even when its address is ready', () => {
    const bench = new Workbench<TestHost>();
    bench.attach(host('a', 1, 2), at('10.0.0.1'));
    bench.release(bench.acquire(0)!, 100, 5);
    expect(bench.nextReadyAt()).toBe(100);
    expect(bench.acquire(99)).toBeUndefined();
    expect(bench.acquire(100)?.host.name).toBe('a');
  });

  test('gives a host another turn when its empty queue is filled, and not before its delay is over', () => {
    const bench = new Workbench<TestHost>();
    const a = host('a', 1);
    bench.attach(a, at('10.0.0.1'));
    const turn = bench.acquire(0)!;
    a.queue.pop();
    bench.release(turn, 50, 50);
    expect(bench.nextReadyAt()).toBe(Infinity);
    a.queue.push(2);
    bench.filled(a);
    expect(bench.nextReadyAt()).toBe(50);
  });

  test('gives a host back whose address is busy, so that it may be asked elsewhere', () => {
    const out = new Set<string>();
    const bench = new Workbench<TestHost>(undefined, undefined, {
      entered: () => {},
      tryTake: () => 0,
      giveBack: (name) => void out.delete(name),
      tryAsk: (name, now) => {
        if (out.has(name)) return now + 1;
        out.add(name);
        return 0;
      },
      asked: () => {},
    });
    bench.attach(host('a', 1), at('10.0.0.1'));
    expect(bench.acquire(0)?.host.name).toBe('a');
    expect(bench.tryAsk('b', at('10.0.0.1'), 5)).toBeGreaterThan(5);
    expect([...out]).toEqual([]);
    expect(bench.tryAsk('b', at('10.0.0.2'), 5)).toBe(0);
    expect([...out]).toEqual(['b']);
  });

  test('refuses a second release of one turn', () => {
    const bench = new Workbench<TestHost>();
    bench.attach(host('a', 1), at('10.0.0.1'));
    const turn = bench.acquire(0)!;
    bench.release(turn, 0, 0);
    expect(() => bench.release(turn, 0, 0)).toThrow('but not acquired');
  });

  test('drops an address without hosts when its ready time is past, and not before', () => {
    const bench = new Workbench<TestHost>();
    const a = host('a', 1);
    bench.attach(a, at('10.0.0.1'));
    const turn = bench.acquire(0)!;
    a.queue.pop();
    bench.release(turn, 10, 100);
    bench.detach(a, 50);
    expect(bench.addresses).toBe(1);
    // A host that comes to the address meanwhile keeps its delay.
    const b = host('b', 1);
    bench.attach(b, at('10.0.0.1'));
    expect(bench.acquire(99)).toBeUndefined();
    const other = bench.acquire(100)!;
    b.queue.pop();
    bench.release(other, 100, 101);
    bench.detach(b, 200);
    expect(bench.addresses).toBe(0);
  });

  test('does not drop the address to which a host is about to move', () => {
    const bench = new Workbench<TestHost>();
    const [a, b, c] = [host('a', 1), host('b'), host('c', 1)];
    bench.attach(a, at('10.0.0.1'));
    bench.attach(b, at('10.0.0.9'));
    const turn = bench.acquire(0)!;
    bench.move(turn, at('10.0.0.2'));
    bench.detach(b, 50);
    bench.release(turn, 0, 0);
    bench.attach(c, at('10.0.0.2'));
    expect(bench.acquire(60)).toBeDefined();
    expect(bench.acquire(60)).toBeUndefined();
  });

  test('removes only idle hosts', () => {
    const bench = new Workbench<TestHost>();
    const a = host('a', 1);
    bench.attach(a, at('10.0.0.1'));
    expect(() => bench.detach(a, 0)).toThrow('not idle');
  });

  test('removes a host that leaves with its release, and keeps its delay when it returns at another address', () => {
    const bench = new Workbench<TestHost>();
    const a = host('a', 1, 2);
    bench.attach(a, at('10.0.0.1'));
    bench.release(bench.acquire(0)!, 70, 5, true);
    expect(bench.nextReadyAt()).toBe(Infinity);
    bench.attach(a, at('10.0.0.2'));
    expect(bench.acquire(69)).toBeUndefined();
    expect(bench.acquire(70)?.address.ip).toBe('10.0.0.2');
  });

  test('takes the address from the table that agents share before it gives a turn, and gives it back', () => {
    const until = new Map<string, number>([['10.0.0.1', 40]]);
    const taken: string[] = [];
    const bench = new Workbench<TestHost>({
      tryTake: (ip, now) => {
        const at = until.get(ip) ?? 0;
        if (at > now) return at;
        taken.push(ip);
        return 0;
      },
      giveBack: (ip, readyAt) => void until.set(ip, readyAt),
    });
    bench.attach(host('a', 1), at('10.0.0.1'));
    expect(bench.acquire(10)).toBeUndefined();
    expect(bench.nextReadyAt()).toBe(40);
    const turn = bench.acquire(40)!;
    expect(taken).toEqual(['10.0.0.1']);
    bench.release(turn, 50, 60);
    expect(until.get('10.0.0.1')).toBe(60);
    expect(bench.tryAsk('b', at('10.0.0.1'), 59)).toBe(60);
    expect(bench.tryAsk('b', at('10.0.0.1'), 60)).toBe(0);
    expect(bench.tryAsk('c', at('10.0.0.1'), 60)).toBe(310);
    bench.asked('b', 5, { address: at('10.0.0.1'), delay: 7 }, 70);
    expect(until.get('10.0.0.1')).toBe(77);
  });

  test('never breaks a delay, never gives a host or an address twice, and gives the first ready host in the order its turn', () => {
    const HOSTS = 6;
    const ADDRESSES = 3;
    const step = fc.record({
      advance: fc.nat(6),
      fill: fc.option(fc.nat(HOSTS - 1)),
      release: fc.boolean(),
      hostDelay: fc.nat(12),
      addressDelay: fc.nat(5),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        // Places that only move back, as those of domains do when another host has a turn.
        const places = new Map<TestHost, number>();
        const order = {
          placeOf: (h: TestHost) => places.get(h) ?? 0,
          placeBehind: (h: TestHost) => places.get(h) ?? 0,
          placeAt: (place: number) => place,
          took: () => {
            for (const [i, h] of hosts.entries()) places.set(h, order.placeOf(h) + (i % 2));
          },
          isLate: () => false,
          renew: () => {},
        };
        const bench = new Workbench<TestHost>(undefined, undefined, undefined, order);
        const hosts = Array.from({ length: HOSTS }, (_, i) => host(`h${i}`));
        const ipOf = (h: TestHost) => `10.0.0.${hosts.indexOf(h) % ADDRESSES}`;
        for (const h of hosts) bench.attach(h, at(ipOf(h)));
        const hostReady = new Map<TestHost, number>();
        const addressReady = new Map<string, number>();
        const out: Turn<TestHost>[] = [];
        let now = 0;
        /** The place before the turn. */
        const placeBefore = (h: TestHost) => order.placeOf(h) - (hosts.indexOf(h) % 2);
        /** The naive model: every host, asked in turn, whether all rules allow it now. */
        const allowed = () =>
          hosts.filter(
            (h) =>
              h.queue.length > 0 &&
              !out.some((turn) => turn.address.ip === ipOf(h)) &&
              (hostReady.get(h) ?? 0) <= now &&
              (addressReady.get(ipOf(h)) ?? 0) <= now,
          );
        for (const { advance, fill, release, hostDelay, addressDelay } of steps) {
          now += advance;
          if (fill !== null) {
            hosts[fill].queue.push(1);
            bench.filled(hosts[fill]);
          }
          const turn = release ? out.shift() : undefined;
          if (turn) {
            hostReady.set(turn.host, now + hostDelay);
            addressReady.set(turn.address.ip, now + addressDelay);
            bench.release(turn, now + hostDelay, now + addressDelay);
          }
          expect(bench.nextReadyAt() <= now).toBe(allowed().length > 0);
          const first = Math.min(...allowed().map(order.placeOf));
          const given = bench.acquire(now);
          expect(given === undefined).toBe(allowed().length === 0);
          if (given) {
            expect(allowed()).toContain(given.host);
            expect(placeBefore(given.host)).toBe(first);
            expect(given.address.ip).toBe(ipOf(given.host));
            given.host.queue.pop();
            out.push(given);
          }
          expect(bench.turnsOut).toBe(out.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('breadth first, new hosts of a busy address do not come before hosts that are ready longer', () => {
    const bench = new Workbench<TestHost>();
    const [old, first, second] = [host('old', 1, 2), host('first', 1), host('second', 1)];
    bench.attach(old, at('10.0.0.1'));
    bench.release(bench.acquire(0)!, 10, 10);
    bench.attach(first, at('10.0.0.2'));
    bench.attach(second, at('10.0.0.2'));
    bench.release(bench.acquire(1)!, 1e9, 20);
    expect(bench.acquire(30)?.host).toBe(old);
    expect(bench.acquire(30)?.host).toBe(second);
  });

  test('keeps no more entries than twice the addresses, however long a host is paused', () => {
    const bench = new Workbench<TestHost>();
    const [often, paused] = [host('often', 1), host('paused', 1)];
    paused.readyAt = 1e9;
    bench.attach(often, at('10.0.0.1'));
    bench.attach(paused, at('10.0.0.1'));
    for (let now = 0; now < 3000; now++) bench.release(bench.acquire(now)!, now + 1, now + 1);
    expect(bench.entries).toBeLessThan(150);
    expect(bench.nextReadyAt()).toBe(3000);
  });
});
