/**
 * The domains of which most pages were fetched.
 *
 * Idea      A domain's count grows only while it is in memory, so now and then those in memory are looked through; of one that has left, what
 *           was seen last stays.
 * Ensures   at most `KEPT` are kept, whatever the number of domains. One that came, was fetched much of, and left between two looks is missed.
 * Cost      a comparison for each domain in memory.
 */

/** Plain data. */
export interface DomainTold {
  readonly name: string;
  readonly pages: number;
  /** From 1, where domains are ranked and this one is among the best. */
  readonly rank?: number;
  /** URLs that it may have a round, where there are budgets. */
  readonly budget?: number;
}

interface DomainInMemory {
  readonly name: string;
  readonly hash: bigint;
  readonly pages: number;
}

export type Reputed = (hash: bigint) => Pick<DomainTold, 'rank' | 'budget'>;

const KEPT = 32;

export class TopDomains {
  #best: readonly DomainTold[];

  constructor(known: readonly DomainTold[] = []) {
    this.#best = known;
  }

  /** The most pages first. */
  get best(): readonly DomainTold[] {
    return this.#best;
  }

  look(domains: Iterable<DomainInMemory>, reputed: Reputed = () => ({})): void {
    const bar = this.#best.length < KEPT ? 0 : this.#best[KEPT - 1].pages - 1;
    const found: DomainTold[] = [];
    for (const { name, hash, pages } of domains) {
      if (pages > bar) found.push({ name, pages, ...reputed(hash) });
    }
    this.#best = mostPages([this.#best, found], KEPT);
  }
}

/** Those of several lists together: of a domain that is in two, the one that has counted further. */
export function mostPages(lists: readonly (readonly DomainTold[])[], most: number): DomainTold[] {
  const byName = new Map<string, DomainTold>();
  for (const told of lists.flat()) {
    const other = byName.get(told.name);
    if (!other || other.pages <= told.pages) byName.set(told.name, told);
  }
  return [...byName.values()]
    .sort((a, b) => b.pages - a.pages || (a.name < b.name ? -1 : 1))
    .slice(0, most);
}
