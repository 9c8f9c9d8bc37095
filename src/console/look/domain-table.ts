/**
 * All domains of a crawl in memory, to sort and to search: a million must do.
 *
 * Idea      Numbers are in typed arrays and names in one buffer, some 70 bytes a domain. A page of
 *           the table needs only its own rows in order: these are selected, not sorted. The table is
 *           read again when the checkpoint has other files, but not more often than it takes to read
 *           it, twenty times over.
 * Ensures   Rows and their numbers are those of `drumlin domains`.
 * Cost      Reading: about 1 µs a domain. A page: one comparison a domain.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { bookOf } from '../../crawl/state/agent-folder.ts';
import {
  type Column,
  type DomainRow,
  recordsOf,
  repeatedly,
  rowOf,
  scoringOf,
} from '../../crawl/state/domain-list.ts';
import type { Disk } from '../../disk/disk.ts';
import { newRecord } from '../../reputation/budget/domain-record.ts';
import { AllRanks, type RankName } from '../../reputation/budget/standing.ts';
import { requestError } from '../fields/schema.ts';

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
const AGE_FACTOR = 20;
const LONGEST_WAIT: Millis = 6000;

const stillReading = () =>
  requestError('The domains are still being read.', 'Ask again in a few seconds.');

interface DomainQuery {
  readonly sort: Column;
  /** Largest first for numbers, `a` first for names; this turns it round. */
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

export class DomainTable {
  readonly by: RankName;
  readonly #numbers: Readonly<Record<NumberName, Float64Array>>;
  readonly #states: Uint8Array;
  readonly #names: Buffer;
  /** Where the name of each domain ends. */
  readonly #ends: Uint32Array;
  /** From 1; 0 for a domain without rank. */
  readonly #ranks: Uint32Array;
  #byHash: HashOrder | undefined;

  private constructor(
    by: RankName,
    numbers: Record<NumberName, Float64Array>,
    states: Uint8Array,
    names: Buffer,
    ends: Uint32Array,
    ranks: Uint32Array,
  ) {
    this.by = by;
    this.#numbers = numbers;
    this.#states = states;
    this.#names = names;
    this.#ends = ends;
    this.#ranks = ranks;
  }

  static async read(disk: Disk, dir: string): Promise<DomainTable> {
    const { agents, rank, scoreOf } = await scoringOf(disk, dir);
    const columns = Object.fromEntries(
      NUMBERS.map((name) => [name, new Growing()]),
    ) as unknown as Record<NumberName, Growing>;
    const states: number[] = [];
    const pieces: string[] = [];
    const ends: number[] = [];
    let end = 0;
    const ranks = new AllRanks();
    const keys: bigint[] = [];
    for await (const { key, record } of recordsOf(disk, dir, agents)) {
      const { urls, refused, pages, override } = record;
      const score = scoreOf(record);
      columns.score.push(score);
      ranks.add(score, key);
      keys.push(key);
      columns.in.push(record.inDegree);
      columns.supporters.push(record.supporters ?? UNKNOWN);
      columns.cash.push(record.cash);
      columns.budget.push(record.budget);
      columns.fetched.push(pages);
      columns.queued.push(Math.max(0, urls - refused - pages));
      columns.spam.push(record.spam ?? UNKNOWN);
      columns.seen.push(record.firstSeen);
      states.push(STATES.indexOf(typeof override === 'number' ? 'set' : (override ?? '')));
      pieces.push(record.name);
      end += record.name.length + 1;
      ends.push(end - 1);
    }
    const numbers = Object.fromEntries(
      NUMBERS.map((name) => [name, columns[name].values]),
    ) as Record<NumberName, Float64Array>;
    const names = Buffer.from(`${pieces.join('\n')}\n`, 'latin1');
    const places = Uint32Array.from(keys, (key, i) => ranks.rankOf(numbers.score[i], key) ?? 0);
    const [codes, nameEnds] = [Uint8Array.from(states), Uint32Array.from(ends)];
    return new DomainTable(rank, numbers, codes, names, nameEnds, places);
  }

  get length(): number {
    return this.#ends.length;
  }

  name(i: number): string {
    return this.#names.toString('latin1', this.#start(i), this.#ends[i]);
  }

  row(i: number): DomainRow {
    const { supporters, spam, ...rest } = this.#record(i);
    const full = { ...rest, supporters, spam };
    return rowOf(full, this.#ranks[i] || undefined);
  }

  /** The domain with this name. */
  find(name: string): number | undefined {
    for (const i of this.#containing(name)) if (this.name(i) === name) return i;
    return undefined;
  }

  /** The domains whose names have these hashes. */
  rowsOf(hashes: readonly bigint[]): DomainRow[] {
    this.#byHash ??= new HashOrder(this.length, (i) => this.name(i));
    const order = this.#byHash;
    return hashes.flatMap((hash) => {
      const i = order.find(hash);
      return i === undefined ? [] : [this.row(i)];
    });
  }

  page({ sort, reverse, contains, state, from, count }: DomainQuery): DomainPage {
    const wanted = this.#matching(contains, state);
    const before = this.#order(sort, reverse);
    const rows = firstOf(wanted, from + count, before).slice(from);
    return {
      ...{ by: this.by, domains: this.length, matching: wanted.length },
      rows: rows.map((i) => this.row(i)),
    };
  }

  #start(i: number): number {
    return i === 0 ? 0 : this.#ends[i - 1] + 1;
  }

  #record(i: number) {
    const of = (name: NumberName) => this.#numbers[name][i];
    const known = (name: NumberName) => (of(name) === UNKNOWN ? undefined : of(name));
    const state = STATES[this.#states[i]];
    const override = state === 'set' ? of('budget') : state === '' ? undefined : state;
    return {
      ...newRecord(this.name(i), of('seen')),
      ...{ inDegree: of('in'), cash: of('cash'), budget: of('budget'), pages: of('fetched') },
      ...{ urls: of('fetched') + of('queued'), override },
      ...{ supporters: known('supporters'), spam: known('spam') },
    };
  }

  /** Domains without rank come last. */
  #placeOf(i: number): number {
    return this.#ranks[i] || this.length + 1;
  }

  #matching(contains: string, state: DomainQuery['state']): Uint32Array {
    const named =
      contains === ''
        ? Uint32Array.from({ length: this.length }, (_, i) => i)
        : Uint32Array.from(this.#containing(contains));
    if (state === 'any') return named;
    const code = STATES.indexOf(state);
    return named.filter((i) => this.#states[i] === code);
  }

  *#containing(text: string): Generator<number> {
    const wanted = Buffer.from(text.toLowerCase(), 'latin1');
    if (wanted.includes(10)) return;
    for (let at = this.#names.indexOf(wanted); at >= 0; ) {
      const i = this.#at(at);
      yield i;
      at = this.#names.indexOf(wanted, this.#ends[i] + 1);
    }
  }

  /** The domain whose name is at this place. */
  #at(place: number): number {
    let low = 0;
    let high = this.#ends.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ends[middle] < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #order(sort: Column, reverse: boolean): (a: number, b: number) => number {
    const byName = (a: number, b: number) =>
      Buffer.compare(
        this.#names.subarray(this.#start(a), this.#ends[a]),
        this.#names.subarray(this.#start(b), this.#ends[b]),
      );
    const sign = reverse ? -1 : 1;
    if (sort === 'domain') return (a, b) => sign * byName(a, b);
    if (sort === 'rank')
      return (a, b) => sign * (this.#placeOf(a) - this.#placeOf(b)) || byName(a, b);
    const values = this.#numbers[sort];
    return (a, b) => sign * (values[b] - values[a]) || byName(a, b);
  }
}

/** The first of some numbers by an order, sorted. */
function firstOf(
  items: Uint32Array,
  most: number,
  before: (a: number, b: number) => number,
): number[] {
  const kept: number[] = [];
  let bar: number | undefined;
  for (const item of items) {
    if (bar !== undefined && before(item, bar) >= 0) continue;
    kept.push(item);
    if (kept.length < 2 * most + 256) continue;
    kept.sort(before);
    kept.length = most;
    bar = kept[most - 1];
  }
  return kept.sort(before).slice(0, most);
}

/** Finds domains by the hashes of their names; made when the first graph is drawn. */
class HashOrder {
  readonly #hashes: BigUint64Array;
  readonly #places: Uint32Array;

  constructor(count: number, nameOf: (i: number) => string) {
    const hashes = BigUint64Array.from({ length: count }, (_, i) => xxh64(nameOf(i)));
    this.#places = Uint32Array.from({ length: count }, (_, i) => i).sort((a, b) =>
      hashes[a] < hashes[b] ? -1 : 1,
    );
    this.#hashes =
      this.#places.length > 0 ? BigUint64Array.from(this.#places, (i) => hashes[i]) : hashes;
  }

  find(hash: bigint): number | undefined {
    let low = 0;
    let high = this.#hashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#hashes[middle] < hash) low = middle + 1;
      else high = middle;
    }
    return this.#hashes[low] === hash ? this.#places[low] : undefined;
  }
}

class Growing {
  #values = new Float64Array(1024);
  #length = 0;

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  get values(): Float64Array {
    return this.#values.slice(0, this.#length);
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
