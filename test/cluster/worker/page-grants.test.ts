/** Agents fetch exactly the pages of the limit, however they are granted, returned and lost. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KEYS, type PageGrants } from '../../../src/cluster/members/keys.ts';
import { enterOwner, PageShare } from '../../../src/cluster/worker/page-grants.ts';
import { Allowance, shareAllowance } from '../../../src/crawl/transport/allowance.ts';
import { MemoryBook } from '../lease/memory-book.ts';

const AGENTS = 3;
const LIMIT = 40;

/** An agent with an owner: what it has fetched, and what of it is committed. */
class Owned {
  readonly #book: MemoryBook;
  readonly #agent: number;
  fetched = 0;
  committed = 0;
  allowance!: Allowance;
  #share!: PageShare;
  #epoch = 0;
  /** A former owner that was stopped, and does not know it. */
  #former: PageShare | undefined;

  constructor(book: MemoryBook, agent: number) {
    this.#book = book;
    this.#agent = agent;
  }

  async begin(): Promise<void> {
    this.#former = this.#share;
    const owner = { agent: this.#agent, epoch: ++this.#epoch };
    const granted = await enterOwner(this.#book, owner);
    this.fetched = this.committed;
    this.allowance = new Allowance(shareAllowance({ maxPages: granted - this.committed }));
    this.#share = new PageShare(this.#book, owner, this.allowance, granted);
  }

  adjust(idle: boolean): Promise<void> {
    return this.#share.adjust(idle);
  }

  async wakeFormer(idle: boolean): Promise<void> {
    await this.#former?.adjust(idle);
  }

  fetch(): void {
    if (!this.allowance.claim()) return;
    this.allowance.closeClaim(true);
    this.fetched++;
  }
}

const agent = fc.nat(AGENTS - 1);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ fetch: agent, pages: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 3, arbitrary: fc.record({ adjust: agent, idle: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ commit: agent }) },
  { weight: 1, arbitrary: fc.record({ takeOver: agent }) },
  { weight: 1, arbitrary: fc.record({ wakeFormer: agent, idle: fc.boolean() }) },
);

test('agents archive exactly the limit, never more, under any takeovers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const book = new MemoryBook();
      const none: number[] = new Array(AGENTS).fill(0);
      const grants: PageGrants = { left: LIMIT, granted: none, epochs: none };
      await book.create(KEYS.pages, grants);
      const agents = Array.from({ length: AGENTS }, (_, n) => new Owned(book, n));
      for (const each of agents) await each.begin();
      const archived = () => agents.reduce((sum, { fetched }) => sum + fetched, 0);
      for (const step of steps) {
        if ('fetch' in step) for (let i = 0; i < step.pages; i++) agents[step.fetch].fetch();
        else if ('adjust' in step) await agents[step.adjust].adjust(step.idle);
        else if ('commit' in step) agents[step.commit].committed = agents[step.commit].fetched;
        else if ('wakeFormer' in step) await agents[step.wakeFormer].wakeFormer(step.idle);
        else await agents[step.takeOver].begin();
        expect(archived()).toBeLessThanOrEqual(LIMIT);
      }
      // Two agents have nothing more to do, one has: it gets all that is left.
      for (let round = 0; round < LIMIT && archived() < LIMIT; round++) {
        for (const [n, each] of agents.entries()) await each.adjust(n > 0);
        for (let i = 0; i < LIMIT; i++) agents[0].fetch();
      }
      expect(archived()).toBe(LIMIT);
    }),
    { numRuns: 100 },
  );
});

test('a former owner that wakes up returns nothing of what its heir may fetch', async () => {
  const book = new MemoryBook();
  const none: number[] = new Array(AGENTS).fill(0);
  await book.create(KEYS.pages, { left: LIMIT, granted: none, epochs: none });
  const owned = new Owned(book, 0);
  await owned.begin();
  await owned.adjust(false);
  await owned.begin();
  const before = (await book.get<PageGrants>(KEYS.pages))?.value;
  expect(before?.granted[0]).toBeGreaterThan(0);
  await owned.wakeFormer(true);
  expect((await book.get<PageGrants>(KEYS.pages))?.value).toEqual(before);
});
