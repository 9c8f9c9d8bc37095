/**
 * Which hosts are paused for longer than usual, and why: a crawl with paused hosts must not look
 * like one that hangs.
 *
 * Requires  A caller that pauses a host calls `begin`; one that resumes it, or removes it from
 *           memory, calls `over`.
 * Cost      One entry per paused host in memory; they are counted on request, about once a second.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { Host } from '../../frontier/host.ts';
import type { RetryCause } from '../../politeness/retries-and-pauses.ts';
import type { Tally } from './counters.ts';
import type { EventLog } from './log.ts';

/** The paused hosts, as plain data. */
export interface Waiting {
  /** The number of paused hosts, by cause. */
  readonly causes: Readonly<Tally>;
  /** The end of the first pause. */
  readonly until: Millis;
  /** The name of the host whose pause ends first. */
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

  /** The host has only URLs that are tried again later. */
  only(host: Host, cause: RetryCause, wait: Millis): void {
    this.#hosts.set(host, { cause, until: this.#clock.now() + wait });
  }

  begin(host: Host, cause: RetryCause, wait: Millis): void {
    this.only(host, cause, wait);
    // There may be very many unreachable hosts; the log reports when they fail for good.
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

/** The paused hosts of all agents together. */
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
