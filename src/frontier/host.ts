/**
 * All that politeness knows of a host, and what its domain's hosts share. Both live in memory while the host is on the
 * workbench, and on disk (`HostStore`) before and after.
 */

import type { Millis } from '../base/units.ts';
import { xxh64 } from '../base/xxh64.ts';
import type { ResolvedAddress } from '../net/dns.ts';
import type { RobotsRules } from '../robots/parse-robots.ts';
import { domainKey } from '../url/fingerprint.ts';
import { hostId } from './backlog/memory-run.ts';
import type { HostId } from './backlog/run.ts';
import type { Discovery } from './queue/discovery.ts';
import { PathQueue } from './queue/path-queue.ts';

/** What is known of the robots.txt of one origin: its rules, or how far the inquiry has come. */
export interface RobotsEntry {
  readonly rules: RobotsRules | undefined;
  /** When the rules expire; without rules, when they may be requested. */
  readonly expiresAt: Millis;
  /** What the file asks between two requests; 0 when it does not say. */
  readonly crawlDelay: Millis;
  /** What to ask next, while there are no rules: the file, or where it was moved to. */
  readonly inquiry: { readonly url: string; readonly hops: number; readonly failures: number };
}

/** Nothing that is noted of a host holds for longer: the rules of a robots.txt do for a day. */
const LONGEST_WAIT: Millis = 25 * 3600_000;

/** The pay-level domain of hosts. */
export class Domain {
  readonly name: string;
  /** The hash of its name, and the part of it that its hosts' keys begin with. */
  readonly hash: bigint;
  readonly key: bigint;
  /** Its hosts in memory. */
  hosts = 0;
  /** Pages fetched from it in the life of the crawl. */
  pages = 0;
  /** URLs of its hosts that were taken and not settled. */
  underWay = 0;

  constructor(name: string) {
    this.name = name;
    this.hash = xxh64(name);
    this.key = domainKey(name);
  }
}

/** The unit is the host name: its http and https sites share one turn. */
export class Host {
  readonly name: string;
  readonly id: HostId;
  readonly domain: Domain;
  readonly queue: PathQueue;
  /** The URL that was taken last, until it is known that nothing of it can be lost any more. */
  underWay: Discovery | undefined;
  /** More of its URLs wait in the backlog: what comes now must wait behind them. */
  hasBacklog = false;
  /** By origin, since a robots.txt speaks for one scheme and port only. */
  readonly robots = new Map<string, RobotsEntry>();
  /** The address it is asked at first, the others for when that does not answer. */
  addresses: readonly ResolvedAddress[] = [];
  addressesExpireAt: Millis = 0;
  /** Not to be asked before. */
  readyAt: Millis = 0;
  /** Requests in a row that were not answered. */
  failures = 0;
  /** Failed requests one after the other, of pages that did not fail before. */
  errorsInRow = 0;
  /**
   * URLs of the queue that are not to be tried before a time, because they failed. They are not kept
   * on disk: a resumed crawl tries them sooner.
   */
  readonly later = new Map<string, Millis>();
  /** Given up, by which fault and until when. */
  givenUp: { readonly fault: string; readonly until: Millis } | undefined;
  /** Pages fetched in the life of the crawl. */
  pages = 0;
  /** Of its responses, smoothed; undefined before the first. */
  responseTime: Millis | undefined;

  constructor(name: string, domain: Domain) {
    this.name = name;
    this.id = hostId(name);
    this.domain = domain;
    this.queue = new PathQueue(name);
  }

  /** Forgets times that only a clock that was wrong can have written: they would be waited for in vain. */
  mistrustFuture(now: Millis): void {
    const latest = now + LONGEST_WAIT;
    if (this.readyAt > latest) this.readyAt = now;
    if (this.addressesExpireAt > latest) this.addressesExpireAt = 0;
    if (this.givenUp && this.givenUp.until > latest) this.givenUp = undefined;
    for (const [origin, { expiresAt }] of this.robots)
      if (expiresAt > latest) this.robots.delete(origin);
  }

  /** When the first of the URLs that are to be tried later may be tried; Infinity without any. */
  get retryAt(): Millis {
    let first = Infinity;
    for (const until of this.later.values()) first = Math.min(first, until);
    return first;
  }

  /** What the host's robots.txt files ask between two requests: the longest, since they share one host. */
  get crawlDelay(): Millis {
    let longest = 0;
    for (const { crawlDelay } of this.robots.values()) longest = Math.max(longest, crawlDelay);
    return longest;
  }
}
