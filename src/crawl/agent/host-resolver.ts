/**
 * From a host's name to its place on the workbench: the DNS half of step 6.
 *
 * Ensures   every host that came out of `frontier.unresolved` is resolved to an address that the guard allows, or
 *           dropped with its URLs counted. A name that could not be looked up is tried again by the retry table,
 *           and holds up nobody meanwhile.
 */
import type { Clock } from '../../base/clock.ts';
import type { Signal } from '../../base/signal.ts';
import type { Millis } from '../../base/units.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import type { Host } from '../../frontier/host.ts';
import { Fifo } from '../../frontier/queue/fifo.ts';
import type { AddressGuard } from '../../net/address-guard.ts';
import { DnsError, type NameResolver } from '../../net/dns.ts';
import { retryRule } from '../../politeness/retry-table.ts';
import type { Counters } from '../record/counters.ts';
import type { HostWaits } from '../record/host-waits.ts';
import type { EventLog } from '../record/log.ts';
import type { CrawlFailure } from '../store/page.ts';
import type { Outage } from './outage.ts';

/** Look-ups under way at once. */
const LOOKUPS = 64;

interface Attempt {
  readonly host: Host;
  readonly failures: number;
}

export interface NamingParts {
  readonly resolver: NameResolver;
  readonly guard: AddressGuard;
  readonly frontier: Pick<Frontier, 'unresolved' | 'resolved' | 'giveUp'>;
  readonly counters: Counters;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly outage: Outage;
  readonly waits: HostWaits;
  readonly onError: ((failure: CrawlFailure) => void | Promise<void>) | undefined;
}

export class Naming {
  readonly #parts: NamingParts;
  readonly #again = new Fifo<Attempt>();
  readonly #cancelRetries = new Set<() => void>();
  #lookups = 0;
  #waiting = 0;

  constructor(parts: NamingParts) {
    this.#parts = parts;
  }

  /** No host is on its way to the workbench. (One that has not been looked at yet still counts as queued URLs.) */
  get idle(): boolean {
    return this.#lookups === 0 && this.#waiting === 0 && this.#again.length === 0;
  }

  /**
   * Resolves hosts until `over`; wakes on `names`, and tells by `onResolved` that the workbench has changed. What is under way
   * at the end is cancelled, and its hosts stay in the frontier.
   */
  async run(names: Signal, onResolved: () => void, over: () => boolean): Promise<void> {
    const underWay = new Set<Promise<void>>();
    let failure: { error: unknown } | undefined;
    while (!over() && !failure) {
      for (let next = this.#next(); next; next = this.#next()) {
        const lookUp = this.#resolve(next, names, over)
          .catch((error) => {
            failure ??= { error };
          })
          .finally(() => {
            underWay.delete(lookUp);
            names.notify();
            onResolved();
          });
        underWay.add(lookUp);
      }
      await names.wait();
    }
    for (const cancel of this.#cancelRetries) cancel();
    this.#parts.resolver.close();
    await Promise.all(underWay);
    if (failure) throw failure.error;
  }

  #next(): Attempt | undefined {
    if (this.#lookups >= LOOKUPS) return undefined;
    const again = this.#again.shift();
    if (again) return again;
    const host = this.#parts.frontier.unresolved();
    return host && { host, failures: 0 };
  }

  async #resolve(attempt: Attempt, names: Signal, over: () => boolean): Promise<void> {
    const { resolver, guard, frontier } = this.#parts;
    const { host } = attempt;
    const since = this.#parts.clock.now();
    this.#lookups++;
    try {
      const addresses = await resolver.resolve(host.name);
      const allowed = addresses.filter(({ ip }) => guard.allows(ip));
      if (allowed.length > 0) frontier.resolved(host, allowed);
      else await this.#giveUp(host, 'address-refused', guard.reason(addresses[0].ip) ?? '');
    } catch (error) {
      if (!(error instanceof DnsError)) throw error;
      if (!over()) await this.#failed(attempt, error, since, names, over);
    } finally {
      this.#lookups--;
    }
  }

  /**
   * Only failures while the name servers are there count. To ask for that at the last one alone would not do: it may have begun
   * while they were gone, and they are back when it ends.
   */
  async #failed(
    { host, failures }: Attempt,
    error: DnsError,
    since: Millis,
    names: Signal,
    over: () => boolean,
  ): Promise<void> {
    const { fault, message } = error;
    const { retries, wait } = retryRule(fault);
    const excused = fault !== 'dns-not-found' && (await this.#parts.outage.namesAreGone(since));
    if (over()) return; // meanwhile: it fails because everything is closed
    if (!excused && failures >= retries) {
      await this.#giveUp(host, fault, message);
      return;
    }
    this.#parts.counters.countRetry(fault);
    this.#waiting++;
    this.#parts.waits.begin(host, fault, wait);
    const cancel = this.#parts.clock.after(wait, () => {
      this.#cancelRetries.delete(cancel);
      this.#waiting--;
      this.#parts.waits.over(host);
      this.#again.push({ host, failures: excused ? failures : failures + 1 });
      names.notify();
    });
    this.#cancelRetries.add(cancel);
  }

  async #giveUp(host: Host, fault: string, why: string): Promise<void> {
    const urls = this.#parts.frontier.giveUp(host, fault);
    this.#parts.log.event('host-given-up', { host: host.name, fault, why, urls });
    await this.#parts.onError?.({ host: host.name, fault, message: why, urls });
  }
}
