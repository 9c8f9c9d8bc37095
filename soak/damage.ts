/**
 * Every file of a crawl's folder damaged in every way, one at a time: removed, emptied, truncated
 * at several places, a bit flipped in every block. Each time the crawl must be resumed correctly,
 * or refused by name; then `drumlin repair` must make it resumable, and in the end every page is
 * archived exactly once.
 *
 * `npm run soak -- damage [order] [minutes] [seed]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLab } from '../src/lab/server/lab.ts';
import { DamageTrial, damageText, everyDamage } from '../test/crawl/damage-trial.ts';
import { randomFrom } from '../test/fuzz/mutation.ts';

export async function run([order = 'budget', minutes = '60', seed = '1']: string[]): Promise<void> {
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
  const counts = { damages: damages.length, tried: 0, resumed: 0, repaired: 0, wrong: 0 };
  for (const damage of damages) {
    if (Date.now() > until) break;
    counts.tried++;
    try {
      counts[await trial.try(damage)]++;
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
