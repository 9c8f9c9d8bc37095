/**
 * Groups of numbers below 2^32 as bytes: Stream VByte (Lemire, Kurz and Rupp 2017).
 *
 * Idea      Two bits for each number say how many bytes it takes: 0, 1, 2 or 4. The widths of a
 *           group come first, then the bytes, so no step waits for a byte that says whether another
 *           follows. A zero takes two bits: most frequencies are 1, and stored as 0.
 * Requires  The reader knows how many numbers a group has.
 * Ensures   `readNumbers` returns what the kernel (posting-kernel.as.ts) was given.
 * Cost      Linear; at most 4.25 bytes a number.
 */

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
