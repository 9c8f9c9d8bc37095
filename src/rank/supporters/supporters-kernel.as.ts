/**
 * The kernels of counting supporters, in AssemblyScript: loops over raw memory that the caller lays
 * out, without allocation and without state, so that threads can run them side by side on one
 * memory.
 *
 * Whether a node is new is decided without a branch, because the branch could not be predicted: the
 * mark is read and always written, and its old value is added up.
 *
 * `npm run kernels` compiles it into supporters-kernel-wasm.ts, which is what
 * the build and the tests load. The meaning of each function, and the layout it works on, is stated
 * once, in supporters-kernel.ts.
 */
export { growLists, reachLists, sizesOf } from './balls.as';

// @ts-ignore: decorator
@inline
function word(base: usize, i: u32): usize {
  return base + (<usize>i << 2);
}

// @ts-ignore: decorator
@inline
function bitOf(bits: usize, i: u32): u32 {
  return (load<u32>(word(bits, i >> 5)) >> (i & 31)) & 1;
}

export function countAtDistance(
  offsets: usize,
  targets: usize,
  nodes: u32,
  depth: u32,
  wanted: usize,
  from: u32,
  to: u32,
  marks: usize,
  queue: usize,
  counts: usize,
): void {
  const words = (nodes + 31) >> 5;
  for (let i = from; i < to; i++) {
    const x = wanted != 0 ? load<u32>(word(wanted, i)) : i;
    store<u32>(queue, x);
    store<u32>(word(marks, x >> 5), 1 << (x & 31));
    let head = queue;
    let levelStart = queue;
    let tail = queue + 4;
    for (let level: u32 = 0; level < depth; level++) {
      levelStart = tail;
      for (; head < levelStart; head += 4) {
        const y = load<u32>(head);
        const end = word(targets, load<u32>(word(offsets, y), 4));
        for (let at = word(targets, load<u32>(word(offsets, y))); at < end; at += 4) {
          const z = load<u32>(at);
          const place = word(marks, z >> 5);
          const old = load<u32>(place);
          store<u32>(place, old | (1 << (z & 31)));
          store<u32>(tail, z);
          tail += (~(old >> (z & 31)) & 1) << 2;
        }
      }
      if (tail == levelStart) break;
    }
    store<u32>(word(counts, i), <u32>((tail - levelStart) >> 2));
    // To clear a mark costs a random store; to clear all costs a sixteenth of a store per word.
    if (<u32>((tail - queue) >> 2) > words >> 4) memory.fill(marks, 0, <usize>words << 2);
    else for (let at = queue; at < tail; at += 4) store<u32>(word(marks, load<u32>(at) >> 5), 0);
  }
}

/** Two at a time: one memory access need not wait for the one before. */
export function orLists(
  near: usize,
  far: usize,
  first: u32,
  count: u32,
  offsets: usize,
  targets: usize,
): void {
  let at = word(targets, load<u32>(offsets));
  for (let i: u32 = 0; i < count; i++) {
    const end = word(targets, load<u32>(word(offsets, i), 4));
    const own = <usize>(first + i) << 3;
    let a = load<u64>(near + own);
    let b: u64 = 0;
    for (; at + 8 <= end; at += 8) {
      a |= load<u64>(near + (<usize>load<u32>(at) << 3));
      b |= load<u64>(near + (<usize>load<u32>(at, 4) << 3));
    }
    if (at < end) a |= load<u64>(near + (<usize>load<u32>(at) << 3));
    at = end;
    store<u64>(far + own, a | b);
  }
}

export function sumLists(
  values: usize,
  sums: usize,
  first: u32,
  count: u32,
  offsets: usize,
  targets: usize,
): void {
  let at = word(targets, load<u32>(offsets));
  for (let i: u32 = 0; i < count; i++) {
    const end = word(targets, load<u32>(word(offsets, i), 4));
    const x = first + i;
    let sum: u64 = 0;
    for (; at < end; at += 4) {
      const y = load<u32>(at);
      if (y != x) sum += load<u32>(word(values, y));
    }
    store<f64>(sums + (<usize>x << 3), <f64>sum);
  }
}

// The fields of an index.
const RANKED_BITS: usize = 0;
const STARTS: usize = 4;
const POOL: usize = 8;
const ROW_WORDS: usize = 12;
const SOURCES: usize = 16;
const SOURCE_COUNT: usize = 20;
const FILTER: usize = 24;
const MASK: usize = 28;

/** The word that contains the bit of y; after it comes the number of bits set before the word. */
// @ts-ignore: decorator
@inline
function rankedWord(rankedBits: usize, y: u32): usize {
  return rankedBits + (<usize>(y >> 5) << 3);
}

// @ts-ignore: decorator
@inline
function isListed(rankedBits: usize, y: u32): u32 {
  return (load<u32>(rankedWord(rankedBits, y)) >> (y & 31)) & 1;
}

// @ts-ignore: decorator
@inline
function rankOf(rankedBits: usize, y: u32): u32 {
  const place = rankedWord(rankedBits, y);
  return load<u32>(place, 4) + popcnt(load<u32>(place) & ((1 << (y & 31)) - 1));
}

/** The first place in the sorted sources whose node is not below `x`. */
function lowerBound(sources: usize, count: u32, x: u32): u32 {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(word(sources, middle)) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

const NOT_SAMPLED: u32 = 0xffffffff;

export function countSampled(
  index: usize,
  marks: usize,
  first: u32,
  count: u32,
  offsets: usize,
  targets: usize,
  places: usize,
  counts: usize,
): void {
  const sources: usize = load<u32>(index, SOURCES);
  const sourceCount = load<u32>(index, SOURCE_COUNT);
  const keptEnd = keepListed(
    index,
    targets,
    word(targets, load<u32>(word(offsets, count))),
    places,
  );
  let next = lowerBound(sources, sourceCount, first);
  let i: u32 = 0;
  for (let at = places; at < keptEnd; ) {
    // The list that the next arc belongs to, and how many of its arcs are kept.
    const place: usize = load<u32>(at);
    let listEnd = word(targets, load<u32>(word(offsets, i), 4));
    while (listEnd <= place) listEnd = word(targets, load<u32>(word(offsets, ++i), 4));
    let end = at + 4;
    while (end < keptEnd && <usize>load<u32>(end) < listEnd) end += 4;
    const x = first + i;
    while (next < sourceCount && load<u32>(word(sources, next)) < x) next++;
    const own = next < sourceCount && load<u32>(word(sources, next)) == x ? next : NOT_SAMPLED;
    const found = supportersOf(index, marks, x, own, at, end);
    store<u32>(word(counts, i), load<u32>(word(counts, i)) + found);
    at = end;
  }
}

/**
 * Writes down the places of targets that sampled sources link to. Returns the end of what it wrote.
 * One loop over all lists: most are so short that a loop of their own would cost more than they do.
 * If the filter is folded, a second loop removes targets that only seemed to be listed.
 */
function keepListed(index: usize, at: usize, end: usize, places: usize): usize {
  const filter: usize = load<u32>(index, FILTER);
  const mask = load<u32>(index, MASK);
  let kept = places;
  for (; at < end; at += 4) {
    store<u32>(kept, <u32>at);
    kept += <usize>(bitOf(filter, load<u32>(at) & mask) << 2);
  }
  if (mask == u32.MAX_VALUE) return kept;
  const rankedBits: usize = load<u32>(index, RANKED_BITS);
  let listed = places;
  for (let read = places; read < kept; read += 4) {
    const place = load<u32>(read);
    store<u32>(listed, place);
    listed += <usize>(isListed(rankedBits, load<u32>(place)) << 2);
  }
  return listed;
}

/**
 * The number of sampled supporters of x through the in-neighbours whose places are in [at, end).
 * Replaces each place by the place of its list.
 */
function supportersOf(index: usize, marks: usize, x: u32, own: u32, at: usize, end: usize): u32 {
  const rankedBits: usize = load<u32>(index, RANKED_BITS);
  const starts: usize = load<u32>(index, STARTS);
  const rowWords = load<u32>(index, ROW_WORDS);
  let visits: u32 = 0;
  let longest: u32 = 0;
  for (let read = at; read < end; read += 4) {
    const list = word(starts, rankOf(rankedBits, load<u32>(load<u32>(read))));
    const length = load<u32>(list, 4) - load<u32>(list);
    store<u32>(read, <u32>list);
    visits += length;
    longest = max(longest, length);
  }
  // Sampled sources that link to x itself are at distance one.
  const nearer = isListed(rankedBits, x) != 0 ? word(starts, rankOf(rankedBits, x)) : 0;
  const nearerLength = nearer != 0 ? load<u32>(nearer, 4) - load<u32>(nearer) : 0;
  // A single list without a nearer source: all its sources are different.
  if (end - at == 4 && longest < rowWords && nearer == 0 && own == NOT_SAMPLED) return visits;
  // Counting and clearing all marks costs about as much as clearing a quarter of them one by one.
  if (max(longest, nearerLength) == rowWords || visits << 2 > rowWords)
    return countByRows(index, marks, own, at, end, nearer);
  return countByLists(index, marks, own, at, end, nearer);
}

/**
 * For few visits: sets marks one by one, counts while setting, and clears them by the same walk.
 */
function countByLists(
  index: usize,
  marks: usize,
  own: u32,
  at: usize,
  end: usize,
  nearer: usize,
): u32 {
  const pool: usize = load<u32>(index, POOL);
  if (own != NOT_SAMPLED) store<u32>(word(marks, own >> 5), 1 << (own & 31));
  if (nearer != 0) setList(pool, nearer, marks);
  let count: u32 = 0;
  for (let read = at; read < end; read += 4) {
    const list: usize = load<u32>(read);
    const listEnd = word(pool, load<u32>(list, 4));
    for (let entry = word(pool, load<u32>(list)); entry < listEnd; entry += 4) {
      const z = load<u32>(entry);
      const place = word(marks, z >> 5);
      const old = load<u32>(place);
      store<u32>(place, old | (1 << (z & 31)));
      count += ~(old >> (z & 31)) & 1;
    }
  }
  if (own != NOT_SAMPLED) store<u32>(word(marks, own >> 5), 0);
  if (nearer != 0) clearWords(pool, nearer, marks);
  for (let read = at; read < end; read += 4) clearWords(pool, load<u32>(read), marks);
  return count;
}

/**
 * For many visits: joins rows of bits, removes those nearer, then counts and clears in one pass.
 */
function countByRows(
  index: usize,
  marks: usize,
  own: u32,
  at: usize,
  end: usize,
  nearer: usize,
): u32 {
  const pool: usize = load<u32>(index, POOL);
  const rowWords = load<u32>(index, ROW_WORDS);
  const rowBytes = <usize>rowWords << 2;
  for (let read = at; read < end; read += 4) {
    const list: usize = load<u32>(read);
    if (load<u32>(list, 4) - load<u32>(list) == rowWords) {
      const row = word(pool, load<u32>(list));
      for (let byte: usize = 0; byte < rowBytes; byte += 16)
        v128.store(marks + byte, v128.or(v128.load(marks + byte), v128.load(row + byte)));
    } else setList(pool, list, marks);
  }
  if (nearer != 0) {
    const row = word(pool, load<u32>(nearer));
    if (load<u32>(nearer, 4) - load<u32>(nearer) == rowWords) {
      for (let byte: usize = 0; byte < rowBytes; byte += 16)
        v128.store(marks + byte, v128.andnot(v128.load(marks + byte), v128.load(row + byte)));
    } else {
      const listEnd = word(pool, load<u32>(nearer, 4));
      for (let entry = row; entry < listEnd; entry += 4) clearBit(marks, load<u32>(entry));
    }
  }
  if (own != NOT_SAMPLED) clearBit(marks, own);
  let count: u64 = 0;
  for (let byte: usize = 0; byte < rowBytes; byte += 8) {
    count += popcnt(load<u64>(marks + byte));
    store<u64>(marks + byte, 0);
  }
  return <u32>count;
}

// @ts-ignore: decorator
@inline
function setList(pool: usize, list: usize, marks: usize): void {
  const end = word(pool, load<u32>(list, 4));
  for (let entry = word(pool, load<u32>(list)); entry < end; entry += 4) {
    const z = load<u32>(entry);
    const place = word(marks, z >> 5);
    store<u32>(place, load<u32>(place) | (1 << (z & 31)));
  }
}

// @ts-ignore: decorator
@inline
function clearWords(pool: usize, list: usize, marks: usize): void {
  const end = word(pool, load<u32>(list, 4));
  for (let entry = word(pool, load<u32>(list)); entry < end; entry += 4)
    store<u32>(word(marks, load<u32>(entry) >> 5), 0);
}

// @ts-ignore: decorator
@inline
function clearBit(marks: usize, z: u32): void {
  const place = word(marks, z >> 5);
  store<u32>(place, load<u32>(place) & ~(1 << (z & 31)));
}
