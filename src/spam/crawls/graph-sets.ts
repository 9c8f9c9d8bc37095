/**
 * The sets `links` and `temporal` of stored crawls: their graphs are built, and deleted in the end.
 *
 *   last crawl ─► graph of its pages ─► links        two last crawls ─► graphs of sites ─► temporal
 *
 * Idea      Pages are nodes if they were captured with status 200: only these have links, and links
 *           to a page that redirects lead where it redirects to. Sites are nodes with all links, also
 *           to pages that were not fetched: which pages of a site a crawl fetches is chance.
 * Requires  folders of crawls, or for `links` the folder of a graph of pages or of sites.
 * Ensures   a site that a crawl did not fetch is not in its snapshot, even if others link to it.
 * Cost      the given memory, one graph at a time (two for `temporal`), beside what link-features.ts
 *           and link-change.ts say. Disk: the graphs, about 3 bytes an arc, and what building them
 *           takes.
 */
import { join } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { inTemporaryFolder } from '../../disk/temporary-folder.ts';
import { packNameArcs } from '../../graph/arcs.ts';
import { buildGraph } from '../../graph/build.ts';
import type { GraphLevel } from '../../graph/graph-file.ts';
import { crawlLinks } from '../../graph/io/crawl-links.ts';
import { type DiskGraph, openGraph } from '../../graph/open-graph.ts';
import type { FeatureSet } from '../features/feature-set.ts';
import { linkFeatures } from '../features/links/link-features.ts';
import type { SiteLevel } from '../features/sites.ts';
import { linkChange } from '../features/temporal/link-change.ts';

export interface GraphSetsRequest {
  readonly sites: readonly string[];
  readonly level: SiteLevel;
  readonly memory: Bytes;
  readonly threads: number;
  /** A folder for graphs while they are needed. */
  readonly scratch: string;
  readonly onProgress?: ((step: string, share: number) => void) | undefined;
  readonly onNote?: ((text: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface LinksSource {
  /** The folder of the crawl. */
  readonly crawl: string;
  /** The folder of a graph of its pages or sites, instead of one that is built. */
  readonly graph?: string | undefined;
  /** Sites that TrustRank trusts. */
  readonly trusted?: readonly string[] | undefined;
}

/** Random permutations for each similarity of two snapshots. */
const PERMUTATIONS = 100;
const SEED = 1;

/** The set `links` of the sites of a crawl. */
export async function linksOfCrawl(
  disk: Disk,
  { crawl, graph: given, trusted }: LinksSource,
  request: GraphSetsRequest,
): Promise<FeatureSet> {
  const describe = (graph: DiskGraph) =>
    linkFeatures(graph, {
      ...request,
      pages: graph.level === 'page' ? request.level : undefined,
      trusted,
      onProgress: (share) => request.onProgress?.('describing links', share),
    });
  if (given === undefined) {
    const [set] = await withGraphs(disk, [crawl], 'page', request, async ([{ graph }]) => [
      await describe(graph),
    ]);
    return set;
  }
  const graph = await openGraph(given, disk);
  try {
    requireLevel(graph, given, request.level);
    return await describe(graph);
  } finally {
    await graph.close();
  }
}

/** The set `temporal`: what changed between the two last crawls. */
export async function changeOfCrawls(
  disk: Disk,
  crawls: readonly string[],
  request: GraphSetsRequest,
): Promise<FeatureSet> {
  if (crawls.length < 2)
    throw new DrumlinError(
      'FEATURES',
      'The set temporal compares crawls, and one is given.',
      'Give two or more crawls, the latest last, or leave out the set temporal.',
    );
  return withGraphs(disk, crawls.slice(-2), request.level, request, ([earlier, later]) =>
    linkChange([earlier.graph, later.graph], {
      // The empty name is in no graph: what was not fetched twice has no change.
      sites: request.sites.map((site) =>
        earlier.fetched.has(site) && later.fetched.has(site) ? site : '',
      ),
      permutations: PERMUTATIONS,
      seed: SEED,
      onProgress: (share) => request.onProgress?.('comparing links', share),
      signal: request.signal,
    }),
  );
}

interface BuiltGraph {
  readonly graph: DiskGraph;
  /** The nodes whose own links are known. */
  readonly fetched: ReadonlySet<string>;
}

/** Builds a graph of each crawl, and deletes them after `use`. */
async function withGraphs<T>(
  disk: Disk,
  crawls: readonly string[],
  level: GraphLevel,
  request: GraphSetsRequest,
  use: (graphs: readonly BuiltGraph[]) => Promise<T>,
): Promise<T> {
  return inTemporaryFolder(disk, request.scratch, 'spam-graphs-', async (folder) => {
    const built: BuiltGraph[] = [];
    try {
      for (const [i, crawl] of crawls.entries())
        built.push(await buildOf(disk, crawl, level, join(folder, String(i)), request));
      return await use(built);
    } finally {
      for (const { graph } of built) await graph.close();
    }
  });
}

async function buildOf(
  disk: Disk,
  crawl: string,
  level: GraphLevel,
  folder: string,
  { memory, onProgress, onNote, signal }: GraphSetsRequest,
): Promise<BuiltGraph> {
  const fetched = new Set<string>();
  const links = crawlLinks(disk, crawl, {
    level,
    captured: level === 'page' ? { scratch: `${folder}.links`, memory: memory / 2 } : undefined,
    onRead: (share) => onProgress?.('reading links', share),
    ...(onNote && { onWarning: onNote }),
  });
  const noted = level === 'page' ? links : noteSources(links, fetched);
  await buildGraph(
    folder,
    { names: packNameArcs(noted) },
    {
      level,
      memory: memory / 2,
      disk,
      ...(signal && { signal }),
    },
  );
  return { graph: await openGraph(folder, disk), fetched };
}

/** Passes arcs on, and notes the nodes that they come from; a page without links comes alone. */
async function* noteSources(
  arcs: AsyncIterable<[string, string?]>,
  sources: Set<string>,
): AsyncGenerator<[string, string?]> {
  for await (const arc of arcs) {
    sources.add(arc[0]);
    yield arc;
  }
}

function requireLevel(graph: DiskGraph, folder: string, level: SiteLevel): void {
  if (graph.level === undefined || graph.level === 'page' || graph.level === level) return;
  throw new DrumlinError(
    'FEATURES',
    `${folder} is a graph of ${graph.level}s, and sites are ${level}s.`,
    `Give a graph of pages or ${level}s, or choose --level ${graph.level}.`,
  );
}
