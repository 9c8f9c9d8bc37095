/**
 * The kernels of DRUM in AssemblyScript: loops over raw memory that the caller lays out, no
 * allocation, no state. Costs here are nanoseconds a key. The caller decides what to do when a
 * buffer is full: each loop that may run out of room returns where it stopped and can be called
 * again.
 *
 * `npm run kernels` compiles it into kernel-wasm.ts, which is what the build and the
 * tests load. The meaning of each function, and the layout it works on, is stated in kernel.ts.
 */

import { xxh64 } from '../base/xxh64.as';

export function hashAll(bytes: usize, ends: usize, n: u32, keys: usize, trailing: u32): void {
  let from: u32 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const to = load<u32>(ends + (<usize>i << 2));
    store<u64>(keys + (<usize>i << 3), xxh64(bytes + from, to - from - trailing));
    from = to;
  }
}

/** Sixteen bytes at a time: reads up to 15 bytes past `to`, and ignores them. */
export function lineEnds(bytes: usize, from: u32, to: u32, ends: usize, capacity: u32): u32 {
  const newline = i8x16.splat(10);
  let n: u32 = 0;
  for (let at = from; at < to; at += 16) {
    let hits = <u32>i8x16.bitmask(i8x16.eq(v128.load(bytes + at), newline));
    while (hits != 0) {
      const end = at + ctz(hits) + 1;
      if (end > to || n == capacity) return n;
      store<u32>(ends + (<usize>n << 2), end);
      n++;
      hits &= hits - 1;
    }
  }
  return n;
}

/**
 * Copies in steps of 16 bytes: up to 15 bytes past the end are written too, for which every buffer
 * here has room.
 */
// @ts-ignore: decorator
@inline
function copy(to: usize, from: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

// @ts-ignore: decorator
@inline
function varintSize(value: u32): u32 {
  return (38 - clz(value | 1)) / 7;
}

export function distribute(
  keys: usize,
  ends: usize,
  bytes: usize,
  keep: usize,
  i: u32,
  n: u32,
  slots: usize,
  lanes: usize,
): u32 {
  let from: u32 = i == 0 ? 0 : load<u32>(ends + (<usize>(i - 1) << 2));
  for (; i < n; i++) {
    const to = load<u32>(ends + (<usize>i << 2));
    if (load<u8>(keep + i) != 0) {
      const length = to - from;
      const key = load<u64>(keys + (<usize>i << 3));
      const lane = lanes + (<usize>load<u16>(slots + (<usize>(key >> 48) << 1)) << 4);
      const keyAt: usize = load<u32>(lane);
      let textAt: usize = load<u32>(lane, 8);
      if (keyAt + 8 > load<u32>(lane, 4)) return i;
      if (textAt + varintSize(length) + length > load<u32>(lane, 12)) return i;
      store<u64>(keyAt, key);
      store<u32>(lane, keyAt + 8);
      let rest = length;
      for (; rest >= 128; rest >>= 7) store<u8>(textAt++, rest | 128);
      store<u8>(textAt++, rest);
      copy(textAt, bytes + from, length);
      store<u32>(lane, textAt + length, 8);
    }
    from = to;
  }
  return n;
}

// Sorting: one pass counts the groups of a range of keys, one scatters (key, index) pairs into
// them, and the groups, which are small when the keys are fingerprints, are sorted in place.

export function bounds(keys: usize, n: u32, out: usize): void {
  const end = keys + (<usize>n << 3);
  let least = u64.MAX_VALUE;
  let most: u64 = 0;
  for (let at = keys; at < end; at += 8) {
    const key = load<u64>(at);
    least = min(least, key);
    most = max(most, key);
  }
  store<u64>(out, least);
  store<u64>(out, most, 8);
}

export function countGroups(keys: usize, n: u32, low: u64, shift: u32, groups: usize): void {
  const end = keys + (<usize>n << 3);
  for (let at = keys; at < end; at += 8) {
    const group = groups + (<usize>((load<u64>(at) - low) >> shift) << 2);
    store<u32>(group, load<u32>(group) + 1);
  }
}

export function startGroups(groups: usize, count: u32): void {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const size = load<u32>(groups + (<usize>i << 2));
    store<u32>(groups + (<usize>i << 2), sum);
    sum += size;
  }
}

export function scatter(
  keys: usize,
  from: u32,
  to: u32,
  low: u64,
  shift: u32,
  groups: usize,
  pairs: usize,
): void {
  for (let i = from; i < to; i++) {
    const key = load<u64>(keys + (<usize>i << 3));
    const group = groups + (<usize>((key - low) >> shift) << 2);
    const place = load<u32>(group);
    store<u32>(group, place + 1);
    const pair = pairs + (<usize>place << 4);
    store<u64>(pair, key);
    store<u64>(pair, i, 8);
  }
}

/** After `scatter`, `groups[g]` is the end of group g and the start of the next. */
export function sortGroups(groups: usize, from: u32, to: u32, pairs: usize): void {
  let start: u32 = from == 0 ? 0 : load<u32>(groups + (<usize>(from - 1) << 2));
  for (let g = from; g < to; g++) {
    const end = load<u32>(groups + (<usize>g << 2));
    const size = end - start;
    if (size > 1) {
      const base = pairs + (<usize>start << 4);
      if (size <= 24) insertionSort(base, size);
      else if (!isSorted(base, size)) heapSort(base, size);
    }
    start = end;
  }
}

// @ts-ignore: decorator
@inline
function isBefore(keyA: u64, indexA: u64, b: usize): bool {
  const keyB = load<u64>(b);
  return keyA < keyB || (keyA == keyB && indexA < load<u64>(b, 8));
}

function isSorted(base: usize, size: u32): bool {
  const end = base + (<usize>size << 4);
  for (let at = base + 16; at < end; at += 16) {
    if (isBefore(load<u64>(at), load<u64>(at, 8), at - 16)) return false;
  }
  return true;
}

/** Stable, so that equal keys stay in the order of arrival. */
function insertionSort(base: usize, size: u32): void {
  const end = base + (<usize>size << 4);
  for (let next = base + 16; next < end; next += 16) {
    const pair = v128.load(next);
    const key = load<u64>(next);
    let hole = next;
    while (hole > base && load<u64>(hole - 16) > key) {
      v128.store(hole, v128.load(hole - 16));
      hole -= 16;
    }
    v128.store(hole, pair);
  }
}

/**
 * For groups of keys that are not fingerprints: never quadratic. Equal keys are ordered by their
 * index.
 */
function heapSort(base: usize, size: u32): void {
  for (let i: i32 = (size >> 1) - 1; i >= 0; i--) siftDown(base, i, size);
  for (let last = size - 1; last > 0; last--) {
    const end = base + (<usize>last << 4);
    const top = v128.load(base);
    v128.store(base, v128.load(end));
    v128.store(end, top);
    siftDown(base, 0, last);
  }
}

function siftDown(base: usize, i: u32, size: u32): void {
  const pair = v128.load(base + (<usize>i << 4));
  const key = i64x2.extract_lane(pair, 0) as u64;
  const index = i64x2.extract_lane(pair, 1) as u64;
  while (true) {
    let child: u32 = 2 * i + 1;
    if (child >= size) break;
    let at = base + (<usize>child << 4);
    if (child + 1 < size && isBefore(load<u64>(at), load<u64>(at, 8), at + 16)) {
      child++;
      at += 16;
    }
    if (!isBefore(key, index, at)) break;
    v128.store(base + (<usize>i << 4), v128.load(at));
    i = child;
  }
  v128.store(base + (<usize>i << 4), pair);
}

// Merging. The cursors are in memory (six u32: pair, pair end, seen, seen end, out, out end), so
// that a call can stop anywhere and the next one continues.

export function merge(cursors: usize, novel: usize, last: bool): u32 {
  let pair: usize = load<u32>(cursors);
  const pairEnd: usize = load<u32>(cursors, 4);
  let seen: usize = load<u32>(cursors, 8);
  const seenEnd: usize = load<u32>(cursors, 12);
  let out: usize = load<u32>(cursors, 16);
  const outEnd: usize = load<u32>(cursors, 20);
  let why: u32 = 0;
  while (pair < pairEnd) {
    const key = load<u64>(pair);
    while (seen < seenEnd && out < outEnd) {
      const next = load<u64>(seen);
      if (next >= key) break;
      store<u64>(out, next);
      out += 8;
      seen += 8;
    }
    if (seen == seenEnd && !last) {
      why = 1;
      break;
    }
    if (seen < seenEnd && load<u64>(seen) < key) {
      why = 2;
      break;
    }
    if (seen == seenEnd || load<u64>(seen) != key) {
      if (out == outEnd) {
        why = 2;
        break;
      }
      store<u64>(out, key);
      out += 8;
      const index = load<u32>(pair, 8);
      const byte = novel + (index >> 3);
      store<u8>(byte, load<u8>(byte) | <u8>(<u32>1 << (index & 7)));
    }
    do {
      pair += 16;
    } while (pair < pairEnd && load<u64>(pair) == key);
  }
  store<u32>(cursors, pair);
  store<u32>(cursors, seen, 8);
  store<u32>(cursors, out, 16);
  return why;
}

/**
 * The novel keys among `count` arrivals from the index `from` on, in order, and their bits shifted
 * to begin at 0.
 */
export function pick(
  keys: usize,
  novel: usize,
  from: u32,
  count: u32,
  bits: usize,
  out: usize,
): u32 {
  let n: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const index = from + i;
    const bit: u32 = (load<u8>(novel + (index >> 3)) >> (index & 7)) & 1;
    const byte = bits + (i >> 3);
    store<u8>(byte, load<u8>(byte) | (bit << (i & 7)));
    store<u64>(out + (<usize>n << 3), load<u64>(keys + (<usize>index << 3)));
    n += bit;
  }
  return n;
}

/**
 * The texts whose bit is set: copied to `out`, their ends to `ends`. The last text ends at the
 * return value.
 */
export function extract(
  text: usize,
  count: u32,
  bits: usize,
  ends: usize,
  out: usize,
  outFrom: u32,
): u32 {
  let end = outFrom;
  for (let i: u32 = 0; i < count; i++) {
    let length: u32 = load<u8>(text++);
    if (length >= 128) {
      length &= 127;
      for (let shift = 7; ; shift += 7) {
        const byte: u32 = load<u8>(text++);
        length |= (byte & 127) << shift;
        if (byte < 128) break;
      }
    }
    if ((load<u8>(bits + (i >> 3)) >> (i & 7)) & 1) {
      copy(out + end, text, length);
      end += length;
      store<u32>(ends, end);
      ends += 4;
    }
    text += length;
  }
  return end;
}
