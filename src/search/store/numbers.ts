/**
 * Groups of numbers below 2^32 as bytes: Stream VByte (Lemire, Kurz and Rupp 2017).
 *
 * Idea      Two bits for each number say how many bytes it takes: 0, 1, 2 or 4. The widths of a
 *           group come first, then the bytes, so no step waits for a byte that says whether another
 *           follows. A zero takes two bits: most frequencies are 1, and stored as 0.
 * Requires  The reader knows how many numbers a group has.
 * Ensures   `readNumbers` returns what `writeNumbers` was given.
 * Cost      Linear; at most 4.25 bytes a number.
 */

/** The most bytes that `count` numbers take. */
export const mostBytes = (count: number): number => ((count + 3) >> 2) + 4 * count;

/** Writes the first `count` numbers; returns where the next byte goes. */
export function writeNumbers(
  values: Uint32Array,
  count: number,
  into: Uint8Array,
  start: number,
): number {
  let at = start + ((count + 3) >> 2);
  for (let i = 0; i < count; i += 4) {
    let widths = 0;
    const end = Math.min(count, i + 4);
    for (let j = i; j < end; j++) {
      const value = values[j];
      const shift = (j - i) << 1;
      if (value === 0) continue;
      into[at++] = value;
      if (value < 0x100) {
        widths |= 1 << shift;
        continue;
      }
      into[at++] = value >>> 8;
      if (value < 0x10000) {
        widths |= 2 << shift;
        continue;
      }
      into[at++] = value >>> 16;
      into[at++] = value >>> 24;
      widths |= 3 << shift;
    }
    into[start + (i >> 2)] = widths;
  }
  return at;
}

/** Reads `count` numbers; returns where the next byte is. */
export function readNumbers(
  bytes: Uint8Array,
  start: number,
  count: number,
  into: Uint32Array,
): number {
  let at = start + ((count + 3) >> 2);
  let widths = 0;
  for (let i = 0; i < count; i++) {
    widths = (i & 3) === 0 ? bytes[start + (i >> 2)] : widths >>> 2;
    const width = widths & 3;
    if (width === 1) into[i] = bytes[at++];
    else if (width === 0) into[i] = 0;
    else if (width === 2) {
      into[i] = bytes[at] | (bytes[at + 1] << 8);
      at += 2;
    } else {
      into[i] =
        (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
      at += 4;
    }
  }
  return at;
}
