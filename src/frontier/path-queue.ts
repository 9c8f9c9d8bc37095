/**
 * The URLs that wait at one host, first in, first out, as packed bytes.
 *
 * Format    each entry: its length (a varint), depth, redirects, attempts (a byte each), then the URL without its host:
 *           `s` or `h` for the scheme, the port if there is one, the path. `https://example.org:8443/a` waits at
 *           `example.org` as `s:8443/a`.
 * Ensures   what is stored on disk is what stands here: entries move between a queue and a file by copying bytes.
 * Cost      the bytes of the path and four more; one array a host, however many URLs.
 */
import { VarintReader, varintSize, writeVarint } from '../disk/varint.ts';
import { type Discovery, MOST } from './discovery.ts';

const COUNTS = 3;
const NOTHING = Buffer.alloc(0);

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
    const path = pathForm(discovery.url, this.host);
    const size = COUNTS + path.length;
    this.#reserve(varintSize(size) + size);
    this.#to = this.#write(this.#to, discovery, path);
    this.#count++;
  }

  /** Behind what is there. */
  append({ count, bytes }: Entries): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#to);
    this.#to += bytes.length;
    this.#count += count;
  }

  /** Before all others: a URL that is tried again keeps its place. */
  unshift(discovery: Discovery): void {
    const path = pathForm(discovery.url, this.host);
    const size = COUNTS + path.length;
    const room = varintSize(size) + size;
    if (this.#from < room) this.#move(2 * room, this.byteLength);
    this.#from -= room;
    this.#write(this.#from, discovery, path);
    this.#count++;
  }

  shift(): Discovery | undefined {
    if (this.#count === 0) return undefined;
    const reader = new VarintReader(this.#bytes, this.#from);
    const size = reader.next();
    const [depth, redirects, attempts] = reader.take(COUNTS);
    const path = this.#bytes.toString('latin1', reader.at, reader.at + size - COUNTS);
    this.#from = reader.at + size - COUNTS;
    if (--this.#count === 0) this.#clear();
    const scheme = path.charCodeAt(0) === 0x73 ? 'https://' : 'http://';
    return { url: scheme + this.host + path.slice(1), depth, redirects, attempts };
  }

  /** Takes up to `most` entries from the head, packed: a view that is valid until the queue is next changed. */
  take(most: number): Entries {
    if (most >= this.#count) {
      const all = this.entries();
      this.#clear();
      return all;
    }
    const taken = wholeEntries(this.#bytes.subarray(this.#from, this.#to), most);
    this.#from += taken.bytes.length;
    this.#count -= taken.count;
    return taken;
  }

  /** Everything that waits, packed; a view. */
  entries(): Entries {
    return { count: this.#count, bytes: this.#bytes.subarray(this.#from, this.#to) };
  }

  #clear(): void {
    this.#bytes = NOTHING;
    this.#from = 0;
    this.#to = 0;
    this.#count = 0;
  }

  #write(at: number, { depth, redirects, attempts = 0 }: Discovery, path: string): number {
    const bytes = this.#bytes;
    let to = writeVarint(bytes, at, COUNTS + path.length);
    bytes[to++] = Math.min(depth, MOST);
    bytes[to++] = Math.min(redirects, MOST);
    bytes[to++] = Math.min(attempts, MOST);
    return to + bytes.write(path, to, 'latin1');
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
    let at = end;
    let size = 0;
    for (let unit = 1; ; unit *= 128) {
      if (at === bytes.length) return { count, bytes: bytes.subarray(0, end) };
      const byte = bytes[at++];
      size += (byte & 127) * unit;
      if (byte < 128) break;
    }
    if (at + size > bytes.length) break;
    end = at + size;
    count++;
  }
  return { count, bytes: bytes.subarray(0, end) };
}

function pathForm(url: string, host: string): string {
  return url.charCodeAt(4) === 0x73 ? `s${url.slice(8 + host.length)}` : `h${url.slice(7 + host.length)}`;
}
