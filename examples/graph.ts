/**
 * Crawls a small web, builds the graph of its hosts, and prints the best hosts by two methods.
 *
 *   npx tsx examples/graph.ts
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawl } from 'drumlin';
import { graphInfo, graphOfCrawl, openGraph, rank } from 'drumlin/graph';
import { startLab } from 'drumlin/lab';

const folder = await mkdtemp(join(tmpdir(), 'example-'));
const dir = join(folder, 'crawl');
const lab = await startLab({ domains: 20, pages: 5 });
const local = { dns: [lab.dns], allowPrivate: true, delay: 0 };
for await (const _ of crawl({ seeds: lab.seeds, ...local, dir, maxPages: 100 }));
await lab.close();

await graphOfCrawl(dir, join(folder, 'hosts'), { level: 'host' });
const graph = await openGraph(join(folder, 'hosts'));
const { nodes, arcs, reciprocity } = await graphInfo(graph);
console.log(`${nodes} hosts, ${arcs} arcs, ${(100 * reciprocity).toFixed(0)} % go both ways`);
for (const by of ['in', 'pagerank'] as const) {
  const ranking = await rank(graph, { by });
  for await (const { rank, name, score } of ranking.top(3)) console.log(by, rank, name, score);
}
await graph.close();
