/**
 * A list of postings that was computed, in the format of those that are stored (posting-writer.ts):
 * so there is one way to read them.
 */
import { writeVarint } from '../../base/varint.ts';
import type { ListBytes } from './part.ts';

interface Postings {
  /** In increasing order. */
  readonly ids: Uint32Array;
  readonly frequencies: Uint32Array;
}

/** Bytes of a block besides four for each number. */
const HEAD = 64;

/** `lengthOf` gives the length of the field in a version. */
export function encodeList(
  term: string,
  { ids, frequencies }: Postings,
  block: number,
  lengthOf: (id: number) => number,
): ListBytes {
  const count = ids.length;
  const blocks = new Uint8Array(9 * count + HEAD * Math.ceil(count / block));
  const directory = new Uint8Array(HEAD * Math.ceil(count / block));
  let [at, described, before] = [0, 0, -1];
  for (let from = 0; from < count; from += block) {
    const to = Math.min(count, from + block);
    const start = at;
    let [greatest, least] = [0, 0xffffffff];
    const last = ids[to - 1];
    at = writeNumbers(blocks, at, to - from, (i) => {
      const id = ids[from + i];
      return id - (from + i === 0 ? -1 : ids[from + i - 1]) - 1;
    });
    at = writeNumbers(blocks, at, to - from, (i) => frequencies[from + i] - 1);
    for (let i = from; i < to; i++) {
      greatest = Math.max(greatest, frequencies[i]);
      least = Math.min(least, lengthOf(ids[i]));
    }
    for (const value of [last - before - 1, at - start, greatest, least])
      described = writeVarint(directory, described, value);
    before = last;
  }
  const head = new Uint8Array(16);
  const headBytes = count > block ? writeVarint(head, 0, described) : 0;
  const shown = count > block ? described : 0;
  const bytes = new Uint8Array(headBytes + shown + at);
  bytes.set(head.subarray(0, headBytes));
  bytes.set(directory.subarray(0, shown), headBytes);
  bytes.set(blocks.subarray(0, at), headBytes + shown);
  const places = { start: 0, bytes: bytes.length, positionStart: 0, positionBytes: 0 };
  return { entry: { term, count, ...places }, bytes };
}

/** A group of numbers (numbers.ts); returns where the next byte goes. */
function writeNumbers(
  to: Uint8Array,
  start: number,
  count: number,
  valueAt: (i: number) => number,
): number {
  let at = start + ((count + 3) >> 2);
  for (let i = 0; i < count; i++) {
    const value = valueAt(i);
    const width = value === 0 ? 0 : value < 0x100 ? 1 : value < 0x10000 ? 2 : 3;
    to[start + (i >> 2)] |= width << ((i & 3) << 1);
    const bytes = width === 3 ? 4 : width;
    for (let j = 0; j < bytes; j++) to[at++] = (value >>> (8 * j)) & 0xff;
  }
  return at;
}
