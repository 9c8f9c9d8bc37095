/** Leases of agents: who may commit, and who may not any more. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import {
  type AgentEntry,
  AgentLease,
  agentKey,
  LeaseLost,
  newAgent,
} from '../../../src/cluster/lease/agent-lease.ts';
import type { Book, Entry } from '../../../src/cluster/lease/book.ts';
import { LeaseFence } from '../../../src/cluster/lease/fence.ts';
import { leaseTimes } from '../../../src/cluster/lease/lease-times.ts';
import { MemoryBook } from './memory-book.ts';

const commit = (pages: number) => ({
  checkpoint: `m${pages}`,
  received: [0, pages],
  pages,
  bytes: 0,
});

async function newBook(): Promise<MemoryBook> {
  const book = new MemoryBook();
  await book.create(agentKey(0), newAgent(2));
  return book;
}

async function seen(book: Book): Promise<Entry<AgentEntry>> {
  return (await book.get<AgentEntry>(agentKey(0))) as Entry<AgentEntry>;
}

async function take(book: Book, worker: string): Promise<AgentLease> {
  const clock = {
    ...systemClock,
    after: (_: number, callback: () => void) => systemClock.after(0, callback),
  };
  const lease = await AgentLease.acquire({ book, clock, agent: 0, worker }, await seen(book));
  if (!lease) throw new Error('not acquired');
  return lease;
}

describe('the compare-and-set at commit', () => {
  test('refuses the commit of an owner that was taken over, however late it wakes up', async () => {
    const book = await newBook();
    const old = await take(book, 'a');
    await old.commit(commit(5));
    const heir = await take(book, 'b');
    await expect(old.commit(commit(9))).rejects.toBeInstanceOf(LeaseLost);
    await expect(old.renew()).rejects.toBeInstanceOf(LeaseLost);
    expect((await seen(book)).value).toMatchObject({ worker: 'b', epoch: 2, pages: 5 });
    await heir.commit(commit(7));
    expect((await seen(book)).value).toMatchObject({ checkpoint: 'm7', commits: 2 });
  });

  test('closes the fence of the one that lost', async () => {
    const book = await newBook();
    const old = await take(book, 'a');
    const fence = new LeaseFence(old.fence, leaseTimes(1));
    expect(fence.open).toBe(true);
    await take(book, 'b');
    await old.renew().catch(() => {});
    expect([fence.open, old.lost]).toEqual([false, true]);
  });
});

test.each([
  'acquire',
  'renew',
  'commit',
] as const)('the fence counts from before %s was sent, however late its answer comes', async (write) => {
  const plain = await newBook();
  let now = 1_000_000;
  const late: Book = Object.assign(Object.create(plain), {
    update: async (...args: Parameters<Book['update']>) => {
      const revision = await plain.update(...args);
      now += 700;
      return revision;
    },
  });
  const leaseClock = { even: () => now, wall: () => now };
  const options = { book: late, clock: systemClock, leaseClock, agent: 0, worker: 'a' };
  const lease = await AgentLease.acquire(options, await seen(plain));
  if (!lease) throw new Error('not acquired');
  if (write === 'renew') await lease.renew();
  else if (write === 'commit') await lease.commit(commit(1));
  const sent = now - 700;
  const { send } = leaseTimes(1);
  const fence = new LeaseFence(lease.fence, leaseTimes(1), leaseClock);
  now = sent + send - 1;
  expect(fence.open).toBe(true);
  now = sent + send + 1;
  expect(fence.open).toBe(false);
});

test('of several challengers that saw the same state, one takes the agent', async () => {
  const book = await newBook();
  const state = await seen(book);
  const takes = ['a', 'b', 'c'].map((worker) =>
    AgentLease.acquire({ book, clock: systemClock, agent: 0, worker }, state),
  );
  expect((await Promise.all(takes)).filter(Boolean).length).toBe(1);
});

test('a challenger that saw the key before a renewal does not get the agent', async () => {
  const book = await newBook();
  const holder = await take(book, 'a');
  const state = await seen(book);
  expect(await holder.renew()).toBe(true);
  const options = { book, clock: systemClock, agent: 0, worker: 'b' };
  expect(await AgentLease.acquire(options, state)).toBeUndefined();
});

test('a released agent is free, and its next owner has a higher epoch', async () => {
  const book = await newBook();
  const first = await take(book, 'a');
  await first.release();
  expect((await seen(book)).value.worker).toBe('');
  expect((await take(book, 'b')).epoch).toBe(2);
});

/** A book of which answers are lost: before the write, or after it. */
class LossyBook extends MemoryBook {
  readonly #losses: ('before' | 'after' | undefined)[];

  constructor(losses: readonly ('before' | 'after' | undefined)[]) {
    super();
    this.#losses = [...losses];
  }

  override async update(key: string, value: unknown, revision: number) {
    const loss = this.#losses.shift();
    if (loss === 'before') throw new Error('no answer');
    const written = await super.update(key, value, revision);
    if (loss === 'after') throw new Error('no answer');
    return written;
  }
}

test('commits are in the key, once and in order, whichever answers of the broker are lost', async () => {
  const losses = fc.array(fc.constantFrom('before', 'after', undefined), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(losses, async (lost) => {
      const book = new LossyBook([undefined, ...lost]);
      await book.create(agentKey(0), newAgent(2));
      const lease = await take(book, 'a');
      for (let pages = 1; pages <= 3; pages++) {
        const [, renewed] = await Promise.all([lease.commit(commit(pages)), lease.renew()]);
        expect(typeof renewed).toBe('boolean');
        expect((await seen(book)).value).toMatchObject({ pages, commits: pages, worker: 'a' });
      }
      await lease.release();
      expect((await seen(book)).value).toMatchObject({ worker: '', epoch: 1, pages: 3 });
    }),
    { numRuns: 60 },
  );
});
