/** A host of an agent on another machine is asked only with the leave of its owner's worker. */
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { HostLeaves } from '../../../src/cluster/addresses/host-leaves.ts';
import { ClusterHostTable, type HostLeave } from '../../../src/cluster/addresses/host-table.ts';
import { SharedHostTable, shareHosts } from '../../../src/crawl/transport/host-table.ts';

const DELAY = 2000;

/** The worker of the host's owner, and an agent elsewhere; time is the test's. */
function machines() {
  let now = 1_000_000;
  const timers = new Set<{ at: number; call: () => void }>();
  const clock: Clock = {
    now: () => now,
    after: (delay, call) => {
      const timer = { at: now + delay, call };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  const pass = (span: number) => {
    now += span;
    for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.call();
  };
  const ofOwner = shareHosts({ retry: 10 });
  const owner = new SharedHostTable(ofOwner, 3);
  const leaves = new HostLeaves(new SharedHostTable(ofOwner, 8191), clock);
  let from = 0;
  const wanted: string[] = [];
  const elsewhere = new ClusterHostTable({
    local: new SharedHostTable(shareHosts({ retry: 10 }), 0),
    isOurs: (host) => host === 'own',
    want: (host) => void wanted.push(host),
    asked: (host, delay) => leaves.asked(host, delay),
    retry: 100,
  });
  const answerAll = () => {
    for (const host of wanted.splice(0)) {
      const answer: HostLeave = leaves.give(host, from) ? 'granted' : 'refused';
      elsewhere.answered(host, answer);
    }
  };
  const opensAt = (at: number) => {
    from = at;
  };
  return { clock, pass, owner, elsewhere, wanted, answerAll, opensAt };
}

describe('a request to a host of another machine', () => {
  test('waits for the turn of its owner and the delay after it, and the next turn waits for it', () => {
    const { clock, pass, owner, elsewhere, answerAll } = machines();
    expect(owner.tryTake('h', clock.now())).toBe(0);
    expect(elsewhere.tryAsk('h', clock.now())).toBeGreaterThan(clock.now());
    answerAll();
    expect(elsewhere.tryAsk('h', clock.now())).toBeGreaterThan(clock.now());
    owner.giveBack('h', clock.now() + DELAY, 0);
    answerAll();
    expect(elsewhere.tryAsk('h', clock.now())).toBeGreaterThan(clock.now());
    answerAll();
    pass(DELAY);
    elsewhere.tryAsk('h', clock.now());
    answerAll();
    expect(elsewhere.tryAsk('h', clock.now())).toBe(0);
    expect(owner.tryTake('h', clock.now())).toBeGreaterThan(clock.now());
    elsewhere.asked('h', clock.now(), DELAY);
    pass(DELAY - 1);
    expect(owner.tryTake('h', clock.now())).toBeGreaterThan(clock.now());
    pass(1);
    expect(owner.tryTake('h', clock.now())).toBe(0);
  });

  test('is not made shortly after the owner has changed', () => {
    const { clock, pass, elsewhere, answerAll, opensAt } = machines();
    opensAt(clock.now() + 60_000);
    elsewhere.tryAsk('h', clock.now());
    answerAll();
    expect(elsewhere.tryAsk('h', clock.now())).toBeGreaterThan(clock.now());
    pass(60_000);
    elsewhere.tryAsk('h', clock.now());
    answerAll();
    expect(elsewhere.tryAsk('h', clock.now())).toBe(0);
  });

  test('that never comes gives the host back after the longest request', () => {
    const { clock, pass, owner, elsewhere, answerAll } = machines();
    elsewhere.tryAsk('h', clock.now());
    answerAll();
    expect(owner.tryTake('h', clock.now())).toBeGreaterThan(clock.now());
    pass(180_000);
    expect(elsewhere.tryAsk('h', clock.now())).toBeGreaterThan(clock.now());
    expect(owner.tryTake('h', clock.now())).toBe(0);
  });
});

test('a host of the agent itself needs no leave', () => {
  const { clock, elsewhere, wanted } = machines();
  expect(elsewhere.tryAsk('own', clock.now())).toBe(0);
  expect(wanted).toEqual([]);
});
