/**
 * URLs under budgets: a URL that passes the sieve is queued in BEAST until a round in which its
 * domain has budget for it.
 *
 *   sieve ─► book: which round? ─┬─► BEAST, round r + 1 … last ─► take: round r
 *              ▲                 └─► BEAST, later ─┐
 *              └──────── rescan, at the end of a cycle ┘
 *
 * Idea      A round begins when the frontier asks for more, so budgets decide the shares of
 *           domains. Between two requests to a host no host needs more than one round gave it. An
 *           earlier round would only fill the frontier with URLs that it has to store, mostly URLs
 *           of domains with endless hosts. Where there are few hosts, rounds follow each other at
 *           once, several together, and fetchers never wait for one: a single site is crawled as
 *           fast as its delay allows.
 *           A requisite belongs to a page that its budget has paid for: it goes into the next
 *           round, whatever the budget of its own domain.
 * Requires  one caller at a time, and no other caller that makes the book merge.
 * Ensures   no round has more pages of a domain than its budget. A round begins when every URL
 *           known before it has its place; `decide` does that, because a merge of the book for
 *           every page would cost more than the page. Every URL is handed out once, or counted as
 *           blocked, or counted in `waiting`. URLs of a domain keep about their order.
 */

import type { Pacer } from '../base/pacer.ts';
import type { Millis } from '../base/units.ts';
import { VarintReader } from '../base/varint.ts';
import { xxh64 } from '../base/xxh64.ts';
import { BatchBuilder, entryBytes, type KeyedBatch } from '../drum/keyed-batch.ts';
import type { Beast } from '../frontier/beast/beast.ts';
import {
  type Discovery,
  decodeDiscovery,
  encodeDiscovery,
  isHasty,
} from '../frontier/queue/discovered-url.ts';
import type { Entries } from '../frontier/queue/path-queue.ts';
import type { Supply } from '../frontier/supply.ts';
import type { Sieve } from '../sieve/sieve.ts';
import { payLevelDomain } from '../url/domain.ts';
import { hostOf } from '../url/parts.ts';
import type { DomainBook } from './budget/domain-book.ts';
import type { Rounds } from './budget/place.ts';

interface BudgetedSupplyParts {
  readonly sieve: Sieve;
  readonly book: DomainBook;
  readonly beast: Beast;
  readonly now: () => Millis;
  readonly pacer: Pacer;
  /** How long a round lasts, unless `fewHosts`. */
  readonly roundTime: Millis;
  /** Whether the frontier has too few hosts to keep its fetchers busy. */
  readonly fewHosts: () => boolean;
  /** There may be requisites and urgent URLs. */
  readonly hasty?: boolean;
  /** Whether the domain of a URL has lost its budget since the URL got its round. */
  readonly isShut?: (url: string) => boolean;
  /** Called with each URL skipped because the operator has blocked its domain. */
  readonly onBlocked: (url: string) => void;
}

/**
 * Short rounds that follow each other at once are handed out together, up to this number of URLs: a
 * round of one URL costs as much as a round of many.
 */
const TOGETHER = 64;
/** Batches of the sieve that get their places per `take`, while there is something to hand out. */
const IN_PASSING = 4;

export class BudgetedSupply implements Supply {
  readonly chooses = true;
  readonly #parts: BudgetedSupplyParts;
  readonly #again = new BatchBuilder();
  /** The URLs of a batch of the sieve that wait for a budget. */
  readonly #patient = new BatchBuilder();
  /** Everything that the sieve has decided was taken. */
  #drained: boolean;
  /** URLs taken from the sieve since the crawl began. */
  taken: number;
  /** A rescan found no round for any URL. No other rescan will, until budgets change. */
  #barren = false;
  /** The whole round was handed out: the next may begin at `#nextRoundAt`. */
  #roundOver = false;
  #nextRoundAt: Millis = 0;

  /** `taken` is the number of URLs taken from the sieve in earlier runs. */
  constructor(parts: BudgetedSupplyParts, taken = 0) {
    this.#parts = parts;
    this.taken = taken;
    this.#drained = taken === parts.sieve.size;
  }

  /** URLs that the sieve has not decided, and URLs for which the book has no place yet. */
  get undecided(): number {
    const { sieve, book } = this.#parts;
    return sieve.pending + book.waiting;
  }

  get queued(): number {
    const { sieve, book, beast } = this.#parts;
    return sieve.size - this.taken + book.waiting + beast.entries;
  }

  /** Nothing left to do: URLs whose domains have budget 0 do not keep a crawl from ending. */
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

  /** Lets the next rescan try again for the URLs that were put off. */
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
    const { beast, fewHosts, isShut = () => false } = this.#parts;
    await this.#askForPlaces(IN_PASSING);
    await this.#putInPlaces();
    await beast.makeRoom();
    const taken: Discovery[] = [];
    for (;;) {
      const entries = await beast.take();
      if (entries) {
        for (const entry of eachEntry(entries)) {
          const discovery = decodeDiscovery(entry);
          if (!isHasty(entry) && isShut(discovery.url)) this.putOff(discovery);
          else taken.push(discovery);
        }
        if (taken.length >= TOGETHER || !fewHosts()) return taken;
      } else if (!(await this.#nextRound())) return taken.length > 0 ? taken : undefined;
    }
  }

  /**
   * Takes back a URL whose domain has lost its budget: it waits until the budget changes. May be
   * called at any time.
   */
  putOff(discovery: Discovery): void {
    const { beast, book } = this.#parts;
    beast.put('later', Buffer.from(encodeDiscovery(discovery), 'latin1'));
    book.postpone(xxh64(payLevelDomain(hostOf(discovery.url))));
  }

  /** Advances to the next round, or starts a rescan, if its time has come. */
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
      await book.offerUrls(this.#withoutHasty(batch), roundsOf(beast), now());
      await this.#putInPlaces();
      await pacer.pause();
    }
  }

  /** Puts what waits for no budget into the next round, and returns the rest. */
  #withoutHasty(batch: KeyedBatch): KeyedBatch {
    if (!this.#parts.hasty) return batch;
    this.#patient.clear();
    for (let i = 0; i < batch.length; i++) {
      const entry = entryBytes(batch, i);
      if (isHasty(entry)) this.#putSoon(entry);
      else this.#patient.add(batch.keys[i], entry);
    }
    return this.#patient;
  }

  /** With one queue there is no next round while one is read: then after the rescan. */
  #putSoon(entry: Uint8Array): void {
    const { beast } = this.#parts;
    beast.put(beast.last > beast.round ? beast.round + 1 : 'later', entry);
  }

  /** Puts the URLs that the book has decided into their rounds. */
  async #putInPlaces(): Promise<void> {
    const { book, beast, onBlocked, pacer } = this.#parts;
    for (let placed = await book.take(); placed; placed = await book.take()) {
      for (const { place, entry } of placed) {
        if (place === 'blocked') onBlocked(decodeDiscovery(entry).url);
        else beast.put(place, entry);
      }
      await beast.makeRoom();
      await pacer.pause();
    }
  }

  /** Asks for a place for every URL that was put off. */
  async #rescan(): Promise<void> {
    const { book, beast, now, pacer } = this.#parts;
    const before = beast.inRounds;
    for (let entries = await beast.takeLater(); entries; entries = await beast.takeLater()) {
      this.#again.clear();
      for (const entry of eachEntry(entries)) {
        if (isHasty(entry)) this.#putSoon(entry);
        else this.#again.add(0n, entry);
      }
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
