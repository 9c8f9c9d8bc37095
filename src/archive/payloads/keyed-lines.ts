/**
 * Lines of text that are found by a 64-bit key, in two files:
 *
 *   lines     one per key, in the order of the keys
 *   keys      in order, each with the position of its line
 *
 * Idea      Memory holds every n-th key, so a look-up in the table of keys on disk takes one read.
 *           A filter in memory answers for most unknown keys without a read. Both have a fixed
 *           size, independent of the number of lines.
 * Requires  Sorted lines `<key in 16 hexadecimal digits> <word> …`, shorter than `LINE_BYTES`.
 *           The key is a hash of the word.
 * Ensures   Never a false hit: the whole word is compared.
 * Cost      To ask: for an unknown word a look at the filter (with ten bits per key, one in 70
 *           needs a read in vain); for a known one two reads. Memory: the filter, and 1 MiB of
 *           keys.
 */
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import { AppendLog } from '../../disk/append-log.ts';
import { openStateFile, type StateFile } from '../../disk/block-file.ts';
import type { Disk } from '../../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../../disk/format.ts';
import { ReadAhead } from '../../disk/read-ahead.ts';
import { KeyFilter } from './key-filter.ts';

const ENTRY_BYTES = 16;
const SAMPLED = 2 ** 17;
const CHUNK_BYTES: Bytes = 2 ** 18;
const LINE_BYTES: Bytes = 8192;

/** The files of a table. */
export interface KeyedFiles {
  readonly keys: string;
  readonly lines: string;
  /** The first bytes of `keys` and `lines`. */
  readonly formats: readonly [Format, Format];
}

export async function writeKeyedLines(
  disk: Disk,
  folder: string,
  { keys, lines, formats }: KeyedFiles,
  batches: AsyncIterable<readonly string[]>,
): Promise<void> {
  const table = await AppendLog.create(disk, join(folder, keys), formats[0]);
  const texts = await AppendLog.create(disk, join(folder, lines), formats[1]);
  try {
    const entry = new BigUint64Array(2);
    for await (const batch of batches) {
      for (const line of batch) {
        const [key] = line.split(' ', 1);
        entry[0] = BigInt(`0x${key}`);
        entry[1] = BigInt(texts.length);
        await table.append(new Uint8Array(entry.buffer));
        await texts.append(Buffer.from(`${line.slice(key.length + 1)}\n`, 'latin1'));
      }
    }
    for (const log of [table, texts]) {
      await log.sync();
      await log.close();
    }
  } catch (error) {
    for (const log of [table, texts]) await log.abandon().catch(() => {}); // first failure wins
    throw error;
  }
}

export class KeyedLines {
  readonly #table: StateFile;
  readonly #lines: StateFile;
  readonly #count: number;
  /** Number of entries between two keys of `#sample`. */
  readonly #step: number;
  /** Every `#step`-th key. */
  readonly #sample: BigUint64Array;
  readonly #filter: KeyFilter;

  private constructor(table: StateFile, lines: StateFile, count: number, filter: KeyFilter) {
    this.#table = table;
    this.#lines = lines;
    this.#count = count;
    this.#step = Math.max(1, Math.ceil(count / SAMPLED));
    this.#sample = new BigUint64Array(Math.ceil(count / this.#step));
    this.#filter = filter;
  }

  static async open(
    disk: Disk,
    folder: string,
    { keys, lines, formats }: KeyedFiles,
    memory: Bytes,
  ): Promise<KeyedLines> {
    const table = await openStateFile(disk, join(folder, keys), formats[0]);
    let texts: StateFile | undefined;
    try {
      texts = await openStateFile(disk, join(folder, lines), formats[1]);
      const size = await table.size();
      const count = Math.floor((size - HEADER_BYTES) / ENTRY_BYTES);
      const opened = new KeyedLines(table, texts, count, new KeyFilter(memory, count));
      await opened.#readKeys();
      return opened;
    } catch (error) {
      await table.close();
      await texts?.close();
      throw error;
    }
  }

  /**
   * The words of the line that begins with `word`. Returns undefined at once if the filter excludes
   * its key.
   */
  find(word: string, key: bigint): Promise<string[] | undefined> | undefined {
    return this.#filter.has(key) ? this.#look(word, key) : undefined;
  }

  async close(): Promise<void> {
    await this.#table.close();
    await this.#lines.close();
  }

  async #look(word: string, key: bigint): Promise<string[] | undefined> {
    const entries = await this.#entriesAround(key);
    // Words with the same key are adjacent.
    for (let i = 0; i < entries.length; i += 2) {
      if (entries[i] !== key) continue;
      const words = (await this.#line(Number(entries[i + 1]))).split(' ');
      if (words[0] === word) return words;
    }
    return undefined;
  }

  /** The entries among which the key is, if it exists. */
  async #entriesAround(key: bigint): Promise<BigUint64Array> {
    let low = 0;
    let high = this.#sample.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sample[middle] < key) low = middle + 1;
      else high = middle;
    }
    const first = Math.max(0, low - 1) * this.#step;
    const end = Math.min(this.#count, low * this.#step + this.#step);
    const entries = new BigUint64Array(2 * (end - first));
    await this.#table.readAll(new Uint8Array(entries.buffer), HEADER_BYTES + first * ENTRY_BYTES);
    return entries;
  }

  async #line(at: number): Promise<string> {
    const bytes = Buffer.allocUnsafe(Math.min(LINE_BYTES, (await this.#lines.size()) - at));
    const length = await this.#lines.readUpTo(bytes, at);
    return bytes.toString('latin1', 0, bytes.subarray(0, length).indexOf(10));
  }

  async #readKeys(): Promise<void> {
    const reader = new ReadAhead(
      this.#table,
      HEADER_BYTES,
      HEADER_BYTES + this.#count * ENTRY_BYTES,
      CHUNK_BYTES,
    );
    try {
      for (let at = 0; at < this.#count; ) {
        const bytes = await reader.peek(CHUNK_BYTES);
        const entries = new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
        for (let i = 0; i < entries.length; i += 2, at++) {
          this.#filter.add(entries[i]);
          if (at % this.#step === 0) this.#sample[at / this.#step] = entries[i];
        }
        reader.skip(bytes.length);
      }
    } finally {
      await reader.end();
    }
  }
}
