/**
 * How rankings resist attacks on reputation (docs/resistance.md).
 *
 *   npm run bench -- resistance offline  --domains 20k --seeds 1,2,3 --attacks plain,all
 *   npm run bench -- resistance fairness --domains 20k --seeds 1
 *   npm run bench -- resistance virtual  --domains 5k --pages 10k --fetches 16 --seeds 1,2
 *                    --policies trusted,trusted+spam,trusted+truth --spam examples/spam-model.json
 */
import { parseArgs } from 'node:util';
import { parseCount } from '../src/base/units.ts';
import { fairnessTable, offlineTable } from './resistance/offline.ts';
import { virtualTable } from './resistance/virtual.ts';

export async function run(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      domains: { type: 'string', default: '20k' },
      pages: { type: 'string' },
      fetches: { type: 'string', default: '64' },
      seeds: { type: 'string', default: '1' },
      scenarios: { type: 'string', default: 'spam,attack' },
      attacks: { type: 'string' },
      policies: { type: 'string', default: 'tse,trusted' },
      spam: { type: 'string', default: '' },
    },
  });
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const domains = parseCount(values.domains);
  const seeds = values.seeds.split(',').map(Number);
  const pages = (otherwise: string) => parseCount(values.pages ?? otherwise);
  const [what = 'offline'] = positionals;
  if (what === 'fairness') await fairnessTable({ domains, seeds, pages: pages('100') }, print);
  else if (what === 'virtual')
    await virtualTable(
      {
        ...{ domains, seeds, pages: pages('40k'), fetches: parseCount(values.fetches) },
        scenarios: values.scenarios.split(','),
        policies: values.policies.split(','),
        spam: values.spam,
      },
      print,
    );
  else {
    const attacks = values.attacks?.split(',');
    await offlineTable({ domains, seeds, pages: pages('100'), attacks }, print);
  }
}
