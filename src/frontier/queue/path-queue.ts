/**
 * The URLs that wait at one host, first in, first out, as packed bytes.
 *
 * Format    each entry: its length (a varint), depth, redirects, attempts (a byte each), then the URL without its host:
 *           `s` or `h` for the scheme, the port if there is one, the path. `https://example.org:8443/a` waits at
 *           `example.org` as `s:8443/a`.
 * Requires  canonical URLs (ASCII, scheme http or https), of the queue's host.
 * Ensures   what is stored on disk is what stands here: entries move between a queue and a file by copying bytes.
 * Cost      the bytes of the path and five more; one array a host, however many URLs, never larger than four times what is
 *           in it and 1 kB.
 */
import { varintSize, writeVarint } from '../../base/varint.ts';
import { type Discovery, MOST } from './discovery.ts';

const COUNTS = 3;
const NOTHING = Buffer.alloc(0);
const HTTPS = 0x73;
const HTTP = 0x68;
/** Below this a loop is faster than a call that leaves JavaScript. */
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

  /** Behind what is there. */
  append({ count, bytes }: Entries): void {
    this.appendRange(bytes, 0, bytes.length, count);
  }

  /** Behind what is there: `count` whole entries that stand somewhere in `bytes`. */
  appendRange(bytes: Uint8Array, from: number, to: number, count: number): void {
    this.#reserve(to - from);
    copyBytes(bytes, from, to, this.#bytes, this.#to);
    this.#to += to - from;
    this.#count += count;
  }

  /** Before all others: a URL that is tried again keeps its place. */
  unshift(discovery: Discovery): void {
    const size = entrySize(discovery, this.host);
    // As much again in front as there is: a queue that grows at its head is copied a logarithmic number of times.
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
    const url = scheme + this.host + path;
    const discovery = { url, depth: bytes[at], redirects: bytes[at + 1], attempts: bytes[at + 2] };
    this.#leave(end, this.#count - 1);
    return discovery;
  }

  /** Takes up to `most` entries from the head, packed: a view that is valid until the queue is next changed. */
  take(most: number): Entries {
    const taken = most < this.#count ? wholeEntries(this.entries().bytes, most) : this.entries();
    this.#leave(this.#from + taken.bytes.length, this.#count - taken.count);
    return taken;
  }

  /** Everything that waits, packed; a view. */
  entries(): Entries {
    return { count: this.#count, bytes: this.#bytes.subarray(this.#from, this.#to) };
  }

  /** Keeps only what stands from `from`, and no more memory than that deserves. */
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
    // Half as much again as is needed: a queue that only grows is copied a logarithmic number of times.
    this.#move(0, needed + (needed >> 1));
  }

  /** To a new array, with `before` free bytes in front. */
  #move(before: number, size: number): void {
    // Of its own: the pool that Buffer.allocUnsafe cuts small ones from is kept alive whole by any of them.
    const moved = Buffer.allocUnsafeSlow(before + size);
    moved.set(this.#bytes.subarray(this.#from, this.#to), before);
    this.#to = before + this.byteLength;
    this.#from = before;
    this.#bytes = moved;
  }
}

/** The first entries of a piece that may end inside one: at most `most`, only whole ones. */
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

/** Where the entry at `at` ends; beyond the bytes when they hold only a part of it. */
export function entryEnd(bytes: Uint8Array, at: number): number {
  let size = 0;
  for (let unit = 1; at < bytes.length; unit *= 128) {
    const byte = bytes[at++];
    size += (byte & 127) * unit;
    if (byte < 128) return at + size;
  }
  return Infinity;
}

/** The bytes that a URL takes where it waits. */
export function entrySize({ url }: Discovery, host: string): number {
  const size = COUNTS + 1 + url.length - pathStart(url, host);
  return varintSize(size) + size;
}

/** Returns where the next entry goes. */
export function writeEntry(into: Buffer, at: number, discovery: Discovery, host: string): number {
  const { url, depth, redirects, attempts = 0 } = discovery;
  const start = pathStart(url, host);
  const length = url.length - start;
  let to = writeVarint(into, at, COUNTS + 1 + length);
  into[to++] = Math.min(depth, MOST);
  into[to++] = Math.min(redirects, MOST);
  into[to++] = Math.min(attempts, MOST);
  into[to++] = isHttps(url) ? HTTPS : HTTP;
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

function pathStart(url: string, host: string): number {
  return (isHttps(url) ? 8 : 7) + host.length;
}

function isHttps(url: string): boolean {
  return url.charCodeAt(4) === HTTPS;
}
