/**
 * What watching costs a crawl: the same crawl of the lab alone, and while two browsers watch it.
 *
 *   npm run bench -- watched [PAGES] [TURNS]
 *
 * Two figures. The difference: pages per second of CPU time of the crawl's process, without a
 * console and with `--console` and two watchers, in turns. And the share: CPU time of a console in a
 * process of its own, with the same watchers, for each second of the crawl; it has less noise.
 *
 * A watcher asks for what a page in a browser asks for: the events, the list of crawls every 15 s,
 * and its view every 10 s. One stays at the overview, the other goes through the other views.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Lab, startLab } from '../src/lab/server/lab.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
const TOKEN = 'a-token-for-the-bench';
const OVERVIEW = ['history'];
const OTHERS = ['domains?sort=fetched', 'hosts', 'log', 'settings', 'domains?from=50'];
const VIEW_EVERY = 10_000;
const LIST_EVERY = 15_000;
/** /proc counts in hundredths of a second. */
const TICK = 0.01;

interface Run {
  readonly pagesPerCpuSecond: number;
  readonly seconds: number;
  /** CPU time of a console in a process of its own. */
  readonly consoleCpu: number;
  /** Requests of the watchers. */
  readonly asked: number;
}

export async function run([pages = '20000', turns = '3']: string[]): Promise<void> {
  const lab = await startLab({ scenario: 'clean', domains: 300 });
  const runs: Record<'alone' | 'watched' | 'apart', Run[]> = { alone: [], watched: [], apart: [] };
  try {
    for (let turn = 0; turn < Number(turns); turn++)
      for (const kind of ['alone', 'watched', 'apart'] as const) {
        const one = await crawlOnce(lab, pages, kind);
        runs[kind].push(one);
        const { pagesPerCpuSecond, seconds, consoleCpu, asked } = one;
        console.log(
          `${kind.padEnd(8)} ${pagesPerCpuSecond.toFixed(0)} pages per second of CPU, ${seconds.toFixed(1)} s, ${asked} requests of watchers${kind === 'apart' ? `, console: ${(1000 * consoleCpu).toFixed(0)} ms CPU` : ''}`,
        );
      }
  } finally {
    await lab.close();
  }
  const best = (kind: 'alone' | 'watched') =>
    Math.max(...runs[kind].map(({ pagesPerCpuSecond }) => pagesPerCpuSecond));
  const sum = (of: (one: Run) => number) => runs.apart.reduce((all, one) => all + of(one), 0);
  const loss = 1 - best('watched') / best('alone');
  const share = sum(({ consoleCpu }) => consoleCpu) / sum(({ seconds }) => seconds);
  console.log(`best of ${turns}: ${(100 * loss).toFixed(1)} % fewer pages per second of CPU`);
  console.log(`a console of its own: ${(100 * share).toFixed(2)} % of a core`);
}

async function crawlOnce(
  lab: Lab,
  pages: string,
  kind: 'alone' | 'watched' | 'apart',
): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-watched-'));
  const dir = join(folder, 'crawl');
  const children: ChildProcess[] = [];
  const watchers: Watcher[] = [];
  let atStart = 0;
  try {
    const crawl = drumlin(children, [
      ...[
        'crawl',
        ...lab.seeds,
        '--dir',
        dir,
        '--dns',
        lab.dns,
        '--allow-private',
        '--agents',
        '1',
      ],
      ...['--delay', '0', '--max-pages', pages, '--json', '--contact', 'me@example.org'],
      ...(kind === 'watched' ? ['--console', '0', '--console-token', TOKEN] : []),
    ]);
    const printed = textOf(crawl.stdout);
    const ended = once(crawl, 'exit');
    const served =
      kind === 'apart'
        ? drumlin(children, ['console', dir, '--port', '0', '--token', TOKEN])
        : crawl;
    const stream = kind === 'apart' ? served.stdout : served.stderr;
    if (kind !== 'alone' && stream) {
      const port = await portIn(stream);
      // The crawl must be there before it can be watched.
      while (!existsSync(join(dir, 'status.json')) && crawl.exitCode === null) await wait(100);
      if (kind === 'apart') atStart = cpuOf(served.pid ?? 0);
      watchers.push(new Watcher(port, OVERVIEW), new Watcher(port, OTHERS));
    }
    await ended;
    const consoleCpu = kind === 'apart' ? cpuOf(served.pid ?? 0) - atStart : 0;
    const { pagesPerCpuSecond, seconds } = JSON.parse(await printed);
    const asked = watchers.reduce((all, one) => all + one.asked, 0);
    return { pagesPerCpuSecond, seconds, consoleCpu, asked };
  } finally {
    for (const watcher of watchers) watcher.end();
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function drumlin(children: ChildProcess[], args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [DRUMLIN, ...args]);
  children.push(child);
  return child;
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  for await (const piece of stream ?? []) text += piece;
  return text;
}

function portIn(stream: NodeJS.ReadableStream): Promise<number> {
  return new Promise((found, failed) => {
    let text = '';
    stream.on('data', (piece) => {
      text += piece;
      const [, port] = /The console: http:\/\/[^:]+:(\d+)\//.exec(text) ?? [];
      if (port !== undefined) found(Number(port));
    });
    stream.on('end', () => failed(new Error(`No console: ${text}`)));
  });
}

function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}

/** A page in a browser: events, the list of crawls, and its views in turn. */
class Watcher {
  asked = 0;
  readonly #port: number;
  #isOver = false;
  #events: IncomingMessage | undefined;

  constructor(port: number, views: readonly string[]) {
    this.#port = port;
    this.#ask('crawls/crawl/events', (response) => {
      this.#events = response;
    });
    void this.#again(['crawls'], LIST_EVERY);
    void this.#again(
      views.map((view) => `crawls/crawl/${view}`),
      VIEW_EVERY,
    );
  }

  end(): void {
    this.#isOver = true;
    this.#events?.destroy();
  }

  async #again(paths: readonly string[], every: number): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      this.#ask(paths[i % paths.length], () => {});
      await wait(every, undefined, { ref: false });
    }
  }

  #ask(path: string, onResponse: (response: IncomingMessage) => void): void {
    this.asked++;
    const headers = { authorization: `Bearer ${TOKEN}` };
    get({ port: this.#port, host: '127.0.0.1', path: `/api/v1/${path}`, headers }, (response) => {
      response.on('error', () => {});
      response.resume();
      onResponse(response);
    }).on('error', () => {});
  }
}
