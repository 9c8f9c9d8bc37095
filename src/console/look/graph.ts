/**
 * The neighbourhood of a domain in the graph of a crawl: the best-ranked domains that link to it,
 * and those that it links to.
 *
 * Idea      The crawl keeps links by target, as hashes of names. The table of domains gives the
 *           names back. Links from the domain are read from a sample of its archived pages.
 */
import { xxh64 } from '../../base/xxh64.ts';
import type { DomainRow } from '../../crawl/state/domain-list.ts';
import { requestError } from '../fields/schema.ts';
import type { CrawlArchive } from './crawl-archive.ts';
import type { DomainLinks } from './domain-links.ts';
import type { DomainTable, DomainTables } from './domain-table.ts';
import { outLinksOf } from './out-links.ts';

interface GraphParts {
  readonly tables: DomainTables;
  readonly links: DomainLinks;
  readonly archive: CrawlArchive;
}

interface GraphView {
  readonly domain: DomainRow;
  /** Domains that link to it, best rank first. */
  readonly sources: readonly DomainRow[];
  /** Links among these domains, as places in `sources`. */
  readonly links: readonly (readonly [from: number, to: number])[];
  /** How many domains link to it. */
  readonly known: number;
  /** Domains that it links to, best rank first, with the pages that do. */
  readonly targets: readonly (DomainRow & { readonly pages: number })[];
  /** How many domains its pages link to, and of how many pages. */
  readonly linked: number;
  readonly pagesRead: number;
}

/** Domains whose links among each other are drawn. */
const MOST_LINKED = 24;
/** Of more domains that link to one, a sample is ranked. */
const MOST_RANKED = 100_000;

export async function graphAround(
  { tables, links: finder, archive: archived }: GraphParts,
  { domain, count }: { readonly domain: string; readonly count: number },
): Promise<GraphView> {
  const table = await tables.current();
  const at = table.find(domain);
  if (at === undefined)
    throw requestError(
      `The crawl has no record of ${JSON.stringify(domain)}.`,
      'Choose one of its domains.',
    );
  const hashes = (await finder.linkingTo([domain])).get(domain) ?? new BigUint64Array();
  const sources = table.best(sampled(hashes), count);
  const drawn = sources.slice(0, MOST_LINKED).map((row) => row.domain);
  const links = linksAmong(sources, drawn, await finder.linkingTo(drawn));
  const archive = await archived.open();
  const out = archive ? await outLinksOf(archive, domain) : { pages: 0, domains: new Map() };
  return {
    ...{ domain: table.row(at), sources, links, known: hashes.length },
    targets: targetsIn(table, out.domains).slice(0, count),
    ...{ linked: out.domains.size, pagesRead: out.pages },
  };
}

/** At most `MOST_RANKED`, evenly from the whole list. */
function sampled(hashes: BigUint64Array): BigUint64Array {
  if (hashes.length <= MOST_RANKED) return hashes;
  const step = hashes.length / MOST_RANKED;
  const some = new BigUint64Array(MOST_RANKED);
  for (let i = 0; i < MOST_RANKED; i++) some[i] = hashes[Math.floor(i * step)];
  return some;
}

/** Which of the domains link to which of those that are drawn. */
function linksAmong(
  sources: readonly DomainRow[],
  drawn: readonly string[],
  linking: ReadonlyMap<string, BigUint64Array>,
): [from: number, to: number][] {
  const places = new Map(sources.map((row, i) => [xxh64(row.domain), i]));
  const halves = new Set([...places.keys()].map((hash) => Number(hash & 0xffff_ffffn)));
  const links: [number, number][] = [];
  for (const [to, name] of drawn.entries()) {
    const hashes = linking.get(name) ?? new BigUint64Array();
    const words = new Uint32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
    // Very many link to some; the half of a hash tells that most of them are not here.
    for (let i = 0; i < hashes.length; i++) {
      const from = halves.has(words[2 * i]) ? places.get(hashes[i]) : undefined;
      if (from !== undefined) links.push([from, to]);
    }
  }
  return links;
}

/** Those of which the crawl has a record. */
function targetsIn(
  table: DomainTable,
  domains: ReadonlyMap<string, number>,
): (DomainRow & { readonly pages: number })[] {
  return [...domains]
    .flatMap(([name, pages]) => {
      const at = table.find(name);
      return at === undefined ? [] : [{ ...table.row(at), pages }];
    })
    .sort((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity));
}
