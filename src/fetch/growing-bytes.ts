/**
 * A byte buffer that grows: where a head or a body of unknown length gathers.
 *
 * Idea      Capacity doubles, so a byte is copied once when it arrives and, amortised, once more while growing; with a
 *           right first guess it is never moved again.
 * Requires  one writer; the bytes given to `append` may be reused by the caller afterwards.
 * Ensures   `view()` is every appended byte in order, without a copy; it stays valid as long as nothing is appended.
 * Cost      at most twice the memory of the content.
 */
export class GrowingBytes {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity); // small ones from Node's pool, which is much cheaper
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
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
