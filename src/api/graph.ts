/**
 * Graphs of the web in a folder, and rankings of their nodes.
 *
 * A graph is built once, from arcs, from files of others or from the archive of a crawl. It is read
 * in blocks, so it may be larger than memory.
 *
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { buildGraph, openGraph, rank } from 'drumlin/graph';
 *
 * const folder = join(await mkdtemp(join(tmpdir(), 'graph-')), 'links');
 * await buildGraph(folder, [['a.org', 'b.org'], ['c.org', 'b.org'], ['b.org', 'a.org']]);
 * const graph = await openGraph(folder);
 * const ranking = await rank(graph, { by: 'pagerank' });
 * for await (const { rank, name, score } of ranking.top(2)) console.log(rank, name, score);
 * await graph.close();
 * ```
 *
 * @module graph
 */
import { Disk } from '../disk/disk.ts';
import { packNameArcs } from '../graph/arcs.ts';
import { buildGraph as build } from '../graph/build.ts';
import { graphInfo as describe } from '../graph/info.ts';
import { crawlLinks } from '../graph/io/crawl-links.ts';
import { edgeListOf } from '../graph/io/export.ts';
import { importGraph as importFiles } from '../graph/io/import.ts';
import { memoryGraph as inMemory } from '../graph/memory-graph.ts';
import { openGraph as open } from '../graph/open-graph.ts';
import { plane as planeOf } from '../matrix/plane/plane.ts';
import { reduce as reduceTo } from '../matrix/reduce/reduce.ts';
import { spectrum as spectrumOf } from '../matrix/spectrum/spectrum.ts';
import { subspaces as subspacesOf } from '../matrix/subspaces/subspaces.ts';
import {
  type RankRequest as InnerRequest,
  RANKER_NAMES,
  rank as rankNodes,
} from '../rank/index.ts';
import type {
  Plane,
  PlaneRequest,
  Reduced,
  ReduceRequest,
  Spectrum,
  SpectrumRequest,
  SubspaceRequest,
  Subspaces,
} from './graph-matrix.ts';
import type { Ranking, RankingMethod, RankRequest } from './graph-ranking.ts';
import type { DiskGraph, Graph, GraphFacts, GraphInfo, GraphLevel } from './graph-types.ts';

export { DrumlinError, EXIT, type ExitCode } from '../base/errors.ts';
export type {
  CoreFacts,
  Density,
  Eigenvalue,
  Eigenvector,
  Exponent,
  Plane,
  PlaneCurve,
  PlaneRequest,
  Reduced,
  ReducedLink,
  ReduceFacts,
  ReduceRequest,
  Ridge,
  Spectrum,
  SpectrumRequest,
  SubspaceRequest,
  Subspaces,
} from './graph-matrix.ts';
export type {
  NodeWeights,
  RankedMember,
  RankedNode,
  Ranking,
  RankingMethod,
  RankRequest,
} from './graph-ranking.ts';
export type {
  Adjacency,
  AdjacencyBlock,
  Components,
  Csr,
  DegreeFacts,
  DiskGraph,
  Graph,
  GraphFacts,
  GraphInfo,
  GraphLevel,
  LoadOptions,
  Names,
  ScanOptions,
} from './graph-types.ts';

/** An arc from one node to another, by name; a name alone is a node without this arc. */
export type NamedArc = readonly [from: string, to?: string];

/** The step that a builder works on. */
export type BuildStep =
  | 'reading'
  | 'numbering names'
  | 'translating arcs'
  | 'writing out-lists'
  | 'writing in-lists';

/** How to build a graph. */
export interface BuildOptions {
  /** The memory to work in, in bytes. Default: 256 MiB. */
  readonly memory?: number;
  /** What the nodes are, to be stored with the graph. Default: not stored. */
  readonly level?: GraphLevel;
  /** Called now and then with the step at work and the share of it that is done, 0 to 1. */
  readonly onProgress?: (step: BuildStep, share: number) => void;
  /** Stops the work; nothing is left behind. */
  readonly signal?: AbortSignal;
}

/** How to import a graph from files of others. */
export interface ImportOptions extends BuildOptions {
  /**
   * What the files are. `edges`: text with `from to` on each line. `common-crawl`: its files of
   * vertices and edges. `bv`: the compressed form of WebGraph. `debian`: indexes of packages,
   * whose dependencies become arcs. Default: `edges`.
   */
  readonly format?: 'edges' | 'common-crawl' | 'bv' | 'debian';
  /** Whether nodes of edge lists are names even if they look like numbers. Default: false. */
  readonly names?: boolean;
}

/** How to build a graph from the archive of a crawl. */
export interface CrawlGraphOptions extends Omit<BuildOptions, 'level'> {
  /** What the nodes are: pages, hosts or pay-level domains. */
  readonly level: GraphLevel;
  /** Whether links that ask not to be followed count too. Default: false. */
  readonly nofollow?: boolean;
  /** Called with a sentence about each part of the archive that cannot be read. */
  readonly onWarning?: (sentence: string) => void;
}

/** How to write a graph as text. */
export interface EdgeListOptions {
  /**
   * The memory for names, in bytes; names that do not fit are read one by one. Default: 256 MiB.
   */
  readonly memory?: number;
  /** Called now and then with the share of the work that is done, 0 to 1. */
  readonly onProgress?: (share: number) => void;
  /** Stops the work. */
  readonly signal?: AbortSignal;
}

/** How to describe a graph. */
export interface InfoOptions {
  /** The memory for finding components, in bytes. Default: 1 GiB. */
  readonly memory?: number;
  /** Called now and then with the step at work and the share of it that is done, 0 to 1. */
  readonly onProgress?: (step: 'reading' | 'finding components', share: number) => void;
}

/** The names of the ranking methods, such as `pagerank`, `trustrank`, `hits` and `tse`. */
export const RANKING_METHODS: readonly RankingMethod[] = RANKER_NAMES as readonly RankingMethod[];

/**
 * Builds a graph in a new folder. Arcs may come in any order and more than once.
 *
 * The folder appears when the graph is complete and durable. If anything fails, nothing is left.
 *
 * @param arcs Arcs by name; names have no blanks.
 * @throws DrumlinError if the folder exists already.
 */
export async function buildGraph(
  folder: string,
  arcs: Iterable<NamedArc> | AsyncIterable<NamedArc>,
  options: BuildOptions = {},
): Promise<GraphFacts> {
  return build(folder, { names: packNameArcs(arcs) }, options);
}

/**
 * Builds a graph in a new folder from files of others.
 *
 * @param paths Files, text or gzip, or folders of such files. For `bv` the common beginning of
 * their names.
 * @throws DrumlinError with file and line if a file is wrong.
 */
export async function importGraph(
  paths: readonly string[],
  folder: string,
  options: ImportOptions = {},
): Promise<GraphFacts> {
  return importFiles(paths, folder, { format: 'edges', ...options });
}

/**
 * Builds a graph in a new folder from the links in the archive of a crawl.
 *
 * @param crawl The folder of the crawl.
 */
export async function graphOfCrawl(
  crawl: string,
  folder: string,
  options: CrawlGraphOptions,
): Promise<GraphFacts> {
  const { nofollow, onWarning, ...others } = options;
  const links = crawlLinks(new Disk(), crawl, {
    level: others.level,
    nofollow,
    onRead: (share) => others.onProgress?.('reading', share),
    ...(onWarning && { onWarning }),
  });
  return buildGraph(folder, links, others);
}

/**
 * Opens a graph. Reads nothing but the beginning of each file.
 *
 * @throws DrumlinError if the folder holds no graph.
 */
export async function openGraph(folder: string): Promise<DiskGraph> {
  return open(folder);
}

/**
 * A graph in memory, for small webs and tests.
 *
 * @param nodes The number of nodes.
 * @param arcs Pairs of node numbers, from 0.
 * @param names The names of the nodes in byte order. Default: their numbers.
 */
export function memoryGraph(
  nodes: number,
  arcs: Iterable<readonly [from: number, to: number]>,
  names?: readonly string[],
): Graph {
  return inMemory(nodes, arcs, names);
}

/** Describes a graph: sizes, degrees, reciprocity and strongly connected components. */
export async function graphInfo(graph: Graph, options: InfoOptions = {}): Promise<GraphInfo> {
  return describe(graph, options);
}

/** A graph as text, `from⇥to` by name on each line, in pieces of UTF-8. */
export function edgeList(graph: Graph, options: EdgeListOptions = {}): AsyncGenerator<Uint8Array> {
  return edgeListOf(graph, options);
}

/**
 * Ranks the nodes of a graph.
 *
 * @param request The method, one of {@link RANKING_METHODS}, and its parameters.
 * @throws DrumlinError if there is no such method or parameter.
 */
export async function rank(graph: Graph, request: RankRequest): Promise<Ranking> {
  return rankNodes(graph, request as InnerRequest);
}

/**
 * The plane of PageRank and CheiRank: exponents, correlator, density of nodes and its ridge.
 *
 * @throws DrumlinError if the graph has no nodes.
 */
export async function plane(graph: Graph, request: PlaneRequest = {}): Promise<Plane> {
  return planeOf(graph, request);
}

/**
 * Reduces the Google matrix to some nodes: how they are linked, directly and through all others.
 *
 * @throws DrumlinError if a name is given twice, or the graph has none of them.
 */
export async function reduce(graph: Graph, request: ReduceRequest): Promise<Reduced> {
  return reduceTo(graph, request);
}

/**
 * The invariant subspaces of a graph's matrix: sets of nodes that no link leaves.
 *
 * @throws DrumlinError if the links do not fit the memory.
 */
export async function subspaces(graph: Graph, request: SubspaceRequest = {}): Promise<Subspaces> {
  return subspacesOf(graph, request);
}

/**
 * Eigenvalues and eigenvectors of a graph's matrix, with residuals.
 *
 * @throws DrumlinError if the basis does not fit the memory; the message has what would.
 */
export async function spectrum(graph: Graph, request: SpectrumRequest = {}): Promise<Spectrum> {
  return spectrumOf(graph, request);
}
