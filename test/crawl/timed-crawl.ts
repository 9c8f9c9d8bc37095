/**
 * A crawl of scripted servers in virtual time, and what they have seen of it: to the millisecond.
 *
 * Idea      The machine of the simulation (`soak/simulate`) without its dice: no fault, no second
 *           piece of an answer, and nothing takes longer than it usually does. So a pause is what
 *           the crawl makes of it, and each is seen whole: from the end of an answer to the moment
 *           in which the next request is sent.
 * Ensures   `requests` are in the order in which they were sent, over all runs of the crawl.
 */
import { Machine } from '../../soak/simulate/machine.ts';
import { MemoryDisk } from '../../soak/simulate/memory-disk.ts';
import { simMesh } from '../../soak/simulate/mesh.ts';
import { type Answer, response, SimNetwork } from '../../soak/simulate/network.ts';
import { inSimulation } from '../../soak/simulate/replaced.ts';
import type { SimWeb } from '../../soak/simulate/web.ts';
import type { Millis } from '../../src/base/units.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { changeCrawl } from '../../src/console/control/change.ts';
import { type CrawlRun, type Summary, startCrawl } from '../../src/crawl/crawl.ts';
import { Disk } from '../../src/disk/disk.ts';
import { linking } from './small-site.ts';

const DIR = '/crawl';
const MOST_EVENTS = 200_000;
/** A new connection takes this long. */
const CONNECTING: Millis = 20;
/** An answer of a healthy server. */
const QUICK: Millis = 10;

/** The largest number that dice can show: what happens once in `n` times never does. */
const loaded = (n: number): number => n - 1;

export interface Reply {
  readonly status?: number;
  readonly body?: string;
  /** Default: HTML, and text for `.txt`. */
  readonly type?: string;
  /** Lines of the head. */
  readonly headers?: readonly string[];
  readonly takes?: Millis;
}

export interface Server {
  readonly ip: string;
  /** Whether the crawl begins there, too. Default: true. */
  readonly isSeed?: boolean;
  /** Whether its `n`-th connection cannot be made, from 0. */
  readonly refuses?: (n: number) => boolean;
  /**
   * The answer to the `visit`-th request of a path, 0 for the first; `at` is the time on the wall.
   * Without one, `/` links to `/1`, `/2` and so on, and there is no robots.txt.
   */
  readonly answer?: (path: string, visit: number, at: Millis) => Reply | undefined;
}

interface Seen {
  readonly host: string;
  readonly ip: string;
  readonly path: string;
  readonly at: Millis;
  /** When the answer has ended. */
  readonly ended: Millis;
}

/** What happens at a request, by its number from 0: before it is answered. */
export type Events = Readonly<Record<number, (crawl: TimedCrawl) => unknown>>;

/** How many pages a server without an answer of its own has. */
const PAGES = 4;

class Scripted extends SimNetwork {
  readonly seen: Seen[] = [];
  readonly #timed: TimedCrawl;
  readonly #machine: Machine;
  readonly #servers: Readonly<Record<string, Server>>;
  readonly #visits = new Map<string, number>();

  constructor(timed: TimedCrawl, machine: Machine, servers: Readonly<Record<string, Server>>) {
    const hosts = Object.entries(servers).map(([name, { ip }]) => [name, { addresses: [ip] }]);
    super(machine, { hosts: new Map(hosts as never) } as unknown as SimWeb);
    this.#timed = timed;
    this.#machine = machine;
    this.#servers = servers;
  }

  /** Only connections fail here: how is up to the dice, and so always the same. */
  override fails(what: string): boolean {
    const found = Object.entries(this.#servers).find(([, { ip }]) => what === `address ${ip}`);
    if (!found) return false;
    const [host, { ip, refuses }] = found;
    if (!refuses?.(this.#visit(what))) return false;
    const at = this.#machine.elapsed;
    this.#note({ host, ip, path: '(refused)', at, ended: at + CONNECTING });
    return true;
  }

  override answer(ip: string, head: string): Answer {
    const path = head.slice(4, head.indexOf(' ', 4));
    const host = /\r\nhost: (\S+)/i.exec(head)?.[1] ?? '';
    const server = this.#servers[host];
    if (server?.ip !== ip) throw new Error(`${host} is not at ${ip}`);
    const visit = this.#visit(host + path);
    const { elapsed: at } = this.#machine;
    const reply = server.answer?.(path, visit, this.#machine.wall()) ?? usual(path);
    const usualType = path.endsWith('.txt') ? 'text/plain' : 'text/html';
    const { status = 200, body = '', type = usualType, headers = [], takes = QUICK } = reply;
    this.#note({ host, ip, path, at, ended: at + takes });
    const lines = headers.map((line) => `${line}\r\n`).join('');
    return { status, steps: [{ after: takes, bytes: response(status, type, body, lines) }] };
  }

  #visit(what: string): number {
    const before = this.#visits.get(what) ?? 0;
    this.#visits.set(what, before + 1);
    return before;
  }

  #note(seen: Seen): void {
    const number = this.seen.push(seen) - 1;
    void this.#timed.events[number]?.(this.#timed);
  }
}

function usual(path: string): Reply {
  const pages = Array.from({ length: PAGES }, (_, i) => `/${i + 1}`);
  if (path === '/') return { body: linking(...pages) };
  return pages.includes(path) ? { body: path } : { status: 404 };
}

export class TimedCrawl {
  readonly events: Events;
  readonly #machine = new Machine(loaded);
  readonly #disk = new MemoryDisk(this.#machine);
  readonly #network: Scripted;
  readonly #options: CrawlOptions;
  readonly #seeds: readonly string[];
  #run: CrawlRun | undefined;
  /** What the last run has counted. */
  summary: Summary | undefined;
  /** When each run began. */
  readonly began: Millis[] = [];

  constructor(servers: Readonly<Record<string, Server>>, options: CrawlOptions, events: Events) {
    this.#network = new Scripted(this, this.#machine, servers);
    this.#options = { dir: DIR, allowPrivate: true, order: 'bfs', ...options };
    this.#seeds = Object.entries(servers).flatMap(([name, { isSeed = true }]) =>
      isSeed ? [`http://${name}/`] : [],
    );
    this.events = events;
  }

  get requests(): readonly Seen[] {
    return this.#network.seen;
  }

  /** Runs the crawl once for each number of agents, one run after the other. */
  async run(agents: readonly number[] = [1]): Promise<void> {
    await inSimulation(this.#machine, async () => {
      for (const number of agents) await this.#once(number);
    });
  }

  /** The crawl ends, and is resumed by its next run. */
  stop(): void {
    this.#run?.stop();
  }

  /** The process is gone: files stay as they are. */
  kill(): void {
    this.#machine.kill();
    this.#disk.killed();
  }

  change(settings: Readonly<Record<string, string>>): Promise<unknown> {
    return changeCrawl(new Disk(this.#disk), DIR, 'test', { settings });
  }

  async #once(agents: number): Promise<void> {
    const machine = this.#machine;
    const config = resolveConfig({ ...this.#options, agents });
    this.began.push(machine.elapsed);
    const hooks = {
      here: true,
      clock: machine.clock(),
      disk: new Disk(this.#disk),
      network: this.#network.network(),
      mesh: (all: number) => simMesh(machine, all),
    };
    const outcome = await machine.run(async () => {
      this.#run = await startCrawl(this.#seeds, config, hooks);
      return this.#run.finished;
    }, MOST_EVENTS);
    if ('error' in outcome) throw outcome.error;
    if ('result' in outcome) this.summary = outcome.result;
  }
}
