/**
 * Pages on their way to the corpus: everything about a page that does not depend on other pages.
 *
 * Idea      A page is decoded and scanned once, in the survey. What is left of it is what a row
 *           needs: its facts, its fingerprint, and the blocks that may be main text. When it is
 *           known what repeats on sites, the text is chosen from these blocks, and the archive is
 *           not read again.
 * Format    Records, each with its length (u32) first. Numbers are little-endian; a text is its
 *           length plus one (u32), 0 for none, and its UTF-8 bytes. Arrays have their length (u32).
 *           The texts of blocks come last, each followed by a line end.
 * Ensures   What is read is what was written.
 * Cost      The bytes of the text, uncompressed: they are written once, read once and removed.
 */
import type { Bytes, Millis } from '../base/units.ts';
import type { Disk, DiskFile } from '../disk/disk.ts';
import { ReadAhead } from '../disk/read-ahead.ts';
import type { Fingerprint } from '../duplicates/fingerprint.ts';
import { BANDS, SKETCH_WORDS } from '../duplicates/fingerprint.ts';
import type { Candidates } from '../text/main-text.ts';

export interface ScannedPage {
  readonly id: string;
  readonly url: string;
  readonly canonical: string;
  readonly date: Millis | undefined;
  readonly offset: number;
  readonly truncated: boolean;
  readonly isText: boolean;
  /** What the page itself says against its use. */
  readonly optOut: string | undefined;
  readonly title: string | undefined;
  readonly author: string | undefined;
  readonly published: string | undefined;
  readonly fingerprint: Fingerprint;
  readonly content: PageContent;
}

/** The whole text, or blocks of which it is chosen. */
export type PageContent = WholeText | ChoosableText;
interface WholeText {
  readonly whole: string;
}
interface ChoosableText {
  readonly candidates: Candidates;
  /** The keys of the blocks (repeats.ts). */
  readonly keys: Uint32Array;
  /** The text of some blocks, in order: one block a line. */
  textOf(blocks: readonly number[]): string;
}

/** The same before it is written: with the texts of the blocks. */
export type StoredContent = WholeText | StoredBlocks;
interface StoredBlocks extends Omit<ChoosableText, 'textOf'> {
  readonly blocks: readonly { readonly text: string }[];
}

const BATCH_BYTES: Bytes = 2 ** 20;

/** A buffer that grows. */
class Bytestream {
  bytes = Buffer.allocUnsafeSlow(BATCH_BYTES + 2 ** 18);
  length = 0;

  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * (this.length + more));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  u32(value: number): void {
    this.reserve(4);
    this.length = this.bytes.writeUInt32LE(value >>> 0, this.length);
  }

  f64(value: number): void {
    this.reserve(8);
    this.length = this.bytes.writeDoubleLE(value, this.length);
  }

  text(value: string | undefined): void {
    this.u32(0);
    if (value === undefined) return;
    const length = this.raw(value);
    this.bytes.writeUInt32LE(length + 1, this.length - length - 4);
  }

  /** The bytes of a text without its length. */
  raw(value: string): number {
    this.reserve(3 * value.length);
    const length = this.bytes.write(value, this.length, 'utf8');
    this.length += length;
    return length;
  }

  array(values: ArrayBufferView & { readonly length: number }): void {
    this.u32(values.length);
    this.copy(values);
  }

  copy({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.reserve(byteLength);
    this.bytes.set(new Uint8Array(buffer, byteOffset, byteLength), this.length);
    this.length += byteLength;
  }
}

export class PagesWriter {
  readonly #file: DiskFile;
  readonly #stream = new Bytestream();
  #flushed = 0;

  constructor(file: DiskFile) {
    this.#file = file;
  }

  /** Where the next record begins. */
  get position(): Bytes {
    return this.#flushed + this.#stream.length;
  }

  async add(page: Omit<ScannedPage, 'content'>, content: StoredContent): Promise<void> {
    const stream = this.#stream;
    const start = stream.length;
    stream.u32(0);
    stream.text(page.id);
    stream.text(page.url);
    stream.text(page.canonical === page.url ? undefined : page.canonical);
    for (const fact of [page.optOut, page.title, page.author, page.published]) stream.text(fact);
    stream.f64(page.date ?? Number.NaN);
    stream.f64(page.offset);
    const isWhole = 'whole' in content;
    stream.u32((page.truncated ? 1 : 0) | (page.isText ? 2 : 0) | (isWhole ? 4 : 0));
    addFingerprint(stream, page.fingerprint);
    if (isWhole) stream.text(content.whole);
    else addBlocks(stream, content);
    stream.bytes.writeUInt32LE(stream.length - start, start);
    if (stream.length >= BATCH_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    await this.#file.writeAll(this.#stream.bytes.subarray(0, this.#stream.length), this.#flushed);
    this.#flushed += this.#stream.length;
    this.#stream.length = 0;
  }
}

function addFingerprint(
  stream: Bytestream,
  { sketch, bands, signature, words, distinct }: Fingerprint,
): void {
  stream.copy(sketch);
  stream.copy(bands);
  stream.copy(BigUint64Array.of(signature));
  stream.u32(words);
  stream.u32(distinct);
}

function addBlocks(stream: Bytestream, { candidates, keys, blocks }: StoredBlocks): void {
  const { kinds, words, linkWords, elements, parents, articles } = candidates;
  stream.u32(kinds.length);
  for (const values of [kinds, words, linkWords, elements, keys]) stream.copy(values);
  stream.array(parents);
  stream.copy(articles);
  addTexts(stream, blocks);
}

/** The ends of texts, then the texts, each with a line end. */
function addTexts(stream: Bytestream, blocks: StoredBlocks['blocks']): void {
  const ends = new Uint32Array(blocks.length);
  let all = '';
  for (let i = 0; i < blocks.length; i++) {
    all += blocks[i].text;
    ends[i] = all.length;
    all += '\n';
  }
  const place = stream.length;
  stream.copy(ends);
  // Written at once: a call for each of many short texts takes longer than their bytes.
  if (stream.raw(all) === all.length) return;
  // With characters of several bytes the ends are other ones.
  let end = 0;
  for (let i = 0; i < blocks.length; i++) {
    end += Buffer.byteLength(blocks[i].text);
    stream.bytes.writeUInt32LE(end++, place + 4 * i);
  }
}

/** The pages from a place of a file to another. */
export async function* readPages(
  disk: Disk,
  path: string,
  start: Bytes,
  end: Bytes,
): AsyncGenerator<ScannedPage> {
  const file = await disk.open(path, 'read');
  const reader = new ReadAhead(file, start, end);
  try {
    for (;;) {
      const head = await reader.peek(4);
      if (head.length < 4) return;
      const length = new DataView(head.buffer, head.byteOffset).getUint32(0, true);
      // A copy: what is read of the page stays valid while others are read.
      const record = Buffer.from(await reader.peek(length));
      reader.skip(length);
      yield readPage(record);
    }
  } finally {
    await reader.end();
    await file.close();
  }
}

/** Reads values one after the other. */
class Cursor {
  readonly bytes: Buffer;
  at = 4;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  u32(): number {
    this.at += 4;
    return this.bytes.readUInt32LE(this.at - 4);
  }

  f64(): number {
    this.at += 8;
    return this.bytes.readDoubleLE(this.at - 8);
  }

  text(): string | undefined {
    const length = this.u32();
    if (length === 0) return undefined;
    this.at += length - 1;
    return this.bytes.toString('utf8', this.at - length + 1, this.at);
  }

  /** A copy of some bytes, at a place where arrays of numbers can begin. */
  copy(length: Bytes): ArrayBuffer {
    const { buffer, byteOffset } = this.bytes;
    this.at += length;
    const end = byteOffset + this.at;
    return (buffer as ArrayBuffer).slice(end - length, end);
  }
}

function readPage(bytes: Buffer): ScannedPage {
  const cursor = new Cursor(bytes);
  const id = cursor.text() ?? '';
  const url = cursor.text() ?? '';
  const canonical = cursor.text() ?? url;
  const [optOut, title, author] = [cursor.text(), cursor.text(), cursor.text()];
  const published = cursor.text();
  const date = cursor.f64();
  const offset = cursor.f64();
  const bits = cursor.u32();
  return {
    ...{ id, url, canonical, optOut, title, author, published, offset },
    date: Number.isNaN(date) ? undefined : date,
    truncated: (bits & 1) !== 0,
    isText: (bits & 2) !== 0,
    fingerprint: readFingerprint(cursor),
    content: (bits & 4) !== 0 ? { whole: cursor.text() ?? '' } : readBlocks(cursor),
  };
}

function readFingerprint(cursor: Cursor): Fingerprint {
  const sketch = new Uint32Array(cursor.copy(4 * SKETCH_WORDS));
  const bands = new Uint32Array(cursor.copy(4 * BANDS));
  const [signature] = new BigUint64Array(cursor.copy(8));
  return { sketch, bands, signature, words: cursor.u32(), distinct: cursor.u32() };
}

function readBlocks(cursor: Cursor): ChoosableText {
  const count = cursor.u32();
  const kinds = new Uint8Array(cursor.copy(count));
  const words = new Int32Array(cursor.copy(4 * count));
  const linkWords = new Int32Array(cursor.copy(4 * count));
  const elements = new Int32Array(cursor.copy(4 * count));
  const keys = new Uint32Array(cursor.copy(4 * count));
  const held = cursor.u32();
  const parents = new Int32Array(cursor.copy(4 * held));
  const articles = new Uint8Array(cursor.copy(held));
  const ends = new Uint32Array(cursor.copy(4 * count));
  const { bytes, at: first } = cursor;
  const startOf = (block: number) => first + (block === 0 ? 0 : ends[block - 1] + 1);
  return {
    candidates: { kinds, words, linkWords, elements, parents, articles },
    keys,
    textOf: (blocks) => {
      let text = '';
      // Blocks in a row lie as they stand in the text.
      for (let i = 0; i < blocks.length; ) {
        const from = i;
        while (i + 1 < blocks.length && blocks[i + 1] === blocks[i] + 1) i++;
        const piece = bytes.toString('utf8', startOf(blocks[from]), first + ends[blocks[i]]);
        text = from === 0 ? piece : `${text}\n${piece}`;
        i++;
      }
      return text;
    },
  };
}
