/**
 * The neighbourhood of a domain in the graph of a crawl: the best-ranked domains that link to it,
 * and those that it links to.
 *
 * Idea      The crawl keeps links by target, as hashes of names. The table of domains gives the
 *           names back. Links from the domain are read from a sample of its archived pages.
 */
import { xxh64 } from '../../base/xxh64.ts';
import { edgesOf } from '../../crawl/state/agent-folder.ts';
import { askedOf } from '../../crawl/state/crawl-folder.ts';
import { type DomainRow, repeatedly } from '../../crawl/state/domain-list.ts';
import { agentOf } from '../../crawl/transport/routing.ts';
import { Disk } from '../../disk/disk.ts';
import { readOnly } from '../../disk/file-system.ts';
import { sourcesOf } from '../../reputation/edges/find-sources.ts';
import { partitionOf } from '../../url/fingerprint.ts';
import { requestError } from '../fields/schema.ts';
import { archiveOf } from './captures.ts';
import type { DomainTable } from './domain-table.ts';
import { outLinksOf } from './out-links.ts';

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
const MOST_LINKED = 40;

export async function graphAround(
  disk: Disk,
  dir: string,
  table: DomainTable,
  { domain, count }: { readonly domain: string; readonly count: number },
): Promise<GraphView> {
  const at = table.find(domain);
  if (at === undefined)
    throw requestError(
      `The crawl has no record of ${JSON.stringify(domain)}.`,
      'Choose one of its domains.',
    );
  const { agents } = await askedOf(disk, dir);
  const linking = (names: readonly string[]) => repeatedly(() => linkingTo(dir, agents, names));
  const hashes = (await linking([domain])).get(domain) ?? [];
  const sources = table
    .rowsOf(hashes)
    .sort((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity))
    .slice(0, count);
  const places = new Map(sources.map((row, i) => [xxh64(row.domain), i]));
  const links: [number, number][] = [];
  const drawn = sources.slice(0, MOST_LINKED).map((row) => row.domain);
  const among = await linking(drawn);
  for (const [to, name] of drawn.entries())
    for (const hash of among.get(name) ?? []) {
      const from = places.get(hash);
      if (from !== undefined) links.push([from, to]);
    }
  const archive = await archiveOf(disk, dir);
  const out = archive ? await outLinksOf(archive, domain) : { pages: 0, domains: new Map() };
  return {
    ...{ domain: table.row(at), sources, links, known: hashes.length },
    targets: targetsIn(table, out.domains).slice(0, count),
    ...{ linked: out.domains.size, pagesRead: out.pages },
  };
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

/** The hashes of the domains that link to each of these. */
async function linkingTo(
  dir: string,
  agents: number,
  domains: readonly string[],
): Promise<Map<string, bigint[]>> {
  const disk = new Disk(readOnly());
  const found = new Map<string, bigint[]>();
  for (let agent = 0; agent < agents; agent++) {
    const own = domains.filter((domain) => agentOf(partitionOf(domain), agents) === agent);
    const edges = own.length > 0 ? await edgesOf(disk, dir, agent) : undefined;
    if (!edges) continue;
    const { folder, frozen } = edges;
    const sources = await sourcesOf(disk, folder, frozen, own.map(xxh64));
    for (const domain of own) found.set(domain, sources.get(xxh64(domain)) ?? []);
  }
  return found;
}
