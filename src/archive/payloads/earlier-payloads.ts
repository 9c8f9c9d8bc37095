/**
 * The payloads of earlier crawls, so that a new crawl does not store them again.
 *
 *   earlier/originals     digest, date, identifier and URL of each, one per line, sorted by key
 *   earlier/digests       keys in order, each with the position of its line
 *   earlier/sources       the crawls and indexes it was made of
 *
 * Idea      Memory holds every n-th key, so a look-up in the table of keys on disk takes one read.
 *           A filter in memory answers for most new payloads without a read. Both have a fixed
 *           size, independent of the number of payloads.
 * Requires  Crawl folders, or sorted or unsorted files of CDXJ lines.
 * Ensures   Never a false hit: the whole digest is compared. Made once per crawl; a resumed crawl
 *           finds it.
 * Cost      To make: a sort of all lines, in fixed memory. To ask: for a new payload a look at the
 *           filter (with ten bits per payload, one in 70 needs a read in vain); for a known one two
 *           reads. Memory: the filter, and 1 MiB of keys.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { AppendLog } from '../../disk/append-log.ts';
import { openStateFile, type StateFile } from '../../disk/block-file.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../../disk/format.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { readLines } from '../../disk/lines.ts';
import { ReadAhead } from '../../disk/read-ahead.ts';
import { originalDigest, originalIn, parseCdxj, REVISIT_MIME } from '../index/cdxj.ts';
import { partLines, warcNames } from '../index/index-merge.ts';
import type { Original } from '../warc/warc-record.ts';
import { KeyFilter } from './key-filter.ts';

const FORMAT: Format = { type: 'dig', version: 1, summed: true };
const ORIGINALS: Format = { ...FORMAT, type: 'org' };
const ENTRY_BYTES = 16;
const SAMPLED = 2 ** 17;
const CHUNK_BYTES: Bytes = 2 ** 18;
const LINE_BYTES: Bytes = 8192;
const LONGEST_URL = 2048;
const SORT_MEMORY: Bytes = 64 * 2 ** 20;

export const earlierDir = (dir: string): string => join(dir, 'earlier');

/** Makes the table in a crawl folder, unless it exists for the same sources. */
export async function gatherEarlier(
  disk: Disk,
  folder: string,
  sources: readonly string[],
  memory = SORT_MEMORY,
): Promise<void> {
  const list = sources.join('\n');
  await disk.makeFolder(folder);
  if (
    (await disk.list(folder)).includes('sources') &&
    (await disk.readText(join(folder, 'sources'))) === list
  ) {
    return;
  }
  const sorter = new LineSorter(disk, folder, 'sort', memory);
  try {
    for (const source of sources) await addSource(disk, source, sorter);
    await writeTable(disk, folder, sorter.sorted());
  } finally {
    await sorter.close();
  }
  await replaceFile(disk, folder, 'sources', Buffer.from(list));
}

async function addSource(disk: Disk, source: string, sorter: LineSorter): Promise<void> {
  let captures = 0;
  for await (const lines of linesOf(disk, source)) {
    for (const line of lines) {
      const entry = entryOf(line);
      if (entry === undefined) continue;
      captures++;
      await sorter.add(entry);
    }
  }
  if (captures > 0) return;
  throw new DrumlinError(
    'NOTHING_EARLIER',
    `${source} has no pages that this crawl can be compared with.`,
    'Give a crawl folder or a file of CDXJ lines with --dedup-against.',
    { exitCode: EXIT.usage },
  );
}

/**
 * Prefers the parts of a crawl to its index: they also have identifiers, and dates to the
 * millisecond.
 */
async function* linesOf(disk: Disk, source: string): AsyncGenerator<string[]> {
  if (/\.cdxj$/.test(source)) yield* readLines(disk, source);
  else if ((await warcNames(disk, join(source, 'archive'))).length > 0)
    yield* partLines(disk, source);
}

/** `<key in hexadecimal> <digest> <date> <identifier> <url>` */
function entryOf(line: string): string | undefined {
  const capture = parseCdxj(line);
  if (!capture || capture.mime === REVISIT_MIME || capture.digest === '-') return undefined;
  if (/\s/.test(capture.url) || capture.url.length > LONGEST_URL) return undefined;
  const known = originalIn(line);
  const digest = originalDigest(line) ?? labelled(capture.digest);
  const date =
    known?.date ?? capture.timestamp.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z');
  const key = xxh64(digest).toString(16).padStart(16, '0');
  return `${key} ${digest} ${date} ${known?.id ?? '-'} ${Buffer.from(capture.url).toString('latin1')}`;
}

function labelled(digest: string): string {
  return digest.includes(':') ? digest : `sha1:${digest}`;
}

async function writeTable(
  disk: Disk,
  folder: string,
  batches: AsyncIterable<string[]>,
): Promise<void> {
  const table = await AppendLog.create(disk, join(folder, 'digests'), FORMAT);
  const originals = await AppendLog.create(disk, join(folder, 'originals'), ORIGINALS);
  try {
    const entry = new BigUint64Array(2);
    let last = '';
    for await (const lines of batches) {
      for (const line of lines) {
        const [key, digest] = line.split(' ', 2);
        if (digest === last) continue;
        last = digest;
        entry[0] = BigInt(`0x${key}`);
        entry[1] = BigInt(originals.length);
        await table.append(new Uint8Array(entry.buffer));
        await originals.append(Buffer.from(`${line.slice(key.length + 1)}\n`, 'latin1'));
      }
    }
    for (const log of [table, originals]) {
      await log.sync();
      await log.close();
    }
  } catch (error) {
    for (const log of [table, originals]) await log.abandon().catch(() => {}); // first failure wins
    throw error;
  }
}

export class EarlierPayloads {
  readonly #table: StateFile;
  readonly #originals: StateFile;
  readonly #count: number;
  /** Number of entries between two keys of `#sample`. */
  readonly #step: number;
  /** Every `#step`-th key. */
  readonly #sample: BigUint64Array;
  readonly #filter: KeyFilter;

  private constructor(table: StateFile, originals: StateFile, count: number, filter: KeyFilter) {
    this.#table = table;
    this.#originals = originals;
    this.#count = count;
    this.#step = Math.max(1, Math.ceil(count / SAMPLED));
    this.#sample = new BigUint64Array(Math.ceil(count / this.#step));
    this.#filter = filter;
  }

  static async open(disk: Disk, folder: string, memory: Bytes): Promise<EarlierPayloads> {
    const table = await openStateFile(disk, join(folder, 'digests'), FORMAT);
    let originals: StateFile | undefined;
    try {
      originals = await openStateFile(disk, join(folder, 'originals'), ORIGINALS);
      const size = await table.size();
      const count = Math.floor((size - HEADER_BYTES) / ENTRY_BYTES);
      const payloads = new EarlierPayloads(table, originals, count, new KeyFilter(memory, count));
      await payloads.#readKeys();
      return payloads;
    } catch (error) {
      await table.close();
      await originals?.close();
      throw error;
    }
  }

  /** Returns undefined at once if the filter excludes the payload. */
  find(digest: string, key: bigint): Promise<Original | undefined> | undefined {
    return this.#filter.has(key) ? this.#look(digest, key) : undefined;
  }

  async close(): Promise<void> {
    await this.#table.close();
    await this.#originals.close();
  }

  async #look(digest: string, key: bigint): Promise<Original | undefined> {
    const entries = await this.#entriesAround(key);
    // Digests with the same key are adjacent.
    for (let i = 0; i < entries.length; i += 2) {
      if (entries[i] !== key) continue;
      const [known, date, id, url] = (await this.#line(Number(entries[i + 1]))).split(' ');
      if (known === digest) {
        return { date, url: Buffer.from(url, 'latin1').toString(), ...(id !== '-' && { id }) };
      }
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
    const bytes = Buffer.allocUnsafe(Math.min(LINE_BYTES, (await this.#originals.size()) - at));
    const length = await this.#originals.readUpTo(bytes, at);
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
