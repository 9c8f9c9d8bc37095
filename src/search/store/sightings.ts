/**
 * When each page was seen, and with which text: the file `sightings` of a part.
 *
 * Format    Pages in the order of their keys: key (u64), number of versions, then of each the hash
 *           of its text (u64) and its number in the part plus 1, or 0 if an earlier part of the
 *           index has its postings; then the number of captures, then of each the time since the
 *           one before, and 0 and the time that a revisit refers to (plus 1; 0 if it names none),
 *           or the number of the version in the list plus 1. A page that was gone is a revisit that
 *           refers to `GONE`.
 */

import type { Millis } from '../../base/units.ts';
import { VarintReader } from '../../base/varint.ts';
import { HEADER_BYTES } from '../../disk/format.ts';
import type { Output } from './output.ts';

/** What an answer that the page is gone refers to: no capture has this time. */
export const GONE: Millis = 2 ** 48 - 1;

interface PageVersion {
  readonly text: bigint;
  /** Its number in the part; -1 if an earlier part has its postings. */
  readonly local: number;
}

export interface Capture {
  readonly time: Millis;
  /** A place in `versions`; -1 for a revisit. */
  readonly version: number;
  /** Of a revisit: the time of the capture that it refers to; -1 if it does not tell. */
  readonly refersTo: Millis;
}

export interface PageSightings {
  readonly key: bigint;
  readonly versions: readonly PageVersion[];
  /** In the order of time. */
  readonly captures: readonly Capture[];
}

export function writeSightings(out: Output, { key, versions, captures }: PageSightings): void {
  out.u64(key);
  out.varint(versions.length);
  for (const { text, local } of versions) {
    out.u64(text);
    out.varint(local + 1);
  }
  out.varint(captures.length);
  let before = 0;
  for (const { time, version, refersTo } of captures) {
    out.varint(time - before);
    out.varint(version + 1);
    if (version < 0) out.varint(refersTo + 1);
    before = time;
  }
}

/** The pages of a part, one after the other. */
export class SightingsReader {
  readonly #bytes: Buffer;
  readonly #reader: VarintReader;

  /** Takes the content of the file. */
  constructor(content: Uint8Array) {
    this.#bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
    this.#reader = new VarintReader(content, HEADER_BYTES);
  }

  next(): PageSightings | undefined {
    const reader = this.#reader;
    if (reader.at >= this.#bytes.length) return undefined;
    const key = this.#u64();
    const versions: PageVersion[] = [];
    for (let left = reader.next(); left > 0; left--)
      versions.push({ text: this.#u64(), local: reader.next() - 1 });
    const captures: Capture[] = [];
    let time = 0;
    for (let left = reader.next(); left > 0; left--) {
      time += reader.next();
      const version = reader.next() - 1;
      captures.push({ time, version, refersTo: version < 0 ? reader.next() - 1 : -1 });
    }
    return { key, versions, captures };
  }

  #u64(): bigint {
    const value = this.#bytes.readBigUInt64LE(this.#reader.at);
    this.#reader.skip(8);
    return value;
  }
}
