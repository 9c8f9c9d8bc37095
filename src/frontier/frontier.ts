/**
 * The frontier: every URL that passed the sieve and is not fetched yet, and the order of fetching.
 *
 *   add ─► queue of its host, in memory ─► workbench ─► turn: take, take, … ─► release
 *      └─► backlog, when memory has no room for it or others of its host are queued there
 *
 * Idea      Memory holds the *front*: the hosts that can be fetched soon, each with its next few
 *           URLs. Everything else is on disk: URLs in the backlog, what is known of hosts in the
 *           host store. While a whole crawl fits into memory, nothing goes to disk, and a small
 *           crawl feels instant. Later the distributor brings hosts in as others run dry. Which
 *           hosts are in memory is kept by the registry (`HostRegistry`); this file gives turns.
 * Requires  one caller.
 * Ensures   URLs of a host come out in the order in which they were added; requisites in memory
 *           come before pages. No URL is lost: each is handed out by a turn, or counted as refused,
 *           or still queued.
 * Cost      the hosts and URLs of `limits`, however many the crawl has.
 */
import type { Millis } from '../base/units.ts';
import type { ResolvedAddress } from '../net/dns.ts';
import { hostOf } from '../url/parts.ts';
import type { Backlog } from './backlog/backlog.ts';
import type { Sweep } from './backlog/sweep.ts';
import { FrontSize } from './front-size.ts';
import type { Domain, Host } from './host.ts';
import { type HostLimits, HostRegistry, PATIENCE, type RegistryParts } from './host-registry.ts';
import type { HostStore } from './host-store.ts';
import type { Discovery } from './queue/discovered-url.ts';
import { type Entries, PathQueue, requisitesIn } from './queue/path-queue.ts';
import type { TurnOrder } from './turn-order.ts';
import { type AddressTable, type HostTable, type Turn, Workbench } from './workbench.ts';

export type HostTurn = Turn<Host>;

export interface FrontierLimits extends HostLimits {
  /** Most URLs in memory. */
  readonly urls: number;
}

export interface FrontierState {
  readonly hostsSeen: number;
  readonly domainsSeen: number;
  /** How many hosts in the front the fetchers need. */
  readonly required: number;
  readonly allHere: boolean;
}

interface FrontierParts extends RegistryParts {
  readonly backlog: Backlog;
  readonly limits: FrontierLimits;
  /** Requisites are fetched: they are counted, and limits of pages do not apply to them. */
  readonly requisites?: boolean;
  readonly addresses?: AddressTable;
  /** Required for requests out of turn. */
  readonly hosts?: HostTable;
  /** Which of the ready hosts is next; without it the one that was ready first. */
  readonly turnOrder?: TurnOrder<Host>;
  /** When a host that is not in memory may be asked out of turn for the first time. */
  readonly askFrom?: (hostName: string) => Millis;
  /** When an address may be asked for the first time. */
  readonly readyFrom?: (ip: string) => Millis;
  /** When a host may be asked for the first time. */
  readonly hostReadyFrom?: (host: Host) => Millis;
  /** The time between two requests to a host; without it there is none. */
  readonly delayOf?: (host: Host) => Millis;
  /** The longest pause of a host: no ready time that was stored is believed beyond it. */
  readonly longestPause?: (host: Host) => Millis;
  /**
   * Called when queued URLs of a host are refused, that is not fetched, with the reason: all but
   * one that is being fetched.
   */
  readonly onSkipped: (reason: string, urls: number, host: Host) => void;
  /** Called with the same URLs, one by one. Without it, those on disk are dropped unread. */
  readonly onSkippedUrl?: ((discovery: Discovery, reason: string) => void) | undefined;
}

/** A host may keep at least this many URLs in memory. */
const LEAST_QUEUE = 4;
/** A host may keep at most this many URLs in memory. */
const LONGEST_QUEUE = 4096;
/**
 * A host may take this part of the free memory for URLs. Among thousands of hosts with one URL
 * each, those with many would otherwise run dry long before the next sweep.
 */
const SHARE_OF_FREE = 1 / 64;
/**
 * The longest time for which a host with a delay has URLs in memory, when not everything fits. More
 * would take the room of other hosts: with 4 s between two requests, a thousand URLs last an hour.
 */
const AHEAD: Millis = 60_000;
/** The time between two calls of `makeRoom` that look at all hosts. */
const CLEAR_AGAIN_AFTER: Millis = 5000;

/** URLs of a refused host that are read from disk at once. */
const REFUSED_AT_ONCE = 256;

/** The longest pause of a host where the settings do not say. */
const LONGEST_PAUSE: Millis = 3600_000;

export class Frontier {
  readonly backlog: Backlog;
  readonly store: HostStore | undefined;
  readonly registry: HostRegistry;
  readonly #parts: FrontierParts;
  readonly #limits: FrontierLimits;
  readonly #workbench: Workbench<Host>;
  /** Hosts in memory with URLs in the backlog and few in memory: a sweep can feed them. */
  readonly #hungry = new Set<Host>();
  /** URLs queued in memory. */
  #queued = 0;
  /** Requisites among them. */
  #requisites = 0;
  readonly #size: FrontSize;
  #changes = 0;
  /** When `makeRoom` may look at all hosts again; 0 until it has done so once. */
  #clearAt: Millis = 0;

  constructor(parts: FrontierParts) {
    this.#parts = parts;
    this.#limits = parts.limits;
    this.#size = new FrontSize(parts.limits);
    this.backlog = parts.backlog;
    this.store = parts.store;
    const { addresses, readyFrom, hosts, turnOrder } = parts;
    this.#workbench = new Workbench<Host>(addresses, readyFrom, hosts, turnOrder);
    const onLeave = (host: Host) => {
      this.#hungry.delete(host);
      parts.onLeave?.(host);
    };
    this.registry = new HostRegistry({ ...parts, onLeave }, this.#workbench);
  }

  /** URLs queued, in memory or on disk. */
  get queued(): number {
    return this.#queued + this.backlog.urls;
  }

  /** Requisites queued in memory. */
  get requisites(): number {
    return this.#requisites;
  }

  /** Hosts in memory that have something to fetch, and an address. */
  get front(): number {
    return this.registry.front;
  }

  /** The front is smaller than at first, however large it should be now. */
  get fewHosts(): boolean {
    return this.front < this.#limits.front;
  }

  /** How large the front should be. */
  get required(): number {
    return this.#size.required;
  }

  /** Turns acquired and not released yet. */
  get turnsOut(): number {
    return this.#workbench.turnsOut;
  }

  /** Counts events after which a sweep may bring in more than the last one did. */
  get changes(): number {
    return this.#changes;
  }

  /** Hosts seen in the whole crawl. */
  get hostsSeen(): number {
    return this.registry.hostsSeen;
  }

  /** Domains seen in the whole crawl. */
  get domainsSeen(): number {
    return this.registry.domainsSeen;
  }

  // —— URLs come in ——

  add(discovery: Discovery): void {
    const name = hostOf(discovery.url);
    const host =
      this.registry.get(name) ?? (this.registry.allHere ? this.#newHost(name) : undefined);
    const reason = host && this.registry.refusal(host, discovery.isRequisite);
    if (host && reason) {
      this.#parts.onSkippedUrl?.(discovery, reason);
      this.#parts.onSkipped(reason, 1, host);
    } else if (
      host &&
      (discovery.isRequisite || discovery.isUrgent) &&
      host.queue.length < LONGEST_QUEUE
    ) {
      // Ahead of others, so that a page is soon complete, however many are queued.
      host.queue.unshift(discovery);
      this.#cameBack(discovery);
      this.registry.filled(host);
    } else if (host && !host.hasBacklog && this.roomAt(host) > 0) {
      host.queue.push(discovery);
      this.#queued++;
      this.registry.filled(host);
    } else {
      this.backlog.add(name, discovery);
      if (host) this.#queuedOnDisk(host);
      else this.#changes++;
    }
  }

  /** Moves URLs from the backlog to a host's queue; `more` when the backlog may hold others. */
  feed(host: Host, from: PathQueue, more: boolean): void {
    if (this.registry.get(host.name) !== host) {
      this.backlog.putBack(host.name, from.entries());
      return;
    }
    this.#queued += from.length;
    if (this.#parts.requisites) this.#requisites += requisitesIn(from.entries());
    if (from.length > 0) host.queue.append(from.entries());
    host.hasBacklog = more;
    this.#hungry.delete(host);
    if (more) this.#noteHunger(host);
    if (host.queue.length > 0) this.registry.filled(host);
  }

  /** Puts a URL back at the head of its host's queue, to be tried again at the host's next turn. */
  putBack({ host }: HostTurn, discovery: Discovery): void {
    host.queue.unshift(discovery);
    this.#endFetch(host);
    this.#cameBack(discovery);
  }

  /** Puts a URL behind the others of its host, which are fetched first; it is tried again later. */
  postpone({ host }: HostTurn, discovery: Discovery, until: Millis): void {
    host.later ??= new Map();
    host.later.set(discovery.url, until);
    host.queue.push(discovery);
    this.#endFetch(host);
    this.#cameBack(discovery);
  }

  /** How many URLs of a host memory has room for. */
  roomAt(host: Host): number {
    const { urls } = this.#limits;
    if (urls === Infinity) return Infinity;
    const share = Math.max(this.#share, (urls - this.#queued) * SHARE_OF_FREE);
    const isRoomy = this.registry.allHere && this.#clearAt === 0;
    const most = isRoomy ? LONGEST_QUEUE : this.#fetchableSoon(host);
    return Math.max(0, Math.min(Math.floor(share), most) - host.queue.length);
  }

  /**
   * A host's share of the URLs in memory. It is that in a front of full size: a few large hosts
   * must not take the room of all others.
   */
  get #share(): number {
    const hosts = Math.max(1, this.registry.size, this.required);
    return Math.max(this.#limits.urls / hosts, LEAST_QUEUE);
  }

  /** How many URLs a host can fetch in the time `AHEAD`. */
  #fetchableSoon(host: Host): number {
    const delay = this.#parts.delayOf?.(host) ?? 0;
    if (delay * LONGEST_QUEUE <= AHEAD) return LONGEST_QUEUE;
    return Math.max(LEAST_QUEUE, Math.floor(AHEAD / delay));
  }

  /** When `makeRoom` can do something; Infinity when nothing is to be done. */
  get clearAt(): Millis {
    const isCramped = this.front < this.required && this.#queued >= this.#limits.urls;
    return isCramped ? this.#clearAt : Infinity;
  }

  /**
   * If URLs fill the memory and the front is too small, moves the URLs that hosts with a delay
   * cannot fetch soon to the backlog.
   */
  makeRoom(): void {
    const now = this.#parts.clock.now();
    if (now < this.clearAt) return;
    this.#clearAt = now + CLEAR_AGAIN_AFTER;
    const share = Math.floor(this.#share);
    for (const host of this.registry.hosts()) {
      const soon = this.#fetchableSoon(host);
      if (host.queue.length <= Math.min(soon, share) || soon === LONGEST_QUEUE) continue;
      // On disk, the times of retries would be lost, and pages would wait for their requisites.
      const isSpecial = this.#requisites > 0 && requisitesIn(host.queue.entries()) > 0;
      if (isSpecial || (host.later?.size ?? 0) > 0) continue;
      const rest = host.queue.cut(Math.min(soon, share));
      this.#left(rest);
      this.backlog.putBack(host.name, rest);
      this.#queuedOnDisk(host);
    }
  }

  // —— Hosts come in and leave ——

  /** The host, if it is in memory. */
  host(name: string): Host | undefined {
    return this.registry.get(name);
  }

  /** The front is too small, and there is room for more. */
  get wantsMore(): boolean {
    return this.front < this.required && this.#hasRoom();
  }

  /** Budgets are new: hosts of domains that have risen get their turns sooner. */
  budgetsChanged(): void {
    this.#workbench.reorder(this.#parts.clock.now());
  }

  /** A fetcher had to wait. */
  starved(): void {
    this.#size.starved(this.front);
  }

  /**
   * Hosts with a backlog that have few URLs in memory, or none, as a share of all with a backlog.
   */
  get limbo(): number {
    const onDisk = this.backlog.hosts;
    return onDisk === 0 ? 0 : Math.max(0, onDisk - this.#fed()) / onDisk;
  }

  /** Whether a host at its limit of pages may still be asked for requisites. */
  keepsRequisites(host: Host): boolean {
    return this.#parts.requisites === true && this.registry.refusal(host, true) === undefined;
  }

  /** Of URLs of a host at its limit of pages: refuses the pages, and keeps the rest. */
  requisitesOf(host: Host, from: PathQueue): PathQueue {
    const kept = new PathQueue(host.name);
    const pages = new PathQueue(host.name);
    for (let found = from.shift(); found; found = from.shift())
      (found.isRequisite ? kept : pages).push(found);
    if (pages.length > 0) this.#refuse(host, pages, this.#refusalOf(host));
    return kept;
  }

  /** Refuses the URLs of a host in the backlog. */
  async refuse(host: Host, sweep: Pick<Sweep, 'drop' | 'take'>): Promise<void> {
    const reason = this.#refusalOf(host);
    const { onSkipped, onSkippedUrl } = this.#parts;
    if (!onSkippedUrl) {
      onSkipped(reason, sweep.drop(), host);
      return;
    }
    const queue = new PathQueue(host.name);
    while ((await sweep.take(REFUSED_AT_ONCE, queue)) > 0) this.#refuse(host, queue, reason);
  }

  /** Takes a candidate of the registry into memory, which must have room for it. */
  admit(host: Host, known: { readonly host: boolean; readonly domain: boolean }): void {
    const { hostReadyFrom = () => 0, hosts } = this.#parts;
    host.readyAt = Math.max(host.readyAt, hostReadyFrom(host));
    hosts?.entered(host.name, host.readyAt, host.crawlDelay);
    this.registry.enter(host, known);
  }

  /** The next host that needs an address. */
  unresolved(): Host | undefined {
    return this.registry.nextUnresolved();
  }

  /** Gives a host its place at the first address; the others are used when that does not answer. */
  resolved(host: Host, addresses: readonly ResolvedAddress[]): void {
    if (!this.registry.resolved(host, addresses)) {
      this.#emptyQueue(host);
      this.registry.leave(host);
    } else if (host.queue.length === 0) this.#ranDry(host);
  }

  /** Gives up on a host: its URLs in memory are refused, and those that come in the next hours. */
  giveUp(host: Host, fault: string): number {
    const wasResolving = this.registry.giveUp(host, fault);
    const urls = this.#refuseQueue(host, fault);
    // Without an address it has no place; it stays in memory as an idle host.
    if (wasResolving) this.#ranDry(host);
    return urls;
  }

  // —— Turns ——

  acquire(now: Millis): HostTurn | undefined {
    return this.#workbench.acquire(now);
  }

  /**
   * Takes the host's next URL out; undefined when there is none, or only such as are paused. With
   * `onlyRequisites` its pages stay queued.
   */
  take({ host }: HostTurn, onlyRequisites = false): Discovery | undefined {
    this.#endFetch(host);
    const discovery = this.#firstDue(host, onlyRequisites);
    if (discovery) {
      host.underWay = discovery;
      this.#queued--;
      if (discovery.isRequisite) this.#requisites--;
      else host.domain.underWay++;
    }
    this.#noteHunger(host);
    return discovery;
  }

  /** URLs that are to be tried later go to the end, each at most once a call. */
  #firstDue({ queue, later }: Host, onlyRequisites: boolean): Discovery | undefined {
    if (onlyRequisites && this.#requisites === 0) return undefined;
    if ((later?.size ?? 0) === 0 && !onlyRequisites) return queue.shift();
    const now = this.#parts.clock.now();
    for (let left = queue.length; left > 0; left--) {
      const discovery = queue.shift() as Discovery;
      const isDue = (later?.get(discovery.url) ?? 0) <= now;
      if (isDue && (discovery.isRequisite || !onlyRequisites)) {
        later?.delete(discovery.url);
        return discovery;
      }
      queue.push(discovery);
    }
    return undefined;
  }

  /** The page of the URL taken last is committed. */
  countPage({ host }: HostTurn): void {
    this.#endFetch(host);
    host.pages++;
    host.domain.pages++;
  }

  /** The URL taken last, a requisite, is committed. */
  endRequisite({ host }: HostTurn): void {
    this.#endFetch(host);
  }

  /** The pages of the domain that are under way may be its last. */
  mustWait({ host }: HostTurn): boolean {
    const { domain } = host;
    if (domain.pages + domain.underWay < this.#limits.pagesPerDomain) return false;
    // A host at its limit has only requisites in memory: see `atLimit`.
    return this.registry.refusal(host) === undefined;
  }

  /**
   * Nothing more may be fetched from the host. Its URLs in memory are refused; requisites only if
   * the crawl gave up on the host.
   */
  atLimit({ host }: HostTurn): boolean {
    const reason = this.registry.refusal(host);
    if (!reason) return false;
    const kept = this.keepsRequisites(host) ? this.requisitesOf(host, this.#drained(host)) : null;
    if (!kept) this.#refuseQueue(host, reason);
    else if (kept.length > 0) this.feed(host, kept, host.hasBacklog);
    return host.queue.length === 0;
  }

  /** Ends a turn: the host is paused until `hostReadyAt`, its address until `addressReadyAt`. */
  release(turn: HostTurn, hostReadyAt: Millis, addressReadyAt: Millis): void {
    const { host } = turn;
    this.#endFetch(host);
    const now = this.#parts.clock.now();
    if (hostReadyAt > now + PATIENCE && !this.#hasRoom()) this.#emptyQueue(host);
    const resolveAgain = host.addressesExpireAt <= now;
    this.#workbench.release(turn, hostReadyAt, addressReadyAt, resolveAgain);
    if (host.queue.length === 0) this.#ranDry(host);
    else if (resolveAgain) this.registry.resolve(host);
  }

  /** Sends the host whose turn it is to its next address; false when it has none. */
  tryOtherAddress(turn: HostTurn): boolean {
    const [, ...others] = turn.host.addresses;
    if (others.length === 0) return false;
    turn.host.addresses = others;
    this.#workbench.move(turn, others[0]);
    return true;
  }

  /**
   * Takes a host for a request out of turn, and its address unless the caller's turn has it
   * already. Returns 0, or when to try again.
   */
  tryAsk(hostName: string, address: ResolvedAddress | undefined, now: Millis): Millis {
    const from = this.askableFrom(hostName);
    return from > now ? from : this.#workbench.tryAsk(hostName, address, now);
  }

  /** Since when a host may be asked out of turn: after a resume, not from the start. */
  askableFrom(hostName: string): Millis {
    const { askFrom = () => 0 } = this.#parts;
    return this.registry.get(hostName) ? 0 : askFrom(hostName);
  }

  /**
   * Ends a request out of turn, with the delays of the host and of its address, if it was taken.
   */
  asked(
    hostName: string,
    delay: Millis,
    at: { readonly address: ResolvedAddress; readonly delay: Millis } | undefined,
  ): void {
    this.#workbench.asked(hostName, delay, at, this.#parts.clock.now());
  }

  /** When the next turn may be acquired; Infinity when no host is queued. */
  nextReadyAt(): Millis {
    return this.#workbench.nextReadyAt();
  }

  // —— Checkpoints ——

  inMemory(): Iterable<Host> {
    return this.registry.hosts();
  }

  domainsInMemory(): Iterable<Domain> {
    return this.registry.domains();
  }

  /** What a checkpoint stores beside the snapshot. */
  get state(): FrontierState {
    const { hostsSeen, domainsSeen, allHere } = this.registry;
    return { hostsSeen, domainsSeen, required: this.#size.needed, allHere };
  }

  /** Resumes from a checkpoint; the registry's `restoreDomain` and `restoreHost` follow. */
  restore({ hostsSeen, domainsSeen, required, allHere }: FrontierState): void {
    this.registry.hostsSeen = hostsSeen;
    this.registry.domainsSeen = domainsSeen;
    this.registry.allHere = allHere;
    this.#size.restore(required);
  }

  /** Forgets times of a stored host that a clock that was wrong has written. */
  mistrust(host: Host): void {
    const { clock, longestPause = () => LONGEST_PAUSE } = this.#parts;
    host.mistrustFuture(clock.now(), longestPause(host));
  }

  restoreHost(host: Host, queued: PathQueue, hasBacklog: boolean): void {
    this.mistrust(host);
    this.admit(host, { host: true, domain: true });
    this.feed(host, queued, hasBacklog);
  }

  // —— Helpers ——

  #newHost(name: string): Host | undefined {
    const { host, newDomain } = this.registry.candidate(name);
    if (!this.#hasRoom() || this.registry.isFull || this.registry.isWide(host.domain)) {
      this.registry.allHere = false;
      return undefined;
    }
    this.admit(host, { host: false, domain: !newDomain });
    return host;
  }

  #hasRoom(): boolean {
    return this.#queued < this.#limits.urls && this.registry.hasPlace;
  }

  /**
   * The URL taken last is no longer under way: it is committed, queued again, failed or refused.
   */
  #endFetch(host: Host): void {
    if (host.underWay && !host.underWay.isRequisite) host.domain.underWay--;
    host.underWay = undefined;
  }

  /** A URL is in the queue of its host, again or for the first time. */
  #cameBack({ isRequisite }: Discovery): void {
    this.#queued++;
    if (isRequisite) this.#requisites++;
  }

  /** The queued URLs of a host, taken out of memory. */
  #drained(host: Host): PathQueue {
    const taken = new PathQueue(host.name);
    taken.append(host.queue.take(Infinity));
    this.#left(taken.entries());
    host.later = undefined;
    return taken;
  }

  /** Entries have left the queue of their host. */
  #left(entries: Entries): void {
    this.#queued -= entries.count;
    if (this.#parts.requisites) this.#requisites -= requisitesIn(entries);
  }

  #refusalOf(host: Host): string {
    return this.registry.refusal(host) ?? 'refused';
  }

  #refuseQueue(host: Host, reason: string): number {
    return this.#refuse(host, this.#drained(host), reason);
  }

  /**
   * Counts and reports URLs of a host that will not be fetched; `queue` may be empty afterwards.
   */
  #refuse(host: Host, queue: PathQueue, reason: string): number {
    const { onSkipped, onSkippedUrl } = this.#parts;
    const urls = queue.length;
    if (onSkippedUrl)
      for (let next = queue.shift(); next; next = queue.shift()) onSkippedUrl(next, reason);
    onSkipped(reason, urls, host);
    return urls;
  }

  #ranDry(host: Host): void {
    this.registry.ranDry(host);
    this.#changes++;
  }

  #queuedOnDisk(host: Host): void {
    host.hasBacklog = true;
    this.#noteHunger(host);
  }

  #noteHunger(host: Host): void {
    if (!host.hasBacklog || this.#hungry.has(host)) return;
    if (host.queue.length * 2 > this.roomAt(host)) return;
    this.#hungry.add(host);
    this.#changes++;
  }

  /** Hosts in memory that have enough URLs there for now. */
  #fed(): number {
    return Math.max(0, this.front - this.#hungry.size);
  }

  /** Moves the queued URLs of a host to the backlog. */
  #emptyQueue(host: Host): void {
    const entries = host.queue.take(Infinity);
    host.later = undefined;
    if (entries.count === 0) return;
    this.#left(entries);
    this.backlog.putBack(host.name, entries);
    host.hasBacklog = true;
  }
}
