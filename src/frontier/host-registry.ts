/**
 * The registry of hosts: which hosts and domains are in memory, and which hosts may enter?
 *
 *   candidate ─► enter ─► resolving ─► place on the workbench ◄─► idle ─► leave ─► host store
 *
 * Idea      A host in memory is in one of three states. It is *resolving*: it needs an address. It
 *           has a place on the workbench and URLs: it is part of the front. Or it is *idle*: memory
 *           holds no URL of it. When memory is full, the host idle the longest leaves.
 * Requires  one caller. A host leaves only when its queue is empty and no turn of it is out.
 * Ensures   When `limits.hosts` hosts are in memory, another enters only in place of an idle one,
 *           if there is one. A domain stays in memory as long as one of its hosts does, or a sweep
 *           could still read its older record. A sweep does not bring back a host that left ahead
 *           of it, and no further host of a domain that has its share of places.
 * Cost      one map entry a host and a domain; nothing a URL.
 */
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import type { ResolvedAddress } from '../net/dns.ts';
import { payLevelDomain } from '../url/domain.ts';
import type { FrontSizeLimits } from './front-size.ts';
import { Domain, HOLDS, Host } from './host.ts';
import type { HostStore } from './host-store.ts';
import { Fifo } from './queue/fifo.ts';
import { SweepMark } from './sweep-mark.ts';
import type { Workbench } from './workbench.ts';

export interface HostLimits extends FrontSizeLimits {
  /** When the front is larger than `front`, an address with this many queued hosts gets no more. */
  readonly hostsPerAddress: number;
  /** A domain with this many hosts in memory that have something to fetch gets no more. */
  readonly hostsPerDomain: number;
  /** Most pages fetched from one host in the whole crawl. */
  readonly pagesPerHost: number;
  /** Most pages fetched from one domain in the whole crawl. */
  readonly pagesPerDomain: number;
}

export interface RegistryParts {
  /** Without a store no host ever leaves memory. */
  readonly store: HostStore | undefined;
  readonly clock: Clock;
  readonly limits: HostLimits;
  /** Called when a host enters memory, with everything known of it filled in. */
  readonly onEnter?: (host: Host) => void;
  /** Called when a host leaves memory: other parts can drop what they keep of it. */
  readonly onLeave?: (host: Host) => void;
}

/** A host paused for longer than this makes room for others when memory is full. */
export const PATIENCE: Millis = 60_000;

export class HostRegistry {
  hostsSeen = 0;
  domainsSeen = 0;
  /** Every host of the crawl is in memory: a host that is not there is new. */
  allHere = true;
  readonly #parts: RegistryParts;
  readonly #limits: HostLimits;
  readonly #workbench: Workbench<Host>;
  readonly #hosts = new Map<string, Host>();
  readonly #domains = new Map<string, Domain>();
  /** Hosts in memory with nothing to fetch there, the one that ran dry first at the head. */
  readonly #idle = new Set<Host>();
  /** Hosts without a place on the workbench that need an address, looked up or not yet. */
  readonly #resolving = new Set<Host>();
  /** Those of `#resolving` whose names are not looked up yet. */
  readonly #unresolved = new Fifo<Host>();
  readonly #sweep = new SweepMark();

  constructor(parts: RegistryParts, workbench: Workbench<Host>) {
    this.#parts = parts;
    this.#limits = parts.limits;
    this.#workbench = workbench;
  }

  // —— What is in memory ——

  get(name: string): Host | undefined {
    return this.#hosts.get(name);
  }

  /** The domain of a host, if one of its hosts is in memory. */
  domainOf(hostName: string): Domain | undefined {
    return this.#hosts.get(hostName)?.domain ?? this.#domains.get(payLevelDomain(hostName));
  }

  hosts(): Iterable<Host> {
    return this.#hosts.values();
  }

  domains(): Iterable<Domain> {
    return this.#domains.values();
  }

  get size(): number {
    return this.#hosts.size;
  }

  /** Hosts in memory that have something to fetch, and an address. */
  get front(): number {
    return this.#hosts.size - this.#idle.size - this.#resolving.size;
  }

  get isFull(): boolean {
    return this.#hosts.size >= this.#limits.hosts;
  }

  /** There is a place for another host with something to fetch, if need be that of an idle one. */
  get hasPlace(): boolean {
    const { hosts, front } = this.#limits;
    // Names that do not resolve must not take all places.
    const resolving = this.#resolving.size < Math.max(front, hosts / 4);
    return resolving && this.#hosts.size - this.#idle.size < hosts;
  }

  // —— Hosts enter and leave ——

  /** A host for a name that is not in memory; `enter` or nothing follows. */
  candidate(name: string): { readonly host: Host; readonly newDomain: boolean } {
    const domainName = payLevelDomain(name);
    const known = this.#domains.get(domainName);
    return {
      host: new Host(name, known ?? new Domain(domainName)),
      newDomain: known === undefined,
    };
  }

  /** `known`: whether the host and its domain were seen before. */
  enter(host: Host, known: { readonly host: boolean; readonly domain: boolean }): void {
    if (!known.host) this.hostsSeen++;
    if (!known.domain && !this.#domains.has(host.domain.name)) this.domainsSeen++;
    this.#makeRoom();
    this.#domains.set(host.domain.name, host.domain);
    host.domain.hosts++;
    this.#hosts.set(host.name, host);
    this.#parts.onEnter?.(host);
    if (host.addresses.length > 0 && host.addressesExpireAt > this.#parts.clock.now()) {
      this.ranDry(host);
      this.#workbench.attach(host, host.addresses[0]);
    } else this.resolve(host);
  }

  /** Keeps what is known of a host on disk, and nothing of it in memory. */
  leave(host: Host): void {
    this.allHere = false;
    if (this.#workbench.has(host)) this.#workbench.detach(host, this.#parts.clock.now());
    this.#hosts.delete(host.name);
    this.#noLongerIdle(host);
    this.#parts.store?.save(host);
    this.#sweep.left(host);
    this.#parts.onLeave?.(host);
    const { domain } = host;
    if (--domain.hosts === 0 && this.#sweep.hasPassed(domain.key)) this.#dropDomain(domain);
  }

  /** When memory is full, the host idle the longest leaves. */
  #makeRoom(): void {
    if (!this.isFull) return;
    const [oldest] = this.#idle;
    if (oldest) this.leave(oldest);
  }

  /** A sweep is about to begin (0), or has come to this key, or is over (undefined). */
  sweepAt(key: bigint | undefined): void {
    this.#sweep.moveTo(key);
    if (key !== undefined) return;
    for (const domain of this.#domains.values()) if (domain.hosts === 0) this.#dropDomain(domain);
  }

  /** The record of the host that the sweep would read is older than what was known when it left. */
  leftAhead(name: string): boolean {
    return this.#sweep.isLeft(name);
  }

  #dropDomain(domain: Domain): void {
    this.#parts.store?.saveDomain(domain);
    this.#domains.delete(domain.name);
  }

  /** Domains of a checkpoint are restored before their hosts. */
  restoreDomain(name: string, fill: (domain: Domain) => void): void {
    const domain = new Domain(name);
    fill(domain);
    this.#domains.set(name, domain);
  }

  // —— Addresses ——

  /** Puts a host without a place among those that need an address. */
  resolve(host: Host): void {
    this.#resolving.add(host);
    this.#unresolved.push(host);
  }

  /** The next host that needs an address. */
  nextUnresolved(): Host | undefined {
    return this.#unresolved.shift();
  }

  /** Gives a host its place at the first address; false when too many hosts are queued there. */
  resolved(host: Host, addresses: readonly ResolvedAddress[]): boolean {
    host.addresses = addresses;
    host.addressesExpireAt = this.#parts.clock.now() + HOLDS.addresses;
    this.#resolving.delete(host);
    if (this.#isCrowded(addresses[0].ip)) return false;
    this.#workbench.attach(host, addresses[0]);
    return true;
  }

  /** The address could not serve more hosts anyway, and others could use their places. */
  #isCrowded(ip: string): boolean {
    const { front, hostsPerAddress } = this.#limits;
    return (
      this.#parts.store !== undefined &&
      this.front > front &&
      this.#workbench.waitingAt(ip) >= hostsPerAddress
    );
  }

  /** The domain has its share of places: one with endless hosts would take those of all others. */
  isWide({ hosts, idle }: Domain): boolean {
    return hosts - idle >= this.#limits.hostsPerDomain;
  }

  // —— Busy and idle ——

  /**
   * A host in memory has something to fetch: it gets a turn, after a look-up if it has no address.
   */
  filled(host: Host): void {
    const wasIdle = this.#noLongerIdle(host);
    const now = this.#parts.clock.now();
    if (wasIdle && this.#workbench.has(host) && host.addressesExpireAt <= now)
      this.#workbench.detach(host, now);
    if (this.#workbench.has(host)) this.#workbench.filled(host);
    else if (!this.#resolving.has(host)) this.resolve(host);
  }

  /** A host in memory has nothing to fetch. */
  ranDry(host: Host): void {
    if (!this.#idle.has(host)) host.domain.idle++;
    this.#idle.add(host);
  }

  /** Returns whether it was idle. */
  #noLongerIdle(host: Host): boolean {
    const wasIdle = this.#idle.delete(host);
    if (wasIdle) host.domain.idle--;
    return wasIdle;
  }

  // —— Hosts of which nothing more is fetched ——

  /**
   * Why nothing more is fetched from a host; undefined when it may be fetched from. Limits of pages
   * do not apply to requisites.
   */
  refusal({ givenUp, pages, domain }: Host, isRequisite = false): string | undefined {
    if (givenUp && givenUp.until > this.#parts.clock.now()) return givenUp.fault;
    if (isRequisite) return undefined;
    if (pages >= this.#limits.pagesPerHost) return 'host-page-limit';
    return domain.pages >= this.#limits.pagesPerDomain ? 'domain-page-limit' : undefined;
  }

  /** What keeps a candidate out for now, or refuses its URLs for good. */
  objection(host: Host): 'refused' | 'later' | undefined {
    if (this.refusal(host)) return 'refused';
    const now = this.#parts.clock.now();
    if (host.readyAt > now + PATIENCE) return 'later';
    const [address] = host.addresses;
    return address && host.addressesExpireAt > now && this.#isCrowded(address.ip)
      ? 'later'
      : undefined;
  }

  /** Gives up on a host for some hours; true when its look-up ends with that. */
  giveUp(host: Host, fault: string): boolean {
    host.givenUp = { fault, until: this.#parts.clock.now() + HOLDS.givenUp };
    return this.#resolving.delete(host);
  }
}
