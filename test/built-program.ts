/**
 * Tests start the program that users get: `bin/drumlin` on the bundles in dist/. A run compiles
 * them once, at its start, if sources are newer. No process of the run compiles after that, so a
 * change of a source during the run does not take the bundles away from those that run.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export function setup(): void {
  if (process.env.DRUMLIN_BUILT !== undefined) return; // each project of the run calls this
  const program = join(import.meta.dirname, '../bin/drumlin');
  execFileSync(process.execPath, [program, '--version'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.env.DRUMLIN_BUILT = '1';
}
