/**
 * What a pause between the requests of rendered pages is made of, in virtual time: with the real
 * workbench, robots rules and delays, and pages that ask for all they need at once.
 */
import { setImmediate as turns } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Millis } from '../../../src/base/units.ts';
import { resolveConfig } from '../../../src/config/settings.ts';
import { Outage } from '../../../src/crawl/hosts/outage.ts';
import { RobotsKeeper } from '../../../src/crawl/hosts/robots-keeper.ts';
import { RobotsMemory } from '../../../src/crawl/hosts/robots-memory.ts';
import { Counters } from '../../../src/crawl/record/counters.ts';
import { InternalErrors } from '../../../src/crawl/record/internal-errors.ts';
import { AnswerCache } from '../../../src/crawl/render/answer-cache.ts';
import { type AskedPause, Subresources } from '../../../src/crawl/render/subresources.ts';
import { SharedHostTable, shareHosts } from '../../../src/crawl/transport/host-table.ts';
import { BodyBudget } from '../../../src/fetch/body-budget.ts';
import type { Exchange, FetchRequest } from '../../../src/fetch/exchange.ts';
import type { HostTurn } from '../../../src/frontier/frontier.ts';
import { Domain, Host } from '../../../src/frontier/host.ts';
import type { Discovery } from '../../../src/frontier/queue/discovered-url.ts';
import { Workbench } from '../../../src/frontier/workbench.ts';
import { AskedDelays } from '../../../src/politeness/asked-delays.ts';
import { Politeness } from '../../../src/politeness/politeness.ts';
import { RetryPolicy } from '../../../src/politeness/retries-and-pauses.ts';
import { VirtualClock } from '../../../src/simulator/clock.ts';

const SECOND: Millis = 1000;
/** Every answer takes this long. */
const TAKES: Millis = 300;
const LONG: Millis = 1000 * SECOND;
const REQUEST = { method: 'GET', isOwn: true, headers: [] };

/** The hosts of the table: `a` has the page, `at-a` its address; `b` and `c` share one. */
const ADDRESSES: Readonly<Record<string, string>> = {
  ...{ 'a.example': '10.0.0.1', 'at-a.example': '10.0.0.1' },
  ...{ 'b.example': '10.0.0.2', 'c.example': '10.0.0.2', 'd.example': '10.0.0.3' },
};

interface Row {
  readonly renderDelay: Millis;
  readonly delay: Millis;
  /** Lines of all robots.txt; without, each is known to allow all. */
  readonly robots?: string;
  /** The `Retry-After` of an answer, by its URL without the scheme. */
  readonly busy?: Readonly<Record<string, number>>;
  /** What each page asks for, the pages one after the other. */
  readonly pages: readonly (readonly string[])[];
  /** What servers have received, and how many seconds after the answer before it. */
  readonly seen: readonly string[];
  /** For how long the page's own host is paused in the end. */
  readonly pause?: Millis;
}

/** One agent that renders pages of `a.example`, and what it asks. */
class Rendering {
  readonly seen: string[] = [];
  readonly clock = new VirtualClock();
  readonly #row: Row;
  readonly #subresources: Subresources;
  readonly #bench = new Workbench<Host>(undefined, undefined, new SharedHostTable(shareHosts(), 0));
  readonly #host = new Host('a.example', new Domain('a.example'));
  #answeredAt: Millis;

  constructor(row: Row) {
    const { clock } = this;
    const { renderDelay: delay } = row;
    this.#row = row;
    this.#answeredAt = clock.now();
    const config = resolveConfig({ delay: row.delay, addressDelay: 100 });
    const log = { event: () => {} };
    const internal = new InternalErrors(log);
    const bench = this.#bench;
    const resolve = async (name: string) => [{ ip: ADDRESSES[name], family: 4 as const }];
    const parts = {
      ...{ clock, log, internal, delay, maxBody: 1e6, productToken: 'drumlin' },
      client: { fetch: (request: FetchRequest) => this.#answer(request) },
      bodies: new BodyBudget(1e6),
      resolver: { resolve, close() {} },
      guard: { allows: () => true, reason: () => undefined },
      frontier: {
        tryAsk: bench.tryAsk.bind(bench),
        asked: (name: string, pause: Millis, at?: Parameters<typeof bench.asked>[2]) =>
          bench.asked(name, pause, at, clock.now()),
        askableFrom: () => 0,
        host: (name: string) => (name === this.#host.name ? this.#host : undefined),
        tryOtherAddress: () => false,
      },
      politeness: new Politeness(config, new AskedDelays(config, undefined), undefined),
      retries: new RetryPolicy(config),
      store: { store: async () => {} },
      outage: new Outage({ clock, log }),
      counters: new Counters(),
    };
    const keeper = () =>
      new RobotsKeeper({ ...parts, memory: new RobotsMemory(), maxCrawlDelay: 60 * SECOND });
    this.#subresources = new Subresources({
      ...{ ...parts, robots: keeper(), guestRobots: keeper(), cache: new AnswerCache(1e6) },
      ...{ obeysRobots: row.robots !== undefined, refusal: () => undefined },
      ...{ skips: { skipped: () => {} }, stopping: () => false },
    });
    this.#host.queue.push({ url: 'http://a.example/', depth: 0, redirects: 0 } as Discovery);
    bench.attach(this.#host, { ip: ADDRESSES[this.#host.name], family: 4 });
  }

  /** Renders the pages; returns how long their host asked to be left in peace. */
  async run(): Promise<Millis> {
    const turn = this.#bench.acquire(this.clock.now()) as HostTurn;
    let pause: AskedPause | undefined;
    for (const urls of this.#row.pages) {
      const traffic = this.#subresources.forPage(turn, this.clock.now() + LONG);
      await this.#settled(
        Promise.all(
          urls.map((url) => traffic.answer({ ...REQUEST, url: `http://${url}`, kind: 'XHR' })),
        ),
      );
      await traffic.end();
      pause = traffic.pause;
    }
    return pause ? pause.until - this.#answeredAt : 0;
  }

  /** For how long a host is paused. */
  pauseOf(name: string): Millis {
    const now = this.clock.now();
    return Math.max(0, this.#bench.tryAsk(name, undefined, now) - now);
  }

  /** Moves the clock until a promise resolves. */
  async #settled(promise: Promise<unknown>): Promise<void> {
    let isSettled = false;
    void promise.finally(() => {
      isSettled = true;
    });
    for (;;) {
      for (let i = 0; i < 3; i++) await turns();
      if (isSettled) return;
      const next = this.clock.nextAt;
      if (next === Infinity) throw new Error('The page waits for nothing.');
      this.clock.moveTo(next);
    }
  }

  #answer({ url }: FetchRequest): Promise<Exchange> {
    const { clock } = this;
    const { robots = '', busy = {} } = this.#row;
    const place = url.slice('http://'.length);
    this.seen.push(`${place} ${(clock.now() - this.#answeredAt) / SECOND}`);
    const asked = busy[place];
    const header = (name: string) =>
      name === 'retry-after' && asked !== undefined ? `${asked}` : undefined;
    const payload = Buffer.from(url.endsWith('/robots.txt') ? robots : '');
    const exchange = {
      ...{ url, status: asked === undefined ? 200 : 503, payload, wireBody: [payload] },
      headers: { get: header, all: () => [], entries: () => [] },
      bytesReceived: payload.length,
    };
    return new Promise((answered) => {
      clock.after(TAKES, () => {
        this.#answeredAt = clock.now();
        answered(exchange as unknown as Exchange);
      });
    });
  }
}

const SHORT = { renderDelay: SECOND / 2, delay: 4 * SECOND };

const ROWS: Readonly<Record<string, Row>> = {
  'the delay of rendered pages, from the page on': {
    ...SHORT,
    pages: [['a.example/1', 'a.example/2', 'a.example/3']],
    seen: ['a.example/1 0.5', 'a.example/2 0.5', 'a.example/3 0.5'],
  },
  'never more than the delay of the host': {
    ...{ renderDelay: 5 * SECOND, delay: 2 * SECOND },
    pages: [['a.example/1', 'a.example/2']],
    seen: ['a.example/1 2', 'a.example/2 2'],
  },
  'never more than the delay of the host, for other hosts': {
    ...{ renderDelay: 5 * SECOND, delay: 2 * SECOND },
    pages: [['b.example/1', 'b.example/2'], ['b.example/3'], ['c.example/1']],
    seen: ['b.example/1 0', 'b.example/2 2', 'b.example/3 2', 'c.example/1 2'],
  },
  'longer than the delay of the host, if its Crawl-delay is': {
    ...{ renderDelay: 5 * SECOND, delay: 2 * SECOND },
    robots: 'User-agent: *\nCrawl-delay: 3',
    pages: [['a.example/1', 'a.example/2']],
    seen: ['a.example/robots.txt 2', 'a.example/1 3', 'a.example/2 3'],
  },
  'a robots.txt is a request, too': {
    ...SHORT,
    robots: 'User-agent: *\nDisallow: /no',
    pages: [['a.example/1', 'a.example/no', 'a.example/2']],
    seen: ['a.example/robots.txt 0.5', 'a.example/1 0.5', 'a.example/2 0.5'],
  },
  'another host at its own address': {
    ...SHORT,
    robots: 'User-agent: *\nDisallow: /no',
    pages: [['b.example/1', 'b.example/2']],
    seen: ['b.example/robots.txt 0', 'b.example/1 0.5', 'b.example/2 0.5'],
  },
  'another host at the address of the page': {
    ...SHORT,
    pages: [['at-a.example/1', 'a.example/1', 'at-a.example/2']],
    seen: ['a.example/1 0.5', 'at-a.example/1 0.5', 'at-a.example/2 0.5'],
  },
  'two hosts at one address': {
    ...SHORT,
    pages: [['b.example/1', 'c.example/1', 'b.example/2']],
    seen: ['b.example/1 0', 'b.example/2 0.5', 'c.example/1 0.5'],
  },
  'from page to page: the host, and its address': {
    ...SHORT,
    pages: [['b.example/1'], ['b.example/2'], ['c.example/1']],
    seen: ['b.example/1 0', 'b.example/2 0.5', 'c.example/1 0.5'],
  },
  'from page to page: a host at the address of the page': {
    ...SHORT,
    pages: [['at-a.example/1'], ['at-a.example/2']],
    seen: ['at-a.example/1 0.5', 'at-a.example/2 0.5'],
  },
  'Retry-After of another host': {
    ...SHORT,
    busy: { 'b.example/1': 30 },
    pages: [['b.example/1', 'b.example/2'], ['b.example/3']],
    seen: ['b.example/1 0', 'b.example/2 30', 'b.example/3 0.5'],
  },
  "Retry-After of the page's own host: nothing more for it, and a pause of its turn": {
    ...SHORT,
    busy: { 'a.example/1': 30 },
    pages: [['a.example/1', 'a.example/2', 'b.example/1']],
    seen: ['b.example/1 0', 'a.example/1 0.2'],
    pause: 30 * SECOND,
  },
};

test.each(Object.entries(ROWS))('%s', async (_, row) => {
  const rendering = new Rendering(row);
  const pause = await rendering.run();
  expect({ seen: rendering.seen, pause }).toEqual({ seen: row.seen, pause: row.pause ?? 0 });
});

test.each<[name: string, row: Omit<Row, 'pages' | 'seen'>, pause: Millis]>([
  ['b.example', SHORT, SECOND / 2],
  ['at-a.example', SHORT, SECOND / 2],
  ['b.example', { renderDelay: 5 * SECOND, delay: 2 * SECOND }, 2 * SECOND],
  ['b.example', { ...SHORT, busy: { 'b.example/1': 30 } }, 30 * SECOND],
  ['c.example', SHORT, 0],
])('%s is paused for its own turns, too (%j)', async (name, row, pause) => {
  const url = name === 'c.example' ? 'b.example/1' : `${name}/1`;
  const rendering = new Rendering({ ...row, pages: [[url]], seen: [] });
  await rendering.run();
  expect(rendering.pauseOf(name)).toBe(pause);
});
