/**
 * All domains of a crawl in memory, to sort and to search: a million must do.
 *
 * Idea      Numbers are in typed arrays and names in one buffer. The order by a column is made when
 *           it is first asked for, by a radix sort, and kept: a page is a part of it, wherever it is.
 *           The table is read again when the checkpoint has other files, but not more often than it
 *           takes to read it, fifty times over.
 * Ensures   Rows and their numbers are those of `drumlin domains`.
 * Cost      About 100 bytes a domain, and 4 for each column that was sorted by. Reading: 2 to 4 µs a
 *           domain. The first page by a column: 0.1 µs a domain. With a search: 0.02 µs a domain.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { bookOf } from '../../crawl/state/agent-folder.ts';
import {
  type Column,
  type DomainRow,
  eachRecord,
  repeatedly,
  rowOf,
  scoringOf,
} from '../../crawl/state/domain-list.ts';
import type { Disk } from '../../disk/disk.ts';
import { type DomainRecord, newRecord } from '../../reputation/budget/domain-record.ts';
import type { RankName } from '../../reputation/budget/standing.ts';
import { requestError } from '../fields/schema.ts';
import { byKey, byName, byNumber, rowsInOrder } from './orders.ts';

const NUMBERS = [
  'score',
  'in',
  'supporters',
  'cash',
  'budget',
  'fetched',
  'queued',
  'spam',
  'seen',
] as const;
type NumberName = (typeof NUMBERS)[number];
const STATES = ['', 'blocked', 'trusted', 'set'] as const;
/** What stands for a number that is not known. */
const UNKNOWN = -1;
const LEAST_AGE: Millis = 5000;
const AGE_FACTOR = 50;
const LONGEST_WAIT: Millis = 6000;

const stillReading = () =>
  requestError('The domains are still being read.', 'Ask again in a few seconds.');

interface DomainQuery {
  readonly sort: Column;
  /** Best rank, largest number or first name first; this turns the order round. */
  readonly reverse: boolean;
  /** Only names that contain this. */
  readonly contains: string;
  /** Only domains in this state. */
  readonly state: DomainRow['state'] | 'any';
  readonly from: number;
  readonly count: number;
}

interface DomainPage {
  readonly by: RankName;
  /** All domains. */
  readonly domains: number;
  /** Those that match. */
  readonly matching: number;
  readonly rows: readonly DomainRow[];
}

/** What is read of all domains; row i of each column is domain i. */
interface Columns {
  readonly by: RankName;
  readonly numbers: Readonly<Record<NumberName, Float64Array>>;
  readonly states: Uint8Array;
  /** Names, each with a line end after it. */
  readonly names: Buffer;
  /** Where the name of each domain ends. */
  readonly ends: Uint32Array;
  /** The hashes of the names, in two halves. */
  readonly keys: { readonly high: Uint32Array; readonly low: Uint32Array };
}

export class DomainTable {
  readonly #columns: Columns;
  /** From 1; 0 for a domain without rank. */
  readonly #ranks: Uint32Array;
  /** Rows by key. */
  readonly #byKey: Uint32Array;
  /** Rows by name. */
  readonly #byName: Uint32Array;
  readonly #orders = new Map<Column, Uint32Array>();

  private constructor(columns: Columns) {
    const { keys, numbers, names, ends } = columns;
    this.#columns = columns;
    // All other orders begin with it, and it takes longest.
    this.#byName = byName(names, ends);
    this.#byKey = byKey(keys.high, keys.low, rowsInOrder(columns.ends.length));
    // As in a `Standing`: the higher score first, then the lower key; no rank without a score.
    const ranked = byNumber(numbers.score, this.#byKey);
    this.#ranks = new Uint32Array(ranked.length);
    for (let i = 0; i < ranked.length && numbers.score[ranked[i]] > 0; i++)
      this.#ranks[ranked[i]] = i + 1;
  }

  static async read(disk: Disk, dir: string): Promise<DomainTable> {
    const { agents, rank, scoreOf } = await scoringOf(disk, dir);
    const growing = Object.fromEntries(
      NUMBERS.map((name) => [name, new Growing(Float64Array)]),
    ) as unknown as Record<NumberName, Growing<Float64Array>>;
    const states = new Growing(Uint8Array);
    const ends = new Growing(Uint32Array);
    const [high, low] = [new Growing(Uint32Array), new Growing(Uint32Array)];
    const names = new GrowingText();
    await eachRecord(disk, dir, agents, (key, record) => {
      const { urls, refused, pages, override } = record;
      high.push(Number(key >> 32n));
      low.push(Number(key & 0xffff_ffffn));
      growing.score.push(scoreOf(record));
      growing.in.push(record.inDegree);
      growing.supporters.push(record.supporters ?? UNKNOWN);
      growing.cash.push(record.cash);
      growing.budget.push(record.budget);
      growing.fetched.push(pages);
      growing.queued.push(Math.max(0, urls - refused - pages));
      growing.spam.push(record.spam ?? UNKNOWN);
      growing.seen.push(record.firstSeen);
      states.push(STATES.indexOf(typeof override === 'number' ? 'set' : (override ?? '')));
      ends.push(names.addLine(record.name));
    });
    const numbers = Object.fromEntries(
      NUMBERS.map((name) => [name, growing[name].values]),
    ) as Record<NumberName, Float64Array>;
    return new DomainTable({
      ...{ by: rank, numbers, states: states.values, names: names.bytes, ends: ends.values },
      keys: { high: high.values, low: low.values },
    });
  }

  get length(): number {
    return this.#columns.ends.length;
  }

  name(i: number): string {
    const { names, ends } = this.#columns;
    return names.toString('latin1', i === 0 ? 0 : ends[i - 1] + 1, ends[i]);
  }

  row(i: number): DomainRow {
    return rowOf(this.#record(i), this.#ranks[i] || undefined);
  }

  /** The domain with this name. */
  find(name: string): number | undefined {
    const i = this.#withKey(xxh64(name));
    return i !== undefined && this.name(i) === name ? i : undefined;
  }

  /** The domains whose names have these hashes. */
  rowsOf(hashes: readonly bigint[]): DomainRow[] {
    return hashes.flatMap((hash) => {
      const i = this.#withKey(hash);
      return i === undefined ? [] : [this.row(i)];
    });
  }

  page({ sort, reverse, contains, state, from, count }: DomainQuery): DomainPage {
    const { by } = this.#columns;
    const order = this.#orderBy(sort);
    const wanted = this.#matching(contains, state);
    const matching = wanted?.count ?? this.length;
    const rows: number[] = [];
    const step = reverse ? -1 : 1;
    let passed = wanted ? 0 : from;
    for (
      let at = reverse ? this.length - 1 - passed : passed;
      at >= 0 && at < this.length && rows.length < count;
      at += step
    ) {
      if (wanted && wanted.has[order[at]] === 0) continue;
      if (passed >= from) rows.push(order[at]);
      else passed++;
    }
    return { by, domains: this.length, matching, rows: rows.map((i) => this.row(i)) };
  }

  #record(i: number): DomainRecord {
    const of = (name: NumberName) => this.#columns.numbers[name][i];
    const known = (name: NumberName) => (of(name) === UNKNOWN ? undefined : of(name));
    const state = STATES[this.#columns.states[i]];
    const override = state === 'set' ? of('budget') : state === '' ? undefined : state;
    return {
      ...newRecord(this.name(i), of('seen')),
      ...{ inDegree: of('in'), cash: of('cash'), budget: of('budget'), pages: of('fetched') },
      ...{ urls: of('fetched') + of('queued'), override },
      ...{ supporters: known('supporters'), spam: known('spam') },
    };
  }

  /** Undefined if all match. */
  #matching(
    contains: string,
    state: DomainQuery['state'],
  ): { readonly has: Uint8Array; readonly count: number } | undefined {
    if (contains === '' && state === 'any') return undefined;
    const { states } = this.#columns;
    const has = new Uint8Array(this.length);
    if (contains === '') has.fill(1);
    else for (const i of this.#containing(contains)) has[i] = 1;
    const code = state === 'any' ? undefined : STATES.indexOf(state);
    let count = 0;
    for (let i = 0; i < has.length; i++) {
      if (code !== undefined && states[i] !== code) has[i] = 0;
      count += has[i];
    }
    return { has, count };
  }

  *#containing(text: string): Generator<number> {
    const { names, ends } = this.#columns;
    const wanted = Buffer.from(text.toLowerCase(), 'latin1');
    if (wanted.includes(LINE_END)) return;
    for (let at = names.indexOf(wanted); at >= 0; ) {
      const i = firstWhere(ends.length, (middle) => ends[middle] >= at);
      yield i;
      at = names.indexOf(wanted, ends[i] + 1);
    }
  }

  #withKey(key: bigint): number | undefined {
    const { high, low } = this.#columns.keys;
    const [most, least] = [Number(key >> 32n), Number(key & 0xffff_ffffn)];
    const place = firstWhere(this.length, (middle) => {
      const i = this.#byKey[middle];
      return high[i] > most || (high[i] === most && low[i] >= least);
    });
    const i = this.#byKey[place];
    return place < this.length && high[i] === most && low[i] === least ? i : undefined;
  }

  #orderBy(sort: Column): Uint32Array {
    if (sort === 'domain') return this.#byName;
    const known = this.#orders.get(sort);
    if (known) return known;
    const order = this.#newOrder(sort);
    this.#orders.set(sort, order);
    return order;
  }

  /** Rows with the same number are in the order of their names. */
  #newOrder(sort: Exclude<Column, 'domain'>): Uint32Array {
    const { numbers } = this.#columns;
    const named = this.#byName;
    // What is not known counts as 0.
    if (sort !== 'rank')
      return byNumber(
        numbers[sort].map((number) => Math.max(0, number)),
        named,
      );
    // The best rank is the largest number; those without rank come last.
    return byNumber(
      Float64Array.from(this.#ranks, (rank) => (rank === 0 ? -Infinity : -rank)),
      named,
    );
  }
}

/** The first of `count` places at which something holds that holds for all after it. */
function firstWhere(count: number, holds: (place: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

type Numbers = Float64Array | Uint32Array | Uint8Array;

/** An array of numbers that grows. */
class Growing<T extends Numbers> {
  readonly #make: new (
    length: number,
  ) => T;
  #values: T;
  #length = 0;

  constructor(make: new (length: number) => T) {
    this.#make = make;
    this.#values = new make(1024);
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new this.#make(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  get values(): T {
    return this.#values.slice(0, this.#length) as T;
  }
}

const LINE_END = 10;

/** Lines of latin1 in one buffer that grows. */
class GrowingText {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #length = 0;

  /** Returns where the line ends. */
  addLine(line: string): number {
    if (this.#length + line.length >= this.#buffer.length) {
      const larger = Buffer.allocUnsafe(2 * (this.#length + line.length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#length += this.#buffer.write(line, this.#length, 'latin1');
    this.#buffer[this.#length] = LINE_END;
    return this.#length++;
  }

  get bytes(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }
}

/** The table of one crawl, read again when the crawl has written other records. */
export class DomainTables {
  readonly #disk: Disk;
  readonly #dir: string;
  readonly #clock: Clock;
  #table: Promise<DomainTable> | undefined;
  #version = '';
  #readAt: Millis = 0;
  #took: Millis = 0;

  constructor(disk: Disk, dir: string, clock: Clock) {
    this.#disk = disk;
    this.#dir = dir;
    this.#clock = clock;
  }

  async current(): Promise<DomainTable> {
    const age = this.#clock.now() - this.#readAt;
    if (this.#table && age < Math.max(LEAST_AGE, AGE_FACTOR * this.#took))
      return this.#soon(this.#table);
    const version = await this.#versionNow();
    this.#readAt = this.#clock.now();
    if (this.#table && version === this.#version) return this.#soon(this.#table);
    this.#version = version;
    this.#table = repeatedly(() => DomainTable.read(this.#disk, this.#dir));
    this.#table.then(
      () => {
        this.#took = this.#clock.now() - this.#readAt;
      },
      () => {
        this.#table = undefined;
      },
    );
    return this.#soon(this.#table);
  }

  /** A reader must not wait longer than its connection lasts. */
  #soon(table: Promise<DomainTable>): Promise<DomainTable> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(LONGEST_WAIT, () => reject(stillReading()));
      table.then(resolve, reject).finally(cancel);
    });
  }

  /** The budget of a domain; undefined if there is no record of it. */
  async budgetOf(domain: string): Promise<number | undefined> {
    const table = await this.current();
    const at = table.find(domain);
    return at === undefined ? undefined : table.row(at).budget;
  }

  async #versionNow(): Promise<string> {
    const { agents } = await scoringOf(this.#disk, this.#dir);
    const names: string[] = [];
    for (let agent = 0; agent < agents; agent++) {
      const book = await bookOf(this.#disk, this.#dir, agent);
      names.push(
        Object.keys(book?.frozen.files ?? {})
          .filter((name) => /^records/.test(name))
          .join(),
      );
    }
    return names.join(' ');
  }
}
