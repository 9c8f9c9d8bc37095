/**
 * The frontier: every URL that passed the sieve and was not fetched yet, and the order in which it may be.
 *
 * Flow      `add` puts a URL behind the others of its host. A host met for the first time comes out of `unresolved`;
 *           its owner resolves the name and answers with `resolved` or `drop`. From then on the host takes
 *           its turns on the workbench.
 * Ensures   no URL is lost: each is handed out by a turn, or returned by `drop`, or still `queued`.
 * Cost      memory for every queued URL. (The backlog on disk takes the place of the long queues; the interface
 *           stays.)
 */

import type { ResolvedAddress } from '../fetch/exchange.ts';
import type { RobotsRules } from '../fetch/robots.ts';
import type { Millis } from '../units.ts';
import { payLevelDomain } from '../url/domain.ts';
import { hostOf } from '../url/parts.ts';
import type { Discovery } from './discovery.ts';
import { Fifo } from './fifo.ts';
import { type Turn, Workbench } from './workbench.ts';

/** All that politeness knows of a host. The unit is the host name: its http and https sites share one turn. */
export class Host {
  readonly name: string;
  readonly queue = new Fifo<Discovery>();
  /** Rules by origin, since a robots.txt speaks for one scheme and port only. */
  readonly robots = new Map<string, { readonly rules: RobotsRules; readonly expiresAt: Millis }>();
  /** What the host's own robots.txt asks between two requests; 0 when it does not say. */
  crawlDelay: Millis = 0;
  /** Failures in a row without a response between them. */
  failures = 0;

  constructor(name: string) {
    this.name = name;
  }
}

export type HostTurn = Turn<Host>;

export class Frontier {
  readonly #hosts = new Map<string, Host>();
  readonly #unresolved = new Fifo<Host>();
  readonly #workbench = new Workbench<Host>();
  readonly #domains = new Set<string>();
  #queued = 0;

  /** URLs waiting, on or off the workbench. */
  get queued(): number {
    return this.#queued;
  }

  get hosts(): number {
    return this.#hosts.size;
  }

  get domains(): number {
    return this.#domains.size;
  }

  /** Turns given and not yet given back. */
  get turnsOut(): number {
    return this.#workbench.turnsOut;
  }

  add(discovery: Discovery): void {
    const host = this.#hostFor(hostOf(discovery.url));
    host.queue.push(discovery);
    this.#queued++;
    this.#workbench.filled(host);
  }

  /** Puts a URL back at the head of its host's queue, to be tried again at the host's next turn. */
  putBack(turn: HostTurn, discovery: Discovery): void {
    turn.host.queue.unshift(discovery);
    this.#queued++;
  }

  /** The next host that needs an address. */
  unresolved(): Host | undefined {
    return this.#unresolved.shift();
  }

  resolved(host: Host, address: ResolvedAddress): void {
    this.#workbench.attach(host, address);
  }

  /** Forgets what waits at a host, and the host if it never got an address: the caller accounts for the URLs. */
  drop(host: Host): Discovery[] {
    const dropped = [...host.queue];
    while (host.queue.length > 0) host.queue.shift();
    this.#queued -= dropped.length;
    if (!this.#workbench.has(host)) this.#hosts.delete(host.name);
    return dropped;
  }

  acquire(now: Millis): HostTurn | undefined {
    return this.#workbench.acquire(now);
  }

  /** The URL at the head of the host whose turn it is, taken out. */
  take(turn: HostTurn): Discovery | undefined {
    const discovery = turn.host.queue.shift();
    if (discovery) this.#queued--;
    return discovery;
  }

  release(turn: HostTurn, hostReadyAt: Millis, addressReadyAt: Millis): void {
    this.#workbench.release(turn, hostReadyAt, addressReadyAt);
  }

  nextReadyAt(): Millis {
    return this.#workbench.nextReadyAt();
  }

  /** Everything that waits, for the folder of a crawl that is stopped. */
  *waiting(): Iterable<Discovery> {
    for (const host of this.#hosts.values()) yield* host.queue;
  }

  #hostFor(name: string): Host {
    let host = this.#hosts.get(name);
    if (!host) {
      host = new Host(name);
      this.#hosts.set(name, host);
      this.#domains.add(payLevelDomain(name));
      this.#unresolved.push(host);
    }
    return host;
  }
}
