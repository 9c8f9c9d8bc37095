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
/** Memory of the first sighting of an anchor. */
const PER_TIME: Bytes = 12;
const SLICE: Bytes = 256 * 1024;

/** The anchors of the captures of a run. */
export class AnchorLines {
  readonly #keys: UrlKeys;
  readonly #sites = new Map<string, string>();
  readonly #hash = new BigUint64Array(1);
  readonly #hashWords = new Uint32Array(this.#hash.buffer);
  /** By the key of the target and the hash. */
  readonly #table = new KeyTable();
  /** Their first sightings. */
  #times = new Float64Array(FIRST);
  /** Language and text of each, in order. */
  readonly #texts = new HeldBytes();

  constructor(keys: UrlKeys) {
    this.#keys = keys;
  }

  /** Memory that they take. */
  get bytes(): Bytes {
    return this.#table.bytes + PER_TIME * this.#table.count + this.#texts.length;
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
      this.#texts.text(`${language || '-'} ${text}`);
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
    this.#table.clear();
    this.#times = new Float64Array(FIRST);
  }

  #grow(): void {
    const times = this.#times;
    this.#times = new Float64Array(2 * times.length);
    this.#times.set(times);
  }

  /** A line up to the language. */
  #writeHead(anchor: number, out: Buffer, at: number): void {
    const [table, time] = [this.#table, this.#times[anchor]];
    out.fill(SPACE, at, at + HEAD);
    writeHex(out, at, table.wordOf(anchor, 1), 8);
    writeHex(out, at + 8, table.wordOf(anchor, 0), 8);
    writeHex(out, at + 17, table.wordOf(anchor, 3), 8);
    writeHex(out, at + 25, table.wordOf(anchor, 2), 8);
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
