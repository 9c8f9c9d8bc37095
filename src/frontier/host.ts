/**
 * What is known of a host, and what the hosts of a domain share. Both are in memory while the host
 * is on the workbench, and on disk (`HostStore`) before and after.
 */

import type { Millis } from '../base/units.ts';
import { xxh64 } from '../base/xxh64.ts';
import type { ResolvedAddress } from '../net/dns.ts';
import { type RobotsRules, UNREACHABLE } from '../robots/parse-robots.ts';
import { domainKey } from '../url/fingerprint.ts';
import { hostId } from './backlog/memory-run.ts';
import type { HostId } from './backlog/run.ts';
import type { Discovery } from './queue/discovered-url.ts';
import { PathQueue } from './queue/path-queue.ts';

/** The robots.txt of one origin: its rules, or the request to make next. */
export interface RobotsEntry {
  readonly rules: RobotsRules | undefined;
  /** When the rules expire; without rules, when they may be requested. */
  readonly expiresAt: Millis;
  /** The crawl delay that the file asks for; 0 when it has none. */
  readonly crawlDelay: Millis;
  /** What to request next while there are no rules: the file, or where it redirects to. */
  readonly inquiry: { readonly url: string; readonly hops: number; readonly failures: number };
}

const HOUR: Millis = 3600_000;

/** How long what is known of a host holds. */
export const HOLDS = {
  /** Addresses, before the name is resolved again. */
  addresses: 1 * HOUR,
  /** That the crawl gave up on it. */
  givenUp: 4 * HOUR,
  /** The rules of a robots.txt. */
  rules: 24 * HOUR,
  /** That a robots.txt cannot be fetched. */
  unreachable: 1 * HOUR,
} as const;

/** What another part of the crawl keeps of a domain, and how it is written. */
interface DomainNotes {
  toBytes(): Uint8Array;
}

/** The pay-level domain of hosts. */
export class Domain {
  readonly name: string;
  /** The hash of its name. */
  readonly hash: bigint;
  /** The part of the hash that the keys of its hosts begin with. */
  readonly key: bigint;
  /** How many of its hosts are in memory. */
  hosts = 0;
  /** How many of these have nothing to fetch in memory. */
  idle = 0;
  /** Pages fetched from it in the whole crawl. */
  pages = 0;
  /** URLs of its hosts that are being fetched. */
  underWay = 0;
  /** When it had its last turn, in the virtual time of the order of turns. */
  turnAt: number | undefined;
  /** The place of its host that is queued last, in the same time. */
  queuedTo: number | undefined;
  /** The longest time between two of its turns by which hosts of it may be queued. */
  slowest = 0;
  /**
   * What another part keeps of it: as its record has it until that part reads it. It is stored and
   * handed over with the domain.
   */
  notes: Uint8Array | DomainNotes | undefined;

  constructor(name: string) {
    this.name = name;
    this.hash = xxh64(name);
    this.key = domainKey(name);
  }
}

/** A host name: its http and https sites share one turn. */
export class Host {
  readonly name: string;
  readonly id: HostId;
  readonly domain: Domain;
  readonly queue: PathQueue;
  /** The URL being fetched, until its page is committed or it is queued again. */
  underWay: Discovery | undefined;
  /** More of its URLs are in the backlog: new ones are queued behind them. */
  hasBacklog = false;
  /** Robots.txt by origin: each is valid for one scheme and port only. */
  readonly robots = new Map<string, RobotsEntry>();
  /** The first address is used; the others are for when it does not answer. */
  addresses: readonly ResolvedAddress[] = [];
  addressesExpireAt: Millis = 0;
  /** The host is paused until this time. */
  readyAt: Millis = 0;
  /** Requests in a row that were not answered. */
  failures = 0;
  /** Failed requests one after the other, of pages that did not fail before. */
  errorsInRow = 0;
  /**
   * URLs of the queue that are not to be tried before a time, because they failed; few hosts have
   * any. They are not kept on disk: a resumed crawl tries them sooner.
   */
  later: Map<string, Millis> | undefined;
  /** Set when the crawl gave up on the host: the fault, and until when. */
  givenUp: { readonly fault: string; readonly until: Millis } | undefined;
  /** Pages fetched in the whole crawl. */
  pages = 0;
  /** Smoothed response time; undefined before the first response. */
  responseTime: Millis | undefined;

  constructor(name: string, domain: Domain) {
    this.name = name;
    this.id = hostId(name);
    this.domain = domain;
    this.queue = new PathQueue(name);
  }

  /**
   * Forgets times that only a clock that was wrong can have written: each is later than it can be.
   * `longestPause` is the longest pause of the host.
   */
  mistrustFuture(now: Millis, longestPause: Millis): void {
    if (this.readyAt > now + longestPause) this.readyAt = now;
    if (this.addressesExpireAt > now + HOLDS.addresses) this.addressesExpireAt = 0;
    if (this.givenUp && this.givenUp.until > now + HOLDS.givenUp) this.givenUp = undefined;
    for (const [origin, { rules, expiresAt }] of this.robots) {
      const holds = rules === UNREACHABLE ? HOLDS.unreachable : HOLDS.rules;
      if (expiresAt > now + holds) this.robots.delete(origin);
    }
  }

  /** Corrects what a clock that was ahead by so much has written. */
  setBack(ahead: Millis): void {
    if (ahead === 0) return;
    this.readyAt -= ahead;
    this.addressesExpireAt -= ahead;
    if (this.givenUp) this.givenUp = { ...this.givenUp, until: this.givenUp.until - ahead };
    for (const [origin, entry] of this.robots)
      this.robots.set(origin, { ...entry, expiresAt: entry.expiresAt - ahead });
  }

  /** When the first of the URLs that are to be tried later may be tried; Infinity without any. */
  get retryAt(): Millis {
    let first = Infinity;
    for (const until of this.later?.values() ?? []) first = Math.min(first, until);
    return first;
  }

  /** The longest crawl delay of the host's robots.txt files. */
  get crawlDelay(): Millis {
    let longest = 0;
    for (const { crawlDelay } of this.robots.values()) longest = Math.max(longest, crawlDelay);
    return longest;
  }
}
