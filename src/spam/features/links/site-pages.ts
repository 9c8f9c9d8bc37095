/**
 * The two pages that stand for a site: its home page, and its page of greatest PageRank.
 *
 * Idea      The home page is the page with the path "/" of the host that has the site's name, else
 *           of www.NAME, else of any host of the site; the one of greater PageRank if there are
 *           two. If the graph has none, it is the page with the shortest URL.
 * Ensures   ties go to the page that comes first in byte order, so the result depends on nothing
 *           but names and PageRank.
 * Cost      one pass over the names; 4 bytes per page, and an entry for each site.
 */
import type { Graph } from '../../../graph/graph.ts';
import { hostOf, pathOf } from '../../../url/parts.ts';
import { isHome, type SiteLevel, siteOf as siteOfPage } from '../sites.ts';

interface SitePages {
  readonly home: number;
  readonly best: number;
}

interface Sites {
  /** The site of each page, numbered by first appearance. */
  readonly siteOf: Uint32Array;
  readonly count: number;
  /** The two pages of each site, by its name. */
  readonly pages: ReadonlyMap<string, SitePages>;
}

export async function sitesOfPages(
  graph: Graph,
  level: SiteLevel,
  pagerank: Float64Array,
): Promise<Sites> {
  const siteOf = new Uint32Array(graph.nodes);
  const found = new Map<string, Candidates>();
  let node = 0;
  for await (const url of graph.names.all()) {
    const name = siteOfPage(url, level);
    const site = found.get(name) ?? new Candidates(found.size);
    if (site.home < 0) found.set(name, site);
    siteOf[node] = site.number;
    site.offer(node, homeCost(url, level), pagerank[node]);
    node++;
  }
  return { siteOf, count: found.size, pages: found };
}

/** The less, the more a page is a home page. */
function homeCost(url: string, level: SiteLevel): number {
  if (isHome(url, level)) return hostOf(url) === siteOfPage(url, level) ? 0 : 1;
  return pathOf(url) === '/' ? 2 : 2 + url.length;
}

class Candidates implements SitePages {
  readonly number: number;
  home = -1;
  best = -1;
  #cost = Number.POSITIVE_INFINITY;
  #homeRank = 0;
  #bestRank = -1;

  constructor(number: number) {
    this.number = number;
  }

  offer(node: number, cost: number, pagerank: number): void {
    if (pagerank > this.#bestRank) [this.best, this.#bestRank] = [node, pagerank];
    if (cost > this.#cost || (cost === this.#cost && pagerank <= this.#homeRank)) return;
    [this.home, this.#cost, this.#homeRank] = [node, cost, pagerank];
  }
}
