/**
 * From a page's links to the frontier: steps 2 to 5 of a URL's life.
 *
 *   discover ─► recent cache ─► outbox ─► sieve ─► frontier
 *
 * Idea      Links come one page at a time, the sieve works in batches. Links gather in an outbox; `run` carries it to
 *           the sieve and what is novel on to the frontier. Nothing waits while there is enough to fetch: the sieve
 *           is made to decide early only when the fetchers starve, and then for a bounded share of the time.
 * Ensures   a URL reaches the frontier once in the life of the crawl.
 */
import type { Clock } from '../clock.ts';
import { decodeDiscovery, encodeDiscovery } from '../frontier/discovery.ts';
import type { Frontier } from '../frontier/frontier.ts';
import { BatchBuilder, entryBytes } from '../sieve/batch.ts';
import type { RecentCache } from '../sieve/recent-cache.ts';
import type { Sieve } from '../sieve/sieve.ts';
import type { Millis } from '../units.ts';
import { fingerprint } from '../url/fingerprint.ts';
import type { Signal } from './signal.ts';

/** The sieve is made to decide early for at most a twentieth of the time, unless nothing at all is under way. */
const EARLY_FLUSH_SHARE = 1 / 20;

export class Admission {
  readonly #sieve: Sieve;
  readonly #recent: RecentCache;
  readonly #frontier: Frontier;
  readonly #clock: Clock;
  #keys = new BigUint64Array(256);
  #keep = new Uint8Array(256);
  #outbox = new BatchBuilder();
  #offered = new BatchBuilder();
  #nextEarlyFlush: Millis = 0;
  #busy = false;

  constructor(sieve: Sieve, recent: RecentCache, frontier: Frontier, clock: Clock) {
    this.#sieve = sieve;
    this.#recent = recent;
    this.#frontier = frontier;
    this.#clock = clock;
  }

  /** There is something to carry. */
  get hasWork(): boolean {
    return this.#outbox.length > 0 || this.#sieve.pending > 0;
  }

  /** Nothing is on its way to the frontier. */
  get idle(): boolean {
    return !this.#busy && !this.hasWork;
  }

  get unique(): number {
    return this.#sieve.size;
  }

  /** Takes the URLs that one page or seed list leads to, all come by in the same way. */
  discover(urls: readonly string[], depth: number, redirects = 0): void {
    const keys = this.#keysOf(urls);
    this.#recent.admit(keys, urls.length, this.#keep);
    for (let i = 0; i < urls.length; i++) {
      if (this.#keep[i]) this.#outbox.addText(keys[i], encodeDiscovery({ url: urls[i], depth, redirects }));
    }
  }

  #keysOf(urls: readonly string[]): BigUint64Array {
    if (urls.length > this.#keys.length) {
      this.#keys = new BigUint64Array(urls.length * 2);
      this.#keep = new Uint8Array(urls.length * 2);
    }
    for (let i = 0; i < urls.length; i++) this.#keys[i] = fingerprint(urls[i]);
    return this.#keys;
  }

  /** Carries links until `over`; wakes on `links`, and tells by `onProgress` when the frontier may have grown. */
  async run(links: Signal, onProgress: () => void, over: () => boolean): Promise<void> {
    while (!over()) {
      this.#busy = true;
      const progressed = await this.#carry();
      this.#busy = false;
      // Only news wakes the fetchers: two loops that woke each other for nothing would never sleep. To have become
      // idle is news too, since it may be what the end of the crawl was waiting for.
      if (progressed || this.idle) onProgress();
      await links.wait();
    }
  }

  /** Hands everything discovered to the sieve and decides it, so that a stopped crawl has no URL in the air. */
  async settle(): Promise<void> {
    await this.#offerOutbox();
    await this.#sieve.flush();
    await this.#admitNovel();
  }

  /** True when the sieve decided something or the frontier grew. */
  async #carry(): Promise<boolean> {
    await this.#offerOutbox();
    const starving = this.#starving();
    if (starving) {
      const startedAt = this.#clock.now();
      await this.#sieve.flush();
      const endedAt = this.#clock.now();
      this.#nextEarlyFlush = endedAt + (endedAt - startedAt) / EARLY_FLUSH_SHARE;
    }
    return (await this.#admitNovel()) > 0 || starving;
  }

  #starving(): boolean {
    if (this.#sieve.pending === 0) return false;
    const now = this.#clock.now();
    if (this.#frontier.nextReadyAt() <= now) return false;
    return this.#frontier.turnsOut === 0 || now >= this.#nextEarlyFlush;
  }

  async #offerOutbox(): Promise<void> {
    if (this.#outbox.length === 0) return;
    [this.#outbox, this.#offered] = [this.#offered, this.#outbox];
    await this.#sieve.offer(this.#offered);
    this.#offered.clear();
  }

  async #admitNovel(): Promise<number> {
    let admitted = 0;
    for (let batch = await this.#sieve.take(); batch; batch = await this.#sieve.take()) {
      for (let i = 0; i < batch.length; i++) this.#frontier.add(decodeDiscovery(entryBytes(batch, i)));
      admitted += batch.length;
    }
    return admitted;
  }
}
