/** The synthetic web in its own process, for measurements of a crawl of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const BIN = join(import.meta.dirname, '..', '..', 'bin', 'drumlin');

/** What a web prints about itself when it listens. */
export interface Web {
  readonly process: ChildProcess;
  readonly dns: string;
  readonly seeds: string[];
  readonly httpPort: number;
  readonly httpsPort: number;
}

export const startWeb = (flags: readonly string[], cores?: string): Promise<Web> =>
  startServer([BIN, 'web', '--json', ...flags], cores);

/**
 * Starts a Node program that prints a description of itself as one line of JSON; with `cores`, only
 * on these.
 */
export async function startServer(program: readonly string[], cores?: string): Promise<Web> {
  const pinned = cores === undefined ? [] : ['taskset', '-c', cores];
  const [command, ...args] = [...pinned, process.execPath, ...program];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { dns, seeds, httpPort, https } = JSON.parse(line);
    return { process: child, dns, seeds, httpPort, httpsPort: https ?? 0 };
  }
  throw new Error('the synthetic web did not start');
}
