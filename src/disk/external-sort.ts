/**
 * Pairs of 32-bit numbers, more than fit in memory, grouped by key and sorted by value, repeats
 * removed.
 *
 * Idea      pairs go to one file. If they do not fit in memory, their keys are counted in 65,536
 *           ranges, and the file is split into parts of consecutive ranges that fit. A range that
 *           is still too large is split again in the same way, and a single key with too many
 *           values is split by value. A part is grouped by counting: its file is read twice, once
 *           for the length of each group, once to put the values in their places. Values are
 *           compared only within a group that came unsorted. A part whose few keys lie far apart,
 *           such as hashes, is sorted in memory instead.
 * Requires  a folder of its own for its files; `sorted` is called once, after the last `add`.
 * Ensures   groups come in order of their keys, and every pair that was added is in them once. The
 *           groups of one `Groups` are complete, with one exception: a key with very many values
 *           may come alone and several times, with increasing values. A `Groups` is valid until the
 *           next one.
 * Costs     at most the memory given, and no more than some 50 MB. 8 bytes a pair written and read
 *           twice when all fit a cache; each split writes them once more and reads them twice more;
 *           about 130 million pairs need one split. Files of a split are deleted as soon as they
 *           were read.
 */
import { join } from 'node:path';
import { AppendLog } from './append-log.ts';
import type { Disk } from './disk.ts';
import { type Format, HEADER_BYTES } from './format.ts';
import { ReadAhead } from './read-ahead.ts';

/**
 * Values grouped by key: those of key `first + i` are `values[offsets[i] .. offsets[i + 1])`,
 * strictly increasing.
 */
export interface Groups {
  readonly first: number;
  readonly count: number;
  readonly offsets: Uint32Array;
  readonly values: Uint32Array;
}

const FORMAT: Format = { type: 'prs', version: 1 };
const PAIR_BYTES = 8;
const CHUNK_PAIRS = 32_768;
/** Parts of one split; up to three times as many in the worst case. */
const MOST_PARTS = 128;
/**
 * Values go to places all over the memory of a part: beyond the size of a cache, each would be a
 * miss.
 */
const CACHED_BYTES = 4 * 2 ** 20;
const PART_BUFFER_BYTES = 32 * 1024;
const RANGE_BITS = 16;
const U32_MAX = 2 ** 32 - 1;

/** A file of pairs, all of whose keys (or, of a single key, values) lie in low .. high. */
interface Part {
  readonly path: string;
  readonly pairs: number;
  readonly low: number;
  readonly high: number;
  /** The only key, when it is the values that lie in low .. high. */
  readonly key?: number;
}

export class PairSorter {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #name: string;
  /** How many values are grouped at once. */
  readonly #mostValues: number;
  /** Over how many keys values are grouped at once. */
  readonly #mostKeys: number;
  /** Buffer of a part. */
  readonly #partBytes: number;
  /** Buffer of the file that all pairs go to first. */
  readonly #logBytes: number;
  #log: AppendLog | undefined;
  readonly #staged = new Uint32Array(2 * CHUNK_PAIRS);
  #stagedPairs = 0;
  #pairs = 0;
  #low = U32_MAX;
  #high = 0;
  #files = 0;
  readonly #onProgress: (share: number) => void;
  #pairsSeen = 0;
  #values = new Uint32Array(0);
  #offsets = this.#values;

  /**
   * `name` begins the names of its files; `onProgress` is called now and then with the approximate
   * share of `sorted` that is done.
   */
  constructor(
    disk: Disk,
    folder: string,
    name: string,
    memory: number,
    onProgress: (share: number) => void = () => {},
  ) {
    this.#onProgress = onProgress;
    this.#disk = disk;
    this.#folder = folder;
    this.#name = name;
    this.#mostValues = Math.max(16, Math.floor(Math.min(memory / 4, CACHED_BYTES) / 4));
    this.#mostKeys = Math.max(16, Math.floor(Math.min(memory / 4, CACHED_BYTES) / 4));
    // A part being written has two buffers in its log and one that collects.
    const share = Math.min(PART_BUFFER_BYTES, Math.max(512, memory / 4 / (3 * MOST_PARTS)));
    this.#partBytes = Math.floor(share / 8) * 8;
    this.#logBytes = Math.floor(Math.min(256 * 1024, Math.max(512, memory / 16)) / 8) * 8;
  }

  /** Pairs added so far, repeats included. */
  get pairs(): number {
    return this.#pairs + this.#stagedPairs;
  }

  /** How often each pair is read, if one split is enough. */
  get #passes(): number {
    return this.#pairs > this.#mostValues ? 4 : 2;
  }

  async add(keys: Uint32Array, values: Uint32Array, count = keys.length): Promise<void> {
    for (let done = 0; done < count; ) {
      const end = Math.min(count, done + CHUNK_PAIRS - this.#stagedPairs);
      this.#stage(keys, values, done, end);
      done = end;
      if (this.#stagedPairs === CHUNK_PAIRS) await this.#spill();
    }
  }

  async *sorted(): AsyncGenerator<Groups> {
    if (this.#stagedPairs > 0) await this.#spill();
    const log = this.#log;
    if (log === undefined) return;
    this.#log = undefined;
    await log.close();
    const [low, high] = [this.#low, this.#high];
    this.#values = new Uint32Array(Math.min(this.#mostValues, this.#pairs));
    this.#offsets = new Uint32Array(Math.min(this.#mostKeys, high - low + 1) + 1);
    yield* this.#sort({ path: log.file.path, pairs: this.#pairs, low, high });
  }

  /** Closes the file being written when the pairs will not be sorted after all. */
  async abandon(): Promise<void> {
    await this.#log?.abandon();
  }

  #stage(keys: Uint32Array, values: Uint32Array, start: number, end: number): void {
    const staged = this.#staged;
    let at = this.#stagedPairs * 2;
    let low = this.#low;
    let high = this.#high;
    for (let i = start; i < end; i++) {
      const key = keys[i];
      if (key < low) low = key;
      if (key > high) high = key;
      staged[at++] = key;
      staged[at++] = values[i];
    }
    this.#low = low;
    this.#high = high;
    this.#stagedPairs += end - start;
  }

  async #spill(): Promise<void> {
    this.#log ??= await AppendLog.create(this.#disk, this.#nextPath(), FORMAT, this.#logBytes);
    await this.#log.append(new Uint8Array(this.#staged.buffer, 0, this.#stagedPairs * PAIR_BYTES));
    this.#pairs += this.#stagedPairs;
    this.#stagedPairs = 0;
  }

  #nextPath(): string {
    return join(this.#folder, `${this.#name}-${this.#files++}.pairs`);
  }

  async *#sort(part: Part): AsyncGenerator<Groups> {
    const fits = part.pairs <= this.#mostValues;
    if (part.key !== undefined && (fits || part.low === part.high))
      yield await this.#oneGroup(part, part.key);
    else if (part.key === undefined && fits && part.high - part.low < this.#mostKeys)
      yield await this.#groups(part);
    else if (part.key === undefined && fits) yield* this.#sparseGroups(part);
    else if (part.key === undefined && part.low === part.high)
      yield* this.#sort({ ...part, key: part.low, low: 0, high: U32_MAX });
    else {
      const parts = await this.#split(part);
      await this.#disk.remove(part.path);
      for (const smaller of parts) yield* this.#sort(smaller);
      return;
    }
    await this.#disk.remove(part.path);
  }

  async #groups(part: Part): Promise<Groups> {
    const { low, high } = part;
    const count = high - low + 1;
    const values = this.#values;
    // One array holds lengths, then starts, then ends.
    const offsets = this.#offsets.subarray(0, count + 1).fill(0);
    await this.#pass(part, (chunk) => countKeys(chunk, low, offsets));
    let start = 0;
    for (let i = 0; i <= count; i++) {
      const length = offsets[i];
      offsets[i] = start;
      start += length;
    }
    await this.#pass(part, (chunk) => placeValues(chunk, low, offsets, values));
    offsets.copyWithin(1, 0, count);
    offsets[0] = 0;
    const kept = sortUniqueLists(offsets, count, values);
    return { first: low, count, offsets, values: values.subarray(0, kept) };
  }

  /** Groups of one key each, of keys too far apart to count them all. */
  async *#sparseGroups(part: Part): AsyncGenerator<Groups> {
    // The key is the upper half, so that numbers sort by key, then by value.
    const pairs = new Uint32Array(2 * part.pairs);
    let filled = 0;
    await this.#pass(part, (chunk) => {
      for (let at = 0; at < chunk.length; at += 2) {
        pairs[filled++] = chunk[at + 1];
        pairs[filled++] = chunk[at];
      }
    });
    new BigUint64Array(pairs.buffer).sort();
    const values = this.#values;
    const offsets = Uint32Array.of(0, 0);
    for (let at = 0; at < pairs.length; ) {
      const key = pairs[at + 1];
      let n = 0;
      for (; at < pairs.length && pairs[at + 1] === key; at += 2)
        if (n === 0 || values[n - 1] !== pairs[at]) values[n++] = pairs[at];
      offsets[1] = n;
      yield { first: key, count: 1, offsets, values: values.subarray(0, n) };
    }
  }

  async #oneGroup(part: Part, key: number): Promise<Groups> {
    const values = this.#values;
    let n = 0;
    // If all values are the same, one of them is enough.
    if (part.low === part.high) values[n++] = part.low;
    else {
      await this.#pass(part, (chunk) => {
        for (let at = 1; at < chunk.length; at += 2) values[n++] = chunk[at];
      });
    }
    const offsets = Uint32Array.of(0, n);
    const kept = sortUniqueLists(offsets, 1, values);
    return { first: key, count: 1, offsets, values: values.subarray(0, kept) };
  }

  async #split(part: Part): Promise<Part[]> {
    const shift = Math.max(0, 32 - Math.clz32(part.high - part.low) - RANGE_BITS);
    const column = part.key === undefined ? 0 : 1;
    const ranges = new Uint32Array(((part.high - part.low) >>> shift) + 1);
    await this.#pass(part, (chunk) => countRanges(chunk, column, part.low, shift, ranges));
    const parts = this.#plan(part, ranges, shift);
    const partOf = new Uint16Array(ranges.length);
    const lanes: Lane[] = [];
    try {
      for (const [i, { path, low, high }] of parts.entries()) {
        partOf.fill(i, (low - part.low) >>> shift, ((high - part.low) >>> shift) + 1);
        lanes.push(await Lane.create(this.#disk, path, this.#partBytes));
      }
      await this.#distribute(part, column, shift, partOf, lanes);
      for (const lane of lanes) await lane.close();
    } catch (error) {
      for (const lane of lanes) await lane.abandon();
      throw error;
    }
    return parts;
  }

  /**
   * Joins consecutive ranges as long as they can be grouped at once, or while there would be too
   * many parts.
   */
  #plan({ pairs, low, high, key }: Part, ranges: Uint32Array, shift: number): Part[] {
    const mostPairs = Math.max(this.#mostValues, Math.ceil(pairs / MOST_PARTS));
    const mostRanges =
      Math.max(this.#mostKeys, Math.ceil((high - low + 1) / MOST_PARTS)) / 2 ** shift;
    const parts: Part[] = [];
    for (let range = 0; range < ranges.length; ) {
      const first = range;
      let within = ranges[range++];
      while (
        range < ranges.length &&
        within + ranges[range] <= mostPairs &&
        range - first + 1 <= mostRanges
      )
        within += ranges[range++];
      if (within === 0) continue;
      parts.push({
        path: this.#nextPath(),
        pairs: within,
        low: low + first * 2 ** shift,
        high: Math.min(high, low + range * 2 ** shift - 1),
        ...(key === undefined ? {} : { key }),
      });
    }
    return parts;
  }

  async #distribute(
    part: Part,
    column: number,
    shift: number,
    partOf: Uint16Array,
    lanes: Lane[],
  ): Promise<void> {
    await this.#pass(part, async (chunk) => {
      for (let at = 0; at < chunk.length; ) {
        at = fillLanes(chunk, at, column, part.low, shift, partOf, lanes);
        if (at < chunk.length)
          await lanes[partOf[(chunk[at + column] - part.low) >>> shift]].empty();
      }
    });
  }

  /** Calls `look` with all pairs of a part, some at a time: key, value, key, value. */
  async #pass(part: Part, look: (chunk: Uint32Array) => void | Promise<void>): Promise<void> {
    const file = await this.#disk.open(part.path, 'read');
    const end = HEADER_BYTES + part.pairs * PAIR_BYTES;
    const reader = new ReadAhead(file, HEADER_BYTES, end, CHUNK_PAIRS * PAIR_BYTES);
    try {
      for (;;) {
        const bytes = await reader.peek(CHUNK_PAIRS * PAIR_BYTES);
        if (bytes.length === 0) break;
        await look(new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4));
        reader.skip(bytes.length);
        this.#pairsSeen += bytes.length / PAIR_BYTES;
        this.#onProgress(Math.min(1, this.#pairsSeen / (this.#pairs * this.#passes)));
      }
    } finally {
      await reader.end();
      await file.close();
    }
  }
}

/** A part being written. */
class Lane {
  readonly #log: AppendLog;
  readonly pairs: Uint32Array;
  filled = 0;

  private constructor(log: AppendLog, bufferBytes: number) {
    this.#log = log;
    this.pairs = new Uint32Array(bufferBytes / 4);
  }

  static async create(disk: Disk, path: string, bufferBytes: number): Promise<Lane> {
    return new Lane(await AppendLog.create(disk, path, FORMAT, bufferBytes), bufferBytes);
  }

  async empty(): Promise<void> {
    await this.#log.append(new Uint8Array(this.pairs.buffer, 0, this.filled * 4));
    this.filled = 0;
  }

  async close(): Promise<void> {
    await this.empty();
    await this.#log.close();
  }

  abandon(): Promise<void> {
    return this.#log.abandon();
  }
}

// The loops below run for every pair. Each is a function of its own, so that the engine compiles it
// separately.

function countKeys(chunk: Uint32Array, low: number, counts: Uint32Array): void {
  for (let at = 0; at < chunk.length; at += 2) counts[chunk[at] - low]++;
}

function countRanges(
  chunk: Uint32Array,
  column: number,
  low: number,
  shift: number,
  counts: Uint32Array,
): void {
  for (let at = column; at < chunk.length; at += 2) counts[(chunk[at] - low) >>> shift]++;
}

function placeValues(
  chunk: Uint32Array,
  low: number,
  next: Uint32Array,
  values: Uint32Array,
): void {
  for (let at = 0; at < chunk.length; at += 2) values[next[chunk[at] - low]++] = chunk[at + 1];
}

/** Returns where it stopped: at the first pair whose lane is full, or at the end. */
function fillLanes(
  chunk: Uint32Array,
  start: number,
  column: number,
  low: number,
  shift: number,
  partOf: Uint16Array,
  lanes: readonly Lane[],
): number {
  for (let at = start; at < chunk.length; at += 2) {
    const lane = lanes[partOf[(chunk[at + column] - low) >>> shift]];
    const { filled, pairs } = lane;
    if (filled === pairs.length) return at;
    pairs[filled] = chunk[at];
    pairs[filled + 1] = chunk[at + 1];
    lane.filled = filled + 2;
  }
  return chunk.length;
}

/** Up to this length an insertion sort is faster than the engine's sort. */
const SHORT_LIST = 24;

/**
 * Sorts every list `values[offsets[i] .. offsets[i + 1])`, removes repeats and closes the gaps.
 * Updates `offsets` and returns how many values are left. A list that is sorted already costs one
 * pass.
 */
export function sortUniqueLists(offsets: Uint32Array, count: number, values: Uint32Array): number {
  let kept = 0;
  let start = offsets[0];
  for (let i = 0; i < count; i++) {
    const end = offsets[i + 1];
    sortRange(values, start, end);
    offsets[i] = kept;
    for (let at = start; at < end; at++) {
      const value = values[at];
      if (at === start || value !== values[kept - 1]) values[kept++] = value;
    }
    start = end;
  }
  offsets[count] = kept;
  return kept;
}

function sortRange(values: Uint32Array, start: number, end: number): void {
  let at = start + 1;
  while (at < end && values[at - 1] <= values[at]) at++;
  if (at >= end) return;
  if (end - start > SHORT_LIST) {
    values.subarray(start, end).sort();
    return;
  }
  for (; at < end; at++) {
    const value = values[at];
    let hole = at;
    for (; hole > start && values[hole - 1] > value; hole--) values[hole] = values[hole - 1];
    values[hole] = value;
  }
}
