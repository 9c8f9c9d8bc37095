/** A crawler in the benchmark of crawls: how each is named, built, run and measured. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Web } from '../../web/start.ts';

export const PEERS = import.meta.dirname;
/** Requests at once, for all crawlers. */
export const CONCURRENCY = '64';
/** Milliseconds between two looks at a process. */
const LOOK_EVERY = 100;
/** Characters of a program's messages that are kept, for the case that it fails. */
const MESSAGES = 4000;

export interface Result {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly maxRssBytes: number;
  /** Pages per second of processor time until the crawl is warm, and from then on. */
  readonly cold?: number;
  readonly warm?: number;
  /** Pages in its archive, if not all of them are. */
  readonly stored?: number;
  /** Seconds of processor time of each part of the work. */
  readonly parts?: Readonly<Record<string, number>>;
}

export interface Contender {
  /** With its version. */
  readonly name: string;
  /** What it does besides fetching pages and following links. */
  readonly does: string;
  /** Its share of `--pages`, so that slow crawlers take about as long as fast ones. */
  readonly share: number;
  run(web: Web, pages: number): Promise<Result>;
}

/** Reports that a peer is left out, and what would bring it in. */
export function missing(name: string, remedy: string): Contender[] {
  process.stderr.write(`${name} is not measured. ${remedy}\n`);
  return [];
}

/** Whether a program runs without an error; its output is not shown. */
export const succeeds = (command: string, args: readonly string[], cwd?: string): boolean =>
  spawnSync(command, args, { cwd, stdio: 'ignore' }).status === 0;

/** Builds or installs a peer, with its messages on standard error; false if that fails. */
export function builds(command: string, args: readonly string[], cwd: string): boolean {
  try {
    execFileSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
    return true;
  } catch {
    return false;
  }
}

/** The version that a manifest of a peer names. */
export function versionIn(path: string, pattern: RegExp): string {
  return pattern.exec(readFileSync(join(PEERS, path), 'utf8'))?.[1] ?? '';
}

/** What the kernel counts for a process so far. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly maxRssBytes: number;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called several times a second while the program runs. */
  look?(usage: Usage): void;
}

/** Runs a program to its end: the last line and messages that it prints, its time and memory. */
export async function runProgram(
  program: Program,
): Promise<Usage & { lastLine: string; messages: string; seconds: number }> {
  const startedAt = performance.now();
  const child = spawn(program.command, program.args, {
    cwd: program.cwd,
    env: { ...process.env, ...program.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let messages = '';
  child.stderr.on('data', (chunk) => {
    messages = (messages + chunk).slice(-MESSAGES);
  });
  let usage: Usage = { cpuSeconds: 0, maxRssBytes: 0 };
  const look = setInterval(() => {
    usage = usageOf(child.pid ?? 0) ?? usage;
    program.look?.(usage);
  }, LOOK_EVERY);
  try {
    let lastLine = '';
    for await (const line of createInterface({ input: child.stdout })) if (line) lastLine = line;
    return { ...usage, lastLine, messages, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    clearInterval(look);
  }
}

/** Runs a program whose last line of output is its result. */
export async function resultOf(program: Program): Promise<Result> {
  const { lastLine, messages } = await runProgram(program);
  try {
    return JSON.parse(lastLine);
  } catch {
    throw new Error(`${program.command} printed no result, but:\n${lastLine}\n${messages}`);
  }
}

/** Undefined when the process has ended. */
function usageOf(pid: number): Usage | undefined {
  try {
    // Fields 14 and 15: user and system time in ticks of a hundredth of a second.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    if (!peak) return undefined;
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
      maxRssBytes: 1024 * Number(peak[1]),
    };
  } catch {
    return undefined;
  }
}
