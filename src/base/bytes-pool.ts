/**
 * A pool of memory for bodies of responses and buffers of files.
 *
 * Idea      A body of 25 KB belongs to an object of a few bytes. Left to the garbage collector, it
 *           stays until that object is collected, and an object used a moment too long counts as
 *           old. In a wide crawl that is tens of megabytes of unused memory, and fragments in the C
 *           library's heap. So the user of a buffer gives it back, and the next buffer of that size
 *           is the same memory. A buffer that is not given back is left to the collector.
 * Requires  no read or write of what was given back.
 * Ensures   `take` gives at least as many bytes as asked for, in memory with no other user; at most
 *           `spare` bytes are kept for later use.
 * Cost      up to twice the size asked for; the bytes are not zeroed.
 */
import type { Bytes } from './units.ts';

/** Log2 of the smallest size kept: smaller buffers come from Node's own pool. */
const SMALLEST = 12;
/** Log2 of the largest size kept: larger buffers are rare. */
const LARGEST = 18;
const SPARE: Bytes = 4 * 2 ** 20;

export class BytesPool {
  readonly #spare: Bytes;
  /** Free buffers, by the logarithm of their size. */
  readonly #free: Buffer[][] = Array.from({ length: LARGEST + 1 }, () => []);
  #waiting: Bytes = 0;

  constructor(spare: Bytes = SPARE) {
    this.#spare = spare;
  }

  /** Bytes kept for later use. */
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
