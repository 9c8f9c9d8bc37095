/**
 * The frontier: every URL that passed the sieve and was not fetched yet, and the order in which it may be.
 *
 *   add ─► queue of its host, in memory ─► workbench ─► turn: take, take, … ─► release
 *      └─► backlog, when memory has no room for it or others of its host wait there
 *
 * Idea      Memory holds the *front*: the hosts that may be asked soon, each with its next few URLs. Everything else waits on
 *           disk: URLs in the backlog, what is known of hosts in the host store. While all of a crawl fits into memory
 *           nothing goes to disk, and a small crawl feels instant; from then on the distributor brings hosts in as
 *           others run dry.
 * Ensures   URLs of a host come out in the order in which they were added. No URL is lost: each is handed out by a turn, or
 *           counted as refused, or still waits.
 * Cost      the hosts and URLs of `limits`, whatever the number of either in the crawl.
 */
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import type { ResolvedAddress } from '../net/dns.ts';
import { payLevelDomain } from '../url/domain.ts';
import { hostOf } from '../url/parts.ts';
import type { Backlog } from './backlog/backlog.ts';
import { FrontSize, type FrontSizeLimits } from './front-size.ts';
import { Domain, Host } from './host.ts';
import type { HostStore } from './host-store.ts';
import { OutOfTurn } from './out-of-turn.ts';
import type { Discovery } from './queue/discovery.ts';
import { Fifo } from './queue/fifo.ts';
import type { PathQueue } from './queue/path-queue.ts';
import { SweepMark } from './sweep-mark.ts';
import { type AddressTable, type Turn, Workbench } from './workbench.ts';

export type HostTurn = Turn<Host>;

export interface FrontierLimits extends FrontSizeLimits {
  /** Most URLs in memory. */
  readonly urls: number;
  /** Beyond that size of the front, an address that has this many hosts waiting gets no more. */
  readonly hostsPerAddress: number;
  /** Pages in the life of the crawl. */
  readonly pagesPerHost: number;
  readonly pagesPerDomain: number;
}

export interface FrontierState {
  readonly hostsSeen: number;
  readonly domainsSeen: number;
  readonly required: number;
  readonly allHere: boolean;
}

export interface FrontierParts {
  readonly backlog: Backlog;
  /** Without one no host ever leaves memory. */
  readonly store: HostStore | undefined;
  readonly clock: Clock;
  readonly limits: FrontierLimits;
  readonly addresses?: AddressTable;
  /** When addresses may be asked for the first time. */
  readonly readyFrom?: (ip: string) => Millis;
  /** A host has come into memory, with what is known of it; or has left, and what others keep of it can go too. */
  readonly onEnter?: (host: Host) => void;
  readonly onLeave?: (host: Host) => void;
  /** URLs were refused without being fetched, by what. */
  readonly onRefused: (reason: string, urls: number) => void;
}

/** How long an address is believed before the name is resolved again. */
const ADDRESS_FRESH: Millis = 3600_000;
/** How long a host that was given up is left alone. */
const GIVEN_UP_FOR: Millis = 4 * 3600_000;
/** A host that must wait longer than this makes room for others, when memory is full. */
const PATIENCE: Millis = 60_000;
/** URLs of one host in memory. */
const LEAST_QUEUE = 16;
const LONGEST_QUEUE = 4096;

export class Frontier {
  readonly backlog: Backlog;
  readonly store: HostStore | undefined;
  readonly #parts: FrontierParts;
  readonly #limits: FrontierLimits;
  readonly #workbench: Workbench<Host>;
  readonly #hosts = new Map<string, Host>();
  readonly #domains = new Map<string, Domain>();
  /** With a place on the workbench and nothing to fetch in memory, the one that ran dry first at the head. */
  readonly #idle = new Set<Host>();
  readonly #unresolved = new Fifo<Host>();
  /** Without a place, and about to get one: unresolved, or being resolved. */
  readonly #resolving = new Set<Host>();
  /** Hosts in memory with URLs in the backlog and few in memory: what a sweep could do something for. */
  readonly #hungry = new Set<Host>();
  #queued = 0;
  readonly #size: FrontSize;
  /** Every host of the crawl is in memory: one that is not is new. */
  #allHere = true;
  readonly #sweep = new SweepMark();
  readonly #outOfTurn = new OutOfTurn();
  #changes = 0;
  hostsSeen = 0;
  domainsSeen = 0;

  constructor(parts: FrontierParts) {
    this.#parts = parts;
    this.#limits = parts.limits;
    this.#size = new FrontSize(parts.limits, parts.clock.now());
    this.backlog = parts.backlog;
    this.store = parts.store;
    this.#workbench = new Workbench<Host>(parts.addresses, parts.readyFrom);
  }

  /** URLs waiting, in memory or on disk. */
  get queued(): number {
    return this.#queued + this.backlog.urls;
  }

  /** Hosts in memory that have something to fetch, and an address. */
  get front(): number {
    return this.#hosts.size - this.#idle.size - this.#resolving.size;
  }

  /** Hardly as many as fetchers, whatever is required. */
  get fewHosts(): boolean {
    return this.front < this.#limits.front;
  }

  /** How large the front should be. */
  get required(): number {
    return this.#size.required;
  }

  /** Turns given and not yet given back. */
  get turnsOut(): number {
    return this.#workbench.turnsOut;
  }

  /** Counts what may let a sweep bring in more than the last one did. */
  get changes(): number {
    return this.#changes;
  }

  // —— URLs come in ——

  add(discovery: Discovery): void {
    const name = hostOf(discovery.url);
    const host = this.#hosts.get(name) ?? (this.#allHere ? this.#newHost(name) : undefined);
    const reason = host && this.#refusal(host);
    if (reason) this.#parts.onRefused(reason, 1);
    else if (host && !host.hasBacklog && this.roomAt(host) > 0) {
      host.queue.push(discovery);
      this.#queued++;
      this.#filled(host);
    } else {
      this.backlog.add(name, discovery);
      if (host) this.#waitsOnDisk(host);
      else this.#changes++;
    }
  }

  /** Puts a URL back at the head of its host's queue, to be tried again at the host's next turn. */
  putBack({ host }: HostTurn, discovery: Discovery): void {
    host.queue.unshift(discovery);
    this.#settle(host);
    this.#queued++;
  }

  /** Puts a URL behind the others of its host: it is tried again later, and they go on meanwhile. */
  postpone({ host }: HostTurn, discovery: Discovery, until: Millis): void {
    host.retryAt = until;
    host.queue.push(discovery);
    this.#settle(host);
    this.#queued++;
  }

  // —— Hosts come in and go ——

  /** The host, if it is in memory. */
  host(name: string): Host | undefined {
    return this.#hosts.get(name);
  }

  /** There should be more hosts with something to fetch, and there is room for them. */
  get wantsMore(): boolean {
    return this.front < this.required && this.#hasRoom();
  }

  /** A fetcher had to wait. */
  starved(): void {
    this.#size.starved(this.front, this.#parts.clock.now());
  }

  /** How many URLs of a host memory has room for. */
  roomAt(host: Host): number {
    // As if the front were as large as it should be: a few large hosts must not take the room of all others.
    const hosts = Math.max(1, this.#hosts.size, this.required);
    const share = Math.floor(this.#limits.urls / hosts);
    const most = share === Infinity ? share : Math.min(Math.max(share, LEAST_QUEUE), LONGEST_QUEUE);
    return Math.max(0, most - host.queue.length);
  }

  /** Hosts whose URLs wait on disk while they have few in memory or are not there, as a share of all such hosts. */
  get limbo(): number {
    const onDisk = this.backlog.hosts;
    return onDisk === 0 ? 0 : Math.max(0, onDisk - this.#fed()) / onDisk;
  }

  /** A sweep is about to begin, or has come to this key, or is over. */
  sweepAt(key: bigint | undefined): void {
    this.#sweep.moveTo(key);
    if (key !== undefined) return;
    for (const domain of this.#domains.values()) if (domain.hosts === 0) this.#dropDomain(domain);
  }

  /** The sweep must not bring the host in: its record on disk is older than what was known when it left. */
  leftAhead(name: string): boolean {
    return this.#sweep.isLeft(name);
  }

  /** A host for a name that is not in memory; `admit` or nothing follows. */
  candidate(name: string): { readonly host: Host; readonly newDomain: boolean } {
    const domainName = payLevelDomain(name);
    const known = this.#domains.get(domainName);
    return {
      host: new Host(name, known ?? new Domain(domainName)),
      newDomain: known === undefined,
    };
  }

  /** What keeps a candidate out for now, or refuses its URLs for good. */
  objection(host: Host): 'refused' | 'later' | undefined {
    if (this.#refusal(host)) return 'refused';
    const now = this.#parts.clock.now();
    if (host.readyAt > now + PATIENCE) return 'later';
    const [address] = host.addresses;
    return address && host.addressesExpireAt > now && this.#isCrowded(address.ip)
      ? 'later'
      : undefined;
  }

  /** Counts URLs of a host that will not be fetched. */
  refuse(host: Host, urls: number): void {
    this.#parts.onRefused(this.#refusal(host) ?? 'refused', urls);
  }

  /** Takes a host into memory, which must have room for it. */
  admit(host: Host, known: { readonly host: boolean; readonly domain: boolean }): void {
    if (!known.host) this.hostsSeen++;
    if (!known.domain && !this.#domains.has(host.domain.name)) this.domainsSeen++;
    this.#makeRoom();
    this.#domains.set(host.domain.name, host.domain);
    host.domain.hosts++;
    host.readyAt = Math.max(host.readyAt, this.#outOfTurn.readyAt(host.name));
    this.#hosts.set(host.name, host);
    this.#parts.onEnter?.(host);
    if (host.addresses.length > 0 && host.addressesExpireAt > this.#parts.clock.now()) {
      this.#idle.add(host);
      this.#workbench.attach(host, host.addresses[0]);
    } else this.#resolve(host);
  }

  /** Moves URLs from the backlog to a host's queue; `more` may wait there still. */
  feed(host: Host, from: PathQueue, more: boolean): void {
    if (this.#hosts.get(host.name) !== host) {
      this.backlog.putBack(host.name, from.entries());
      return;
    }
    this.#queued += from.length;
    if (from.length > 0) host.queue.append(from.entries());
    host.hasBacklog = more;
    this.#hungry.delete(host);
    if (more) this.#noteHunger(host);
    if (host.queue.length > 0) this.#filled(host);
  }

  /** The next host that needs an address. */
  unresolved(): Host | undefined {
    return this.#unresolved.shift();
  }

  /** Gives a host its place; the first address is used, the others when it does not answer. */
  resolved(host: Host, addresses: readonly ResolvedAddress[]): void {
    host.addresses = addresses;
    host.addressesExpireAt = this.#parts.clock.now() + ADDRESS_FRESH;
    this.#resolving.delete(host);
    if (this.#isCrowded(addresses[0].ip)) {
      this.#emptyQueue(host);
      this.#forget(host);
      return;
    }
    this.#workbench.attach(host, addresses[0]);
    if (host.queue.length === 0) this.#ranDry(host);
  }

  /** Gives a host up: what waits of it is refused, and so is what comes in the next hours. */
  giveUp(host: Host, fault: string): number {
    host.givenUp = { fault, until: this.#parts.clock.now() + GIVEN_UP_FOR };
    const urls = host.queue.take(Infinity).count;
    this.#queued -= urls;
    this.#parts.onRefused(fault, urls);
    // Without an address it has no place; it stays in memory as one that is idle.
    if (this.#resolving.delete(host)) this.#ranDry(host);
    return urls;
  }

  // —— Turns ——

  acquire(now: Millis): HostTurn | undefined {
    this.#size.shrink(now);
    return this.#workbench.acquire(now);
  }

  /** The next URL of the host whose turn it is, taken out; undefined when there is none, or only such as are tried again later. */
  take({ host }: HostTurn): Discovery | undefined {
    this.#settle(host);
    const discovery = this.#firstDue(host);
    if (discovery) {
      host.underWay = discovery;
      host.domain.underWay++;
      this.#queued--;
    }
    this.#noteHunger(host);
    return discovery;
  }

  /** Those that have failed before go to the end until their time has come, each once: none is looked at twice. */
  #firstDue({ queue, retryAt }: Host): Discovery | undefined {
    if (retryAt <= this.#parts.clock.now()) return queue.shift();
    for (let left = queue.length; left > 0; left--) {
      const discovery = queue.shift() as Discovery;
      if (!discovery.attempts) return discovery;
      queue.push(discovery);
    }
    return undefined;
  }

  /** The URL that was taken last is dealt with: a page of the host was fetched, and can no longer be lost. */
  countPage({ host }: HostTurn): void {
    host.underWay = undefined;
    host.pages++;
    host.domain.pages++;
  }

  /** Pages of the domain that are under way may be its last. */
  mustWait({ host: { domain } }: HostTurn): boolean {
    return domain.pages + domain.underWay >= this.#limits.pagesPerDomain;
  }

  /** No more pages may be fetched from the host or its domain: what waits of it in memory is refused. */
  atLimit({ host }: HostTurn): boolean {
    const reason = this.#refusal(host);
    if (!reason) return false;
    const urls = host.queue.take(Infinity).count;
    this.#queued -= urls;
    this.#parts.onRefused(reason, urls);
    return true;
  }

  release(turn: HostTurn, hostReadyAt: Millis, addressReadyAt: Millis): void {
    const { host } = turn;
    this.#settle(host);
    const now = this.#parts.clock.now();
    if (hostReadyAt > now + PATIENCE && !this.#hasRoom()) this.#emptyQueue(host);
    const resolveAgain = host.addressesExpireAt <= now;
    this.#workbench.release(turn, hostReadyAt, addressReadyAt, resolveAgain);
    if (host.queue.length === 0) this.#ranDry(host);
    else if (resolveAgain) this.#resolve(host);
  }

  /** Sends the host whose turn it is to its next address; false when it has none. */
  tryOtherAddress(turn: HostTurn): boolean {
    const [, ...others] = turn.host.addresses;
    if (others.length === 0) return false;
    turn.host.addresses = others;
    this.#workbench.move(turn, others[0]);
    return true;
  }

  /** Takes an address that belongs to another host's turn, when it is free and ready. */
  borrow(address: ResolvedAddress, now: Millis): boolean {
    return this.#workbench.borrow(address, now);
  }

  giveBack(address: ResolvedAddress, readyAt: Millis): void {
    this.#workbench.giveBack(address, readyAt);
  }

  /** Whether a host may be asked out of turn: nobody is asking it, and its delay is over. */
  mayAsk(hostName: string, now: Millis): boolean {
    const host = this.#hosts.get(hostName);
    const readyAt = Math.max(host?.readyAt ?? 0, this.#outOfTurn.readyAt(hostName));
    return readyAt <= now && !(host && this.#workbench.isOut(host));
  }

  /** A host was asked out of turn, whether it is in memory or not. */
  askedOutOfTurn(hostName: string, readyAt: Millis): void {
    const host = this.#hosts.get(hostName);
    if (host) host.readyAt = Math.max(host.readyAt, readyAt);
    this.#outOfTurn.asked(hostName, readyAt, this.#parts.clock.now());
  }

  nextReadyAt(): Millis {
    return this.#workbench.nextReadyAt();
  }

  // —— Checkpoints ——

  inMemory(): Iterable<Host> {
    return this.#hosts.values();
  }

  domainsInMemory(): Iterable<Domain> {
    return this.#domains.values();
  }

  /** What a checkpoint stores beside the snapshot. */
  get state(): FrontierState {
    const { hostsSeen, domainsSeen } = this;
    return { hostsSeen, domainsSeen, required: this.required, allHere: this.#allHere };
  }

  /** Takes up where a checkpoint left off; hosts and domains follow. */
  restore({ hostsSeen, domainsSeen, required, allHere }: FrontierState): void {
    this.hostsSeen = hostsSeen;
    this.domainsSeen = domainsSeen;
    this.#size.restore(required);
    this.#allHere = allHere;
  }

  restoreDomain(name: string, fill: (domain: Domain) => void): void {
    const domain = new Domain(name);
    fill(domain);
    this.#domains.set(name, domain);
  }

  restoreHost(host: Host, waiting: PathQueue, hasBacklog: boolean): void {
    host.mistrustFuture(this.#parts.clock.now());
    this.admit(host, { host: true, domain: true });
    this.feed(host, waiting, hasBacklog);
  }

  #newHost(name: string): Host | undefined {
    if (!this.#hasRoom() || this.#hosts.size >= this.#limits.hosts) {
      this.#allHere = false;
      return undefined;
    }
    const { host, newDomain } = this.candidate(name);
    this.admit(host, { host: false, domain: !newDomain });
    return host;
  }

  /** Why nothing more is fetched from a host, if so. */
  #refusal({ givenUp, pages, domain }: Host): string | undefined {
    if (givenUp && givenUp.until > this.#parts.clock.now()) return givenUp.fault;
    if (pages >= this.#limits.pagesPerHost) return 'host-page-limit';
    return domain.pages >= this.#limits.pagesPerDomain ? 'domain-page-limit' : undefined;
  }

  #hasRoom(): boolean {
    const { hosts, urls } = this.#limits;
    // Names that nobody answers for must not take all places.
    const resolving = this.#resolving.size < Math.max(this.#limits.front, hosts / 4);
    return resolving && this.#hosts.size - this.#idle.size < hosts && this.#queued < urls;
  }

  /** Nothing of the URL that was taken last can be lost any more. */
  #settle(host: Host): void {
    if (host.underWay) host.domain.underWay--;
    host.underWay = undefined;
  }

  /** The address could not serve more hosts anyway, and others could use their places. */
  #isCrowded(ip: string): boolean {
    const { front, hostsPerAddress } = this.#limits;
    return (
      this.store !== undefined &&
      this.front > front &&
      this.#workbench.waitingAt(ip) >= hostsPerAddress
    );
  }

  #filled(host: Host): void {
    const wasIdle = this.#idle.delete(host);
    const now = this.#parts.clock.now();
    if (wasIdle && this.#workbench.has(host) && host.addressesExpireAt <= now)
      this.#workbench.detach(host, now);
    if (this.#workbench.has(host)) this.#workbench.filled(host);
    else if (!this.#resolving.has(host)) this.#resolve(host);
  }

  #resolve(host: Host): void {
    this.#resolving.add(host);
    this.#unresolved.push(host);
  }

  #ranDry(host: Host): void {
    this.#idle.add(host);
    this.#changes++;
  }

  #waitsOnDisk(host: Host): void {
    host.hasBacklog = true;
    this.#noteHunger(host);
  }

  #noteHunger(host: Host): void {
    if (!host.hasBacklog || this.#hungry.has(host)) return;
    if (host.queue.length * 2 > this.roomAt(host)) return;
    this.#hungry.add(host);
    this.#changes++;
  }

  /** Hosts in memory that have enough for now. */
  #fed(): number {
    return Math.max(0, this.front - this.#hungry.size);
  }

  /** Sends the oldest idle host away, when memory is full. */
  #makeRoom(): void {
    if (this.#hosts.size < this.#limits.hosts) return;
    const [oldest] = this.#idle;
    if (oldest) this.#forget(oldest);
  }

  #emptyQueue(host: Host): void {
    const entries = host.queue.take(Infinity);
    if (entries.count === 0) return;
    this.#queued -= entries.count;
    this.backlog.putBack(host.name, entries);
    host.hasBacklog = true;
  }

  /** Keeps what is known of a host on disk, and nothing of it in memory. */
  #forget(host: Host): void {
    this.#allHere = false;
    if (this.#workbench.has(host)) this.#workbench.detach(host, this.#parts.clock.now());
    this.#hosts.delete(host.name);
    this.#idle.delete(host);
    this.#hungry.delete(host);
    this.store?.save(host);
    this.#sweep.left(host);
    this.#parts.onLeave?.(host);
    const { domain } = host;
    if (--domain.hosts === 0 && this.#sweep.hasPassed(domain.key)) this.#dropDomain(domain);
  }

  #dropDomain(domain: Domain): void {
    this.store?.saveDomain(domain);
    this.#domains.delete(domain.name);
  }
}
