/**
 * The fingerprints of all links of a page at once: what `fingerprint` gives, for a third of the time.
 *
 * Idea      A BigInt is an object, and a fingerprint by itself takes three of them. Here the URLs are laid side by side in the
 *           memory of the DRUM kernel, which hashes them in one call; what is left is arithmetic on halves.
 * Requires  canonical URLs, which are ASCII.
 * Ensures   keys[i] is `fingerprint(urls[i])`; valid until the next call.
 * Cost      memory that grows to the longest list of links met.
 */
import { Kernel, SLACK } from '../drum/kernel.ts';
import { PARTITION_BITS, partitionOfUrl } from '../url/fingerprint.ts';

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

  constructor() {
    this.#grow(256, 32 * 1024);
  }

  of(urls: readonly string[]): BigUint64Array {
    let length = 0;
    for (const url of urls) length += url.length;
    if (urls.length > this.#room.urls || length > this.#room.bytes) this.#grow(2 * urls.length, 2 * length);
    const [writer, ends, words] = [this.#writer, this.#ends, this.#words];
    let end = 0;
    for (let i = 0; i < urls.length; i++) {
      end += writer.write(urls[i], this.#bytesAt + end, 'latin1');
      ends[i] = end;
    }
    this.#kernel.run.hashAll(this.#bytesAt, this.#endsAt, urls.length, this.#keysAt, 0);
    for (let i = 0; i < urls.length; i++) {
      const low = words[2 * i];
      const high = words[2 * i + 1];
      words[2 * i] = (low >>> PARTITION_BITS) | (high << (WORD - PARTITION_BITS));
      words[2 * i + 1] = (high >>> PARTITION_BITS) | (partitionOfUrl(urls[i]) << (WORD - PARTITION_BITS));
    }
    return this.keys;
  }

  /** The partition of key i. */
  partition(i: number): number {
    return this.#words[2 * i + 1] >>> (WORD - PARTITION_BITS);
  }

  #grow(urls: number, bytes: number): void {
    const room = { urls: Math.max(urls, this.#room.urls), bytes: Math.max(bytes, this.#room.bytes) };
    const kernel = new Kernel(room.bytes + SLACK + room.urls * 12 + 64);
    this.#room = room;
    this.#kernel = kernel;
    this.#writer = Buffer.from(kernel.buffer);
    this.#bytesAt = kernel.allocate(room.bytes + SLACK);
    this.#endsAt = kernel.allocate(room.urls * 4);
    this.#keysAt = kernel.allocate(room.urls * 8);
    this.#ends = kernel.u32(this.#endsAt, room.urls);
    this.#words = kernel.u32(this.#keysAt, 2 * room.urls);
    this.keys = kernel.u64(this.#keysAt, room.urls);
  }
}
