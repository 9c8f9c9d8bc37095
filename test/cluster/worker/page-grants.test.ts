/** Agents fetch exactly the pages of the limit, however they are granted, returned and lost. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KEYS, type PageGrants } from '../../../src/cluster/members/keys.ts';
import { PageShare } from '../../../src/cluster/worker/page-grants.ts';
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

  constructor(book: MemoryBook, agent: number) {
    this.#book = book;
    this.#agent = agent;
  }

  async begin(): Promise<void> {
    const granted = (await this.#book.get<PageGrants>(KEYS.pages))?.value.granted[this.#agent] ?? 0;
    this.fetched = this.committed;
    this.allowance = new Allowance(shareAllowance({ maxPages: granted - this.committed }));
    this.#share = new PageShare(this.#book, this.#agent, this.allowance, granted);
  }

  adjust(idle: boolean): Promise<void> {
    return this.#share.adjust(idle);
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
);

test('agents archive exactly the limit, never more, under any takeovers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const book = new MemoryBook();
      await book.create(KEYS.pages, { left: LIMIT, granted: new Array(AGENTS).fill(0) });
      const agents = Array.from({ length: AGENTS }, (_, n) => new Owned(book, n));
      for (const each of agents) await each.begin();
      const archived = () => agents.reduce((sum, { fetched }) => sum + fetched, 0);
      for (const step of steps) {
        if ('fetch' in step) for (let i = 0; i < step.pages; i++) agents[step.fetch].fetch();
        else if ('adjust' in step) await agents[step.adjust].adjust(step.idle);
        else if ('commit' in step) agents[step.commit].committed = agents[step.commit].fetched;
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
