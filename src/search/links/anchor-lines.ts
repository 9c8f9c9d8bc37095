/**
 * Anchor texts as lines, so that they can be sorted by the page that the links lead to.
 *
 *   KEY HASH TIME LANGUAGE TEXT
 *
 * Idea      The same text from one site to one page counts once, however many pages of the site have
 *           the link: so a menu counts like one link, and a run holds each such *anchor* once, with
 *           the time of its first sighting.
 * Format    KEY (of the target) and HASH (of site, language and text) are 16 hexadecimal digits,
 *           TIME is 12. LANGUAGE is that of the page with the link, or `-`. The text is in UTF-8.
 */
import type { Bytes, Millis } from '../../base/units.ts';
import { VarintReader } from '../../base/varint.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { Disk } from '../../disk/disk.ts';
import { writeText } from '../../disk/text-file.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf } from '../../url/parts.ts';
import { HeldBytes } from '../store/held-bytes.ts';
import type { UrlKeys } from './url-keys.ts';

export interface PageLink {
  /** In canonical form. */
  readonly url: string;
  /** What the link shows, with white space collapsed. */
  readonly text?: string | undefined;
}

/** Sites of hosts that are kept. */
const KEPT = 10_000;
/** Anchors that there is room for at first; twice as many when they are full. */
const FIRST = 1024;
/** Numbers of an anchor: its key and its hash, low and high. */
const NUMBERS = 4;
/** Memory of an anchor besides its text: numbers, time, two slots; tables are half empty at times. */
const PER_ANCHOR: Bytes = 48;
const SLICE: Bytes = 256 * 1024;

/** The anchors of the captures of a run, in a table with open addressing. */
export class AnchorLines {
  readonly #keys: UrlKeys;
  readonly #sites = new Map<string, string>();
  readonly #hash = new BigUint64Array(1);
  readonly #hashWords = new Uint32Array(this.#hash.buffer);
  #count = 0;
  #numbers = new Uint32Array(NUMBERS * FIRST);
  /** Their first sightings. */
  #times = new Float64Array(FIRST);
  /** Anchors by hash, from 1 on; 0 is free. */
  #slots = new Uint32Array(2 * FIRST);
  /** Language and text of each, in order. */
  readonly #texts = new HeldBytes();

  constructor(keys: UrlKeys) {
    this.#keys = keys;
  }

  /** Memory that they take. */
  get bytes(): Bytes {
    return PER_ANCHOR * this.#count + this.#texts.length;
  }

  /** The links of a page; those to itself do not count. */
  add(page: string, time: Millis, language: string, links: readonly PageLink[]): void {
    const before = `${this.#siteOf(page)} ${language || '-'} `;
    for (const { url, text = '' } of links) {
      if (text === '' || url === page) continue;
      const key = this.#keys.slotOf(url);
      this.#hash[0] = xxh64(before + text);
      const anchor = this.#find(this.#keys.low(key), this.#keys.high(key));
      if (anchor < this.#count) {
        if (time < this.#times[anchor]) this.#times[anchor] = time;
        continue;
      }
      this.#count++;
      this.#times[anchor] = time;
      this.#texts.text(`${language || '-'} ${text}`);
      if (this.#count === this.#times.length) this.#grow();
    }
  }

  /** Writes the lines to a file, and forgets them. */
  async write(disk: Disk, path: string): Promise<void> {
    await writeText(disk, path, async (file) => {
      const out = Buffer.alloc(SLICE);
      let [filled, anchor] = [0, 0];
      for (const piece of this.#texts.take()) {
        const reader = new VarintReader(piece);
        while (reader.at < piece.length) {
          const text = reader.take(reader.next());
          if (filled + HEAD + text.length + 1 > SLICE) {
            await file.write(out.subarray(0, filled));
            filled = 0;
          }
          this.#writeHead(anchor++, out, filled);
          filled += HEAD;
          out.set(text, filled);
          filled += text.length;
          out[filled++] = NEWLINE;
        }
      }
      await file.write(out.subarray(0, filled));
    });
    this.#count = 0;
    this.#use(FIRST);
  }

  /** The anchor with a key and the hash that is set; the number of the next if it is new. */
  #find(low: number, high: number): number {
    const hashLow = this.#hashWords[0];
    const hashHigh = this.#hashWords[1];
    const numbers = this.#numbers;
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = (low ^ hashLow) & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot];
      const at = NUMBERS * (found - 1);
      if (found === 0) {
        slots[slot] = this.#count + 1;
        const next = NUMBERS * this.#count;
        numbers[next] = low;
        numbers[next + 1] = high;
        numbers[next + 2] = hashLow;
        numbers[next + 3] = hashHigh;
        return this.#count;
      }
      if (
        numbers[at] === low &&
        numbers[at + 1] === high &&
        numbers[at + 2] === hashLow &&
        numbers[at + 3] === hashHigh
      )
        return found - 1;
    }
  }

  #grow(): void {
    const [numbers, times] = [this.#numbers, this.#times];
    this.#use(2 * this.#times.length);
    this.#numbers.set(numbers);
    this.#times.set(times);
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let anchor = 0; anchor < this.#count; anchor++) {
      let slot = (numbers[NUMBERS * anchor] ^ numbers[NUMBERS * anchor + 2]) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = anchor + 1;
    }
  }

  /** New tables for so many anchors. */
  #use(anchors: number): void {
    this.#numbers = new Uint32Array(NUMBERS * anchors);
    this.#times = new Float64Array(anchors);
    this.#slots = new Uint32Array(2 * anchors);
  }

  /** A line up to the language. */
  #writeHead(anchor: number, out: Buffer, at: number): void {
    const [numbers, first, time] = [this.#numbers, NUMBERS * anchor, this.#times[anchor]];
    out.fill(SPACE, at, at + HEAD);
    writeHex(out, at, numbers[first + 1], 8);
    writeHex(out, at + 8, numbers[first], 8);
    writeHex(out, at + 17, numbers[first + 3], 8);
    writeHex(out, at + 25, numbers[first + 2], 8);
    writeHex(out, at + 34, Math.floor(time / 2 ** 32), 4);
    writeHex(out, at + 38, time % 2 ** 32, 8);
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

const [NEWLINE, SPACE] = [0x0a, 0x20];
/** Bytes of a line before the language. */
const HEAD: Bytes = 47;
const DIGITS = Buffer.from('0123456789abcdef');

function writeHex(out: Buffer, at: number, value: number, digits: number): void {
  for (let i = digits - 1, rest = value; i >= 0; i--, rest >>>= 4) out[at + i] = DIGITS[rest & 15];
}

export interface AnchorLine {
  readonly key: bigint;
  readonly hash: bigint;
  readonly time: Millis;
  readonly language: string;
  readonly text: string;
}

const BEYOND_ASCII = /[\x80-\xff]/;

/** A line, as it was read: a byte is a character. */
export function anchorOf(line: string): AnchorLine {
  const end = line.indexOf(' ', 47);
  const language = line.slice(47, end);
  const text = line.slice(end + 1);
  return {
    key: BigInt(`0x${line.slice(0, 16)}`),
    hash: BigInt(`0x${line.slice(17, 33)}`),
    time: Number.parseInt(line.slice(34, 46), 16),
    language: language === '-' ? '' : language,
    text: BEYOND_ASCII.test(text) ? Buffer.from(text, 'latin1').toString() : text,
  };
}
