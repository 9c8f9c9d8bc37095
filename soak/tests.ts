/**
 * The tests that take more than five seconds each, too long for the suite: files whose names end
 * with `.long.test.ts`.
 *
 *   npm run soak -- tests [files …]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

export async function run(args: string[]): Promise<void> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, DRUMLIN_LONG: '1' },
  });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
}
