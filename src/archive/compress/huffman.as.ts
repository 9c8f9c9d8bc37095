/**
 * Huffman codes with a length limit, for the three alphabets of deflate: the part of deflate.as.ts
 * that does not depend on matches and blocks.
 *
 * Ensures   Lengths fill the code space exactly, for any counts, so that every inflater accepts
 *           them. The same counts give the same code.
 * Cost      Nearly O(n) for n symbols: 3 µs for the 120 or so of a page.
 */

const LONGEST_CODE: u32 = 15;

/** Scratch memory starts at 2 KiB, below which the compiler keeps its constants, and ends here. */
export const HUFFMAN_END: usize = 8192;
const SORTED: usize = 2048; // u32 × 288: count and symbol, the rarest first
const TREE: usize = SORTED + 4 * 288; // u32 × 288
const PLACES: usize = TREE + 4 * 288; // u32 × 64
const PER_LENGTH: usize = PLACES + 4 * 64; // u32 × 32

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
  for (let length: u32 = 1; length <= limit; length++) space += get(PER_LENGTH, length) << (limit - length);
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
  memory.fill(PLACES, 0, 4 * 64);
  let used: u32 = 0;
  for (let symbol: u32 = 0; symbol < alphabet; symbol++) {
    const n = get(counts, symbol);
    if (n != 0) set(TREE, used++, (n << 9) | symbol);
  }
  for (let symbol: u32 = 0; used < 2; symbol++) {
    if (get(counts, symbol) == 0) set(TREE, used++, (1 << 9) | symbol);
  }
  for (let i: u32 = 0; i < used; i++) add(PLACES, min(get(TREE, i) >>> 9, 63), 1);
  let sum: u32 = 0;
  for (let place: u32 = 0; place < 64; place++) {
    const n = get(PLACES, place);
    set(PLACES, place, sum);
    sum += n;
  }
  for (let i: u32 = 0; i < used; i++) {
    const value = get(TREE, i);
    const bucket = min(value >>> 9, 63);
    const place = get(PLACES, bucket);
    set(PLACES, bucket, place + 1);
    set(SORTED, place, value);
  }
  // Only the last bucket is not sorted yet.
  for (let i: u32 = 1; i < used; i++) {
    const value = get(SORTED, i);
    let hole = i;
    for (; hole > 0 && get(SORTED, hole - 1) > value; hole--) set(SORTED, hole, get(SORTED, hole - 1));
    set(SORTED, hole, value);
  }
  return used;
}

/**
 * Counts the leaves of the Huffman tree by depth. This is Moffat and Katajainen's in-place
 * calculation, which overwrites weights with parents and parents with depths of inner nodes. It
 * needs no tree.
 */
function countDepths(n: i32, limit: u32): void {
  for (let i: i32 = 0; i < n; i++) set(TREE, i, get(SORTED, i) >>> 9);
  add(TREE, 0, get(TREE, 1));
  let root: i32 = 0;
  let leaf: i32 = 2;
  for (let parent: i32 = 1; parent < n - 1; parent++) {
    let weight: u32 = 0;
    for (let child = 0; child < 2; child++) {
      if (leaf >= n || (root < parent && get(TREE, root) < get(TREE, leaf))) {
        weight += get(TREE, root);
        set(TREE, root++, parent);
      } else weight += get(TREE, leaf++);
    }
    set(TREE, parent, weight);
  }
  set(TREE, n - 2, 0);
  for (let i = n - 3; i >= 0; i--) set(TREE, i, get(TREE, get(TREE, i)) + 1);
  memory.fill(PER_LENGTH, 0, 4 * 32);
  root = n - 2;
  let depth: u32 = 0;
  for (let nodes: u32 = 1; nodes > 0; depth++) {
    let inner: u32 = 0;
    for (; root >= 0 && get(TREE, root) == depth; root--) inner++;
    add(PER_LENGTH, min(depth, limit), nodes - inner);
    nodes = 2 * inner;
  }
}

/**
 * The canonical codes (RFC 1951, 3.2.2), first bit lowest. Format of an entry: 20 bits of code
 * (with the extra bits of a length), 6 bits for where extra bits begin, 6 bits for the total number
 * of bits.
 */
export function assignCodes(lengths: usize, alphabet: u32, codes: usize): void {
  memory.fill(PER_LENGTH, 0, 4 * 32);
  for (let symbol: u32 = 0; symbol < alphabet; symbol++) add(PER_LENGTH, load<u8>(lengths + symbol), 1);
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
