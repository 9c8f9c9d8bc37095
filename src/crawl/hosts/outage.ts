/**
 * Is a server gone, or are we cut off from the network? A network that fails for some minutes must
 * not cost the URLs of every host that is asked in that time.
 *
 * Idea      A failure to connect counts against a host only while others can be reached. An address
 *           that answered before has a quarter of an hour to come back. When several such addresses
 *           fail in a row and none at all answers in between, the network is gone: then no failure
 *           counts, not even of hosts that never answered. For names the agent asks directly, at
 *           every failure: if no name was resolved since the look-up began, and none of a few that
 *           were known can be resolved either, the name servers are gone. These are of several
 *           domains, the first ones and the last ones: the servers of one domain may lie.
 *
 *             answered a · b · c        failed a · b · c            answered b
 *             ───────────────────────── ▲ the network is gone ───── ▲ and back
 *
 * Ensures   a host that never answered is excused only during an outage, so that a crawl with only
 *           dead hosts left still ends. No outage is believed for longer than an hour.
 * Cost      a small entry for each address that answered lately; a look-up every few seconds while
 *           names fail.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { NameResolver } from '../../net/dns.ts';
import { DnsError } from '../../net/dns.ts';
import type { RetryCause } from '../../politeness/retries-and-pauses.ts';
import { payLevelDomain } from '../../url/domain.ts';
import type { EventLog } from '../record/log.ts';
import type { Outage as Gone } from '../record/vitals.ts';

/** The faults of a network that is gone. A server that resets a connection or is slow is there. */
const UNREACHED: ReadonlySet<RetryCause> = new Set([
  'connect-refused',
  'connect-timeout',
  'connect-failed',
]);
const MINUTE: Millis = 60_000;
/** How long an address that answered before is excused. */
const PATIENCE: Millis = 15 * MINUTE;
/** How many addresses that answered before must fail in a row. */
const SEVERAL = 3;
const LONGEST_OUTAGE: Millis = 60 * MINUTE;
/** How many addresses are remembered: those that answered last. */
const REMEMBERED = 10_000;
const PROBE_EVERY: Millis = 10_000;
/** How many names are looked up to tell an outage: as many of the first as of the last. */
const FIRST_NAMES = 3;
const LAST_NAMES = 3;

interface OutageParts {
  readonly clock: Clock;
  readonly log: EventLog;
}

export class Outage {
  readonly #parts: OutageParts;
  /** Addresses that have answered, and since when they fail. */
  readonly #known = new Map<string, { failingSince: Millis | undefined }>();
  /** Addresses of `#known` that failed since any address answered. */
  readonly #silent = new Set<string>();
  #goneSince: Millis | undefined;
  /** Names that were resolved, by domain: the first ones, and the last ones behind them. */
  readonly #firstNames = new Map<string, string>();
  readonly #lastNames = new Map<string, string>();
  #resolvedAt: Millis = -Infinity;
  #namesGoneSince: Millis | undefined;
  #probe: { readonly at: Millis; readonly fails: Promise<boolean> } | undefined;

  constructor(parts: OutageParts) {
    this.#parts = parts;
  }

  /** What is gone now, as far as the agent knows. */
  get current(): Gone | undefined {
    if (this.#goneSince !== undefined) return { of: 'network', since: this.#goneSince };
    return this.#namesGoneSince === undefined
      ? undefined
      : { of: 'names', since: this.#namesGoneSince };
  }

  /** A server has answered at this address. */
  answered(ip: string): void {
    this.#silent.clear();
    if (this.#goneSince !== undefined) this.#parts.log.event('network-back', { ip });
    this.#goneSince = undefined;
    const entry = this.#known.get(ip);
    if (entry) entry.failingSince = undefined;
    else this.#remember(ip);
  }

  /** Whether a failure is explained by an outage. Requires a call at every failure. */
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

  /** A name server has answered with the addresses of a name. */
  resolved(name: string): void {
    this.#knowName(name);
    this.#resolvedAt = this.#parts.clock.now();
    this.#probe = undefined;
    if (this.#namesGoneSince !== undefined) this.#parts.log.event('names-back', { name });
    this.#namesGoneSince = undefined;
  }

  /**
   * Whether the name servers are gone, after a look-up that began at `since` has failed. Asks
   * `resolver` for names that are known to exist.
   */
  async namesAreGone(since: Millis, resolver: NameResolver): Promise<boolean> {
    const names = [...this.#firstNames.values(), ...this.#lastNames.values()];
    if (names.length === 0 || this.#resolvedAt > since) return false;
    const now = this.#parts.clock.now();
    if (!this.#probe || now - this.#probe.at >= PROBE_EVERY) {
      this.#probe = { at: now, fails: allFail(names, resolver) };
    }
    if (!(await this.#probe.fails)) return false;
    if (this.#namesGoneSince === undefined) {
      this.#namesGoneSince = now;
      this.#parts.log.event('names-gone', { name: names.at(-1) as string });
    }
    return now - this.#namesGoneSince < LONGEST_OUTAGE;
  }

  #knowName(name: string): void {
    const domain = payLevelDomain(name);
    if (this.#firstNames.has(domain)) return;
    if (this.#firstNames.size < FIRST_NAMES) {
      this.#firstNames.set(domain, name);
      return;
    }
    this.#lastNames.delete(domain);
    this.#lastNames.set(domain, name);
    if (this.#lastNames.size <= LAST_NAMES) return;
    const [oldest] = this.#lastNames.keys();
    this.#lastNames.delete(oldest);
  }

  #remember(ip: string): void {
    this.#known.set(ip, { failingSince: undefined });
    if (this.#known.size <= REMEMBERED) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest);
    this.#silent.delete(oldest);
  }
}

async function allFail(names: readonly string[], resolver: NameResolver): Promise<boolean> {
  const fails = await Promise.all(names.map((name) => lookUpFails(name, resolver)));
  return fails.every(Boolean);
}

async function lookUpFails(name: string, resolver: NameResolver): Promise<boolean> {
  try {
    await resolver.resolve(name, true);
    return false;
  } catch (error) {
    if (!(error instanceof DnsError)) throw error;
    return error.fault !== 'dns-not-found';
  }
}
