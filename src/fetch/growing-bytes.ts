/**
 * A byte buffer that grows: for a head or a body of unknown length.
 *
 * Idea      Capacity doubles, so a byte is copied once when it arrives and, amortised, once more
 *           while growing; with a right first guess it is never moved again.
 * Requires  one writer; no call after `release`. The caller may reuse the bytes given to `append`.
 * Ensures   `view()` is every appended byte in order, without a copy; it stays valid as long as
 *           nothing is appended.
 * Cost      at most twice the memory of the content.
 */
import type { BytesPool } from '../base/bytes-pool.ts';

const NOTHING = Buffer.alloc(0);

export class GrowingBytes {
  readonly #pool: BytesPool;
  #bytes: Buffer;
  #length = 0;

  constructor(capacity: number, pool: BytesPool) {
    this.#pool = pool;
    this.#bytes = pool.take(capacity);
  }

  get length(): number {
    return this.#length;
  }

  append(source: Buffer, from: number, to: number): void {
    const needed = this.#length + to - from;
    if (needed > this.#bytes.length) this.#grow(needed);
    source.copy(this.#bytes, this.#length, from, to);
    this.#length = needed;
  }

  view(): Buffer {
    return this.#length === this.#bytes.length
      ? this.#bytes
      : this.#bytes.subarray(0, this.#length);
  }

  /** Gives the memory back: no `view` may be read after this. */
  release(): void {
    this.#pool.give(this.#bytes);
    this.#bytes = NOTHING;
    this.#length = 0;
  }

  #grow(needed: number): void {
    const larger = this.#pool.take(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#pool.give(this.#bytes);
    this.#bytes = larger;
  }
}
