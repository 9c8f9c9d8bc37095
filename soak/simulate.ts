/**
 * Simulated crawls: the real agents on a disk, a network, name servers and a clock that exist only
 * in memory and in virtual time, all drawn from one seed, with faults between any two awaits. At
 * the end of each, every page is archived exactly once, no delay was violated, and nothing failed
 * but what was made to fail.
 *
 * `npm run soak -- simulate [--seeds 1000] [--seed N] [--minutes N] [--plant NAME] [--trace]`
 *
 * `--seed` alone runs that seed, so that what fails once fails again. `--plant` breaks a property
 * on purpose (see simulate/plants.ts) and stops at the first seed that notices.
 */
import { parseArgs } from 'node:util';
import { type Plant, type Simulated, simulate } from './simulate/crawl.ts';
import { PLANTS } from './simulate/plants.ts';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string' },
      minutes: { type: 'string', default: '600' },
      plant: { type: 'string' },
      trace: { type: 'boolean', default: false },
    },
  });
  const plant = values.plant === undefined ? {} : plantOf(values.plant);
  const first = Number(values.seed ?? 1);
  const count = Number(values.seeds ?? (values.seed === undefined ? 1000 : 1));
  const began = performance.now();
  const until = began + Number(values.minutes) * 60_000;
  const failed: Simulated[] = [];
  const sum = { crawls: 0, lives: 0, pages: 0, events: 0, 'virtual hours': 0 };
  const trace = values.trace ? (line: string) => process.stdout.write(line) : undefined;
  for (let seed = first; seed < first + count && performance.now() < until; seed++) {
    const done = await simulate(seed, { plant, ...(trace && { trace }) });
    sum.crawls++;
    sum.lives += done.lives;
    sum.pages += done.pages;
    sum.events += done.events;
    sum['virtual hours'] += done.seconds / 3600;
    if (count === 1) process.stdout.write(`${JSON.stringify(done, null, 2)}\n`);
    if (done.faults.length > 0) {
      failed.push(done);
      process.stdout.write(`seed ${seed} failed: ${done.faults.slice(0, 5).join('\n  ')}\n`);
      process.stdout.write(`  npm run soak -- simulate --seed ${seed}\n`);
      if (values.plant !== undefined) break;
    }
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  console.table({ ...sum, failed: failed.length, last: first + sum.crawls - 1, seconds });
  if (failed.length > 0) process.exitCode = 1;
}

function plantOf(name: string): Plant {
  const plant = PLANTS[name];
  if (plant) return plant;
  process.stderr.write(`There is no such bug to plant: ${Object.keys(PLANTS).join(', ')}\n`);
  process.exit(2);
}
