/**
 * Every file of a crawl's folder damaged in every way, one at a time: removed, emptied, truncated
 * at several places, a bit flipped in every block. Each time the crawl must be resumed correctly,
 * or refused by name; then `drumlin repair` must make it resumable, and in the end every page is
 * archived exactly once. A damage that needs a repair is tried a second time: the first repair is
 * then a process that is killed with SIGKILL at a random moment.
 *
 * `npm run soak -- damage [order] [minutes] [seed]`
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLab } from '../src/lab/server/lab.ts';
import { DamageTrial, damageText, everyDamage } from '../test/crawl/damage-trial.ts';
import { randomFrom } from '../test/fuzz/mutation.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');

/** Kills a repair after some milliseconds; returns how long it took if it ended before. */
async function killRepair(dir: string, after: number): Promise<number | undefined> {
  const began = performance.now();
  const repair = spawn(process.execPath, [DRUMLIN, 'repair', dir], { stdio: 'ignore' });
  const ended = once(repair, 'exit');
  const timer = setTimeout(() => repair.kill('SIGKILL'), after);
  await ended;
  clearTimeout(timer);
  return repair.signalCode === 'SIGKILL' ? undefined : performance.now() - began;
}

export async function run([order = 'budget', minutes = '60', seed = '1']: string[]): Promise<void> {
  spawnSync(process.execPath, [DRUMLIN, '--version']); // compiles changed sources
  const lab = await startLab({ scenario: 'clean', domains: 8, pages: 4 });
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-damage-'));
  const options = { order: order === 'bfs' ? 'bfs' : 'budget', agents: 2 } as const;
  const trial = new DamageTrial(lab, folder, options);
  const made = await trial.make(15);
  const random = randomFrom(Number(seed));
  const damages = everyDamage(made, random);
  // In random order, so that a short run is a fair sample.
  for (let i = damages.length - 1; i > 0; i--) {
    const j = random(i + 1);
    [damages[i], damages[j]] = [damages[j], damages[i]];
  }
  const until = Date.now() + Number(minutes) * 60_000;
  const counts = {
    ...{ damages: damages.length, tried: 0, resumed: 0, repaired: 0, wrong: 0 },
    'repairs killed': 0,
  };
  /** How long a repair takes that is not killed; the first is not. */
  let repairTime = Infinity;
  for (const damage of damages) {
    if (Date.now() > until) break;
    counts.tried++;
    try {
      const outcome = await trial.try(damage);
      counts[outcome]++;
      if (outcome === 'resumed') continue;
      await trial.try(damage, async (dir) => {
        const after = repairTime === Infinity ? 120_000 : random(Math.ceil(repairTime));
        const took = await killRepair(dir, after);
        if (took === undefined) counts['repairs killed']++;
        else repairTime = took;
      });
    } catch (error) {
      counts.wrong++;
      process.stdout.write(`${damageText(damage)}: ${String((error as Error).message)}\n`);
    }
  }
  console.table(counts);
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
  if (counts.wrong > 0) process.exitCode = 1;
}
