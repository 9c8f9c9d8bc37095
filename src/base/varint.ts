/**
 * Varints, stored before texts and values as their length: seven bits a byte, low bits first; the
 * top bit means that more follow.
 */

export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** Returns where the next byte goes. */
export function writeVarint(into: Uint8Array, at: number, value: number): number {
  if (value < 128) {
    into[at] = value;
    return at + 1;
  }
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) into[at++] = (rest % 128) | 128;
  into[at++] = rest;
  return at;
}

/** Reads one number after the other from a block. */
export class VarintReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  next(): number {
    const first = this.bytes[this.at];
    if (first < 128) {
      this.at++;
      return first;
    }
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * unit;
      if (byte < 128) return value;
      if (byte === undefined) throw new RangeError('A number continues past the end of its block.');
    }
  }

  skip(n: number): void {
    this.at += n;
  }

  /** The next n bytes, as a view. */
  take(n: number): Uint8Array {
    this.at += n;
    return this.bytes.subarray(this.at - n, this.at);
  }
}
