/**
 * The values of a column on their way to a page, in Parquet's plain encoding: numbers in
 * little-endian, a text as its length and its bytes.
 *
 * Ensures   The bytes of a value are copied: the caller may use its memory again.
 * Cost      The memory of the largest page so far; it is used again for the next.
 */
const FIRST_BYTES = 4096;
const WORD = 2 ** 32;

export class PlainValues {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Valid until the next value. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  text(value: Uint8Array): void {
    this.#reserve(4 + value.length);
    this.#length = this.#bytes.writeUInt32LE(value.length, this.#length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  int(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeInt32LE(value, this.#length);
  }

  /** A whole number of at most 53 bits. */
  long(value: number): void {
    this.#reserve(8);
    const high = Math.floor(value / WORD);
    this.#bytes.writeUInt32LE(value - high * WORD, this.#length);
    this.#length = this.#bytes.writeInt32LE(high, this.#length + 4);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * (this.#length + more));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
