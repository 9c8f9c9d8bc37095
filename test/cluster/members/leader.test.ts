import { expect, test } from 'vitest';
import { leaseTimes } from '../../../src/cluster/lease/lease-times.ts';
import { KEYS, type LeaderEntry } from '../../../src/cluster/members/keys.ts';
import { Leader } from '../../../src/cluster/members/leader.ts';
import { View } from '../../../src/cluster/members/view.ts';
import { MemoryBook } from '../lease/memory-book.ts';

const TIMES = leaseTimes(1);

/** Two workers that look at one book; time passes only when the test says so. */
async function two() {
  const book = new MemoryBook();
  const clock = { now: 0 };
  const now = () => clock.now;
  const leaders = await Promise.all(
    ['a', 'b'].map(async (worker) => {
      const { view } = await View.open(book, now, () => {});
      return new Leader({
        ...{ book, view, worker, agents: 1, now, wall: now, settle: 2000, times: TIMES },
        limits: { maxTime: Infinity, maxBytes: Infinity },
        look: async () => [],
        finish: async () => {},
        onLead: () => {},
      });
    }),
  );
  return { book, clock, first: leaders[0], second: leaders[1] };
}

test('a leader that resigns is followed at once, in the next term', async () => {
  const { book, first, second } = await two();
  await first.tick();
  await second.tick();
  expect([first.leads, second.leads]).toEqual([true, false]);
  await first.resign();
  await second.tick();
  expect([first.leads, second.leads]).toEqual([false, true]);
  expect((await book.get<LeaderEntry>(KEYS.leader))?.value).toMatchObject({ worker: 'b', term: 2 });
});

test('a leader that dies is followed after the time of a takeover', async () => {
  const { clock, first, second } = await two();
  await first.tick();
  clock.now = TIMES.takeOver - 1;
  await second.tick();
  expect(second.leads).toBe(false);
  clock.now = TIMES.takeOver;
  await second.tick();
  expect(second.leads).toBe(true);
});

test('a former leader that resigns takes nothing from its successor', async () => {
  const { book, clock, first, second } = await two();
  await first.tick();
  clock.now = TIMES.takeOver;
  await second.tick();
  await first.resign();
  expect((await book.get<LeaderEntry>(KEYS.leader))?.value.worker).toBe('b');
});
