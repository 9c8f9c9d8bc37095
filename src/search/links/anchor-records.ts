/**
 * Anchor texts as records, sorted by the page that the links lead to.
 *
 * Idea      The same text from one site to one page counts once, however many pages of the site
 *           have the link: so a menu counts like one link, and a run holds each such *anchor* once,
 *           with the time of its first sighting. A run is sorted by its numbers before it is
 *           written, so runs need only be merged.
 * Format    The key of the target and the hash of site, language and text, each high and low (u32);
 *           the time, low and high (u32); the bytes of the rest (u32): the language of the page
 *           with the link, or `-`, a space, and the text in UTF-8. All little-endian.
 */

import type { Lane } from '../../base/merge.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import { ReadAhead } from '../../disk/read-ahead.ts';
import { writeText } from '../../disk/text-file.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf } from '../../url/parts.ts';
import { HeldBytes } from '../store/held-bytes.ts';
import { KeyTable } from '../store/key-table.ts';
import type { UrlKeys } from './url-keys.ts';

export interface PageLink {
  /** In canonical form. */
  readonly url: string;
  /** What the link shows, with white space collapsed. */
  readonly text?: string | undefined;
}

/** Sites of hosts that are kept. */
const KEPT = 10_000;
/** First sightings that there is room for at first; twice as many when they are full. */
const FIRST = 1024;
/** Memory of the first sighting and the place of an anchor; tables are half empty at times. */
const PER_ANCHOR: Bytes = 18;
const SLICE: Bytes = 256 * 1024;

/** The anchors of the captures of a run. */
export class AnchorRecords {
  readonly #keys: UrlKeys;
  readonly #sites = new Map<string, string>();
  readonly #hash = new BigUint64Array(1);
  readonly #hashWords = new Uint32Array(this.#hash.buffer);
  /** By the key of the target and the hash. */
  readonly #table = new KeyTable();
  /** Their first sightings. */
  #times = new Float64Array(FIRST);
  /** Language and text of each, and where they are. */
  readonly #texts = new HeldBytes();
  #places = new Uint32Array(FIRST);

  constructor(keys: UrlKeys) {
    this.#keys = keys;
  }

  /** Memory that they take. */
  get bytes(): Bytes {
    return this.#table.bytes + PER_ANCHOR * this.#table.count + this.#texts.length;
  }

  /** The links of a page; those to itself do not count. */
  add(page: string, time: Millis, language: string, links: readonly PageLink[]): void {
    const before = `${this.#siteOf(page)} ${language || '-'} `;
    for (const { url, text = '' } of links) {
      if (text === '' || url === page) continue;
      const key = this.#keys.slotOf(url);
      this.#hash[0] = xxh64(before + text);
      const [known, words] = [this.#table.count, this.#hashWords];
      const [low, high] = [this.#keys.low(key), this.#keys.high(key)];
      const anchor = this.#table.numberOfWords(low, high, words[0], words[1]);
      if (anchor < known) {
        if (time < this.#times[anchor]) this.#times[anchor] = time;
        continue;
      }
      if (anchor === this.#times.length) this.#grow();
      this.#times[anchor] = time;
      this.#places[anchor] = this.#texts.text(`${language || '-'} ${text}`);
    }
  }

  /** Writes the records to a file in order, and forgets them. */
  async write(disk: Disk, path: string): Promise<void> {
    await writeText(disk, path, async (file) => {
      const out = Buffer.alloc(SLICE);
      let filled = 0;
      for (const anchor of this.#table.inOrder()) {
        const text = this.#texts.textAt(this.#places[anchor]);
        const isLong = HEAD + text.length > SLICE;
        if (filled + HEAD + text.length > SLICE) {
          await file.write(out.subarray(0, filled));
          filled = 0;
        }
        this.#writeHead(anchor, text.length, out, filled);
        filled += HEAD;
        if (isLong) {
          await file.write(out.subarray(0, filled));
          await file.write(text);
          filled = 0;
          continue;
        }
        out.set(text, filled);
        filled += text.length;
      }
      await file.write(out.subarray(0, filled));
    });
    this.#table.clear();
    this.#texts.clear();
    this.#times = new Float64Array(FIRST);
    this.#places = new Uint32Array(FIRST);
  }

  #grow(): void {
    const { length } = this.#times;
    const [times, places] = [new Float64Array(2 * length), new Uint32Array(2 * length)];
    times.set(this.#times);
    places.set(this.#places);
    this.#times = times;
    this.#places = places;
  }

  /** A record up to its language. */
  #writeHead(anchor: number, bytes: Bytes, out: Buffer, at: number): void {
    const [table, time] = [this.#table, this.#times[anchor]];
    out.writeUInt32LE(table.wordOf(anchor, 1), at);
    out.writeUInt32LE(table.wordOf(anchor, 0), at + 4);
    out.writeUInt32LE(table.wordOf(anchor, 3), at + 8);
    out.writeUInt32LE(table.wordOf(anchor, 2), at + 12);
    out.writeUInt32LE(time % 2 ** 32, at + 16);
    out.writeUInt32LE(Math.floor(time / 2 ** 32), at + 20);
    out.writeUInt32LE(bytes, at + 24);
  }

  #siteOf(page: string): string {
    const host = hostOf(page);
    let site = this.#sites.get(host);
    if (site === undefined) {
      if (this.#sites.size >= KEPT) this.#sites.clear();
      site = payLevelDomain(host);
      this.#sites.set(host, site);
    }
    return site;
  }
}

/** Bytes of a record before the language. */
const HEAD: Bytes = 28;
const BUFFER: Bytes = 128 * 1024;

/** The records of a file, one at a time. */
export class AnchorCursor implements Lane {
  keyHigh = 0;
  keyLow = 0;
  hashHigh = 0;
  hashLow = 0;
  time: Millis = 0;
  hasOne = false;
  readonly #file: DiskFile;
  readonly #ahead: ReadAhead;
  #window: Buffer = Buffer.alloc(0);
  #at = 0;
  #bytes: Bytes = 0;

  private constructor(file: DiskFile, ahead: ReadAhead) {
    this.#file = file;
    this.#ahead = ahead;
  }

  static async open(disk: Disk, path: string): Promise<AnchorCursor> {
    const file = await disk.open(path, 'read');
    return new AnchorCursor(file, new ReadAhead(file, 0, await file.size(), BUFFER));
  }

  /** The current record as it stands in the file: valid until the next `fill`. */
  get record(): Uint8Array {
    return this.#window.subarray(this.#at, this.#at + HEAD + this.#bytes);
  }

  /** Language, a space and the text of the current record: valid until the next `fill`. */
  get content(): Buffer {
    return this.#window.subarray(this.#at + HEAD, this.#at + HEAD + this.#bytes);
  }

  skip(): void {
    this.#at += HEAD + this.#bytes;
    this.hasOne = false;
  }

  fill(): Promise<void> | undefined {
    if (this.hasOne || this.#read()) return undefined;
    return this.#more();
  }

  async close(): Promise<void> {
    await this.#ahead.end();
    await this.#file.close();
  }

  /** Reads the record at the place, if it is whole in the window. */
  #read(): boolean {
    const [window, at] = [this.#window, this.#at];
    if (window.length - at < HEAD) return false;
    this.#bytes = window.readUInt32LE(at + 24);
    if (window.length - at < HEAD + this.#bytes) return false;
    this.keyHigh = window.readUInt32LE(at);
    this.keyLow = window.readUInt32LE(at + 4);
    this.hashHigh = window.readUInt32LE(at + 8);
    this.hashLow = window.readUInt32LE(at + 12);
    this.time = window.readUInt32LE(at + 16) + 2 ** 32 * window.readUInt32LE(at + 20);
    this.hasOne = true;
    return true;
  }

  async #more(): Promise<void> {
    for (let wanted = BUFFER; ; wanted *= 2) {
      this.#ahead.skip(this.#at);
      const bytes = await this.#ahead.peek(wanted);
      this.#window = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      this.#at = 0;
      if (this.#read() || bytes.length < wanted) return;
    }
  }
}

/** By target, then by hash, then by time. */
export function isBefore(a: AnchorCursor, b: AnchorCursor): boolean {
  if (a.keyHigh !== b.keyHigh) return a.keyHigh < b.keyHigh;
  if (a.keyLow !== b.keyLow) return a.keyLow < b.keyLow;
  if (a.hashHigh !== b.hashHigh) return a.hashHigh < b.hashHigh;
  if (a.hashLow !== b.hashLow) return a.hashLow < b.hashLow;
  return a.time < b.time;
}
