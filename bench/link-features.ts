/**
 * `npm run bench -- link-features GRAPH [SITES] [MEMORY]`: the 176 link features of so many nodes
 * of a graph, spread evenly, and what that costs.
 */
import { parseArgs } from 'node:util';
import { formatBytes, formatCount, parseBytes } from '../src/base/units.ts';
import { openGraph } from '../src/graph/open-graph.ts';
import { linkFeatures } from '../src/spam/features/links/link-features.ts';

export async function run(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  const [folder, count = '1000', memory = '500M'] = positionals;
  if (folder === undefined) throw new Error('name the folder of a graph');
  const graph = await openGraph(folder);
  try {
    const wanted = Math.min(graph.nodes, Number(count));
    const sites: string[] = [];
    for (let i = 0; i < wanted; i++)
      sites.push(await graph.names.name(Math.floor((i * graph.nodes) / wanted)));
    const start = process.cpuUsage();
    const { columns } = await linkFeatures(graph, {
      sites,
      memory: parseBytes(memory),
      threads: 1,
    });
    const { user, system } = process.cpuUsage(start);
    const peak = formatBytes(process.resourceUsage().maxRSS * 1024);
    process.stdout.write(
      `${formatCount(graph.nodes)} nodes, ${formatCount(graph.arcs)} arcs: ${columns.length} features of ` +
        `${formatCount(wanted)} sites in ${memory}: ${((user + system) / 1e6).toFixed(1)} s of ` +
        `processor time, peak ${peak}\n`,
    );
  } finally {
    await graph.close();
  }
}
