/**
 * The anchors of links to each page: the file `anchors` of a part.
 *
 * Format    Targets in the order of their keys: key (u64), number of anchors, then of each its hash
 *           (u64), the time of its first sighting and its words. Anchors are numbered in this
 *           order, those of a target in the order of their hashes: these are the numbers in the
 *           postings of the fields `anchor` and `anchorVariant`.
 */
import type { Millis } from '../../base/units.ts';
import { VarintReader } from '../../base/varint.ts';
import { HEADER_BYTES } from '../../disk/format.ts';
import type { Output } from './output.ts';

/** Anchors of a page that count: those with the least hashes, so parts agree which. */
export const MOST_ANCHORS = 1000;

interface Anchor {
  /** Of the site with the link, the language and the text. */
  readonly hash: bigint;
  readonly time: Millis;
  readonly words: number;
}

export interface TargetAnchors {
  readonly key: bigint;
  /** The number of the first. */
  readonly first: number;
  readonly anchors: readonly Anchor[];
}

/** The anchors of a target as they are written: key and hashes high and low. */
export interface Target {
  readonly keyHigh: number;
  readonly keyLow: number;
  readonly anchors: {
    readonly hashHigh: number;
    readonly hashLow: number;
    readonly time: Millis;
    readonly words: number;
  }[];
}

export function writeAnchors(out: Output, { keyHigh, keyLow, anchors }: Target): void {
  out.u32(keyLow);
  out.u32(keyHigh);
  out.varint(anchors.length);
  for (const { hashHigh, hashLow, time, words } of anchors) {
    out.u32(hashLow);
    out.u32(hashHigh);
    out.varint(time);
    out.varint(words);
  }
}

/** The targets of a part, one after the other. */
export class AnchorReader {
  readonly #bytes: Buffer;
  readonly #reader: VarintReader;
  #count = 0;

  /** Takes the content of the file. */
  constructor(content: Uint8Array) {
    this.#bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
    this.#reader = new VarintReader(content, HEADER_BYTES);
  }

  next(): TargetAnchors | undefined {
    const reader = this.#reader;
    if (reader.at >= this.#bytes.length) return undefined;
    const key = this.#u64();
    const first = this.#count;
    const anchors: Anchor[] = [];
    for (let left = reader.next(); left > 0; left--)
      anchors.push({ hash: this.#u64(), time: reader.next(), words: reader.next() });
    this.#count += anchors.length;
    return { key, first, anchors };
  }

  #u64(): bigint {
    const value = this.#bytes.readBigUInt64LE(this.#reader.at);
    this.#reader.skip(8);
    return value;
  }
}
