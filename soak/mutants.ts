/**
 * A sample of planted faults (scripts/mutants.ts), another one each day: how many do the tests
 * find?
 *
 *   npm run soak -- mutants [count 50] [seed: the day's number]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export async function run([count = '50', seed = String(today())]: string[]): Promise<void> {
  const script = join(import.meta.dirname, '../scripts/mutants.ts');
  const args = ['--import', 'tsx', script, '--count', count, '--seed', seed];
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  process.exitCode = code ?? 1;
}

const today = () => Math.floor(Date.now() / 86_400_000);
