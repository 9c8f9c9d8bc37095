/**
 * The records of all domains of a crawl in columns: numbers in typed arrays, names in one buffer.
 *
 * Cost      About 100 bytes a domain. Reading: 1 to 2 µs a domain, in pieces of some milliseconds.
 */
import type { Pacer } from '../../base/pacer.ts';
import { bookOf } from '../../crawl/state/agent-folder.ts';
import { eachRecord, scoringOf, stateOf } from '../../crawl/state/domain-list.ts';
import type { Disk } from '../../disk/disk.ts';
import type { DomainRecord } from '../../reputation/budget/domain-record.ts';
import type { RankName } from '../../reputation/budget/standing.ts';

const NUMBERS = [
  ...(['score', 'in', 'supporters', 'cash', 'budget'] as const),
  ...(['fetched', 'queued', 'spam', 'seen'] as const),
] as const;
export type NumberName = (typeof NUMBERS)[number];
export const STATES = ['', 'blocked', 'trusted', 'set', 'exchange'] as const;
/** What stands for a number that is not known. */
export const UNKNOWN = -1;

/** Row i of each column is domain i. */
export interface DomainColumns {
  readonly by: RankName;
  readonly numbers: Readonly<Record<NumberName, Float64Array>>;
  readonly states: Uint8Array;
  /** Names, each with a line end after it. */
  readonly names: Buffer;
  /** Where the name of each domain ends. */
  readonly ends: Uint32Array;
  /** The hashes of the names. */
  readonly keys: BigUint64Array;
}

/** How far a reading is. */
export interface Progress {
  done: number;
  of: number;
}

export async function readColumns(
  disk: Disk,
  dir: string,
  progress: Progress,
  pacer: Pacer,
): Promise<DomainColumns> {
  const { agents, rank, scoreOf } = await scoringOf(disk, dir);
  const most = await recordsIn(disk, dir, agents);
  Object.assign(progress, { done: 0, of: most });
  let columns = emptyColumns(most);
  const names = new GrowingText();
  let i = 0;
  const add = (key: bigint, record: DomainRecord) => {
    // A crawl that runs may have merged meanwhile.
    if (i === columns.keys.length) columns = grown(columns);
    columns.keys[i] = key;
    columns.numbers.score[i] = scoreOf(record);
    enter(columns, i, record);
    columns.ends[i] = names.addLine(record.name);
    progress.done = ++i;
  };
  await eachRecord(disk, dir, agents, add, pacer);
  return { by: rank, names: names.bytes, ...firstOf(columns, i) };
}

/** The same rows in another order. */
export async function inOrder(
  columns: DomainColumns,
  order: Uint32Array,
  pacer: Pacer,
): Promise<DomainColumns> {
  const to = emptyColumns(order.length);
  for (const name of NUMBERS) {
    const [from, into] = [columns.numbers[name], to.numbers[name]];
    for (let i = 0; i < order.length; i++) into[i] = from[order[i]];
    await pacer.pause();
  }
  const { names, ends } = columns;
  const moved = Buffer.allocUnsafe(names.length);
  let length = 0;
  for (let i = 0; i < order.length; i++) {
    const row = order[i];
    to.states[i] = columns.states[row];
    to.keys[i] = columns.keys[row];
    const end = ends[row];
    for (let at = row === 0 ? 0 : ends[row - 1] + 1; at <= end; at++) moved[length++] = names[at];
    to.ends[i] = length - 1;
    const wait = i % 4096 === 0 ? pacer.pause() : undefined;
    if (wait) await wait;
  }
  return { by: columns.by, names: moved, ...to };
}

type Arrays = Omit<DomainColumns, 'by' | 'names'>;

function enter({ numbers, states }: Arrays, i: number, record: DomainRecord): void {
  const { urls, refused, pages } = record;
  numbers.in[i] = record.inDegree;
  numbers.supporters[i] = record.supporters ?? UNKNOWN;
  numbers.cash[i] = record.cash;
  numbers.budget[i] = record.budget;
  numbers.fetched[i] = pages;
  numbers.queued[i] = Math.max(0, urls - refused - pages);
  numbers.spam[i] = record.spam ?? UNKNOWN;
  numbers.seen[i] = record.firstSeen;
  states[i] = STATES.indexOf(stateOf(record));
}

/** Records of all agents, those without a name included. */
async function recordsIn(disk: Disk, dir: string, agents: number): Promise<number> {
  let records = 0;
  for (let agent = 0; agent < agents; agent++)
    records += (await bookOf(disk, dir, agent))?.frozen.state.drum.size ?? 0;
  return records;
}

const emptyColumns = (length: number): Arrays => ({
  numbers: byNumberName(() => new Float64Array(length)),
  states: new Uint8Array(length),
  ends: new Uint32Array(length),
  keys: new BigUint64Array(length),
});

function grown(columns: Arrays): Arrays {
  const { numbers, states, ends, keys } = columns;
  const larger = emptyColumns(2 * keys.length + 1024);
  for (const name of NUMBERS) larger.numbers[name].set(numbers[name]);
  larger.states.set(states);
  larger.ends.set(ends);
  larger.keys.set(keys);
  return larger;
}

const firstOf = ({ numbers, states, ends, keys }: Arrays, count: number): Arrays => ({
  numbers: byNumberName((name) => numbers[name].subarray(0, count)),
  states: states.subarray(0, count),
  ends: ends.subarray(0, count),
  keys: keys.subarray(0, count),
});

const byNumberName = (make: (name: NumberName) => Float64Array) =>
  Object.fromEntries(NUMBERS.map((name) => [name, make(name)])) as Record<NumberName, Float64Array>;

export const LINE_END = 10;

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
    return this.#buffer.subarray(0, this.#length);
  }
}
