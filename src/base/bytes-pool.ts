/**
 * Memory that is used again and again: for bodies of responses, for buffers of files.
 *
 * Idea      A body of 25 KB hangs on an object of a few bytes. Left to the garbage collector, it stays until that object is collected,
 *           and one that was in use for a moment too long counts as old: in a wide crawl, tens of megabytes that nobody needs, and holes
 *           among what the C library's allocator has. So whoever is done says so, and the next piece of that size is
 *           the same memory. Who forgets to leaves it to the collector.
 * Requires  nobody reads or writes what was given back.
 * Ensures   `take` gives at least as many bytes as asked for, and memory that nobody else has; at most `spare` bytes wait for use.
 * Cost      up to twice the size of what is put there; the bytes are not zero.
 */
import type { Bytes } from './units.ts';

/** Less is cut from Node's own pool, and more is rare: neither comes back. */
const SMALLEST = 12;
const LARGEST = 18;
const SPARE: Bytes = 4 * 2 ** 20;

export class BytesPool {
  readonly #spare: Bytes;
  /** By the logarithm of their size. */
  readonly #free: Buffer[][] = Array.from({ length: LARGEST + 1 }, () => []);
  #waiting: Bytes = 0;

  constructor(spare: Bytes = SPARE) {
    this.#spare = spare;
  }

  /** Bytes that wait for use. */
  get waiting(): Bytes {
    return this.#waiting;
  }

  take(capacity: Bytes): Buffer {
    const size = 32 - Math.clz32(capacity - 1);
    if (capacity < 2 ** SMALLEST || size > LARGEST) return Buffer.allocUnsafe(capacity);
    const free = this.#free[size].pop();
    if (free === undefined) return Buffer.allocUnsafeSlow(2 ** size);
    this.#waiting -= free.length;
    return free;
  }

  /** Takes back what `take` gave. */
  give(bytes: Buffer): void {
    const size = 31 - Math.clz32(bytes.length);
    if (size < SMALLEST || size > LARGEST || bytes.length !== 2 ** size) return;
    if (this.#waiting + bytes.length > this.#spare) return;
    this.#free[size].push(bytes);
    this.#waiting += bytes.length;
  }
}
