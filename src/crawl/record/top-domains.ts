/**
 * The domains with the most pages fetched.
 *
 * Idea      The count of a domain grows only while the domain is in memory. So it is enough to look
 *           through the domains in memory from time to time, and to keep the last count of a
 *           domain that left.
 * Ensures   At most `KEPT` domains are kept, whatever their number. A domain that enters and leaves
 *           memory between two looks is missed.
 *           Ranks and budgets are those at the last look, of all domains kept.
 * Cost      One comparison per domain in memory and look.
 */
import { xxh64 } from '../../base/xxh64.ts';

/** A domain of the list, as plain data. */
export interface TopDomain {
  readonly name: string;
  readonly pages: number;
  /** Rank from 1, if domains are ranked and this one is in the standing. */
  readonly rank?: number;
  /** URLs per round, if the crawl has budgets. */
  readonly budget?: number;
}

interface DomainInMemory {
  readonly name: string;
  readonly pages: number;
}

/** Looks a domain up by the hash of its name. */
type Reputed = (hash: bigint) => Pick<TopDomain, 'rank' | 'budget'>;

const KEPT = 32;

export class TopDomains {
  #best: readonly TopDomain[];

  constructor(known: readonly TopDomain[] = []) {
    this.#best = known;
  }

  /** The kept domains, most pages first. */
  get best(): readonly TopDomain[] {
    return this.#best;
  }

  look(domains: Iterable<DomainInMemory>, reputed: Reputed = () => ({})): void {
    const bar = this.#best.length < KEPT ? 0 : this.#best[KEPT - 1].pages - 1;
    const found: TopDomain[] = [];
    for (const { name, pages } of domains) if (pages > bar) found.push({ name, pages });
    // The rank of a domain that left memory changes too: two must not show the same.
    this.#best = mostPages([this.#best, found], KEPT).map(({ name, pages }) => ({
      ...{ name, pages },
      ...reputed(xxh64(name)),
    }));
  }
}

/** Merges lists; for a domain in two of them, the entry with more pages counts. */
export function mostPages(lists: readonly (readonly TopDomain[])[], most: number): TopDomain[] {
  const byName = new Map<string, TopDomain>();
  for (const told of lists.flat()) {
    const other = byName.get(told.name);
    if (!other || other.pages <= told.pages) byName.set(told.name, told);
  }
  return [...byName.values()]
    .sort((a, b) => b.pages - a.pages || (a.name < b.name ? -1 : 1))
    .slice(0, most);
}
