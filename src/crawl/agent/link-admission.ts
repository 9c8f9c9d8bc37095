/**
 * From the links of a page to the sieve of the agent that owns them: steps 2 to 4 of a URL's life.
 *
 *   discover ─► scope, schedule filter ─► recent cache ─► route
 *       ├─ domains of this agent ─────► #forSieve ─► sieve
 *       └─ domains of other agents ───► parcel ────► another agent: receive ─► its #forSieve
 *
 * Idea      Links come one page at a time; the sieve and the other agents work in batches. Links
 *           gather until `carry` hands them on. A large parcel is sent at once. A small one is kept
 *           for a moment, so that more links join it.
 * Ensures   everything discovered is in `#forSieve`, in a parcel, or handed on. `snapshot` holds
 *           all that is not handed on.
 */
import type { Clock } from '../../base/clock.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import type { KeyedBatch } from '../../drum/keyed-batch.ts';
import { BatchBuilder } from '../../drum/keyed-batch.ts';
import type { StageFilters } from '../../filter/filter-set.ts';
import type { DomainStanding } from '../../filter/subject.ts';
import { type Discovery, encodeDiscovery, headOf } from '../../frontier/queue/discovered-url.ts';
import { Fingerprints } from '../../sieve/fingerprints.ts';
import type { RecentCache } from '../../sieve/recent-cache.ts';
import type { Sieve } from '../../sieve/sieve.ts';
import { partitionOfFingerprint } from '../../url/fingerprint.ts';
import { PackedUrls } from '../../url/packed-urls.ts';
import { hostOf } from '../../url/parts.ts';
import type { Counters } from '../record/counters.ts';
import type { InternalErrors } from '../record/internal-errors.ts';
import type { SkipSink } from '../skipped/skip-log.ts';
import { agentOf } from '../transport/routing.ts';
import { PARCEL, type Transport } from '../transport/transport.ts';
import { packKeyedBatch, unpackKeyedBatch } from '../transport/url-parcel.ts';
import type { Scope } from './scope.ts';

/** A parcel this large is sent at once. */
const PARCEL_BYTES: Bytes = 64 * 1024;
/** Fetching waits while more than this is to be offered to the sieve. */
const MOST_FOR_SIEVE: Bytes = 2 * 2 ** 20;

interface AdmissionParts {
  readonly scope: Scope;
  readonly filters: Pick<StageFilters, 'schedule'>;
  /** The standing of domains, for filters; only in the order of budgets. */
  readonly standing: DomainStanding | undefined;
  readonly recent: RecentCache;
  readonly sieve: Sieve;
  readonly transport: Transport;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly internal: InternalErrors;
  /** Hears of links that are not let in. */
  readonly skips: Pick<SkipSink, 'skipped' | 'links'>;
}

/** URLs as they are found: a few as strings, those of a page in one text. */
type Urls = readonly string[] | PackedUrls;

const packed = (urls: Urls): PackedUrls =>
  urls instanceof PackedUrls ? urls : PackedUrls.of(urls);
const unpacked = (urls: Urls): readonly string[] =>
  urls instanceof PackedUrls ? urls.all() : urls;
const longestOf = (urls: Urls): number =>
  urls instanceof PackedUrls
    ? urls.longest
    : urls.reduce((longest, { length }) => Math.max(longest, length), 0);

export class Admission {
  readonly #parts: AdmissionParts;
  readonly #fingerprints = new Fingerprints();
  #keep = new Uint8Array(256);
  /** URLs of this agent's domains that the sieve was not offered yet. */
  #forSieve = new BatchBuilder();
  /** What `carry` is offering to the sieve. */
  #beingOffered = new BatchBuilder();
  /** URLs of other agents' domains, by agent; our own is never used. */
  readonly #parcels: BatchBuilder[];
  #parcelsDue: Millis = Infinity;
  #offering = false;
  #waitingForRoom: (() => void)[] = [];
  #ending = false;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#parcels = Array.from({ length: parts.transport.agents }, () => new BatchBuilder());
  }

  /** Something can be handed on. */
  get hasWork(): boolean {
    return this.#forSieve.length > 0 || this.#parcelsDue !== Infinity;
  }

  /** Nothing is to be handed on, or being handed on. */
  get idle(): boolean {
    return !this.#offering && !this.hasWork;
  }

  /** When `carry` has something to do even if nothing new is discovered. */
  get wakeAt(): Millis {
    return this.#parcelsDue;
  }

  /**
   * Takes the URLs of one page or seed list, all at the same depth and after as many redirects.
   * `from` is the page, or what redirects to them; seeds have none. `exempt` URLs need not pass the
   * scope and the filter. `trail` is how they were reached, if that is logged. Urgent ones come
   * before others.
   */
  discover(
    found: Urls,
    depth: number,
    from: string | undefined,
    redirects = 0,
    exempt = false,
    trail?: string,
    isUrgent = false,
  ): void {
    const urls = exempt ? found : this.#scheduled(this.#inScope(found, depth, from), depth);
    this.#enter(packed(urls), { depth, redirects, trail, isUrgent });
  }

  /** Takes the requisites of the page `from`, or of a style of one. */
  discoverRequisites(
    found: readonly string[],
    { url: from, depth }: Pick<Discovery, 'url' | 'depth'>,
    redirects = 0,
    trail?: string,
  ): void {
    const { scope } = this.#parts;
    const urls = this.#refusing(found, (url) => {
      const reason = scope.requisiteRefusal(url, from);
      return reason && `requisite-${reason}`;
    });
    this.#enter(packed(urls), { depth, redirects, trail, isRequisite: true });
  }

  /** Lets in those that did not come a moment ago, each to the agent that owns it. */
  #enter(urls: PackedUrls, how: Omit<Discovery, 'url'>): void {
    const { recent, scope, counters, transport, clock, skips } = this.#parts;
    const keys = this.#fingerprints.hash(urls);
    if (urls.length > this.#keep.length) this.#keep = new Uint8Array(urls.length * 2);
    recent.admit(keys, urls.length, this.#keep);
    const [first, second] = headOf(how);
    for (let i = 0; i < urls.length; i++) {
      if (!this.#keep[i]) continue;
      const url = urls.at(i);
      const trap = scope.trap(url);
      if (trap) {
        counters.countSkipped(trap);
        skips.skipped(url, trap);
        continue;
      }
      const fingerprints = this.#fingerprints;
      const owner = agentOf(fingerprints.finish(i, url), transport.agents);
      const batch = owner === transport.agent ? this.#forSieve : this.#parcels[owner];
      if (how.trail === undefined) {
        const [from, to] = [fingerprints.startOf(i), fingerprints.startOf(i + 1)];
        batch.addShort(keys[i], first, second, fingerprints.bytes, from, to);
      } else batch.addText(keys[i], encodeDiscovery({ ...how, url }));
      if (batch === this.#forSieve) continue;
      if (batch.byteLength >= PARCEL_BYTES) this.#send(owner);
      else if (this.#parcelsDue === Infinity) this.#parcelsDue = clock.now() + transport.parcelAge;
    }
  }

  /** Whether a URL that is discovered at this depth would be let in. */
  admits(url: string, depth: number): boolean {
    const { scope } = this.#parts;
    if (scope.refusal(url, depth) !== undefined || scope.trap(url) !== undefined) return false;
    return this.#filtered([url], depth).length > 0;
  }

  /** URLs that another agent has discovered. */
  receive(batch: KeyedBatch): void {
    this.#forSieve.addAll(batch);
  }

  /**
   * Resolves when there is room for more links: here, and in the windows of other agents. This is
   * the back-pressure on turns.
   */
  async room(): Promise<void> {
    const { transport } = this.#parts;
    while (!this.#ending && !(transport.hasRoom && this.#forSieve.byteLength <= MOST_FOR_SIEVE)) {
      await new Promise<void>((wake) => {
        this.#waitingForRoom.push(wake);
        if (!transport.hasRoom) void transport.room().then(wake);
      });
    }
  }

  /** The agent is stopping: no turn waits for room any more, since others may make none. */
  end(): void {
    this.#ending = true;
    this.#wakeWaiting();
  }

  /**
   * Sends parcels that are old enough, or all, and offers this agent's URLs to the sieve. Returns
   * true when the sieve was offered something.
   */
  async carry(sendAll = false): Promise<boolean> {
    this.#sendParcels(sendAll);
    if (this.#forSieve.length === 0) return false;
    [this.#forSieve, this.#beingOffered] = [this.#beingOffered, this.#forSieve];
    this.#offering = true;
    try {
      await this.#parts.sieve.offer(this.#beingOffered);
    } finally {
      this.#beingOffered.clear();
      this.#offering = false;
    }
    this.#wakeWaiting();
    return true;
  }

  /**
   * What was discovered and not handed on, for the checkpoint: as it is now, until the next
   * `carry`. Requires that no `carry` is under way.
   *
   * Links for the sieve can be megabytes. Nothing but `carry` changes those that are there, so they
   * need no copy. A parcel is sent and begun anew at any time.
   */
  snapshot(): KeyedBatch[] {
    const { length, keys, ends, bytes } = this.#forSieve;
    const parcels = this.#parcels.map((parcel) => unpackKeyedBatch(packKeyedBatch(parcel)));
    return [{ length, keys, ends, bytes }, ...parcels].filter((batch) => batch.length > 0);
  }

  /** Takes back what a snapshot held. */
  restore(batch: KeyedBatch): void {
    const { transport } = this.#parts;
    if (batch.length === 0) return;
    const owner = agentOf(partitionOfFingerprint(batch.keys[0]), transport.agents);
    (owner === transport.agent ? this.#forSieve : this.#parcels[owner]).addAll(batch);
    if (owner !== transport.agent) this.#parcelsDue = 0;
  }

  #wakeWaiting(): void {
    for (const wake of this.#waitingForRoom.splice(0)) wake();
  }

  /** Comes before the cache: a link that is too deep here may be discovered nearer to a seed. */
  #inScope(urls: Urls, depth: number, from: string | undefined): Urls {
    const { scope } = this.#parts;
    if (scope.admitsAll(depth, longestOf(urls))) return urls;
    return this.#refusing(unpacked(urls), (url) => scope.refusal(url, depth, from));
  }

  /** Those without a reason against them; the others are counted and listed with it. */
  #refusing(
    urls: readonly string[],
    reasonAgainst: (url: string) => string | undefined,
  ): readonly string[] {
    const { counters, skips } = this.#parts;
    if (!urls.some(reasonAgainst)) return urls;
    const refused = new Map<string, string[]>();
    const others = urls.filter((url) => {
      const reason = reasonAgainst(url);
      if (reason === undefined) return true;
      const alike = refused.get(reason);
      if (alike) alike.push(url);
      else refused.set(reason, [url]);
      return false;
    });
    for (const [reason, links] of refused) {
      counters.countSkipped(reason, links.length);
      skips.links(links, reason);
    }
    return others;
  }

  #scheduled(found: Urls, depth: number): Urls {
    const { counters, skips, filters } = this.#parts;
    if (filters.schedule === undefined) return found;
    const urls = unpacked(found);
    const kept = this.#filtered(urls, depth);
    if (kept.length === urls.length) return kept;
    counters.countSkipped('schedule-filter', urls.length - kept.length);
    const passed = new Set(kept);
    const refused = urls.filter((url) => !passed.has(url));
    skips.links(refused, 'schedule-filter');
    return kept;
  }

  /** The URLs that pass the filter. Seeds, and what they redirect to, always pass. */
  #filtered(urls: readonly string[], depth: number): readonly string[] {
    const { filters, standing, internal } = this.#parts;
    const { schedule } = filters;
    if (schedule === undefined || depth === 0) return urls;
    const nothing = { visit: undefined, response: undefined, page: undefined };
    const link = { url: '', depth, standing, ...nothing };
    return urls.filter((url) => {
      link.url = url;
      try {
        return schedule(link);
      } catch (error) {
        // A user's predicate threw: that link is refused, and the others of the page are not.
        internal.note(error, { host: hostOf(url), url });
        return false;
      }
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
