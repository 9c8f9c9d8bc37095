/**
 * From a host's name to its place on the workbench: the DNS half of step 7 of a URL's life.
 *
 * Ensures   every host that comes out of `frontier.unresolved` is resolved to an address that the
 *           guard allows, or given up with its URLs counted. A failed look-up is retried by the
 *           retry table, and other hosts do not wait for it. An error of our own counts as a
 *           failed look-up of its host.
 */
import type { Clock } from '../../base/clock.ts';
import type { Signal } from '../../base/signal.ts';
import type { Millis } from '../../base/units.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import type { Host } from '../../frontier/host.ts';
import { Fifo } from '../../frontier/queue/fifo.ts';
import type { AddressGuard } from '../../net/address-guard.ts';
import { DnsError, type NameResolver } from '../../net/dns.ts';
import type { RetryCause, RetryPolicy } from '../../politeness/retries-and-pauses.ts';
import type { Counters } from '../record/counters.ts';
import type { HostWaits } from '../record/host-waits.ts';
import { endsAgent, type InternalErrors } from '../record/internal-errors.ts';
import type { EventLog } from '../record/log.ts';
import type { CrawlFailure } from '../store/page.ts';
import type { Outage } from './outage.ts';
import type { SeedTrouble } from './seed-trouble.ts';

/** Look-ups under way at once. */
const LOOK_UPS = 64;

/** A host to look up, and how many of its look-ups have failed. */
export interface LookUp {
  readonly host: Host;
  readonly failures: number;
  readonly isRetry: boolean;
}

/**
 * Which host is looked up next, and whether a failed look-up is retried. It does no I/O: the
 * simulator uses it too.
 */
export class LookUpQueue {
  readonly #frontier: Pick<Frontier, 'unresolved'>;
  readonly #retries: RetryPolicy;
  readonly #again = new Fifo<LookUp>();
  #underWay = 0;
  #paused = 0;

  constructor(frontier: Pick<Frontier, 'unresolved'>, retries: RetryPolicy) {
    this.#frontier = frontier;
    this.#retries = retries;
  }

  /** No look-up is under way, and none will be retried. */
  get idle(): boolean {
    return this.#underWay === 0 && this.#paused === 0 && this.#again.length === 0;
  }

  /** The next look-up, retries first; undefined when there is none or enough are under way. */
  next(): LookUp | undefined {
    if (this.#underWay >= LOOK_UPS) return undefined;
    const again = this.#again.shift();
    const host = again ? undefined : this.#frontier.unresolved();
    const next = again ?? (host && { host, failures: 0, isRetry: false });
    if (next) this.#underWay++;
    return next;
  }

  /** A look-up has ended. */
  ended(): void {
    this.#underWay--;
  }

  /** Plans a retry of a failed look-up; undefined when none is left. Call `due` after `wait`. */
  retry(
    { host, failures }: LookUp,
    fault: RetryCause,
    excused = false,
  ): { readonly wait: Millis; readonly due: () => void } | undefined {
    const { retries, wait } = this.#retries.rule(fault);
    if (!excused && failures >= retries) return undefined;
    this.#paused++;
    const due = () => {
      this.#paused--;
      this.#again.push({ host, failures: excused ? failures : failures + 1, isRetry: true });
    };
    return { wait, due };
  }
}

/** Why a look-up failed. */
interface LookUpFailure {
  readonly fault: RetryCause;
  readonly message: string;
}

interface HostResolverParts {
  readonly resolver: NameResolver;
  readonly guard: AddressGuard;
  readonly frontier: Pick<Frontier, 'unresolved' | 'resolved' | 'giveUp'>;
  readonly counters: Pick<Counters, 'countRetry'>;
  readonly log: EventLog;
  readonly internal: InternalErrors;
  readonly clock: Clock;
  readonly outage: Outage;
  readonly retries: RetryPolicy;
  readonly waits: HostWaits;
  readonly onError: ((failure: CrawlFailure) => void | Promise<void>) | undefined;
  readonly seedTrouble: Pick<SeedTrouble, 'failed'>;
}

export class HostResolver {
  readonly #parts: HostResolverParts;
  readonly #queue: LookUpQueue;
  readonly #cancelRetries = new Set<() => void>();

  constructor(parts: HostResolverParts) {
    this.#parts = parts;
    this.#queue = new LookUpQueue(parts.frontier, parts.retries);
  }

  /** No host is on its way to the workbench. Hosts not begun yet still count as queued URLs. */
  get idle(): boolean {
    return this.#queue.idle;
  }

  /**
   * Resolves hosts until `over`. Wakes on `names`; calls `onResolved` when the workbench has
   * changed. Look-ups under way at the end are cancelled, and their hosts stay in the frontier.
   */
  async run(names: Signal, onResolved: () => void, over: () => boolean): Promise<void> {
    const underWay = new Set<Promise<void>>();
    let failure: { error: unknown } | undefined;
    while (!over() && !failure) {
      for (let next = this.#queue.next(); next; next = this.#queue.next()) {
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

  async #resolve(lookUp: LookUp, names: Signal, over: () => boolean): Promise<void> {
    const { resolver, guard, frontier } = this.#parts;
    const { host } = lookUp;
    const since = this.#parts.clock.now();
    try {
      // A retry asks again, also if it comes sooner than a failure is forgotten (`--retry-wait`).
      const addresses = await resolver.resolve(host.name, lookUp.isRetry);
      if (addresses.length === 0) throw new DnsError('dns-not-found', 'The name has no address.');
      const allowed = addresses.filter(({ ip }) => guard.allows(ip));
      if (allowed.length > 0) frontier.resolved(host, allowed);
      else {
        const why = guard.reason(addresses[0].ip) ?? '';
        await this.#parts.seedTrouble.failed(host, 'address-refused', why, undefined);
        await this.#giveUp(host, 'address-refused', why);
      }
    } catch (error) {
      await this.#failed(lookUp, this.#failureOf(error, host), since, names, over);
    } finally {
      this.#queue.ended();
    }
  }

  /** An error of our own counts as a failure of the look-up. */
  #failureOf(error: unknown, { name: host }: Host): LookUpFailure {
    if (error instanceof DnsError) return error;
    return { fault: 'internal-error', message: this.#parts.internal.note(error, { host }) };
  }

  /**
   * A failure counts only while the name servers are there. The agent checks that at every failure,
   * not only at the last: that one may have begun while they were gone and end when they are back.
   */
  async #failed(
    lookUp: LookUp,
    { fault, message }: LookUpFailure,
    since: Millis,
    names: Signal,
    over: () => boolean,
  ): Promise<void> {
    const { clock, counters, waits } = this.#parts;
    const { host } = lookUp;
    const excused = !over() && (await this.#isExcused(fault, host, since));
    if (over()) return; // it failed because the agent has closed everything
    const retry = this.#queue.retry(lookUp, fault, excused);
    await this.#parts.seedTrouble.failed(host, fault, message, retry?.wait);
    if (!retry) {
      await this.#giveUp(host, fault, message);
      return;
    }
    counters.countRetry(fault);
    waits.begin(host, fault, retry.wait);
    const cancel = clock.after(retry.wait, () => {
      this.#cancelRetries.delete(cancel);
      waits.over(host);
      retry.due();
      names.notify();
    });
    this.#cancelRetries.add(cancel);
  }

  async #isExcused(fault: RetryCause, host: Host, since: Millis): Promise<boolean> {
    const { resolver, outage } = this.#parts;
    if (fault === 'dns-not-found' || fault === 'internal-error') return false;
    try {
      return await outage.namesAreGone(since, resolver);
    } catch (error) {
      this.#parts.internal.note(error, { host: host.name });
      return false;
    }
  }

  async #giveUp(host: Host, fault: string, why: string): Promise<void> {
    const urls = this.#parts.frontier.giveUp(host, fault);
    this.#parts.log.event('host-given-up', { host: host.name, fault, why, urls });
    const failure = { host: host.name, fault, message: why, urls };
    await endsAgent(() => this.#parts.onError?.(failure));
  }
}
