/** The synthetic web in a process of its own, for whoever measures a crawl of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const BIN = join(import.meta.dirname, '..', '..', 'bin', 'drumlin');

/** What a web says of itself when it listens. */
export interface Web {
  readonly process: ChildProcess;
  readonly dns: string;
  readonly seeds: string[];
  readonly httpPort: number;
  readonly httpsPort: number;
}

export const startWeb = (flags: readonly string[], cores?: string): Promise<Web> =>
  startServer([BIN, 'web', '--json', ...flags], cores);

/** A Node program that prints what it is as one line of JSON; with `cores`, on these only. */
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
