/**
 * Supporters, exact and estimated, compared with the figures of Cui et al., "Unsupervised Domain
 * Ranking in Large-Scale Web Crawls": what each method costs (their Table 5), the errors of the
 * estimates (section 6.4, Figure 18b), what they read and keep in memory (Table 6), and how much
 * spam the rankings admit (section 5.3).
 *
 *   npm run bench -- supporters [--nodes 1M] [--degree 20] [--seed 1] [--seeds 30] [--no-whole]
 *                               [--threads 1] [--disk-nodes 1M] [--lab 100k]
 *
 * --no-whole does not count the supporters of all nodes, which at 10M takes a quarter of an hour:
 * its time is then estimated from one node in a hundred, the errors from the exact top. --seeds is
 * the number of samples drawn for an error: the top nodes share most of their supporters, so the
 * errors within one sample are correlated. --threads are for SUPP; the estimators run on one.
 * --disk-nodes 0 and --lab 0 leave out Table 6 and the lab.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { parseCount } from '../src/base/units.ts';
import { costTables } from './supporters/cost.ts';
import { diskTable } from './supporters/disk.ts';
import { domainGraph } from './supporters/domain-graph.ts';
import { labTable } from './supporters/lab.ts';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      nodes: { type: 'string', default: '1M' },
      degree: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '30' },
      threads: { type: 'string', default: '1' },
      'no-whole': { type: 'boolean', default: false },
      'disk-nodes': { type: 'string', default: '1M' },
      lab: { type: 'string', default: '100k' },
    },
  });
  print(`${cpus()[0].model}, ${cpus().length} cores; CPU is the processor time of all threads\n`);
  const shape = { degree: Number(values.degree), seed: parseCount(values.seed) };
  const nodes = parseCount(values.nodes);
  const options = { threads: parseCount(values.threads), seeds: parseCount(values.seeds) };
  await costTables(
    domainGraph({ ...shape, nodes }),
    { ...options, whole: !values['no-whole'] },
    print,
  );
  const diskNodes = Math.min(nodes, parseCount(values['disk-nodes']));
  if (diskNodes > 0)
    await diskTable((n) => domainGraph({ ...shape, nodes: Math.min(n, diskNodes) }), print);
  if (parseCount(values.lab) > 0) await labTable(parseCount(values.lab), print);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
