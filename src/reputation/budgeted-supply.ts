/**
 * URLs under budgets: what the sieve lets through waits in BEAST's queues for a round in which its domain has budget for it.
 *
 *   sieve ─► book: which round? ─┬─► BEAST, round r + 1 … last ─► take: round r
 *              ▲                 └─► BEAST, later ─┐
 *              └──────── rescan, at the end of a cycle ┘
 *
 * Idea      Rounds go by as the frontier asks for more, so budgets shape the shares of domains. In the time between two requests to a host no
 *           host needs more than it got in a round; to begin another sooner would only fill the frontier with URLs that it has to keep, of
 *           domains with endless hosts more than of others. But where there are few hosts, rounds follow one another at once, several
 *           together, and never make fetchers wait: a single site is crawled as fast as it may be.
 * Requires  one caller at a time, who alone makes the book merge.
 * Ensures   no round has more URLs of a domain than its budget. A round begins when everything that was known before has its place, which
 *           `decide` sees to: to have the book merge for every page would cost more than the page. Every URL is
 *           handed out once, or counted as blocked, or in `waiting`; those of a domain about in their order.
 */

import type { Pacer } from '../base/pacer.ts';
import type { Millis } from '../base/units.ts';
import { VarintReader } from '../base/varint.ts';
import { BatchBuilder } from '../drum/keyed-batch.ts';
import type { Beast } from '../frontier/beast/beast.ts';
import { type Discovery, decodeDiscovery } from '../frontier/queue/discovery.ts';
import type { Entries } from '../frontier/queue/path-queue.ts';
import type { Supply } from '../frontier/supply.ts';
import type { Sieve } from '../sieve/sieve.ts';
import type { DomainBook } from './budget/domain-book.ts';
import type { Rounds } from './budget/place.ts';

export interface BudgetedSupplyParts {
  readonly sieve: Sieve;
  readonly book: DomainBook;
  readonly beast: Beast;
  readonly now: () => Millis;
  readonly pacer: Pacer;
  /** A round lasts as long, */
  readonly roundTime: Millis;
  /** unless the frontier has so few hosts that they cannot keep its fetchers busy. */
  readonly fewHosts: () => boolean;
  /** URLs of domains that the operator has blocked will not be fetched. */
  readonly onBlocked: (urls: number) => void;
}

/** Where rounds follow one another at once, those of a few URLs are handed out together: a round of one costs as much as one of many. */
const TOGETHER = 64;
/** Batches of the sieve that are given their places in passing, while there is something to hand out. */
const IN_PASSING = 4;

export class BudgetedSupply implements Supply {
  readonly #parts: BudgetedSupplyParts;
  readonly #again = new BatchBuilder();
  /** All that the sieve has decided was taken. */
  #drained: boolean;
  /** URLs taken from the sieve in the life of the crawl. */
  taken: number;
  /** A rescan found no round for any URL, and no other will before budgets change. */
  #barren = false;
  /** All of the round was handed out; the next may begin then. */
  #roundOver = false;
  #nextRoundAt: Millis = 0;

  /** `taken` is what was taken from the sieve in earlier runs. */
  constructor(parts: BudgetedSupplyParts, taken = 0) {
    this.#parts = parts;
    this.taken = taken;
    this.#drained = taken === parts.sieve.size;
  }

  /** Those whose places the book has not decided are as little to be had as those that the sieve has not. */
  get undecided(): number {
    const { sieve, book } = this.#parts;
    return sieve.pending + book.waiting;
  }

  get waiting(): number {
    const { sieve, book, beast } = this.#parts;
    return sieve.size - this.taken + book.waiting + beast.entries;
  }

  /** What waits although no budget is ever meant for it does not keep a crawl from ending. */
  get idle(): boolean {
    const { sieve, book, beast } = this.#parts;
    if (sieve.pending > 0 || !this.#drained || book.waiting > 0) return false;
    return beast.entries === 0 || (beast.inRounds === 0 && this.#barren);
  }

  get nextAt(): Millis {
    return this.#roundOver && !this.#parts.fewHosts() ? this.#nextRoundAt : 0;
  }

  offered(): void {
    this.#drained = false;
  }

  /** What was put off may have a chance now. */
  budgetsChanged(): void {
    this.#barren = false;
  }

  async decide(): Promise<void> {
    const { sieve, book } = this.#parts;
    if (sieve.pending > 0) {
      await sieve.flush();
      this.#drained = false;
    }
    await this.#askForPlaces(Infinity);
    if (book.waiting > 0) await book.flush();
    await this.#putInPlaces();
  }

  async take(): Promise<readonly Discovery[] | undefined> {
    const { beast, fewHosts } = this.#parts;
    await this.#askForPlaces(IN_PASSING);
    await this.#putInPlaces();
    const taken: Discovery[] = [];
    for (;;) {
      const entries = await beast.take();
      if (entries) {
        for (const entry of eachEntry(entries)) taken.push(decodeDiscovery(entry));
        if (taken.length >= TOGETHER || !fewHosts()) return taken;
      } else if (!(await this.#nextRound())) return taken.length > 0 ? taken : undefined;
    }
  }

  /** Goes on to the next round, or to a rescan, if its time has come. */
  async #nextRound(): Promise<boolean> {
    const { book, beast, now, roundTime } = this.#parts;
    await this.#askForPlaces(Infinity);
    if (book.waiting > 0) return false;
    if (beast.inRounds === 0 && (beast.entries === 0 || this.#barren)) return false;
    this.#roundOver = true;
    if (now() < this.nextAt) return false;
    if ((await beast.advance()) === 'rescan') await this.#rescan();
    else this.#nextRoundAt = now() + roundTime;
    this.#roundOver = false;
    return true;
  }

  async #askForPlaces(batches: number): Promise<void> {
    const { sieve, book, beast, now, pacer } = this.#parts;
    for (let i = 0; i < batches && !this.#drained; i++) {
      const batch = await sieve.take();
      this.#drained = batch === undefined;
      if (!batch) return;
      this.taken += batch.length;
      await book.offerUrls(batch, roundsOf(beast), now());
      await this.#putInPlaces();
      await pacer.pause();
    }
  }

  /** Puts where they belong those of which the book has decided. */
  async #putInPlaces(): Promise<void> {
    const { book, beast, onBlocked, pacer } = this.#parts;
    for (let placed = await book.take(); placed; placed = await book.take()) {
      for (const { place, entry } of placed) {
        if (place === 'blocked') onBlocked(1);
        else beast.put(place, entry);
      }
      await beast.makeRoom();
      await pacer.pause();
    }
  }

  /** Asks for a place for everything that was put off. */
  async #rescan(): Promise<void> {
    const { book, beast, now, pacer } = this.#parts;
    const before = beast.inRounds;
    for (let entries = await beast.takeLater(); entries; entries = await beast.takeLater()) {
      this.#again.clear();
      for (const entry of eachEntry(entries)) this.#again.add(0n, entry);
      await book.offerUrls(this.#again, roundsOf(beast), now(), true);
      await this.#putInPlaces();
      await pacer.pause();
    }
    await book.flush();
    await this.#putInPlaces();
    this.#barren = beast.inRounds === before;
  }
}

const roundsOf = ({ round, last }: Beast): Rounds => ({ round, last });

export function* eachEntry({ count, bytes }: Entries): Generator<Uint8Array> {
  const reader = new VarintReader(bytes);
  for (let i = 0; i < count; i++) yield reader.take(reader.next());
}
