/**
 * Huffman codes with a length limit, for the three alphabets of deflate: the part of deflate.as.ts
 * that does not depend on matches and blocks.
 *
 * Ensures   Lengths fill the code space exactly, for any counts, so that every inflater accepts
 *           them. The same counts give the same code.
 * Cost      Nearly O(n) for n symbols: 3 µs for the 120 or so of a page.
 */

const LONGEST_CODE: u32 = 15;
/** Counts below the last are sorted by counting them. */
const BUCKETS: u32 = 256;

/** Scratch memory starts at 2 KiB, below which the compiler keeps its constants, and ends here. */
export const HUFFMAN_END: usize = 8192;
const SORTED: usize = 2048; // u32 × 288: count and symbol, the rarest first
const WEIGHTS: usize = SORTED + 4 * 288; // u32 × 288: of the inner nodes
// u32 × 288: of the inner nodes; their depths replace them
const PARENTS: usize = WEIGHTS + 4 * 288;
const PLACES: usize = PARENTS + 4 * 288; // u32 × 256
const PER_LENGTH: usize = PLACES + 4 * BUCKETS; // u32 × 32
const INNER: usize = PER_LENGTH + 4 * 32; // u32 × 32: inner nodes by depth

// @ts-ignore: decorator
@inline
export function get(table: usize, i: u32): u32 {
  return load<u32>(table + (<usize>i << 2));
}

// @ts-ignore: decorator
@inline
export function set(table: usize, i: u32, value: u32): void {
  store<u32>(table + (<usize>i << 2), value);
}

// @ts-ignore: decorator
@inline
export function add(table: usize, i: u32, value: u32): void {
  set(table, i, get(table, i) + value);
}

/**
 * Lengths of a complete code for the counts, none above the limit; 0 for symbols without a code.
 */
export function chooseLengths(counts: usize, alphabet: u32, limit: u32, lengths: usize): void {
  memory.fill(lengths, 0, alphabet);
  countDepths(sortUsed(counts, alphabet), limit);
  let space: u32 = 0;
  for (let length: u32 = 1; length <= limit; length++)
    space += get(PER_LENGTH, length) << (limit - length);
  // Codes shortened to the limit took more space than exists: one of them becomes the sibling of a
  // shorter code.
  for (; space > 1 << limit; space--) {
    let shorter = limit - 1;
    while (get(PER_LENGTH, shorter) == 0) shorter--;
    add(PER_LENGTH, limit, -1);
    add(PER_LENGTH, shorter, -1);
    add(PER_LENGTH, shorter + 1, 2);
  }
  let i: u32 = 0;
  for (let length = limit; length > 0; length--) {
    for (let n = get(PER_LENGTH, length); n > 0; n--) {
      store<u8>(lengths + (get(SORTED, i++) & 511), <u8>length);
    }
  }
}

/**
 * Sorts the used symbols by count and then by symbol. If there are fewer than two, adds others: a
 * code of one symbol is incomplete.
 */
function sortUsed(counts: usize, alphabet: u32): u32 {
  memory.fill(PLACES, 0, 4 * BUCKETS);
  let used: u32 = 0;
  // Which symbols are used cannot be predicted, so there is no branch.
  for (let symbol: u32 = 0; symbol < alphabet; symbol++) {
    const n = get(counts, symbol);
    set(WEIGHTS, used, (n << 9) | symbol);
    used += u32(n != 0);
  }
  for (let symbol: u32 = 0; used < 2; symbol++) {
    if (get(counts, symbol) == 0) set(WEIGHTS, used++, (1 << 9) | symbol);
  }
  for (let i: u32 = 0; i < used; i++) add(PLACES, min(get(WEIGHTS, i) >>> 9, BUCKETS - 1), 1);
  let sum: u32 = 0;
  for (let place: u32 = 0; place < BUCKETS; place++) {
    const n = get(PLACES, place);
    set(PLACES, place, sum);
    sum += n;
  }
  const large = get(PLACES, BUCKETS - 1);
  for (let i: u32 = 0; i < used; i++) {
    const value = get(WEIGHTS, i);
    const bucket = min(value >>> 9, BUCKETS - 1);
    const place = get(PLACES, bucket);
    set(PLACES, bucket, place + 1);
    set(SORTED, place, value);
  }
  // Only the last bucket is not sorted yet.
  for (let i = large + 1; i < used; i++) {
    const value = get(SORTED, i);
    let hole = i;
    for (; hole > large && get(SORTED, hole - 1) > value; hole--)
      set(SORTED, hole, get(SORTED, hole - 1));
    set(SORTED, hole, value);
  }
  return used;
}

/**
 * Counts the leaves of the Huffman tree by depth. Leaves are sorted, and inner nodes are made in
 * the order of their weights, so the two lightest of both are always at the front of two queues.
 * Which queue it is cannot be predicted, so there is no branch: a parent is noted for the first
 * inner node in any case, and noted again later if the node was not taken.
 */
function countDepths(n: u32, limit: u32): void {
  const inner = n - 1;
  memory.fill(WEIGHTS, 0xff, 4 * n);
  set(SORTED, n, u32.MAX_VALUE);
  let node: u32 = 0;
  let leaf: u32 = 0;
  for (let parent: u32 = 0; parent < inner; parent++) {
    let weight: u32 = 0;
    for (let child = 0; child < 2; child++) {
      const ofNode = get(WEIGHTS, node);
      const ofLeaf = get(SORTED, leaf) >>> 9;
      const isNode = u32(ofNode < ofLeaf);
      set(PARENTS, node, parent);
      weight += min(ofNode, ofLeaf);
      node += isNode;
      leaf += 1 - isNode;
    }
    set(WEIGHTS, parent, weight);
  }
  memory.fill(INNER, 0, 4 * 32);
  set(PARENTS, inner - 1, 0);
  set(INNER, 0, 1);
  for (let i = <i32>inner - 2; i >= 0; i--) {
    const depth = get(PARENTS, get(PARENTS, i)) + 1;
    set(PARENTS, i, depth);
    add(INNER, min(depth, limit), 1);
  }
  memory.fill(PER_LENGTH, 0, 4 * 32);
  let left = n;
  for (let depth: u32 = 1; depth < limit; depth++) {
    const leaves = 2 * get(INNER, depth - 1) - get(INNER, depth);
    set(PER_LENGTH, depth, leaves);
    left -= leaves;
  }
  set(PER_LENGTH, limit, left);
}

/**
 * The canonical codes (RFC 1951, 3.2.2), first bit lowest. Format of an entry: 20 bits of code
 * (with the extra bits of a length), 6 bits for where extra bits begin, 6 bits for the total number
 * of bits.
 */
export function assignCodes(lengths: usize, alphabet: u32, codes: usize): void {
  memory.fill(PER_LENGTH, 0, 4 * 32);
  for (let symbol: u32 = 0; symbol < alphabet; symbol++)
    add(PER_LENGTH, load<u8>(lengths + symbol), 1);
  set(PER_LENGTH, 0, 0);
  let next: u32 = 0;
  for (let length: u32 = 0; length <= LONGEST_CODE; length++) {
    const n = get(PER_LENGTH, length);
    set(PER_LENGTH, length, next);
    next = (next + n) << 1;
  }
  for (let symbol: u32 = 0; symbol < alphabet; symbol++) {
    const length: u32 = load<u8>(lengths + symbol);
    const code = get(PER_LENGTH, length);
    set(PER_LENGTH, length, code + 1);
    set(codes, symbol, length ? reversed(code, length) | (length << 20) | (length << 26) : 0);
  }
}

// @ts-ignore: decorator
@inline
function reversed(code: u32, length: u32): u32 {
  code = ((code & 0x5555) << 1) | ((code >>> 1) & 0x5555);
  code = ((code & 0x3333) << 2) | ((code >>> 2) & 0x3333);
  code = ((code & 0x0f0f) << 4) | ((code >>> 4) & 0x0f0f);
  code = ((code & 0x00ff) << 8) | ((code >>> 8) & 0x00ff);
  return code >>> (16 - length);
}
