/**
 * The pages that an agent may fetch, in blocks: `--max-pages` stays exact for the whole cluster.
 *
 * Idea      One key has the pages that are left and what each agent was granted. A grant is a
 *           compare-and-set on it, so the sum never exceeds the limit. What an agent was granted
 *           belongs to the agent, not to its owner: an heir may fetch what its predecessor did not
 *           commit. An agent without work returns what it does not need.
 *           An owner enters its epoch before it looks: from then on a former owner that still runs
 *           changes nothing of what the agent was granted.
 * Ensures   granted to all agents + left = the limit, always. An agent has claimed at most what it
 *           was granted. If the answer to a write is lost, the next look at the key finds out.
 * Cost      One write per block; blocks become smaller towards the end.
 */
import type { Allowance } from '../../crawl/transport/allowance.ts';
import { type Book, change } from '../lease/book.ts';
import { KEYS, type PageGrants } from '../members/keys.ts';

const MOST_IN_BLOCK = 1000;

/** The next block for one of `agents`, when `left` pages are left. */
const blockOf = (left: number, agents: number): number =>
  Math.min(left, Math.max(1, Math.min(MOST_IN_BLOCK, Math.ceil(left / (2 * agents)))));

/** An agent, and the epoch in which its owner runs it. */
interface Owner {
  readonly agent: number;
  readonly epoch: number;
}

export class PageShare {
  readonly #book: Book;
  readonly #agent: number;
  readonly #epoch: number;
  readonly #allowance: Allowance;
  /** What the allowance was given, with the pages of earlier epochs. */
  #granted: number;
  /** The size of the last block. */
  #block = 0;
  /** The answer to a write may have been lost. */
  #isUncertain = true;

  /** `allowance` has what the agent may fetch of `granted`, which `enterOwner` returned. */
  constructor(book: Book, { agent, epoch }: Owner, allowance: Allowance, granted: number) {
    this.#book = book;
    this.#agent = agent;
    this.#epoch = epoch;
    this.#allowance = allowance;
    this.#granted = granted;
  }

  /** Asks for a block if little is left; an agent without work returns all. */
  async adjust(isIdle: boolean): Promise<void> {
    const { left: own } = this.#allowance;
    if (!this.#isUncertain && (isIdle ? own === 0 : own > this.#block / 2)) return;
    this.#isUncertain = true;
    await this.#adjust(isIdle);
    this.#isUncertain = false;
  }

  async #adjust(isIdle: boolean): Promise<void> {
    const grants = await this.#book.get<PageGrants>(KEYS.pages);
    if (!grants || !this.#isOurs(grants.value)) return;
    this.#learn(grants.value);
    const { left, granted } = grants.value;
    const block = blockOf(left, granted.length);
    this.#block = block;
    if (isIdle) await this.#giveBack();
    else if (block > 0 && this.#allowance.left < block / 2) await this.#ask();
  }

  async #ask(): Promise<void> {
    const after = await change<PageGrants>(this.#book, KEYS.pages, (grants) => {
      const block = grants ? blockOf(grants.left, grants.granted.length) : 0;
      const may = grants && block > 0 && this.#isOurs(grants);
      return may ? moved(grants, this.#agent, block) : undefined;
    });
    if (after && this.#isOurs(after)) this.#learn(after);
  }

  async #giveBack(): Promise<void> {
    const unused = this.#allowance.withdraw();
    if (unused === 0) return;
    this.#granted -= unused;
    await change<PageGrants>(this.#book, KEYS.pages, (grants) =>
      grants && this.#isOurs(grants) && grants.granted[this.#agent] > this.#granted
        ? moved(grants, this.#agent, this.#granted - grants.granted[this.#agent])
        : undefined,
    );
  }

  #isOurs({ epochs }: PageGrants): boolean {
    return epochs[this.#agent] === this.#epoch;
  }

  /** The key is the truth. */
  #learn({ granted }: PageGrants): void {
    const more = granted[this.#agent] - this.#granted;
    if (more <= 0) return;
    this.#granted += more;
    this.#allowance.grant(more);
  }
}

/**
 * The owner of an agent in this epoch enters itself; returns what the agent was granted in all
 * epochs.
 */
export async function enterOwner(book: Book, { agent, epoch }: Owner): Promise<number> {
  const grants = await change<PageGrants>(book, KEYS.pages, (now) =>
    now && now.epochs[agent] < epoch
      ? { ...now, epochs: now.epochs.with(agent, epoch) }
      : undefined,
  );
  return grants?.granted[agent] ?? 0;
}

function moved({ left, granted, epochs }: PageGrants, agent: number, pages: number): PageGrants {
  return { left: left - pages, granted: granted.with(agent, granted[agent] + pages), epochs };
}
