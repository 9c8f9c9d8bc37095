/** Graphs: what the library and the command line use of them. graph.ts tells what one is. */
export { packNameArcs } from './arcs.ts';
export { crawlLinks } from './crawl-links.ts';
export { edgeListOf, exportCommonCrawl } from './export.ts';
export { buildGraph, type Graph, openGraph } from './graph.ts';
export { graphInfo } from './info.ts';
