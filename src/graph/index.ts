/** Graphs: what is public of them. graph.ts tells what one is. */
export { type IdArcs, type NameArcs, type NameBatch, packNameArcs } from './arcs.ts';
export type { BuildOptions, BuildStep, GraphSource } from './build.ts';
export { type Components, strongComponents } from './components.ts';
export { type CrawlLinksOptions, crawlLinks } from './crawl-links.ts';
export { csrOf, transpose } from './csr.ts';
export { type ExportOptions, edgeListOf, exportCommonCrawl } from './export.ts';
export {
  type Adjacency,
  type AdjacencyBlock,
  buildGraph,
  type Csr,
  type Graph,
  memoryGraph,
  type Names,
  openGraph,
  type ScanOptions,
} from './graph.ts';
export type { GraphFacts, GraphLevel } from './graph-file.ts';
export { type ImportFormat, type ImportOptions, importGraph } from './import.ts';
export { type DegreeFacts, type GraphInfo, graphInfo, type InfoOptions } from './info.ts';
export type { DiskGraph } from './open-graph.ts';
