/**
 * Groups of numbers whose size is about the same, in few bits: Rice codes.
 *
 * Idea      A number is a quotient and a remainder of `shift` bits. The quotient is written as so
 *           many ones and a zero. With the shift nearest to the mean, a number takes about a bit
 *           and a half more than its logarithm. A quotient of `ESCAPE` or more is written as
 *           `ESCAPE` ones and the whole number.
 * Format    The shift (a byte), then bits, the first in the lowest bit of a byte.
 * Cost      Slower than numbers.ts, and smaller: for positions, which only phrases read.
 */
const ESCAPE = 20;

/** The most bytes that `count` numbers take. */
export const mostRiceBytes = (count: number): number => 2 + Math.ceil((count * (ESCAPE + 32)) / 8);

/** Writes the first `count` numbers; returns where the next byte goes. */
export function writeRice(
  values: Uint32Array,
  count: number,
  into: Uint8Array,
  start: number,
): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += values[i];
  const shift = Math.max(0, Math.min(24, 31 - Math.clz32(Math.max(1, (0.7 * sum) / count))));
  into[start] = shift;
  const bits = new BitWriter(into, start + 1);
  for (let i = 0; i < count; i++) {
    const value = values[i];
    const quotient = value >>> shift;
    if (quotient < ESCAPE) {
      bits.write(2 ** quotient - 1, quotient + 1);
      bits.write(value & (2 ** shift - 1), shift);
    } else {
      bits.write(2 ** ESCAPE - 1, ESCAPE);
      bits.write(value & 0xffff, 16);
      bits.write(value >>> 16, 16);
    }
  }
  return bits.end();
}

/** Reads `count` numbers. */
export function readRice(bytes: Uint8Array, start: number, count: number, into: Uint32Array): void {
  const shift = bytes[start];
  let at = (start + 1) * 8;
  const read = (width: number) => {
    let value = 0;
    for (let i = 0; i < width; i++, at++) if ((bytes[at >>> 3] >>> (at & 7)) & 1) value += 2 ** i;
    return value;
  };
  for (let i = 0; i < count; i++) {
    let quotient = 0;
    while (quotient < ESCAPE && (bytes[at >>> 3] >>> (at & 7)) & 1) {
      quotient++;
      at++;
    }
    if (quotient === ESCAPE) {
      into[i] = read(32);
      continue;
    }
    at++; // the zero
    into[i] = quotient * 2 ** shift + read(shift);
  }
}

class BitWriter {
  readonly #into: Uint8Array;
  #at: number;
  #held = 0;
  #filled = 0;

  constructor(into: Uint8Array, at: number) {
    this.#into = into;
    this.#at = at;
  }

  /** The lowest `width` bits of a value; at most 24. */
  write(value: number, width: number): void {
    this.#held |= value << this.#filled;
    this.#filled += width;
    while (this.#filled >= 8) {
      this.#into[this.#at++] = this.#held;
      this.#held >>>= 8;
      this.#filled -= 8;
    }
  }

  /** Fills the last byte; returns where the next one goes. */
  end(): number {
    if (this.#filled > 0) this.#into[this.#at++] = this.#held;
    return this.#at;
  }
}
