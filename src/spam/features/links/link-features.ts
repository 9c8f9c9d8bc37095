/**
 * The set `links`: 176 features of each site from a graph of pages, or of sites alone.
 *
 * Idea      PageRank and TrustRank of all nodes choose and describe pages. Everything else is
 *           computed for the wanted pages only: two a site.
 * Requires  a graph whose names are URLs (`pages`), or names of sites of the wanted level. Without
 *           pages the site itself is both its home page and its page of greatest PageRank, and
 *           supporters from other sites are supporters.
 * Ensures   the same values for any number of threads and any memory. A site that the graph lacks
 *           has missing values only.
 * Cost      `memory` at most beside 32 bytes per node and a name per site: rankings take 44 bytes
 *           per node or more (random-walk.ts), supporters what is there (supporters.ts).
 */
import { stopIfAsked } from '../../../base/stop.ts';
import type { Bytes } from '../../../base/units.ts';
import type { Graph } from '../../../graph/graph.ts';
import { rank } from '../../../rank/index.ts';
import type { FeatureSet } from '../feature-set.ts';
import type { SiteLevel } from '../sites.ts';
import { LINK_FEATURES, linkValues, type PageQuantities } from './formulas.ts';
import { neighbourhoods } from './neighbourhood.ts';
import { sitesOfPages } from './site-pages.ts';
import { supportersWithin } from './supporters.ts';
import { truncatedPageRank } from './truncated-pagerank.ts';

export interface LinkFeaturesRequest {
  readonly sites: readonly string[];
  /** The level of the sites if the nodes of the graph are pages. */
  readonly pages?: SiteLevel | undefined;
  /** Sites that TrustRank trusts; by default the node with the most in-links. */
  readonly trusted?: readonly string[] | undefined;
  readonly memory: Bytes;
  readonly threads: number;
  readonly onProgress?: ((done: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The parts of the work, by about how long they take. */
const STEPS = { pagerank: 0.2, trustrank: 0.4, truncated: 0.6, supporters: 1 } as const;

export async function linkFeatures(
  graph: Graph,
  request: LinkFeaturesRequest,
): Promise<FeatureSet> {
  const { sites } = request;
  const values = LINK_FEATURES.map(() => new Float64Array(sites.length).fill(Number.NaN));
  const set = { name: 'links', columns: LINK_FEATURES, values };
  if (graph.nodes === 0) return set;
  const { scores: pagerank } = await rank(graph, rankRequest(request, 'pagerank', 0));
  const chosen = await choosePages(graph, request, pagerank);
  const wanted = Uint32Array.from(new Set(chosen.pages.flatMap((page) => page ?? []))).sort();
  const quantities = await quantitiesOf(graph, request, { ...chosen, wanted, pagerank });
  for (const [row, pair] of chosen.pages.entries()) {
    const [hp, mp] = (pair ?? []).map((page) => quantities.get(page));
    if (!hp || !mp) continue;
    for (const [column, value] of linkValues(hp, mp, hp === mp).entries())
      values[column][row] = value;
  }
  return set;
}

interface ChosenPages {
  /** The home page and the page of greatest PageRank of each wanted site. */
  readonly pages: readonly (readonly [number, number] | undefined)[];
  readonly siteOf?: Uint32Array;
  readonly siteCount?: number;
  /** The names of the nodes that are trusted. */
  readonly trusted?: ReadonlyMap<string, number> | undefined;
}

async function choosePages(
  graph: Graph,
  { sites, pages: level, trusted }: LinkFeaturesRequest,
  pagerank: Float64Array,
): Promise<ChosenPages> {
  if (level === undefined) {
    const nodes = await Promise.all(sites.map((site) => graph.names.id(site)));
    const pages = nodes.map((node) => (node === undefined ? undefined : ([node, node] as const)));
    return { pages, trusted: trusted && new Map(trusted.map((site) => [site, 1])) };
  }
  const { siteOf, count, pages } = await sitesOfPages(graph, level, pagerank);
  const homes = trusted?.map((site) => pages.get(site)?.home ?? -1).filter((home) => home >= 0);
  const names = homes && (await Promise.all(homes.map((home) => graph.names.name(home))));
  return {
    pages: sites.map((site) => {
      const found = pages.get(site);
      return found && [found.home, found.best];
    }),
    siteOf,
    siteCount: count,
    // If the graph has no trusted page, TrustRank reports the sites that were given.
    trusted: trusted && new Map((names?.length ? names : trusted).map((name) => [name, 1])),
  };
}

async function quantitiesOf(
  graph: Graph,
  request: LinkFeaturesRequest,
  chosen: ChosenPages & { readonly wanted: Uint32Array; readonly pagerank: Float64Array },
): Promise<ReadonlyMap<number, PageQuantities>> {
  const { wanted, pagerank, siteOf, siteCount = 0, trusted } = chosen;
  const { memory, threads } = request;
  if (wanted.length === 0) return new Map();
  const near = await neighbourhoods(graph, wanted, pagerank, memory / 4);
  const trustRequest = rankRequest(request, 'trustrank', STEPS.pagerank);
  const trust = await rank(graph, trusted ? { ...trustRequest, good: trusted } : trustRequest);
  const truncated = await truncatedPageRank(graph, wanted, {
    memory,
    threads,
    onProgress: progress(request, STEPS.trustrank, STEPS.truncated),
  });
  const supporters = await supportersWithin(graph, {
    wanted,
    siteOf,
    sites: siteCount,
    memory,
    onProgress: progress(request, STEPS.truncated, STEPS.supporters),
  });
  const at = (byDistance: readonly Float64Array[], i: number, distance: number) =>
    byDistance[distance - 1][i];
  return new Map(
    Array.from(wanted, (node, i): [number, PageQuantities] => [
      node,
      {
        ...near[i],
        pagerank: pagerank[node],
        trustrank: trust.scores[node],
        truncatedpagerank_1: at(truncated, i, 1),
        truncatedpagerank_2: at(truncated, i, 2),
        truncatedpagerank_3: at(truncated, i, 3),
        truncatedpagerank_4: at(truncated, i, 4),
        neighbors_2: at(supporters.nodes, i, 2),
        neighbors_3: at(supporters.nodes, i, 3),
        neighbors_4: at(supporters.nodes, i, 4),
        siteneighbors_1: at(supporters.sites, i, 1),
        siteneighbors_2: at(supporters.sites, i, 2),
        siteneighbors_3: at(supporters.sites, i, 3),
        siteneighbors_4: at(supporters.sites, i, 4),
      },
    ]),
  );
}

function rankRequest(request: LinkFeaturesRequest, by: 'pagerank' | 'trustrank', from: number) {
  const { memory, threads } = request;
  return { by, memory, threads, onProgress: progress(request, from, STEPS[by]) };
}

/** Passes on the progress of a step as a part of the whole; stops the work if asked. */
function progress({ onProgress, signal }: LinkFeaturesRequest, from: number, to: number) {
  return (done: number): void => {
    stopIfAsked(signal);
    onProgress?.(from + done * (to - from));
  };
}
