/**
 * The sketches of pages, in files of one record per page.
 *
 * Idea      A page is compared by what is here and never read again: its sketch and its bands, its
 *           signature, when it was captured, and the identifier that others name it by.
 * Format    Records of 49 words of 32 bits: the sketch (16), the bands (12), the signature (2), the
 *           date as f64 (2), the number of words or 0 if it is not compared (1), the identifier as
 *           its length and up to 63 characters in Latin-1 (16).
 * Cost      196 bytes a page on disk; a reader holds a fixed number of blocks of 64 records.
 */
import type { Bytes, Millis } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import { BANDS, type Fingerprint, SKETCH_WORDS } from '../../duplicates/fingerprint.ts';

const SIGNATURE_AT = SKETCH_WORDS + BANDS;
const DATE_AT = SIGNATURE_AT + 2;
const WORDS_AT = DATE_AT + 2;
const ID_AT = WORDS_AT + 1;
const ID_WORDS = 16;
const RECORD_WORDS = ID_AT + ID_WORDS;
const RECORD_BYTES: Bytes = RECORD_WORDS * 4;
/** Every page has a key for each band, and one for its signature. */
export const KEYS = BANDS + 1;
/** With fewer different shingles a sketch means little. */
const LEAST_SHINGLES = 5;
const BATCH = 512;

/** Collects the records of pages. */
export class SketchWriter {
  readonly #file: DiskFile;
  readonly #words = new Uint32Array(RECORD_WORDS * BATCH);
  readonly #bytes = Buffer.from(this.#words.buffer);
  readonly #view = new DataView(this.#words.buffer);
  #held = 0;
  #position = 0;

  constructor(file: DiskFile) {
    this.#file = file;
  }

  async add(fingerprint: Fingerprint, date: Millis, id: string): Promise<void> {
    const at = this.#held * RECORD_WORDS;
    this.#words.set(fingerprint.sketch, at);
    this.#words.set(fingerprint.bands, at + SKETCH_WORDS);
    this.#words[at + SIGNATURE_AT] = Number(fingerprint.signature & 0xffffffffn);
    this.#words[at + SIGNATURE_AT + 1] = Number(fingerprint.signature >> 32n);
    this.#view.setFloat64((at + DATE_AT) * 4, date, true);
    const isCompared = fingerprint.distinct >= LEAST_SHINGLES;
    this.#words[at + WORDS_AT] = isCompared ? fingerprint.words : 0;
    const idAt = (at + ID_AT) * 4;
    this.#bytes.fill(0, idAt, idAt + ID_WORDS * 4);
    this.#bytes[idAt] = this.#bytes.write(id, idAt + 1, ID_WORDS * 4 - 1, 'latin1');
    if (++this.#held === BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = this.#bytes.subarray(0, this.#held * RECORD_BYTES);
    await this.#file.writeAll(bytes, this.#position);
    this.#position += bytes.length;
    this.#held = 0;
  }
}

/** A file of sketches, and the numbers of its pages: `first` and those after it. */
export interface SketchPart {
  readonly path: string;
  readonly first: number;
  readonly pages: number;
}

/** A record, valid until the next is read. */
export interface SketchRecord {
  readonly words: Uint32Array;
  /** Where it begins in `words`. */
  readonly at: number;
}

/** The number of words of a page; 0 if it has too few to be compared. */
export const wordsOf = ({ words, at }: SketchRecord): number => words[at + WORDS_AT];

/** The key of a page for a band, or for its signature: pages that share one may be alike. */
export function keyOf({ words, at }: SketchRecord, key: number): number {
  return words[at + SKETCH_WORDS + key];
}

export const sameSignature = (one: SketchRecord, other: SketchRecord): boolean =>
  one.words[one.at + SIGNATURE_AT] === other.words[other.at + SIGNATURE_AT] &&
  one.words[one.at + SIGNATURE_AT + 1] === other.words[other.at + SIGNATURE_AT + 1];

export function dateOf({ words, at }: SketchRecord): Millis {
  return new DataView(words.buffer, words.byteOffset + (at + DATE_AT) * 4).getFloat64(0, true);
}

export function idOf({ words, at }: SketchRecord): string {
  const bytes = Buffer.from(words.buffer, words.byteOffset + (at + ID_AT) * 4, ID_WORDS * 4);
  return bytes.toString('latin1', 1, 1 + bytes[0]);
}

/** All records in order, some at a time. */
export async function* readSketches(
  disk: Disk,
  parts: readonly SketchPart[],
): AsyncGenerator<{ readonly first: number; readonly count: number; readonly words: Uint32Array }> {
  const words = new Uint32Array(RECORD_WORDS * BATCH);
  for (const { path, first, pages } of parts) {
    const file = await disk.open(path, 'read');
    try {
      for (let done = 0; done < pages; ) {
        const count = Math.min(BATCH, pages - done);
        const bytes = new Uint8Array(words.buffer, 0, count * RECORD_BYTES);
        await file.readAll(bytes, done * RECORD_BYTES);
        yield { first: first + done, count, words };
        done += count;
      }
    } finally {
      await file.close();
    }
  }
}

export const recordAt = (words: Uint32Array, index: number): SketchRecord => ({
  words,
  at: index * RECORD_WORDS,
});

const BLOCK_PAGES = 64;

/** Records by number, through a cache of blocks; the least recently used is replaced. */
export class SketchCache {
  readonly #parts: readonly SketchPart[];
  readonly #files: DiskFile[] = [];
  readonly #most: number;
  readonly #blocks = new Map<number, Uint32Array>();

  private constructor(parts: readonly SketchPart[], memory: Bytes) {
    this.#parts = parts;
    this.#most = Math.max(4, Math.floor(memory / (BLOCK_PAGES * RECORD_BYTES)));
  }

  static async open(disk: Disk, parts: readonly SketchPart[], memory: Bytes): Promise<SketchCache> {
    const cache = new SketchCache(parts, memory);
    for (const { path } of parts) cache.#files.push(await disk.open(path, 'read'));
    return cache;
  }

  async close(): Promise<void> {
    for (const file of this.#files.splice(0)) await file.close();
  }

  /** The record if its block is in memory. */
  held(page: number): SketchRecord | undefined {
    const block = Math.floor(page / BLOCK_PAGES);
    const words = this.#blocks.get(block);
    if (words === undefined) return undefined;
    return { words, at: (page % BLOCK_PAGES) * RECORD_WORDS };
  }

  async read(page: number): Promise<SketchRecord> {
    const block = Math.floor(page / BLOCK_PAGES);
    let words = this.#blocks.get(block);
    if (words) this.#blocks.delete(block);
    else {
      words = await this.#load(block);
      if (this.#blocks.size >= this.#most) {
        for (const oldest of this.#blocks.keys()) {
          this.#blocks.delete(oldest);
          break;
        }
      }
    }
    this.#blocks.set(block, words);
    return { words, at: (page % BLOCK_PAGES) * RECORD_WORDS };
  }

  /** A block may lie in several parts. */
  async #load(block: number): Promise<Uint32Array> {
    const words = new Uint32Array(BLOCK_PAGES * RECORD_WORDS);
    const start = block * BLOCK_PAGES;
    for (let i = this.#partOf(start); i < this.#parts.length; i++) {
      const { first, pages } = this.#parts[i];
      if (first >= start + BLOCK_PAGES) break;
      const from = Math.max(start, first);
      const to = Math.min(start + BLOCK_PAGES, first + pages);
      if (from >= to) continue;
      const bytes = new Uint8Array(
        words.buffer,
        (from - start) * RECORD_BYTES,
        (to - from) * RECORD_BYTES,
      );
      await this.#files[i].readAll(bytes, (from - first) * RECORD_BYTES);
    }
    return words;
  }

  /** The first part that reaches beyond a page. */
  #partOf(page: number): number {
    let [low, high] = [0, this.#parts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { first, pages } = this.#parts[middle];
      if (first + pages <= page) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
