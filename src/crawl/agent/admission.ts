/**
 * From a page's links to the sieve of whoever owns them: steps 2 to 4 of a URL's life.
 *
 *   discover ─► scope, schedule filter ─► recent cache ─► route ─┬─► outbox ─► sieve           (domains of this agent)
 *                                                                └─► parcel ─► another agent ─► its outbox
 *
 * Idea      Links come one page at a time; the sieve and the other agents work in batches. Links gather until `carry` hands
 *           them on. A large parcel is sent at once, a small one waits for company, but not for long.
 * Ensures   everything discovered is in the outbox, in a parcel, or handed on. `snapshot` is all of what was not.
 */
import type { Clock } from '../../base/clock.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import type { KeyedBatch } from '../../drum/keyed-batch.ts';
import { BatchBuilder } from '../../drum/keyed-batch.ts';
import type { StageFilters } from '../../filter/filter-set.ts';
import type { DomainStanding } from '../../filter/subject.ts';
import { encodeDiscovery } from '../../frontier/queue/discovery.ts';
import { Fingerprints } from '../../sieve/fingerprints.ts';
import type { RecentCache } from '../../sieve/recent-cache.ts';
import type { Sieve } from '../../sieve/sieve.ts';
import { partitionOfFingerprint } from '../../url/fingerprint.ts';
import type { Counters } from '../record/counters.ts';
import { agentOf } from '../transport/routing.ts';
import { PARCEL, type Transport } from '../transport/transport.ts';
import { packKeyedBatch } from '../transport/url-parcel.ts';
import type { Scope } from './scope.ts';

/** A parcel this large is sent at once. */
const PARCEL_BYTES: Bytes = 64 * 1024;
/** A smaller one waits this long for company. */
const PARCEL_AGE: Millis = 100;
/** Fetching waits while more than this is on its way to the sieve. */
const OUTBOX_BYTES: Bytes = 4 * 2 ** 20;

export interface AdmissionParts {
  readonly scope: Scope;
  readonly filters: Pick<StageFilters, 'schedule'>;
  /** Where domains stand, for filters that ask. */
  readonly standing: () => DomainStanding | undefined;
  readonly recent: RecentCache;
  readonly sieve: Sieve;
  readonly transport: Transport;
  readonly counters: Counters;
  readonly clock: Clock;
}

export class Admission {
  readonly #parts: AdmissionParts;
  readonly #fingerprints = new Fingerprints();
  #keep = new Uint8Array(256);
  #outbox = new BatchBuilder();
  #offered = new BatchBuilder();
  /** By agent; our own is the outbox. */
  readonly #parcels: BatchBuilder[];
  #parcelsDue: Millis = Infinity;
  #offering = false;
  #waitingForRoom: (() => void)[] = [];
  #ending = false;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#parcels = Array.from({ length: parts.transport.agents }, () => new BatchBuilder());
  }

  /** There is something to hand on. */
  get hasWork(): boolean {
    return this.#outbox.length > 0 || this.#parcelsDue !== Infinity;
  }

  /** Nothing is on its way. */
  get idle(): boolean {
    return !this.#offering && !this.hasWork;
  }

  /** When `carry` has something to do although nothing happens. */
  get wakeAt(): Millis {
    return this.#parcelsDue;
  }

  /** Takes the URLs that one page or seed list leads to, all come by in the same way; `exempt` from scope and filter. */
  discover(found: readonly string[], depth: number, redirects = 0, exempt = false): void {
    const { recent, scope, counters, transport, clock } = this.#parts;
    const urls = exempt ? found : this.#scheduled(this.#inScope(found, depth), depth);
    const keys = this.#fingerprints.hash(urls);
    if (urls.length > this.#keep.length) this.#keep = new Uint8Array(urls.length * 2);
    recent.admit(keys, urls.length, this.#keep);
    for (let i = 0; i < urls.length; i++) {
      if (!this.#keep[i]) continue;
      const trap = scope.trap(urls[i]);
      if (trap) {
        counters.countRefused(trap);
        continue;
      }
      const owner = agentOf(this.#fingerprints.finish(i, urls[i]), transport.agents);
      const batch = owner === transport.agent ? this.#outbox : this.#parcels[owner];
      batch.addText(keys[i], encodeDiscovery({ url: urls[i], depth, redirects }));
      if (batch === this.#outbox) continue;
      if (batch.byteLength >= PARCEL_BYTES) this.#send(owner);
      else if (this.#parcelsDue === Infinity) this.#parcelsDue = clock.now() + PARCEL_AGE;
    }
  }

  /** Whether a URL would be let in, if it was found so far from a seed. */
  admits(url: string, depth: number): boolean {
    const { scope } = this.#parts;
    if (scope.refusal(url, depth) !== undefined || scope.trap(url) !== undefined) return false;
    return this.#filtered([url], depth).length > 0;
  }

  /** URLs that another agent has discovered. */
  receive(batch: KeyedBatch): void {
    this.#outbox.addAll(batch);
  }

  /** Settles when little enough is on its way that more may be discovered: back-pressure, also across agents. */
  async room(): Promise<void> {
    const { transport } = this.#parts;
    while (!this.#ending && !(transport.hasRoom && this.#outbox.byteLength <= OUTBOX_BYTES)) {
      await new Promise<void>((wake) => {
        this.#waitingForRoom.push(wake);
        if (!transport.hasRoom) void transport.room().then(wake);
      });
    }
  }

  /** Nothing more will be discovered: nobody need wait for room, which others may no longer make. */
  end(): void {
    this.#ending = true;
    this.#letIn();
  }

  /** Sends parcels that are old enough, and offers the outbox to the sieve; true when it was offered something. */
  async carry(sendAll = false): Promise<boolean> {
    this.#sendParcels(sendAll);
    if (this.#outbox.length === 0) return false;
    [this.#outbox, this.#offered] = [this.#offered, this.#outbox];
    this.#offering = true;
    try {
      await this.#parts.sieve.offer(this.#offered);
    } finally {
      this.#offered.clear();
      this.#offering = false;
    }
    this.#letIn();
    return true;
  }

  /** What was discovered and not handed on, for the checkpoint. Not to be taken while `carry` is under way. */
  snapshot(): KeyedBatch[] {
    return [this.#outbox, ...this.#parcels].filter(({ length }) => length > 0);
  }

  /** Takes back what a snapshot held. */
  restore(batch: KeyedBatch): void {
    const { transport } = this.#parts;
    if (batch.length === 0) return;
    const owner = agentOf(partitionOfFingerprint(batch.keys[0]), transport.agents);
    (owner === transport.agent ? this.#outbox : this.#parcels[owner]).addAll(batch);
    if (owner !== transport.agent) this.#parcelsDue = 0;
  }

  #letIn(): void {
    for (const wake of this.#waitingForRoom.splice(0)) wake();
  }

  /** Before the cache: a link that is too deep here may be found again nearer to a seed. */
  #inScope(urls: readonly string[], depth: number): readonly string[] {
    const { scope, counters } = this.#parts;
    if (!urls.some((url) => scope.refusal(url, depth))) return urls;
    return urls.filter((url) => {
      const reason = scope.refusal(url, depth);
      if (reason) counters.countRefused(reason);
      return reason === undefined;
    });
  }

  #scheduled(urls: readonly string[], depth: number): readonly string[] {
    const kept = this.#filtered(urls, depth);
    this.#parts.counters.countRefused('schedule-filter', urls.length - kept.length);
    return kept;
  }

  /** What the filter takes. Whoever names a seed wants it, and what it redirects to. */
  #filtered(urls: readonly string[], depth: number): readonly string[] {
    const { filters, standing } = this.#parts;
    const { schedule } = filters;
    if (schedule === undefined || depth === 0) return urls;
    const nothing = { visit: undefined, response: undefined, page: undefined };
    const link = { url: '', depth, standing: standing(), ...nothing };
    return urls.filter((url) => {
      link.url = url;
      return schedule(link);
    });
  }

  #sendParcels(all: boolean): void {
    if (!all && this.#parts.clock.now() < this.#parcelsDue) return;
    this.#parcelsDue = Infinity;
    for (const [to, { length }] of this.#parcels.entries()) if (length > 0) this.#send(to);
  }

  #send(to: number): void {
    this.#parts.transport.send(to, PARCEL.urls, packKeyedBatch(this.#parcels[to]));
    this.#parcels[to].clear();
  }
}
