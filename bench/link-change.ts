/**
 * `npm run bench -- link-change EARLIER LATER [PERMUTATIONS]`: the 117 features of change of all
 * nodes of two graphs with names, and what that costs.
 */
import { parseArgs } from 'node:util';
import { formatBytes, formatCount } from '../src/base/units.ts';
import { openGraph } from '../src/graph/open-graph.ts';
import { linkChange } from '../src/spam/features/temporal/link-change.ts';

export async function run(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  const [before, after, count = '100'] = positionals;
  if (after === undefined) throw new Error('name the folders of two graphs');
  const [earlier, later] = [await openGraph(before), await openGraph(after)];
  try {
    const sites: string[] = [];
    for await (const name of later.names.all()) sites.push(name);
    const start = process.cpuUsage();
    const permutations = Number(count);
    const { columns } = await linkChange([earlier, later], { sites, permutations, seed: 1 });
    const { user, system } = process.cpuUsage(start);
    const peak = formatBytes(process.resourceUsage().maxRSS * 1024);
    process.stdout.write(
      `${formatCount(later.nodes)} nodes, ${formatCount(earlier.arcs)} and ${formatCount(later.arcs)} ` +
        `arcs: ${columns.length} features by ${permutations} permutations: ` +
        `${((user + system) / 1e6).toFixed(1)} s of processor time, peak ${peak}\n`,
    );
  } finally {
    await earlier.close();
    await later.close();
  }
}
