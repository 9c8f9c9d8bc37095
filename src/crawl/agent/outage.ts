/**
 * Are they gone, or are we cut off? A network that vanishes for some minutes must not cost the URLs of every host that is asked
 * in that time.
 *
 * Idea      That somebody cannot be reached is held against him only while others can. Who answered before and now does not is
 *           given a quarter of an hour to come back. When several such addresses fail one after the other, and nobody at
 *           all answers in between, it is the network: then nobody is blamed, not even who was never met. For names the
 *           same is asked directly, at every failure: if none has been looked up since, and one that was known a while ago
 *           cannot be looked up either, the name servers are gone.
 *
 *             answered a · b · c        failed a · b · c            answered b
 *             ───────────────────────── ▲ the network is gone ───── ▲ and back
 *
 * Ensures   whom nobody ever reached is excused only during an outage, so that a crawl with nothing but dead hosts left still ends;
 *           no outage is believed for longer than an hour.
 * Cost      a small entry for each of the addresses that answered lately; a look-up every few seconds while names fail.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { NameResolver } from '../../net/dns.ts';
import { DnsError } from '../../net/dns.ts';
import type { RetryCause } from '../../politeness/retry-table.ts';
import type { EventLog } from '../record/log.ts';
import type { Outage as Gone } from '../record/vitals.ts';

/** What a network that is gone looks like. Whoever resets a connection or answers late is there. */
const UNREACHED: ReadonlySet<RetryCause> = new Set([
  'connect-refused',
  'connect-timeout',
  'connect-failed',
]);
const MINUTE: Millis = 60_000;
/** How long who answered before may be away. */
const PATIENCE: Millis = 15 * MINUTE;
/** So many addresses that answered before must fail in a row. */
const SEVERAL = 3;
const LONGEST_OUTAGE: Millis = 60 * MINUTE;
/** Addresses that are remembered, those that answered last. */
const REMEMBERED = 10_000;
const PROBE_EVERY: Millis = 10_000;

export interface OutageParts {
  readonly resolver: NameResolver;
  readonly clock: Clock;
  readonly log: EventLog;
}

export class Outage {
  readonly #parts: OutageParts;
  /** Addresses that have answered, and since when they have not. */
  readonly #known = new Map<string, { failingSince: Millis | undefined }>();
  /** Those of them that failed since anybody answered. */
  readonly #silent = new Set<string>();
  #goneSince: Millis | undefined;
  #knownName: string | undefined;
  #resolvedAt: Millis = -Infinity;
  #namesGoneSince: Millis | undefined;
  #probe: { readonly at: Millis; readonly fails: Promise<boolean> } | undefined;

  constructor(parts: OutageParts) {
    this.#parts = parts;
  }

  /** What is gone now, as far as is known. */
  get current(): Gone | undefined {
    if (this.#goneSince !== undefined) return { of: 'network', since: this.#goneSince };
    return this.#namesGoneSince === undefined
      ? undefined
      : { of: 'names', since: this.#namesGoneSince };
  }

  /** Somebody has answered. */
  answered(ip: string): void {
    this.#silent.clear();
    if (this.#goneSince !== undefined) this.#parts.log.event('network-back', { ip });
    this.#goneSince = undefined;
    const entry = this.#known.get(ip);
    if (entry) entry.failingSince = undefined;
    else this.#remember(ip);
  }

  /** Whether this failure says nothing about whoever was to be asked there. */
  excuses(fault: RetryCause, ip: string): boolean {
    if (!UNREACHED.has(fault)) return false;
    const now = this.#parts.clock.now();
    const entry = this.#known.get(ip);
    if (entry) {
      entry.failingSince ??= now;
      this.#silent.add(ip);
      if (this.#silent.size >= SEVERAL && this.#goneSince === undefined) {
        this.#goneSince = now;
        this.#parts.log.event('network-gone', { fault, addresses: [...this.#silent] });
      }
      if (now - entry.failingSince < PATIENCE) return true;
    }
    return this.#goneSince !== undefined && now - this.#goneSince < LONGEST_OUTAGE;
  }

  /** A server has answered with the addresses of a name. */
  resolved(name: string): void {
    this.#knownName = name;
    this.#resolvedAt = this.#parts.clock.now();
    this.#probe = undefined;
    if (this.#namesGoneSince !== undefined) this.#parts.log.event('names-back', { name });
    this.#namesGoneSince = undefined;
  }

  /** Whether names that are known to exist could not be looked up either when a look-up that began at `since` failed. */
  async namesAreGone(since: Millis): Promise<boolean> {
    if (this.#knownName === undefined || this.#resolvedAt > since) return false;
    const now = this.#parts.clock.now();
    if (!this.#probe || now - this.#probe.at >= PROBE_EVERY) {
      this.#probe = { at: now, fails: this.#lookUpFails(this.#knownName) };
    }
    if (!(await this.#probe.fails)) return false;
    if (this.#namesGoneSince === undefined) {
      this.#namesGoneSince = now;
      this.#parts.log.event('names-gone', { name: this.#knownName });
    }
    return now - this.#namesGoneSince < LONGEST_OUTAGE;
  }

  async #lookUpFails(name: string): Promise<boolean> {
    try {
      await this.#parts.resolver.resolve(name, true);
      return false;
    } catch (error) {
      if (!(error instanceof DnsError)) throw error;
      return error.fault !== 'dns-not-found';
    }
  }

  #remember(ip: string): void {
    this.#known.set(ip, { failingSince: undefined });
    if (this.#known.size <= REMEMBERED) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest);
    this.#silent.delete(oldest);
  }
}
