/**
 * What watching costs a crawl: one crawl of the lab, watched by two browsers in every second
 * stretch of time.
 *
 *   npm run bench -- watched [STRETCHES] [SECONDS]
 *
 * Runs of a crawl differ by more than watching costs; stretches of one crawl that follow each other
 * do not. For each stretch: CPU time of the crawl's process for a page fetched, with `--console`
 * and two watchers, or with the console and nobody. The loss is the median of neighbours' ratios,
 * and the error that of their mean.
 *
 * Agents vary by more than that, too. So the second figure is that of the main thread alone, where
 * the console works and no agent does: its CPU time as a share of a core, watched and not.
 *
 * A watcher asks for what a page in a browser asks for: the events, the list of crawls every 15 s,
 * and its view every 10 s. One stays at the overview, the other goes through the other views.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startLab } from '../src/lab/server/lab.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
const TOKEN = 'a-token-for-the-bench';
const OVERVIEW = ['history'];
const OTHERS = ['domains?sort=fetched', 'hosts', 'log', 'settings', 'domains?from=50'];
const VIEW_EVERY = 10_000;
const LIST_EVERY = 15_000;

interface Cost {
  /** CPU time of the crawl for a page, in ms. */
  readonly page: number;
  /** CPU time of the main thread, as a share of a core. */
  readonly main: number;
}
/** The unit of times in /proc. */
const TICK = 10;

export async function run([stretches = '20', seconds = '8']: string[]): Promise<void> {
  const lab = await startLab({ scenario: 'clean', domains: 2000 });
  const folder = mkdtempSync(join(tmpdir(), 'bench-watched-'));
  const dir = join(folder, 'crawl');
  const children: ChildProcess[] = [];
  try {
    const crawl = drumlin(children, [
      ...['crawl', ...lab.seeds, '--dir', dir, '--dns', lab.dns, '--allow-private'],
      ...['--agents', '1', '--delay', '0', '--json', '--contact', 'me@example.org'],
      ...['--console', '0', '--console-token', TOKEN],
    ]);
    if (!crawl.stderr) throw new Error('The crawl has no output.');
    const port = await portIn(crawl.stderr);
    while (!existsSync(join(dir, 'status.json'))) await wait(100);
    await wait(5000);
    const costs: Cost[] = [];
    for (let i = 0; i < Number(stretches); i++) {
      const cost = await stretch(crawl, dir, port, 1000 * Number(seconds), i % 2 === 1);
      costs.push(cost);
      const kind = i % 2 === 1 ? 'watched' : 'alone  ';
      const main = percent(cost.main);
      console.log(
        `${kind} ${cost.page.toFixed(3)} ms of CPU a page, main thread ${main} of a core`,
      );
    }
    report(costs);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Watchers come and go with a report of the crawl: it has pages and CPU time of one moment. */
async function stretch(
  { pid }: ChildProcess,
  dir: string,
  port: number,
  millis: number,
  isWatched: boolean,
): Promise<Cost> {
  const before = await nextReport(dir);
  const [began, mainBefore] = [performance.now(), mainThread(pid)];
  const watchers = isWatched ? [new Watcher(port, OVERVIEW), new Watcher(port, OTHERS)] : [];
  await wait(millis);
  const after = await nextReport(dir);
  for (const watcher of watchers) watcher.end();
  return {
    page: (1000 * (after.cpuSeconds - before.cpuSeconds)) / (after.pages - before.pages),
    main: (mainThread(pid) - mainBefore) / (performance.now() - began),
  };
}

/** CPU time of the main thread of a process, in ms. */
function mainThread(pid = 0): number {
  const [, facts] = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = facts.split(' ').slice(11, 13);
  return TICK * (Number(user) + Number(system));
}

async function nextReport(dir: string): Promise<{ cpuSeconds: number; pages: number }> {
  const read = () => JSON.parse(readFileSync(join(dir, 'status.json'), 'utf8'));
  const { at } = read();
  for (;;) {
    const { at: now, cpuSeconds, pages } = read();
    if (now !== at) return { cpuSeconds, pages };
    await wait(50);
  }
}

/** Each watched stretch against the mean of those before and after it: a trend falls out. */
function report(costs: readonly Cost[]): void {
  const losses: number[] = [];
  for (let i = 1; i + 1 < costs.length; i += 2)
    losses.push(costs[i].page / ((costs[i - 1].page + costs[i + 1].page) / 2) - 1);
  const median = [...losses].sort((a, b) => a - b)[losses.length >> 1];
  console.log(`watching costs ${meanOf(losses)} of CPU time a page (median ${percent(median)})`);
  const main = (watched: number) =>
    meanOf(costs.filter((_, i) => i % 2 === watched).map((cost) => cost.main));
  console.log(`main thread: ${main(1)} of a core while watched, ${main(0)} alone`);
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** The mean, and its error. */
function meanOf(shares: readonly number[]): string {
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const squares = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0);
  const error = Math.sqrt(squares / (shares.length - 1) / shares.length);
  return `${percent(mean)} ± ${percent(error)}`;
}

function drumlin(children: ChildProcess[], args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [DRUMLIN, ...args]);
  children.push(child);
  return child;
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
