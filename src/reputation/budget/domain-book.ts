/**
 * All domains of an agent, and the budget of each: IRLbot's STAR, and the left-over budgets of its
 * BEAST.
 *
 *   countEdges, setSupporters, setSpam, … ─► records ◄─ offerUrls ─► take: the round of each URL
 *
 * Idea      A DRUM of records by the hash of the domain's name. Every event is a change
 *           (domain-delta.ts), applied when the DRUM merges. URLs travel along and come back with
 *           the record as it was just before them, from which their place follows. URLs of a domain
 *           that are offered together travel together: up to sixteen share the cost of a tuple.
 * Requires  one caller at a time; `countEdges`, `setSupporters`, `setSpam`, `setOverride` and `put`
 *           may be called at any time. A caller that makes it merge takes the answers: until then
 *           each merge keeps a file open.
 * Ensures   changes of a domain are applied in the order they came. Every URL offered is answered
 *           once, those of a domain in their order, also after a crash. Opened at what `freeze`
 *           returned, it is what it was then; only the budget function must be given again. Memory
 *           is the number given, that of `RecentHosts`, and the overrides.
 * Cost      about 1 µs a URL; a flush reads and writes every record, and is made durable only in
 *           `freeze`.
 */
import { join } from 'node:path';
import { FieldReader, FieldWriter } from '../../base/fields.ts';
import { flatOut, type Pacer, politePacer } from '../../base/pacer.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { Frozen } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { Drum, type DrumAnswer, type DrumOptions, type DrumState } from '../../drum/drum.ts';
import { DrumBatch } from '../../drum/drum-batch.ts';
import type { KeyedBatch } from '../../drum/keyed-batch.ts';
import { entryBytes } from '../../drum/keyed-batch.ts';
import { openRecords, RecordReader } from '../../drum/records.ts';
import {
  type BudgetOf,
  changeTo,
  changing,
  EDGES,
  FETCHED,
  IN_DEGREE,
  OVERRIDE,
  type Place,
  POSTPONE,
  PRICE,
  type Prices,
  placeUrl,
  type Request,
  requestFor,
  SPAM,
  SUPPORTERS,
  storedLedger,
  storedRecord,
} from './domain-delta.ts';
import { byDomain, type DomainGroup } from './domain-groups.ts';
import { type DomainRecord, newLedger, newRecord, type Override, RECORD } from './domain-record.ts';
import type { Rounds } from './place.ts';
import { RecentHosts } from './recent-hosts.ts';

export interface BookState {
  readonly drum: DrumState;
  /** Version of the budgets. */
  readonly version: number;
  readonly waiting: number;
  readonly overrides: readonly (readonly [string, Override])[];
}

export interface DomainBookOptions {
  readonly disk: Disk;
  /** Must exist, see `Drum`. */
  readonly folder: string;
  readonly memory: Bytes;
  readonly budgetOf: BudgetOf;
  /** The verdict on a domain of which only the name is known; undefined without verdicts. */
  readonly spamByName?: ((name: string) => number) | undefined;
  readonly at?: Frozen<BookState> | undefined;
  readonly pacer?: Pacer;
  /** For tests. */
  readonly geometry?: NonNullable<DrumOptions['geometry']>;
}

export interface KeyedRecord {
  readonly key: bigint;
  readonly record: DomainRecord;
}

export interface PlacedUrl {
  /**
   * The round that it goes in; `later` if there is no room now; `blocked` for good by the operator.
   */
  readonly place: Place;
  /** Budget of its domain. */
  readonly budget: number;
  /** Key of its domain. */
  readonly domain: bigint;
  /** The bytes that were offered. */
  readonly entry: Uint8Array;
}

const RECORD_WINDOW = 64 * 1024;
/**
 * URLs of a domain that travel together: their places follow from the budget in the record before
 * the first.
 */
const MOST_TOGETHER = 16;
/** The most bytes of such URLs, as a share of the longest tuple that the DRUM accepts. */
const PART_TOGETHER = 1 / 4;

export class DomainBook {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #drum: Drum;
  readonly #bytesTogether: Bytes;
  /** Shared with the DRUM's merges. */
  readonly #prices: { version: number; budgetOf: BudgetOf };
  readonly #spamByName: ((name: string) => number) | undefined;
  readonly #overrides: Map<string, Override>;
  readonly #hosts = new RecentHosts();
  readonly #change = new FieldWriter();
  readonly #aux = new FieldWriter();
  #collected = new DrumBatch();
  #offered = new DrumBatch();
  #waiting: number;

  private constructor(options: DomainBookOptions, drum: Drum, prices: Prices) {
    const { disk, folder, at, spamByName } = options;
    this.#disk = disk;
    this.#folder = folder;
    this.#drum = drum;
    this.#bytesTogether = drum.longestTuple * PART_TOGETHER;
    this.#prices = prices;
    this.#spamByName = spamByName;
    this.#waiting = at?.state.waiting ?? 0;
    this.#overrides = new Map(at?.state.overrides);
  }

  static async open(options: DomainBookOptions): Promise<DomainBook> {
    const { disk, folder, memory, budgetOf, geometry, pacer = politePacer() } = options;
    // A version that no record has: the function may differ from the one used before.
    const prices = { version: (options.at?.state.version ?? 0) + 1, budgetOf };
    const at = options.at && { files: options.at.files, state: options.at.state.drum };
    const combine = changing(prices);
    const drum = await Drum.open({
      disk,
      folder,
      memory,
      at,
      pacer,
      combine,
      ...(geometry && { geometry }),
    });
    return new DomainBook(options, drum, prices);
  }

  /** Changes and URLs that are not merged yet. */
  get pending(): number {
    return this.#collected.length + this.#drum.pending;
  }

  /** URLs offered and not taken yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Domains, as of the last merge. */
  get size(): number {
    return this.#drum.size;
  }

  /** The operator's overrides, as set last. */
  get overrides(): ReadonlyMap<string, Override> {
    return this.#overrides;
  }

  /** Counts `newEdges` domains that link to it for the first time, and the `cash` they bring. */
  countEdges(key: bigint, name: string, newEdges: number, cash: number, now: Millis): void {
    const record = newRecord(name, seconds(now));
    record.inDegree = newEdges;
    record.cash = cash;
    this.#update(key, EDGES, record);
  }

  /** Sets the number of domains that link to it, as counted anew. */
  setInDegree(key: bigint, inDegree: number): void {
    const record = newRecord('', 0);
    record.inDegree = inDegree;
    this.#update(key, IN_DEGREE, record);
  }

  /** Counts fetched pages of the domain. */
  countPages(key: bigint, pages: number): void {
    const record = newRecord('', 0);
    record.pages = pages;
    this.#update(key, FETCHED, record);
  }

  setSupporters(key: bigint, supporters: number, exchangesLinks = false): void {
    const record = newRecord('', 0);
    record.supporters = supporters;
    record.exchangesLinks = exchangesLinks;
    this.#update(key, SUPPORTERS, record);
  }

  /** Sets the verdict: the probability that the domain is spam. */
  setSpam(key: bigint, spam: number): void {
    const record = newRecord('', 0);
    record.spam = spam;
    this.#update(key, SPAM, record);
  }

  /** Sets the operator's override; undefined returns the domain to the policy. */
  setOverride(name: string, override: Override | undefined, now: Millis): void {
    if (override === undefined) this.#overrides.delete(name);
    else this.#overrides.set(name, override);
    const record = newRecord(name, seconds(now));
    record.override = override;
    record.blocked = override === 'blocked';
    this.#update(xxh64(name), OVERRIDE, record);
  }

  /**
   * Replaces the budget function. A domain gets its new budget with its next change or URL; the
   * domains given here, which must have a record, get theirs with the next merge.
   */
  setBudgets(budgetOf: BudgetOf, domains: Iterable<bigint> = []): void {
    this.#prices.version++;
    this.#prices.budgetOf = budgetOf;
    for (const key of domains) this.#update(key, PRICE, newRecord('', 0));
  }

  /** Counts one of the domain's URLs as put off: it had a place in a round and has lost it. */
  postpone(key: bigint): void {
    const record = newRecord('', 0);
    record.later = 1;
    this.#update(key, POSTPONE, record);
  }

  /** Adds a record of another book. */
  put(key: bigint, record: DomainRecord): void {
    if (record.override !== undefined) this.#overrides.set(record.name, record.override);
    this.#collected.update(key, changeTo(RECORD, { ...record, version: 0 }, this.#change));
  }

  /**
   * Asks for places for discoveries that come out of the sieve, or, with `again`, for those that
   * were put off. The batch may be reused afterwards.
   */
  async offerUrls(batch: KeyedBatch, rounds: Rounds, now: Millis, again = false): Promise<void> {
    const request = { ...rounds, again };
    for (const group of byDomain(batch, this.#hosts)) this.#ask(group, batch, request, now);
    this.#waiting += batch.length;
    await this.write();
  }

  /** Hands what was collected to the DRUM, which may merge. */
  async write(): Promise<void> {
    if (this.#collected.length === 0) return;
    [this.#collected, this.#offered] = [this.#offered, this.#collected];
    await this.#drum.offer(this.#offered);
    this.#offered.clear();
  }

  /** Merges everything, so that `take` gives all places. */
  async flush(): Promise<void> {
    await this.write();
    await this.#drum.flush();
  }

  /** The next places, or undefined when all merged ones were taken. */
  async take(): Promise<PlacedUrl[] | undefined> {
    const answers = await this.#drum.take();
    if (!answers) return undefined;
    const urls: PlacedUrl[] = [];
    for (const answer of answers) addPlaced(answer, urls);
    this.#waiting -= urls.length;
    return urls;
  }

  /**
   * All domains in the order of keys, as they are at the first read. The book may change and merge
   * meanwhile.
   */
  async *records(): AsyncGenerator<KeyedRecord> {
    await this.flush();
    yield* recordsIn(this.#disk, this.#folder, this.#drum.generation, this.#drum.size);
  }

  async freeze(): Promise<Frozen<BookState>> {
    await this.write();
    const { files, state } = await this.#drum.freeze();
    const { version } = this.#prices;
    return {
      files,
      state: { drum: state, version, waiting: this.#waiting, overrides: [...this.#overrides] },
    };
  }

  discardOlder({ files, state }: Frozen<BookState>): Promise<void> {
    return this.#drum.discardOlder({ files, state: state.drum });
  }

  /** Closes the files. What was not frozen is lost. */
  close(): Promise<void> {
    return this.#drum.close();
  }

  #update(key: bigint, kind: number, record: DomainRecord): void {
    this.#collected.update(key, changeTo(kind, this.#priced(record), this.#change));
  }

  /**
   * Asks for places for URLs of a domain, as many at once as may travel together. If the domain may
   * be new, the record that they make of it travels with the first.
   */
  #ask(
    { key, domain, isKnown, entries }: DomainGroup,
    batch: KeyedBatch,
    request: Request,
    now: Millis,
  ): void {
    let newcomer = isKnown ? undefined : this.#priced(newRecord(domain, seconds(now)));
    for (let next = 0; next < entries.length; newcomer = undefined) {
      const from = next;
      // Budgets may have changed since these were put off: the first one finds out for the others.
      const end = Math.min(entries.length, request.again && from === 0 ? 1 : from + MOST_TOGETHER);
      this.#beginAux(request, newcomer?.budget ?? 0);
      for (let bytes = 0; next < end; next++) {
        const entry = entryBytes(batch, entries[next]);
        bytes += entry.length;
        if (next > from && bytes > this.#bytesTogether) break;
        this.#aux.bytes(entry);
        if (newcomer) placeUrl(newcomer, request);
      }
      const change = requestFor(request, next - from, newcomer, this.#change);
      this.#collected.checkUpdate(key, change, this.#aux.finish());
    }
  }

  /** Writes what `addPlaced` needs to find the places; the entries follow. */
  #beginAux({ round, last }: Rounds, newcomersBudget: number): void {
    this.#aux.clear();
    this.#aux.number(round);
    this.#aux.number(last);
    this.#aux.number(newcomersBudget);
  }

  /** The record with the budget of a domain of which nothing else is known. */
  #priced(record: DomainRecord): DomainRecord {
    if (this.#spamByName && record.name !== '') record.spam ??= this.#spamByName(record.name);
    record.version = this.#prices.version;
    record.budget = this.#prices.budgetOf(record);
    return record;
  }
}

const seconds = (time: Millis): number => Math.floor(time / 1000);

/** Repeats what the merge did to the record, and adds the URLs with their places to `to`. */
function addPlaced({ key, value, aux }: DrumAnswer, to: PlacedUrl[]): void {
  const fields = new FieldReader(aux);
  const request = { round: fields.number(), last: fields.number(), again: false };
  const newcomersBudget = fields.number();
  const ledger = value ? storedLedger(value) : newLedger();
  if (!value) ledger.budget = newcomersBudget;
  const { budget } = ledger;
  while (!fields.atEnd)
    to.push({ place: placeUrl(ledger, request), budget, domain: key, entry: fields.bytes() });
}

/** Calls back with the domains of a frozen book as of its last merge. The book may be in use. */
export async function eachStored(
  disk: Disk,
  folder: string,
  { state: { drum } }: Frozen<BookState>,
  each: (key: bigint, record: DomainRecord) => void,
  pacer: Pacer = flatOut,
): Promise<void> {
  const stored = await openStored(disk, folder, drum.repository, drum.size);
  if (!stored) return;
  const { reader, close } = stored;
  try {
    while (reader.ready) {
      each(reader.key, storedRecord(reader.value));
      const wait = reader.next();
      if (!wait) continue;
      await wait;
      await pacer.pause();
    }
  } finally {
    await close();
  }
}

async function* recordsIn(
  disk: Disk,
  folder: string,
  generation: number,
  size: number,
): AsyncGenerator<KeyedRecord> {
  const stored = await openStored(disk, folder, generation, size);
  if (!stored) return;
  const { reader, close } = stored;
  try {
    while (reader.ready) {
      yield { key: reader.key, record: storedRecord(reader.value) };
      const wait = reader.next();
      if (wait) await wait;
    }
  } finally {
    await close();
  }
}

/**
 * A reader at the first record; undefined before the first merge. Uses a file handle of its own: a
 * merge may close and delete the file, and it can still be read to its end.
 */
async function openStored(
  disk: Disk,
  folder: string,
  generation: number,
  size: number,
): Promise<{ readonly reader: RecordReader; close(): Promise<void> } | undefined> {
  if (generation === 0) return undefined;
  const source = await openRecords(disk, join(folder, `records.${generation}`), undefined, 0, size);
  const close = () => source.file.close();
  try {
    const length = await source.file.size();
    const reader = new RecordReader({ ...source, length }, undefined, RECORD_WINDOW);
    await reader.next();
    return { reader, close };
  } catch (error) {
    await close();
    throw error;
  }
}
