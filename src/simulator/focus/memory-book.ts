/**
 * The book of a simulated focused crawl, in memory: the counts of `focus/book` for a web that fits.
 *
 * A document is its URL: in the lab no two have the same payload.
 */
import type { Yield } from '../../focus/rank/whitelist.ts';

/** A page with links to documents. */
interface Parent {
  readonly domain: string;
  readonly documents: number;
  readonly useful: number;
  /** The last round in which it was a seed. */
  round: number;
}

/** The counts of a domain. */
interface DomainCounts extends Yield {
  documents: number;
  quality: number;
  parents: number;
  /** Requests of its visits; each day counts half as much as the next one. */
  requests: number;
  /** New useful documents that these found. */
  gained: number;
  /** Documents that useful ones cite and that are not in the book. */
  wanted: number;
}

interface Known {
  readonly domain: string;
  readonly useful: boolean;
  /** The day on which it was fetched last. */
  last: number;
}

const MEMORY = 0.5;

export class MemoryBook {
  readonly documents = new Map<string, Known>();
  readonly parents = new Map<string, Parent>();
  readonly domains = new Map<string, DomainCounts>();
  /** References from useful documents, by URL, to documents that are not in the book. */
  readonly #pending = new Map<string, { readonly domain: string; count: number }>();

  /** A book with the same records, that changes by itself. */
  copy(): MemoryBook {
    const copy = new MemoryBook();
    for (const [url, known] of this.documents) copy.documents.set(url, { ...known });
    for (const [url, parent] of this.parents) copy.parents.set(url, { ...parent });
    for (const [name, counts] of this.domains) copy.domains.set(name, { ...counts });
    for (const [url, pending] of this.#pending) copy.#pending.set(url, { ...pending });
    return copy;
  }

  domain(name: string): DomainCounts {
    let counts = this.domains.get(name);
    if (!counts) {
      counts = {
        ...{ name, documents: 0, quality: 0, parents: 0 },
        ...{ requests: 0, gained: 0, wanted: 0 },
      };
      this.domains.set(name, counts);
    }
    return counts;
  }

  /** Adds a document that was fetched; returns whether it is new. */
  addDocument(url: string, domain: string, useful: boolean, day: number): boolean {
    const known = this.documents.get(url);
    if (known) {
      known.last = day;
      return false;
    }
    this.documents.set(url, { domain, useful, last: day });
    const counts = this.domain(domain);
    counts.documents++;
    const pending = this.#pending.get(url);
    if (pending) {
      this.#pending.delete(url);
      counts.quality += pending.count;
      counts.wanted -= pending.count;
    }
    return true;
  }

  /** A useful document cites a URL. */
  addReference(url: string, domain: string): void {
    const known = this.documents.get(url);
    if (known) {
      this.domain(known.domain).quality++;
      return;
    }
    const pending = this.#pending.get(url) ?? { domain, count: 0 };
    this.#pending.set(url, pending);
    pending.count++;
    this.domain(domain).wanted++;
  }

  /** The cited URLs that are not in the book, by domain. */
  *pending(): Generator<{ readonly url: string; readonly domain: string }> {
    for (const [url, { domain }] of this.#pending) yield { url, domain };
  }

  addParent(url: string, domain: string, documents: number, useful: number): void {
    const known = this.parents.get(url);
    if (!known) this.domain(domain).parents++;
    this.parents.set(url, { domain, documents, useful, round: known?.round ?? 0 });
  }

  /** What a day requested of each domain, and gained. */
  addVisits(
    visits: ReadonlyMap<string, { readonly requests: number; readonly gained: number }>,
  ): void {
    for (const [name, { requests, gained }] of visits) {
      const counts = this.domain(name);
      counts.requests = counts.requests * MEMORY + requests;
      counts.gained = counts.gained * MEMORY + gained;
    }
  }
}
