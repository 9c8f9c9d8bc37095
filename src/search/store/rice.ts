/**
 * Groups of numbers whose size is about the same, in few bits: Rice codes.
 *
 * Idea      A number is a quotient and a remainder of `shift` bits. The quotient is written as so
 *           many ones and a zero. With the shift nearest to the mean, a number takes about a bit
 *           and a half more than its logarithm. A quotient of `ESCAPE` or more is written as
 *           `ESCAPE` ones and the whole number.
 * Format    The shift (a byte), then bits, the first in the lowest bit of a byte.
 * Ensures   `readRice` returns what the kernel (posting-kernel.as.ts) was given.
 * Cost      Slower than numbers.ts, and smaller: for positions, which only phrases read.
 */
const ESCAPE = 20;

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
