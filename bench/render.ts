/**
 * What rendering costs: pages per second of processor time, with the archive on.
 *
 *   npm run bench -- render [--pages 60] [--runs 2] [--browsers 1] [--only drumlin,crawlee]
 *   npm run bench -- render --plain [--pages 5000] [--runs 3]
 *
 * The first renders every page of a synthetic web whose pages scripts make, and lets Crawlee's
 * PlaywrightCrawler do the same with the same Chromium, one page at a time; it archives nothing.
 * The second crawls a web
 * without scripts with `--render never` and `--render auto`: what the decision costs. Processor
 * time is that of the crawl and of all processes that it starts, sampled ten times a second:
 * browsers are many processes, and some are killed.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { Disk } from '../src/disk/disk.ts';
import { type Lab, startLab } from '../src/lab/server/lab.ts';
import { findBrowser } from '../src/render/find-browser.ts';

const PEERS = join(import.meta.dirname, 'peers/render');
const BIN = join(import.meta.dirname, '../bin/drumlin');
/** USER_HZ: the unit of times in /proc. */
const TICKS = 100;

interface Result {
  readonly pages: number;
  readonly cpuSeconds: number;
  readonly seconds: number;
  /** Processor time by the kind of process. */
  readonly parts: ReadonlyMap<string, number>;
}

/** What a process has used. */
interface Used {
  readonly kind: string;
  readonly ticks: number;
}

type Web = Pick<Lab, 'seeds' | 'dns' | 'close'>;

interface Contender {
  readonly name: string;
  run(web: Web, pages: number): Promise<Result>;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...{ pages: { type: 'string' }, runs: { type: 'string', default: '2' } },
      browsers: { type: 'string', default: '1' },
      plain: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
    },
  });
  const pages = Number(values.pages ?? (values.plain ? 5000 : 60));
  const all = values.plain
    ? [drumlin('never', '1'), drumlin('auto', '1')]
    : [drumlin('always', values.browsers), crawlee()];
  const only = values.only.split(',').filter(Boolean);
  const contenders = all.filter(
    ({ name }) => only.length === 0 || only.some((word) => name.startsWith(word)),
  );
  const web = await startLab({
    ...{ scenario: 'clean', domains: 30, pages: 100, oneAddress: true, seed: 5 },
    mix: values.plain ? {} : { 'script-inline': 0.5, 'script-data': 0.5 },
  });
  const rates = new Map<string, number[]>();
  execFileSync(process.execPath, [BIN, '--version'], { stdio: 'ignore' }); // compiles what is newer
  try {
    for (let i = 0; i < Number(values.runs); i++)
      for (const contender of contenders) {
        const result = await contender.run(web, pages);
        const rate = result.pages / result.cpuSeconds;
        rates.set(contender.name, [...(rates.get(contender.name) ?? []), rate]);
        const { seconds, cpuSeconds } = result;
        const parts = [...result.parts].map(([kind, used]) => `${kind} ${used.toFixed(1)}`);
        console.error(
          `run ${i + 1} ${contender.name}: ${result.pages} pages, ${cpuSeconds.toFixed(1)} CPU-s (${parts.join(', ')}), ${seconds.toFixed(1)} s`,
        );
      }
  } finally {
    await web.close();
  }
  console.log('| crawl | pages per CPU-second: best | mean |\n|---|---|---|');
  for (const [name, list] of rates) {
    const mean = list.reduce((sum, rate) => sum + rate, 0) / list.length;
    console.log(`| ${name} | ${Math.max(...list).toFixed(2)} | ${mean.toFixed(2)} |`);
  }
}

function drumlin(render: string, browsers: string): Contender {
  return {
    name: `drumlin --render ${render}`,
    async run({ seeds, dns }, pages) {
      const dir = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
      const what = ['--render', render, '--max-pages', String(pages), '--browsers', browsers];
      const how = ['--browser-flags', 'no-sandbox,no-zygote', '--agents', '1', '--delay', '0'];
      const where = ['--dir', join(dir, 'crawl'), '--dns', dns, '--allow-private', '--json'];
      try {
        const all = [BIN, 'crawl', ...seeds.slice(0, 3), ...what, ...how, ...where];
        return await measured(process.execPath, all);
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    },
  };
}

/** Installed once, in a folder of its own: never in the project. */
function crawlee(): Contender {
  const dir = join(tmpdir(), 'drumlin-render-peers');
  return {
    name: 'crawlee PlaywrightCrawler',
    async run({ seeds }, pages) {
      mkdirSync(dir, { recursive: true });
      for (const file of ['package.json', 'crawlee.mjs'])
        copyFileSync(join(PEERS, file), join(dir, file));
      if (!existsSync(join(dir, 'node_modules')))
        execFileSync('npm', ['install', '--no-package-lock', '--ignore-scripts'], {
          cwd: dir,
          stdio: ['ignore', 2, 2],
        });
      const { path, env } = await findBrowser(new Disk(), '');
      const args = [join(dir, 'crawlee.mjs'), String(pages), path, ...seeds.slice(0, 3)];
      return measured(process.execPath, args, env);
    },
  };
}

/** Runs a program that prints a JSON with its pages, and adds up what its processes compute. */
async function measured(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Result> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const used = new Map<number, Used>();
  const timer = setInterval(() => sample(child.pid as number, used), 100);
  const printed = await text(child.stdout);
  clearInterval(timer);
  const last = printed.trim().split('\n').at(-1) ?? '{}';
  const { pages, seconds } = JSON.parse(last) as { pages: number; seconds: number };
  const parts = new Map<string, number>();
  let cpuSeconds = 0;
  for (const { kind, ticks } of used.values()) {
    cpuSeconds += ticks / TICKS;
    parts.set(kind, (parts.get(kind) ?? 0) + ticks / TICKS);
  }
  return { pages, seconds, cpuSeconds, parts };
}

/** Notes the processor time of a process and of all that it has started, by process. */
function sample(root: number, used: Map<number, Used>): void {
  const parents = new Map<number, number>();
  const times = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statOf(name);
    if (!fields) continue;
    parents.set(Number(name), Number(fields[1]));
    times.set(Number(name), Number(fields[11]) + Number(fields[12]));
  }
  const isOurs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (at === root) return true;
    return used.has(pid); // its parent has ended before it
  };
  for (const [pid, ticks] of times)
    if (isOurs(pid)) {
      const before = used.get(pid);
      // A process takes the name of its program a moment after it has begun.
      const kind = before && before.kind !== 'node' ? before.kind : kindOf(pid);
      used.set(pid, { kind, ticks: Math.max(ticks, before?.ticks ?? 0) });
    }
}

/** The part of a browser that a process is, as its command line tells, or `node`. */
function kindOf(pid: number): string {
  const line = readOr(`/proc/${pid}/cmdline`);
  const type = /--(?:utility-sub-)?type=([\w.-]+)/g;
  const last = [...line.matchAll(type)].at(-1)?.[1];
  return last ?? (line.includes('--remote-debugging') ? 'browser' : 'node');
}

/** The fields of /proc/PID/stat after the name of the program, which may contain anything. */
function statOf(pid: string): string[] | undefined {
  const stat = readOr(`/proc/${pid}/stat`);
  return stat === '' ? undefined : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Empty for a process that has ended. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
