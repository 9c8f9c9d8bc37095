/**
 * The fingerprints of the links of a page: the same as `fingerprint`, in a third of the time.
 *
 * Idea      A BigInt is an object, and a single fingerprint makes three of them. Here the text of
 *           all URLs is put into the memory of the DRUM kernel, which hashes them in one call; the
 *           rest is arithmetic on 32-bit halves. Most links were seen a moment ago and are
 *           recognised by their hashes: only the others need their partition.
 * Requires  canonical URLs, which are ASCII.
 * Ensures   keys[i] is the hash of URL i, and its fingerprint once `finish(i)` was called; valid
 *           until the next `hash`.
 * Cost      memory that grows to the longest list of links seen.
 */
import { Kernel, SLACK } from '../drum/kernel.ts';
import { PARTITION_BITS, partitionOfUrl } from '../url/fingerprint.ts';
import type { PackedUrls } from '../url/packed-urls.ts';

const WORD = 32;

export class Fingerprints {
  #room = { urls: 0, bytes: 0 };
  #kernel!: Kernel;
  #writer!: Buffer;
  #bytesAt = 0;
  #endsAt = 0;
  #keysAt = 0;
  #ends!: Uint32Array;
  #words!: Uint32Array;
  keys!: BigUint64Array;
  /** The memory in which the URLs that were hashed are; see `startOf`. */
  bytes!: Uint8Array;

  constructor() {
    this.#grow(256, 32 * 1024);
  }

  /** The hash of each URL, by which it is recognised. */
  hash({ text, ends }: PackedUrls): BigUint64Array {
    const { length } = ends;
    if (length > this.#room.urls || text.length > this.#room.bytes) {
      this.#grow(2 * length, 2 * text.length);
    }
    const room = this.#ends;
    for (let i = 0; i < length; i++) room[i] = ends[i];
    // One call that writes a long text takes a third of the time of sixty short writes.
    this.#writer.write(text, this.#bytesAt, 'latin1');
    this.#kernel.run.hashAll(this.#bytesAt, this.#endsAt, length, this.#keysAt, 0);
    return this.keys;
  }

  /**
   * Turns hash i, which is that of `url`, into a fingerprint and returns the partition. Call it
   * once for each i.
   */
  finish(i: number, url: string): number {
    const words = this.#words;
    const partition = partitionOfUrl(url);
    const low = words[2 * i];
    const high = words[2 * i + 1];
    words[2 * i] = (low >>> PARTITION_BITS) | (high << (WORD - PARTITION_BITS));
    words[2 * i + 1] = (high >>> PARTITION_BITS) | (partition << (WORD - PARTITION_BITS));
    return partition;
  }

  /**
   * Where URL i begins in `bytes`; it ends where the next one begins. Valid until the next `hash`.
   */
  startOf(i: number): number {
    return i === 0 ? this.#bytesAt : this.#bytesAt + this.#ends[i - 1];
  }

  #grow(urls: number, bytes: number): void {
    const room = {
      urls: Math.max(urls, this.#room.urls),
      bytes: Math.max(bytes, this.#room.bytes),
    };
    const kernel = new Kernel(room.bytes + SLACK + room.urls * 12 + 64);
    this.#room = room;
    this.#kernel = kernel;
    this.bytes = kernel.bytes;
    this.#writer = Buffer.from(kernel.buffer);
    this.#bytesAt = kernel.allocate(room.bytes + SLACK);
    this.#endsAt = kernel.allocate(room.urls * 4);
    this.#keysAt = kernel.allocate(room.urls * 8);
    this.#ends = kernel.u32(this.#endsAt, room.urls);
    this.#words = kernel.u32(this.#keysAt, 2 * room.urls);
    this.keys = kernel.u64(this.#keysAt, room.urls);
  }
}
