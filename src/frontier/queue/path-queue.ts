/**
 * The queued URLs of one host, first in, first out, as packed bytes.
 *
 * Format    each entry: its length (a varint), depth, redirects with the mark of a requisite,
 *           attempts (a byte each), then the URL without its host: `s` or `h` for the scheme, the
 *           port if there is one, the path. `https://example.org:8443/a` is stored as `s:8443/a` at
 *           `example.org`. A trail follows behind a blank.
 * Requires  canonical URLs (ASCII, scheme http or https), of the queue's host.
 * Ensures   the bytes here are those on disk: entries move between a queue and a file by copying
 *           bytes.
 * Cost      the bytes of the path and five more; one array a host, however many URLs, at most four
 *           times its content and 1 kB.
 */
import { varintSize, writeVarint } from '../../base/varint.ts';
import { type Discovery, discoveryOf, isRequisite, MOST, redirectByte } from './discovered-url.ts';

const COUNTS = 3;
const NOTHING = Buffer.alloc(0);
const HTTPS = 0x73;
const HTTP = 0x68;
/** Up to this length a loop is faster than a call that leaves JavaScript. */
const SHORT = 96;
const SPARE = 1024;

/** Whole entries, packed. */
export interface Entries {
  readonly count: number;
  readonly bytes: Uint8Array;
}

export class PathQueue {
  readonly host: string;
  #bytes: Buffer = NOTHING;
  #from = 0;
  #to = 0;
  #count = 0;

  constructor(host: string) {
    this.host = host;
  }

  get length(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.#to - this.#from;
  }

  push(discovery: Discovery): void {
    this.#reserve(entrySize(discovery, this.host));
    this.#to = writeEntry(this.#bytes, this.#to, discovery, this.host);
    this.#count++;
  }

  /** Adds entries at the end. */
  append({ count, bytes }: Entries): void {
    this.appendRange(bytes, 0, bytes.length, count);
  }

  /** Adds the `count` whole entries of `bytes[from .. to)` at the end. */
  appendRange(bytes: Uint8Array, from: number, to: number, count: number): void {
    this.#reserve(to - from);
    copyBytes(bytes, from, to, this.#bytes, this.#to);
    this.#to += to - from;
    this.#count += count;
  }

  /** Adds at the head: a URL that is tried again keeps its place. */
  unshift(discovery: Discovery): void {
    const size = entrySize(discovery, this.host);
    // Free as many bytes in front as there are: a queue that grows at its head is copied a
    // logarithmic number of times.
    if (this.#from < size) this.#move(2 * size + this.byteLength, this.byteLength);
    this.#from -= size;
    writeEntry(this.#bytes, this.#from, discovery, this.host);
    this.#count++;
  }

  shift(): Discovery | undefined {
    if (this.#count === 0) return undefined;
    const bytes = this.#bytes;
    let at = this.#from;
    let size = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++];
      size += (byte & 127) * unit;
      if (byte < 128) break;
    }
    const end = at + size;
    const scheme = bytes[at + COUNTS] === HTTPS ? 'https://' : 'http://';
    const path = bytes.toString('latin1', at + COUNTS + 1, end);
    const text = scheme + this.host + path;
    const discovery = discoveryOf(bytes[at], bytes[at + 1], bytes[at + 2], text);
    this.#leave(end, this.#count - 1);
    return discovery;
  }

  /** Takes up to `most` entries from the head, packed: a view, valid until the queue changes. */
  take(most: number): Entries {
    const taken = most < this.#count ? wholeEntries(this.entries().bytes, most) : this.entries();
    this.#leave(this.#from + taken.bytes.length, this.#count - taken.count);
    return taken;
  }

  /** Takes all entries but the first `kept`, packed: a view, valid until the queue changes. */
  cut(kept: number): Entries {
    if (this.#count <= kept) return { count: 0, bytes: NOTHING };
    const first = wholeEntries(this.entries().bytes, kept);
    const bytes = this.#bytes.subarray(this.#from + first.bytes.length, this.#to);
    const count = this.#count - first.count;
    this.#to -= bytes.length;
    this.#leave(this.#from, first.count);
    return { count, bytes };
  }

  /** All entries, packed; a view. */
  entries(): Entries {
    return { count: this.#count, bytes: this.#bytes.subarray(this.#from, this.#to) };
  }

  /** Keeps only the bytes from `from` on; moves them if they use little of the memory. */
  #leave(from: number, count: number): void {
    this.#from = from;
    this.#count = count;
    if (count === 0) {
      this.#bytes = NOTHING;
      this.#from = 0;
      this.#to = 0;
    } else if (this.#bytes.length > 4 * this.byteLength + SPARE) this.#move(0, this.byteLength);
  }

  #reserve(more: number): void {
    if (this.#to + more <= this.#bytes.length) return;
    const needed = this.byteLength + more;
    // Half more than needed: a queue that only grows is copied a logarithmic number of times.
    this.#move(0, needed + (needed >> 1));
  }

  /** Moves to a new array, with `before` free bytes in front. */
  #move(before: number, size: number): void {
    // Not from Buffer.allocUnsafe, whose small buffers share a pool: one of them keeps the whole
    // pool alive.
    const moved = Buffer.allocUnsafeSlow(before + size);
    moved.set(this.#bytes.subarray(this.#from, this.#to), before);
    this.#to = before + this.byteLength;
    this.#from = before;
    this.#bytes = moved;
  }
}

/** The first whole entries of bytes that may end inside one: at most `most`. */
export function wholeEntries(bytes: Uint8Array, most: number): Entries {
  let count = 0;
  let end = 0;
  while (count < most) {
    const next = entryEnd(bytes, end);
    if (next > bytes.length) break;
    end = next;
    count++;
  }
  return { count, bytes: bytes.subarray(0, end) };
}

/** Where the entry at `at` ends; beyond the end of `bytes` when these hold only a part of it. */
export function entryEnd(bytes: Uint8Array, at: number): number {
  let size = 0;
  for (let unit = 1; at < bytes.length; unit *= 128) {
    const byte = bytes[at++];
    size += (byte & 127) * unit;
    if (byte < 128) return at + size;
  }
  return Infinity;
}

/** Bytes of a URL in a queue. */
export function entrySize({ url, trail }: Discovery, host: string): number {
  const size = COUNTS + 1 + url.length - pathStart(url, host) + trailLength(trail);
  return varintSize(size) + size;
}

/** How many of the entries are requisites. */
export function requisitesIn({ count, bytes }: Entries): number {
  let found = 0;
  for (let i = 0, at = 0; i < count; i++) {
    const end = entryEnd(bytes, at);
    while (bytes[at] >= 128) at++;
    if (isRequisite(bytes.subarray(at + 1, at + 1 + COUNTS))) found++;
    at = end;
  }
  return found;
}

/** Returns where the next entry goes. */
export function writeEntry(into: Buffer, at: number, discovery: Discovery, host: string): number {
  const { url, depth, attempts = 0, trail } = discovery;
  const start = pathStart(url, host);
  const length = url.length - start;
  let to = writeVarint(into, at, COUNTS + 1 + length + trailLength(trail));
  into[to++] = Math.min(depth, MOST);
  into[to++] = redirectByte(discovery);
  into[to++] = Math.min(attempts, MOST);
  into[to++] = isHttps(url) ? HTTPS : HTTP;
  if (trail !== undefined) return to + into.write(`${url.slice(start)} ${trail}`, to, 'latin1');
  if (length > SHORT) return to + into.write(url.slice(start), to, 'latin1');
  for (let i = start; i < url.length; i++) into[to++] = url.charCodeAt(i);
  return to;
}

export function copyBytes(
  source: Uint8Array,
  from: number,
  to: number,
  into: Uint8Array,
  at: number,
): void {
  if (to - from > SHORT) into.set(source.subarray(from, to), at);
  else for (let i = from; i < to; i++) into[at++] = source[i];
}

/** The bytes of a trail, with the blank before it. */
const trailLength = (trail: string | undefined): number =>
  trail === undefined ? 0 : trail.length + 1;

function pathStart(url: string, host: string): number {
  return (isHttps(url) ? 8 : 7) + host.length;
}

function isHttps(url: string): boolean {
  return url.charCodeAt(4) === HTTPS;
}
