/**
 * Which hosts are left alone for longer than usual, and why: a crawl that waits must not look like one that hangs.
 *
 * Requires  whoever puts a host off says so with `begin`, whoever turns to it again with `over`; a host that leaves memory is over.
 * Cost      an entry for each host in memory that waits; they are counted when somebody asks, about once a second.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { Host } from '../../frontier/host.ts';
import type { RetryCause } from '../../politeness/retry-table.ts';
import type { Tally } from './counters.ts';
import type { EventLog } from './log.ts';

/** Plain data. */
export interface Waiting {
  /** Hosts, by what they are left alone for. */
  readonly causes: Readonly<Tally>;
  /** When the first of them is asked again. */
  readonly until: Millis;
  /** One of them, by name. */
  readonly host: string;
}

export class HostWaits {
  readonly #hosts = new Map<Host, { readonly cause: RetryCause; readonly until: Millis }>();
  readonly #clock: Clock;
  readonly #log: EventLog;

  constructor(clock: Clock, log: EventLog) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Nothing but URLs that are tried again later is left of the host. */
  only(host: Host, cause: RetryCause, wait: Millis): void {
    this.#hosts.set(host, { cause, until: this.#clock.now() + wait });
  }

  begin(host: Host, cause: RetryCause, wait: Millis): void {
    this.only(host, cause, wait);
    // Of those that cannot be reached there may be very many, and the log tells when they are given up.
    if (cause.startsWith('status-'))
      this.#log.event('host-waits', { host: host.name, cause, wait });
  }

  over(host: Host): void {
    this.#hosts.delete(host);
  }

  get current(): Waiting | undefined {
    const now = this.#clock.now();
    const causes: Tally = {};
    let first: { until: Millis; host: string } | undefined;
    for (const [host, { cause, until }] of this.#hosts) {
      if (until <= now) continue;
      causes[cause] = (causes[cause] ?? 0) + 1;
      if (!first || until < first.until) first = { until, host: host.name };
    }
    return first && { causes, ...first };
  }
}

/** Of all agents. */
export function allWaiting(agents: readonly (Waiting | undefined)[]): Waiting | undefined {
  const [first, ...others] = agents.flatMap((waiting) => waiting ?? []);
  if (!first) return undefined;
  return others.reduce((sum, one) => {
    const causes = { ...sum.causes };
    for (const [cause, hosts] of Object.entries(one.causes))
      causes[cause] = (causes[cause] ?? 0) + hosts;
    return { ...(one.until < sum.until ? one : sum), causes };
  }, first);
}
