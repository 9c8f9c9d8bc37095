/**
 * The network of a simulated crawl: sockets and name servers in memory, with faults.
 *
 * Idea      The real HTTP client talks to sockets that deliver what the web answers, in pieces and
 *           late, or not at all. Each URL and each name has only so many faults that a crawl with
 *           enough retries fetches it in the end: then every missing page is an error of ours.
 * Ensures   `requests` lists what servers have received, by the time at which it was sent. What is
 *           sent on a kept connection that the server has closed meanwhile is received by nobody.
 */
import { EventEmitter } from 'node:events';
import type net from 'node:net';
import type { Millis } from '../../src/base/units.ts';
import type { Network } from '../../src/crawl/agent/client-setup.ts';
import { createHttpClient } from '../../src/fetch/http-client.ts';
import { type Asks, createResolver } from '../../src/net/dns.ts';
import { systemError } from '../../test/disk/faulty-file-system.ts';
import type { Machine } from './machine.ts';
import { NOWHERE, type SimHost, type SimPage, type SimWeb } from './web.ts';

export interface Request {
  readonly at: Millis;
  /** Which life of the crawl has sent it. */
  readonly life: number;
  readonly host: string;
  readonly ip: string;
  readonly path: string;
  /** What the server answers with: a status, or 0 for a fault. */
  readonly status: number;
  /** The `Retry-After` of the answer. */
  readonly retryAfter: Millis;
  /** The answer is the whole of robots.txt. */
  readonly robots: boolean;
}

/** Faults of one URL, one name or one address at most. */
const MOST_FAULTS = 3;
const LATENCY: Millis = 10;

/** One thing that a server does, so long after the one before. */
interface Step {
  readonly after: Millis;
  readonly bytes?: Buffer;
  readonly end?: true;
  readonly error?: string;
}

export interface Answer {
  readonly status: number;
  readonly steps: Step[];
  readonly retryAfter?: Millis;
  readonly robots?: true;
}

export class SimNetwork {
  readonly requests: Request[] = [];
  readonly #machine: Machine;
  readonly #web: SimWeb;
  readonly #faults = new Map<string, number>();
  /** How often things go wrong, in 100; 0 for never. */
  faultRate = 0;
  life = 0;
  /** Called with every request that a server has received. */
  onRequest: () => void = () => {};

  constructor(machine: Machine, web: SimWeb) {
    this.#machine = machine;
    this.#web = web;
  }

  /** For one life of a crawl. */
  network(): Network {
    const clock = this.#machine.clock();
    const connect = (options: net.TcpNetConnectOpts & net.SocketConstructorOpts) =>
      new SimSocket(this.#machine, this, options) as unknown as net.Socket;
    return {
      createClient: (options) => createHttpClient({ ...options, clock, connect }),
      createResolver: (options) => createResolver({ ...options, asks: this.#asks() }),
    };
  }

  /** Whether something goes wrong now with a thing that may fail a few times. */
  fails(what: string): boolean {
    if (this.faultRate === 0 || this.#machine.random(100) >= this.faultRate) return false;
    const before = this.#faults.get(what) ?? 0;
    if (before >= MOST_FAULTS) return false;
    this.#faults.set(what, before + 1);
    return true;
  }

  #asks(): Asks {
    const under = new Set<(error: Error) => void>();
    const look = (name: string, version: 4 | 6) =>
      new Promise<{ address: string; ttl: number }[]>((resolve, reject) => {
        const cancel = (error: Error) => reject(error);
        under.add(cancel);
        const fault = this.fails(`name ${name}`) && this.#machine.random(2);
        const late = fault === 0 ? 15_000 : this.#machine.delay(LATENCY);
        this.#machine.after(late, () => {
          under.delete(cancel);
          if (fault === 0) reject(systemError('ETIMEOUT'));
          else if (fault === 1) reject(systemError('ESERVFAIL'));
          else this.#lookUp(name, version, resolve, reject);
        });
      });
    const asks = {
      resolve4: (name: string) => look(name, 4),
      resolve6: (name: string) => look(name, 6),
      cancel: () => {
        for (const cancel of [...under]) cancel(systemError('ECANCELLED'));
        under.clear();
      },
      getServers: () => ['10.9.9.9'],
      setServers: () => {},
    };
    return asks as unknown as Asks;
  }

  #lookUp(
    name: string,
    version: 4 | 6,
    resolve: (records: { address: string; ttl: number }[]) => void,
    reject: (error: Error) => void,
  ): void {
    const host = this.#web.hosts.get(name);
    if (!host) {
      if (name === NOWHERE[0]) reject(systemError('ENOTFOUND'));
      else resolve([]); // a CNAME that leads to nothing
      return;
    }
    const isWanted = (ip: string) => ip.includes(':') === (version === 6);
    const addresses = host.addresses.filter(isWanted);
    if (addresses.length === 0) reject(systemError('ENODATA'));
    else resolve(addresses.map((address) => ({ address, ttl: 30 + this.#machine.random(600) })));
  }

  /**
   * The answer to a request; undefined if the server has closed the connection and hears nothing.
   */
  answer(ip: string, head: string, isReused: boolean): Answer | undefined {
    const path = head.slice(4, head.indexOf(' ', 4));
    const name = /\r\nhost: (\S+)/i.exec(head)?.[1] ?? '';
    const host = this.#web.hosts.get(name);
    if (!host?.addresses.includes(ip)) throw new Error(`${name} is not at ${ip}`);
    if (isReused && this.faultRate > 0 && this.#machine.random(20) === 0) return undefined;
    const answer = this.#answerOf(host, path, isReused);
    if (answer === undefined) return undefined;
    const { status, retryAfter = 0, robots = false } = answer;
    const { life } = this;
    const at = this.#machine.elapsed;
    this.requests.push({ at, life, host: name, ip, path, status, retryAfter, robots });
    this.#machine.note('request', name, ip, path, status);
    this.onRequest();
    return answer;
  }

  #answerOf(host: SimHost, path: string, isReused: boolean): Answer | undefined {
    const isRobots = path === '/robots.txt';
    const page = host.pages.get(path);
    const fault = this.fails(`http://${host.name}${path}`) ? this.#machine.random(9) : -1;
    switch (fault) {
      case 0:
        return isReused
          ? undefined
          : { status: 0, steps: [{ after: LATENCY, error: 'ECONNRESET' }] };
      case 1:
        return isReused ? undefined : { status: 0, steps: [{ after: LATENCY, end: true }] };
      case 2:
        return { status: 0, steps: [] }; // silence
      case 3:
      case 4:
        return this.#notNow(fault === 3 ? 503 : 429);
      case 5:
        return { status: 500, steps: this.#steps(response(500, 'text/plain', 'oh')) };
      case 6:
        return this.#cutHead(this.#whole(host, path, page));
      case 7:
        if (isRobots || page?.kind === 'text') return this.#cutBody(this.#whole(host, path, page));
        return this.#whole(host, path, page);
      case 8:
        return this.#slow(this.#whole(host, path, page));
      default:
        return this.#whole(host, path, page);
    }
  }

  #whole(host: SimHost, path: string, page: SimPage | undefined): Answer {
    if (path === '/robots.txt') {
      const { robots } = host;
      if (robots === undefined) return this.#plain(404, response(404, 'text/plain', 'none'), true);
      return this.#plain(200, response(200, 'text/plain', robots), true);
    }
    if (!page || page.kind === 'missing')
      return this.#plain(404, response(404, 'text/html', page?.body ?? 'not here'));
    if (page.kind === 'redirect')
      return this.#plain(301, response(301, 'text/html', '', `Location: ${page.links[0]}\r\n`));
    const type = page.kind === 'text' ? 'text/plain' : 'text/html; charset=utf-8';
    return this.#plain(200, response(200, type, page.body));
  }

  #plain(status: number, bytes: Buffer, isRobots = false): Answer {
    const steps = this.#steps(bytes);
    if (this.#machine.random(10) === 0) steps.push({ after: this.#machine.delay(500), end: true });
    return { status, steps, ...(isRobots && { robots: true }) };
  }

  #notNow(status: number): Answer {
    const seconds = this.#machine.random(3) === 0 ? 0 : 1 + this.#machine.random(30);
    const header = seconds > 0 ? `Retry-After: ${seconds}\r\n` : '';
    const steps = this.#steps(response(status, 'text/plain', 'later', header));
    return { status, steps, retryAfter: 1000 * seconds };
  }

  #cutHead({ steps: [{ bytes = Buffer.alloc(0) }] }: Answer): Answer {
    const some = bytes.subarray(0, 1 + this.#machine.random(15));
    const steps = [
      { after: LATENCY, bytes: some },
      { after: LATENCY, error: 'ECONNRESET' },
    ];
    return { status: 0, steps };
  }

  /** The head, part of the body, and the end of the connection. */
  #cutBody({ status, steps }: Answer): Answer {
    const all = Buffer.concat(steps.flatMap(({ bytes }) => bytes ?? []));
    const body = all.indexOf('\r\n\r\n') + 4;
    const some = all.subarray(0, body + this.#machine.random(all.length - body));
    const cut = [...this.#steps(some), { after: LATENCY, error: 'ECONNRESET' }];
    return { status, steps: cut };
  }

  #slow({ steps, ...answer }: Answer): Answer {
    return {
      ...answer,
      steps: steps.map((step) => ({ ...step, after: step.after + this.#machine.random(8000) })),
    };
  }

  /** In a few pieces. */
  #steps(bytes: Buffer): Step[] {
    const steps: Step[] = [];
    for (let at = 0; at < bytes.length; ) {
      const some =
        this.#machine.random(3) === 0 ? 1 + this.#machine.random(bytes.length) : Infinity;
      steps.push({ after: this.#machine.delay(LATENCY), bytes: bytes.subarray(at, at + some) });
      at += some;
    }
    return steps;
  }
}

export function response(status: number, type: string, body: string, more = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 ${status} x\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n`;
  return Buffer.concat([Buffer.from(`${head}${more}\r\n`), bytes]);
}

/** The part of a socket that the client uses. */
class SimSocket extends EventEmitter {
  readonly #machine: Machine;
  readonly #network: SimNetwork;
  readonly #ip: string;
  readonly #onread: net.OnReadOpts;
  #steps: Step[] = [];
  #busy = false;
  #paused = false;
  #closed = false;
  #served = 0;
  /** The server closes the connection after what it sends. */
  #ending = false;

  constructor(
    machine: Machine,
    network: SimNetwork,
    { host, onread }: net.TcpNetConnectOpts & net.SocketConstructorOpts,
  ) {
    super();
    this.#machine = machine;
    this.#network = network;
    this.#ip = host ?? '';
    this.#onread = onread as net.OnReadOpts;
    const fault = network.fails(`address ${this.#ip}`) ? machine.random(3) : -1;
    if (fault === 0) return; // never connected
    machine.after(machine.delay(LATENCY), () => {
      if (this.#closed) return;
      if (fault === 1) this.#break('ECONNREFUSED');
      else if (fault === 2) this.#break('EHOSTUNREACH');
      else this.emit('connect');
    });
  }

  write(bytes: Buffer): boolean {
    if (this.#closed) return false;
    if (this.#ending) return true; // the server closes the connection already
    const answer = this.#network.answer(this.#ip, bytes.toString('latin1'), this.#served++ > 0);
    const steps = answer?.steps ?? [{ after: LATENCY, error: 'ECONNRESET' }];
    this.#ending = steps.some(({ end, error }) => end || error);
    this.#steps.push(...steps);
    this.#next();
    return true;
  }

  pause(): this {
    this.#paused = true;
    return this;
  }

  resume(): this {
    this.#paused = false;
    this.#next();
    return this;
  }

  destroy(): this {
    this.#closed = true;
    return this;
  }

  #next(): void {
    if (this.#busy || this.#paused || this.#closed) return;
    const step = this.#steps.shift();
    if (!step) return;
    this.#busy = true;
    this.#machine.after(step.after, () => {
      this.#busy = false;
      if (this.#closed) return;
      if (step.error) this.#break(step.error);
      else if (step.end) this.emit('end');
      else if (step.bytes && !this.#deliver(step.bytes)) this.#paused = true;
      this.#next();
    });
  }

  #break(code: string): void {
    this.#steps = [];
    this.emit('error', systemError(code));
  }

  #deliver(bytes: Buffer): boolean {
    const { buffer, callback } = this.#onread;
    const into = typeof buffer === 'function' ? buffer() : buffer;
    bytes.copy(into as Buffer);
    return callback(bytes.length, into);
  }
}
