/**
 * Reads a file bit by bit, the highest of each byte first, in the codes of WebGraph.
 *
 * Requires  a call of `ready` before: reading never waits, and throws `OutOfBits` if it would have
 *           to. A caller that cannot know the size in advance returns to its start, asks for more
 *           and tries again.
 */
import type { ReadAhead } from '../../disk/read-ahead.ts';

/** There are not enough bits. */
export class OutOfBits extends Error {}

/** The bits are no code of a number that a graph could hold. */
export class NoSuchNumber extends Error {}

/** Bits of the widest number. */
export const WIDEST = 32;

export class BitReader {
  readonly #reader: ReadAhead;
  #bytes: Uint8Array = new Uint8Array(0);
  /** Position of the next bit in `#bytes`. */
  #bit = 0;
  #bitsBefore = 0;
  #sawEnd = false;

  constructor(reader: ReadAhead) {
    this.#reader = reader;
  }

  /** Bits read so far. */
  get position(): number {
    return this.#bitsBefore + this.#bit;
  }

  /** Whether this many bytes can be read, or all that remain. */
  isReady(bytes: number): boolean {
    return this.#sawEnd || this.#bytes.length - (this.#bit >>> 3) >= bytes;
  }

  /** Reads from the file until `isReady(bytes)`. */
  async ready(bytes: number): Promise<void> {
    const used = this.#bit >>> 3;
    this.#reader.skip(used);
    this.#bytes = await this.#reader.peek(bytes);
    this.#bit -= used * 8;
    this.#bitsBefore += used * 8;
    this.#sawEnd = this.#bytes.length < bytes;
  }

  /** The file has no more bytes. */
  get sawEnd(): boolean {
    return this.#sawEnd;
  }

  /** Returns to a position since the last `ready`. */
  goBack(position: number): void {
    this.#bit = position - this.#bitsBefore;
  }

  bits(count: number): number {
    if (this.#bit + count > this.#bytes.length * 8) throw new OutOfBits();
    let value = 0;
    for (let left = count; left > 0; ) {
      const offset = this.#bit & 7;
      const n = Math.min(8 - offset, left);
      value =
        value * 2 ** n + ((this.#bytes[this.#bit >>> 3] >>> (8 - offset - n)) & ((1 << n) - 1));
      this.#bit += n;
      left -= n;
    }
    return value;
  }

  /** The number of zeros before the next one bit. */
  unary(): number {
    for (let zeros = 0; ; ) {
      const offset = this.#bit & 7;
      if (this.#bit >>> 3 >= this.#bytes.length) throw new OutOfBits();
      const rest = (this.#bytes[this.#bit >>> 3] << offset) & 255;
      if (rest !== 0) {
        const here = Math.clz32(rest) - 24;
        this.#bit += here + 1;
        return zeros + here;
      }
      zeros += 8 - offset;
      this.#bit += 8 - offset;
    }
  }

  gamma(): number {
    return this.#binary(this.unary());
  }

  delta(): number {
    return this.#binary(this.gamma());
  }

  zeta(k: number): number {
    const h = this.unary();
    if ((h + 1) * k > WIDEST + k) throw new NoSuchNumber();
    const left = 2 ** (h * k);
    const value = this.bits(h * k + k - 1);
    return value < left ? value + left - 1 : value * 2 + this.bits(1) - 1;
  }

  #binary(width: number): number {
    if (width > WIDEST) throw new NoSuchNumber();
    return 2 ** width + this.bits(width) - 1;
  }
}
