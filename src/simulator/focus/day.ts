/**
 * One day of a simulated focused crawl: breadth first from its seeds, to a depth, until the
 * requests are used up.
 *
 * Links and documents come from the lab's truth (`glimpseOf`, `documentAt`), not from bytes: a day
 * of a thousand requests takes some milliseconds. Servers answer at once and in order, so
 * politeness plays no part.
 */
import { domainOf } from '../../focus/book/keys.ts';
import { documentAt } from '../../lab/judge/document-truth.ts';
import { glimpseOf } from '../../lab/judge/glimpse.ts';
import type { Web } from '../../lab/web.ts';
import { hostOf } from '../../url/parts.ts';
import type { MemoryBook } from './memory-book.ts';

/** The counts of Table 2. */
export interface DayCounts {
  /** Q, F, N, G, P, P_G, D_PG */
  requests: number;
  fetched: number;
  fresh: number;
  useful: number;
  parents: number;
  usefulParents: number;
  usefulLinked: number;
  /** G and Q by depth. */
  readonly byDepth: number[];
  readonly requestsByDepth: number[];
}

interface DayPlan {
  readonly web: Web;
  readonly book: MemoryBook;
  /** The number of the day; the history is day 0. */
  readonly day: number;
  readonly requests: number;
  readonly depth: number;
  /** Seeds that are taken at once; more are taken when nothing is queued. */
  readonly batch: number;
  readonly seeds: Iterator<string>;
  /** Whether a link to another domain is followed. */
  readonly leaves: boolean;
  readonly isBlacklisted: (host: string) => boolean;
  /** Days after which a known document is requested again; 0: always. */
  readonly recheck: number;
}

interface Queued {
  readonly url: string;
  readonly depth: number;
}

const DOCUMENT = /\.(?:pdf|ps)(?:\.gz)?$/;

export function runDay(plan: DayPlan): DayCounts & { readonly pages: readonly string[] } {
  return new DayRun(plan).run();
}

class DayRun {
  readonly #plan: DayPlan;
  readonly #queue: Queued[] = [];
  readonly #seen = new Set<string>();
  readonly #visits = new Map<string, { requests: number; gained: number }>();
  /** Pages with links that may lead to documents. */
  readonly #linking = new Map<string, readonly string[]>();
  readonly #pages: string[] = [];
  readonly #counts: DayCounts = {
    ...{ requests: 0, fetched: 0, fresh: 0, useful: 0 },
    ...{ parents: 0, usefulParents: 0, usefulLinked: 0 },
    ...{ byDepth: [], requestsByDepth: [] },
  };

  constructor(plan: DayPlan) {
    this.#plan = plan;
  }

  run(): DayCounts & { readonly pages: readonly string[] } {
    let at = 0;
    while (this.#counts.requests < this.#plan.requests) {
      if (at >= this.#queue.length && !this.#takeSeeds()) break;
      this.#request(this.#queue[at++]);
    }
    this.#learnParents();
    this.#plan.book.addVisits(this.#visits);
    return { ...this.#counts, pages: this.#pages };
  }

  #takeSeeds(): boolean {
    const before = this.#queue.length;
    while (this.#queue.length < before + this.#plan.batch) {
      const { value, done } = this.#plan.seeds.next();
      if (done) break;
      this.#add(value, 0);
    }
    return this.#queue.length > before;
  }

  #add(url: string, depth: number): void {
    const { book, day, recheck, isBlacklisted, requests } = this.#plan;
    // First in, first out: what comes after so many is never requested.
    if (this.#seen.has(url) || this.#queue.length >= requests) return;
    this.#seen.add(url);
    if (isBlacklisted(hostOf(url))) return;
    const known = recheck > 0 ? book.documents.get(url) : undefined;
    if (known && day - known.last < recheck) return;
    this.#queue.push({ url, depth });
  }

  #request({ url, depth }: Queued): void {
    const { web } = this.#plan;
    const domain = domainOf(url);
    const visit = this.#visits.get(domain) ?? { requests: 0, gained: 0 };
    this.#visits.set(domain, visit);
    visit.requests++;
    this.#counts.requests++;
    countAt(this.#counts.requestsByDepth, depth);
    const document = documentAt(web, url);
    if (document) {
      if (this.#fetched(url, domain, depth, document)) visit.gained++;
      return;
    }
    const page = glimpseOf(web, url);
    if (!page) return;
    if (page.redirect !== undefined) this.#follow(page.redirect, domain, depth);
    if (page.status !== 200) return;
    this.#pages.push(url);
    const links = page.links.filter((link) => DOCUMENT.test(link));
    if (links.length > 0) this.#linking.set(url, links);
    if (depth < this.#plan.depth)
      for (const link of page.links) this.#follow(link, domain, depth + 1);
  }

  #follow(url: string, from: string, depth: number): void {
    if (this.#queue.length >= this.#plan.requests) return;
    if (this.#plan.leaves || domainOf(url) === from) this.#add(url, depth);
  }

  /** Counts a document; returns whether it is new and useful. */
  #fetched(
    url: string,
    domain: string,
    depth: number,
    { useful, references }: NonNullable<ReturnType<typeof documentAt>>,
  ): boolean {
    const { book, day } = this.#plan;
    const counts = this.#counts;
    counts.fetched++;
    if (!book.addDocument(url, domain, useful, day)) return false;
    counts.fresh++;
    if (!useful) return false;
    counts.useful++;
    countAt(counts.byDepth, depth);
    for (const to of references()) book.addReference(to, domainOf(to));
    return true;
  }

  #learnParents(): void {
    const { book } = this.#plan;
    const linked = new Set<string>();
    for (const [url, links] of this.#linking) {
      const known = [...new Set(links)].filter((link) => book.documents.has(link));
      if (known.length === 0) continue;
      const useful = known.filter((link) => book.documents.get(link)?.useful);
      book.addParent(url, domainOf(url), known.length, useful.length);
      this.#counts.parents++;
      if (useful.length > 0) this.#counts.usefulParents++;
      for (const link of useful) linked.add(link);
    }
    this.#counts.usefulLinked = linked.size;
  }
}

function countAt(counts: number[], depth: number): void {
  counts[depth] = (counts[depth] ?? 0) + 1;
}
