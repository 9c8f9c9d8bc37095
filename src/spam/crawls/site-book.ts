/**
 * The sites of a crawl, and what was read of each so far.
 *
 * Requires  Pages in the same order each time that a crawl is read.
 * Ensures   The first `most` pages of a site count, and no others: the same in every reading. Sites
 *           come in the order of their names.
 * Cost      About 2 KB a site, and the stems of each if terms are counted.
 */
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf } from '../../url/parts.ts';
import { SiteSums } from '../features/content/site-sums.ts';
import { type Site, type SiteLevel, siteOf } from '../features/sites.ts';
import { TermDocument } from '../features/terms/term-documents.ts';
import type { CrawledPage } from './stored-pages.ts';

export class SiteRecord {
  /** Sites are numbered as they are found. */
  readonly number: number;
  readonly name: string;
  readonly domain: string;
  readonly addresses = new Set<string>();
  /** Pages that count, in this reading of the crawl. */
  pages = 0;
  /** How many of them are copies of other sites' pages. */
  copied = 0;
  readonly sums = SiteSums.empty();
  readonly terms = new TermDocument();
  /** The values of the page of greatest PageRank. */
  top: Float64Array | undefined;
  topRank = Number.NEGATIVE_INFINITY;

  constructor(number: number, name: string, domain: string) {
    this.number = number;
    this.name = name;
    this.domain = domain;
  }
}

export class SiteBook {
  readonly #level: SiteLevel;
  readonly #most: number;
  readonly #sites = new Map<string, SiteRecord>();

  constructor(level: SiteLevel, most: number) {
    this.#level = level;
    this.#most = most;
  }

  /** The number of sites. */
  get size(): number {
    return this.#sites.size;
  }

  /** Pages are counted anew: the crawl is read again. */
  beginReading(): void {
    for (const site of this.#sites.values()) site.pages = 0;
  }

  /** The site of a page, and whether the page counts. */
  siteOf({ url, address }: CrawledPage): { site: SiteRecord; counts: boolean } {
    const name = siteOf(url, this.#level);
    let site = this.#sites.get(name);
    if (site === undefined) {
      site = new SiteRecord(this.#sites.size, name, payLevelDomain(hostOf(url)));
      this.#sites.set(name, site);
    }
    if (address !== undefined) site.addresses.add(address);
    const counts = site.pages < this.#most;
    if (counts) site.pages++;
    return { site, counts };
  }

  /** All sites, in the order of their names. */
  records(): SiteRecord[] {
    return [...this.#sites.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/**
 * The sites as features see them. An address that more than half of all sites have is that of a
 * proxy, or of the one machine that serves a test: it tells nothing, and is left out.
 */
export function sitesOf(
  records: readonly SiteRecord[],
  groups: ReadonlyMap<string, string>,
): Site[] {
  const sitesAt = new Map<string, number>();
  for (const { addresses } of records)
    for (const address of addresses) sitesAt.set(address, (sitesAt.get(address) ?? 0) + 1);
  const tells = (address: string): boolean => 2 * (sitesAt.get(address) ?? 0) <= records.length;
  return records.map(({ name, domain, addresses }) => ({
    ...{ name, domain, group: groups.get(name) },
    addresses: [...addresses].filter(tells).sort(),
  }));
}
