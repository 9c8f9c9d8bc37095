/** Runs the command synchronously: for tests that serve no site in their own process. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const BIN = join(import.meta.dirname, '../../bin/drumlin');

export function runCli(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}
