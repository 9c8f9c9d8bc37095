import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SharedHostTable, shareHosts } from '../../../src/crawl/transport/host-table.ts';

const tables = (agents: number, slots = 2 ** 10) => {
  const shared = shareHosts({ slots, lease: 1000, retry: 10 });
  return Array.from({ length: agents }, (_, agent) => new SharedHostTable(shared, agent));
};

describe('the host table', () => {
  test('a request out of turn waits for the turn of any agent, and for the delay after it', () => {
    const [owner, other] = tables(2);
    expect(owner.tryTake('a.test', 1000)).toBe(0);
    expect(other.tryAsk('a.test', 1001)).toBe(1011);
    expect(owner.tryAsk('a.test', 1001)).toBe(1011);
    owner.giveBack('a.test', 1100, 0);
    expect(other.tryAsk('a.test', 1099)).toBe(1100);
    expect(other.tryAsk('a.test', 1100)).toBe(0);
  });

  test('a turn waits for a request out of turn, and for the delay after it: the Crawl-delay too', () => {
    const [owner, other] = tables(2);
    owner.tryTake('a.test', 1000);
    owner.giveBack('a.test', 1000, 70);
    expect(other.tryAsk('a.test', 1000)).toBe(0);
    expect(owner.tryTake('a.test', 1001)).toBe(1011);
    other.asked('a.test', 1020, 30);
    expect(owner.tryTake('a.test', 1089)).toBe(1090);
    expect(owner.tryTake('a.test', 1090)).toBe(0);
  });

  test('a turn lets a request out of turn go first, once', () => {
    const [owner, other] = tables(2);
    owner.tryTake('a.test', 1000);
    expect(other.tryAsk('a.test', 1000)).toBe(1010);
    owner.giveBack('a.test', 1005, 0);
    expect(owner.tryTake('a.test', 1005)).toBe(1025);
    expect(other.tryAsk('a.test', 1010)).toBe(0);
    other.asked('a.test', 1012, 10);
    expect(owner.tryTake('a.test', 1025)).toBe(0);
    owner.giveBack('a.test', 1030, 0);
    expect(owner.tryTake('a.test', 1030)).toBe(0);
  });

  test('the pause of one host does not delay the turns of another in its slot', () => {
    const [a, b] = tables(2, 1);
    a.tryTake('a.test', 1000);
    a.giveBack('a.test', 9000, 0);
    expect(b.tryTake('b.test', 1001)).toBe(0);
    b.giveBack('b.test', 1002, 0);
    expect(b.tryAsk('a.test', 1002)).toBe(9000);
  });

  test('a host that enters memory is paused for requests out of turn', () => {
    const [a, b] = tables(2);
    a.entered('a.test', 1500, 40);
    expect(b.tryAsk('a.test', 1499)).toBe(1500);
    expect(b.tryAsk('a.test', 1500)).toBe(0);
    b.asked('a.test', 1500, 0);
    expect(a.tryTake('a.test', 1539)).toBe(1540);
  });

  test('no two requests to a host come closer than its delay, whoever makes them', () => {
    const HOSTS = ['a.test', 'b.test', 'c.test', 'd.test'];
    const step = fc.record({
      agent: fc.nat(2),
      host: fc.nat(HOSTS.length - 1),
      pass: fc.nat(15),
      delay: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.constantFrom(1, 2, 64), (steps, slots) => {
        const agents = tables(3, slots);
        const crawlDelay = [0, 0, 25, 50];
        const delay = 20;
        const ownReadyAt = HOSTS.map(() => 0);
        const earliest = HOSTS.map(() => 0);
        const busy = HOSTS.map(() => -1);
        let now = 1000;
        for (const { agent, host, pass, delay: pause } of steps) {
          now += pass;
          const name = HOSTS[host];
          const table = agents[agent];
          const isOwner = host % 3 === agent;
          const least = Math.max(delay, crawlDelay[host]);
          if (busy[host] === agent) {
            busy[host] = -1;
            earliest[host] = now + least;
            if (isOwner) {
              ownReadyAt[host] = now + Math.max(least, pause);
              table.giveBack(name, ownReadyAt[host], crawlDelay[host]);
              earliest[host] = ownReadyAt[host];
            } else table.asked(name, now, delay);
            continue;
          }
          // The workbench of the owner keeps the pauses of its turns.
          if (isOwner && (ownReadyAt[host] > now || busy[host] === agent)) continue;
          const again = isOwner ? table.tryTake(name, now) : table.tryAsk(name, now);
          if (again > 0) {
            expect(again).toBeGreaterThan(now);
            continue;
          }
          expect(busy[host]).toBe(-1);
          // Until the owner has had a turn, no agent knows the Crawl-delay.
          const known = ownReadyAt[host] > 0 || earliest[host] === 0;
          if (known) expect(now).toBeGreaterThanOrEqual(earliest[host]);
          busy[host] = agent;
        }
      }),
      { numRuns: 500 },
    );
  });
});
