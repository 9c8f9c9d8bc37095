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

/** What is known of the robots.txt of one origin: its rules, or how far the inquiry has come. */
export interface RobotsEntry {
  readonly rules: RobotsRules | undefined;
  readonly expiresAt: Millis;
  /** What the file asks between two requests; 0 when it does not say. */
  readonly crawlDelay: Millis;
  /** What to ask next, while there are no rules: the file, or where it was moved to. */
  readonly inquiry: { readonly url: string; readonly hops: number; readonly failures: number };
}

/** All that politeness knows of a host. The unit is the host name: its http and https sites share one turn. */
export class Host {
  readonly name: string;
  readonly queue = new Fifo<Discovery>();
  /** By origin, since a robots.txt speaks for one scheme and port only. */
  readonly robots = new Map<string, RobotsEntry>();
  /** Addresses to try when the present one does not answer. */
  otherAddresses: ResolvedAddress[] = [];
  /** Failures in a row without a response between them. */
  failures = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** What the host's robots.txt files ask between two requests: the longest, since they share one host. */
  get crawlDelay(): Millis {
    let longest = 0;
    for (const { crawlDelay } of this.robots.values()) longest = Math.max(longest, crawlDelay);
    return longest;
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

  /** Gives a host its place; the first address is used, the others when it does not answer. */
  resolved(host: Host, [address, ...others]: readonly ResolvedAddress[]): void {
    host.otherAddresses = others;
    this.#workbench.attach(host, address);
  }

  /** Sends the host whose turn it is to its next address; false when it has none. */
  tryOtherAddress(turn: HostTurn): boolean {
    const next = turn.host.otherAddresses.shift();
    if (next) this.#workbench.move(turn, next);
    return next !== undefined;
  }

  /** Takes an address that belongs to another host's turn, when it is free and ready. */
  borrow(address: ResolvedAddress, now: Millis): boolean {
    return this.#workbench.borrow(address, now);
  }

  /** Gives a borrowed address back after `hostName` was asked there. */
  giveBack(address: ResolvedAddress, addressReadyAt: Millis, hostName: string, hostReadyAt: Millis): void {
    this.#workbench.giveBack(address, addressReadyAt, this.#hosts.get(hostName), hostReadyAt);
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
