/**
 * A crawl of the lab, steered in a real browser, killed and resumed: what the operator decides in
 * the console holds for the requests that the lab sees. The judge is the lab's own log.
 *
 *   npm run soak -- steering
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type Lab, startLab } from '../src/lab/server/lab.ts';
import { payLevelDomain } from '../src/url/domain.ts';
import { withBrowser } from '../test/browser.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
/** A request may be on its way, and in the lab's log a moment later. */
const ON_ITS_WAY = 1000;
/** Longer than the pause between two requests of any host. */
const A_WHILE = 4000;
const DELAY = 2000;
/** The lab and this judge share a thread: a busy machine may log a request late. */
const LATE = 250;

interface Request {
  readonly time: number;
  readonly host: string;
  readonly path: string;
}

interface Event {
  readonly time: string;
  readonly event: string;
  readonly by?: string;
  readonly domain?: string;
  readonly changes?: Readonly<Record<string, unknown>>;
  readonly filters?: Readonly<Record<string, string>>;
}

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-steering-'));
  const log = join(folder, 'requests.jsonl');
  const lab = await startLab({ scenario: 'clean', domains: 10, pages: 400, log });
  const steered = new SteeredCrawl(join(folder, 'crawl'), lab, log);
  try {
    const faults = await steered.judge();
    for (const fault of faults) console.log(`FAULT: ${fault}`);
    console.log(faults.length === 0 ? 'All of it held.' : `${faults.length} faults.`);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    steered.kill();
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

class SteeredCrawl {
  readonly #dir: string;
  readonly #lab: Lab;
  readonly #access: string;
  #process: ChildProcess | undefined;

  constructor(dir: string, lab: Lab, access: string) {
    this.#dir = dir;
    this.#lab = lab;
    this.#access = access;
  }

  kill(): void {
    this.#process?.kill('SIGKILL');
  }

  /** Long: one story, told in its order. */
  async judge(): Promise<string[]> {
    let url = await this.#start(
      ...[...this.#lab.seeds, '--dns', this.#lab.dns, '--allow-private', '--agents', '2'],
      ...['--checkpoint', '500ms', '--delay', '100ms', '--address-delay', '0', '--quiet'],
      ...['--contact', 'me@example.org'],
    );
    const [blocked, filtered] = await this.#busyDomains();
    const filter = `not HostIs(.${filtered})`;
    const at: Record<string, number> = {};
    await withBrowser(async (page) => {
      page.on('dialog', (dialog) => void dialog.accept());
      await page.goto(url);
      await show(page, url, `domains?domain=${blocked}`);
      await page.getByRole('button', { name: 'Block' }).click();
      at.blocked = await this.#logged((one) => one.domain === blocked);

      await show(page, url, 'settings');
      await page.getByLabel(/^delay/).fill(`${DELAY}ms`);
      await page.getByLabel(/^fetch-filter/).fill(filter);
      await page.getByRole('button', { name: 'Apply' }).click();
      at.slowed = await this.#logged(
        ({ by, changes }) => by === 'console' && changes?.delay === `${DELAY}ms`,
      );
      at.filtered = await this.#logged(({ filters }) => filters?.fetch === filter);
      await this.#moreRequests(20);

      await show(page, url, 'control');
      await page.getByRole('button', { name: 'Pause' }).click();
      at.paused = await this.#logged(
        ({ by, changes }) => by === 'console' && changes?.paused === true,
      );
      await wait(A_WHILE);

      this.kill();
      await once(this.#process as ChildProcess, 'exit');
      url = await this.#start('--quiet');
      await page.goto(url);
      await show(page, url, 'control');
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      await wait(A_WHILE);
      at.resumed = Date.now();
      await page.getByRole('button', { name: 'Resume' }).click();
      await this.#moreRequests(20);
    });
    return this.#faults(at, blocked, filtered);
  }

  #faults(at: Readonly<Record<string, number>>, blocked: string, filtered: string): string[] {
    const faults: string[] = [];
    const check = (holds: boolean, fault: string) => {
      if (!holds) faults.push(fault);
      console.log(`${holds ? 'holds' : 'FAILS'}: ${fault}`);
    };
    const before = this.#requests(0, at.blocked);
    const after = this.#requests(at.resumed);
    const pauses = pausesIn(this.#requests(at.slowed + ON_ITS_WAY));
    const quick = pauses.filter(({ millis }) => millis < DELAY - LATE);
    for (const { millis, one } of quick)
      console.log(
        `  ${millis} ms before ${one.host}${one.path.slice(0, 30)}, ${one.time - at.resumed} ms after the resume`,
      );
    const [paused, kept] = [
      this.#requests(at.paused + ON_ITS_WAY, at.resumed),
      domainsOf(this.#requests(at.blocked + ON_ITS_WAY)),
    ];
    check(domainsOf(before).has(blocked), `requests to ${blocked} before it was blocked`);
    check(!kept.has(blocked), `none after, in ${after.length} requests after the kill, too`);
    check(domainsOf(before).has(filtered), `requests to ${filtered} before the filter`);
    const unfiltered = domainsOf(this.#requests(at.filtered + ON_ITS_WAY));
    check(!unfiltered.has(filtered), 'none after, also after the kill');
    check(
      pausesIn(before).some(({ millis }) => millis < DELAY / 2),
      'short pauses before the change of the delay',
    );
    check(pauses.length > 10 && quick.length === 0, `${pauses.length} pauses of ${DELAY} ms after`);
    check(paused.length === 0, `no request in ${at.resumed - at.paused} ms of pause and kill`);
    check(after.length >= 20 && domainsOf(after).size > 1, 'requests after the pause was ended');
    return faults;
  }

  /** Starts or resumes the crawl; returns the URL of its console. */
  async #start(...args: readonly string[]): Promise<string> {
    const words = ['crawl', '--dir', this.#dir, '--console', '0', ...args];
    const child = spawn(process.execPath, [DRUMLIN, ...words]);
    this.#process = child;
    let said = '';
    child.stderr.on('data', (bytes) => {
      said += bytes;
    });
    await until(() => /The console: \S+\n/.test(said) || child.exitCode !== null);
    const [, url] = /The console: (\S+)/.exec(said) ?? [];
    if (url === undefined) throw new Error(`The crawl did not start: ${said}`);
    return url;
  }

  #requests(from = 0, to = Number.POSITIVE_INFINITY): Request[] {
    return linesOf<Request>(this.#access).filter(({ time }) => time >= from && time < to);
  }

  /** Waits for an event of the crawl's log; returns its time. */
  async #logged(matches: (event: Event) => boolean): Promise<number> {
    let found: Event | undefined;
    await until(() => {
      found = linesOf<Event>(join(this.#dir, 'log.jsonl')).find(matches);
      return found !== undefined;
    });
    const { time, ...rest } = found as Event;
    console.log(`in the log: ${JSON.stringify(rest)}`);
    return Date.parse(time);
  }

  /** Some domains that the crawl is busy with. */
  async #busyDomains(): Promise<string[]> {
    const now = () => domainsOf(this.#requests(Date.now() - 1000));
    await until(() => now().size >= 4);
    return [...now()];
  }

  async #moreRequests(n: number): Promise<void> {
    const before = this.#lab.requests;
    await until(() => this.#lab.requests >= before + n);
    // The lab writes its log a few times a second.
    await wait(500);
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 1200; i++) {
    if (isSo()) return;
    await wait(100);
  }
  throw new Error('It did not come to pass.');
}

const linesOf = <T>(path: string): T[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const domainsOf = (some: readonly Request[]): Set<string> =>
  new Set(some.map(({ host }) => payLevelDomain(host)));

/** The times between two requests to one host. */
function pausesIn(some: readonly Request[]): { readonly millis: number; readonly one: Request }[] {
  const last = new Map<string, number>();
  const pauses: { millis: number; one: Request }[] = [];
  for (const one of some) {
    const before = last.get(one.host);
    if (before !== undefined) pauses.push({ millis: one.time - before, one });
    last.set(one.host, one.time);
  }
  return pauses;
}

async function show(page: Page, url: string, view: string): Promise<void> {
  await page.goto(`${new URL(url).origin}/#/crawl/${view}`);
}
