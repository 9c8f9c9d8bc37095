/**
 * Deflate (RFC 1951) in AssemblyScript, for pages: one probe per position, then a Huffman code for
 * each block.
 *
 * Idea      A text compressor spends its time on unpredictable branches. So there is only one per
 *           token: does the last position with the same five bytes (by their hash) really have
 *           them? Lengths are found by the first bit in which eight bytes differ, distance symbols
 *           by counting zeros. Writing has no branch that matters: four tokens are combined and
 *           written at once.
 * Requires  A record inside the input region, which is moved if it ends beyond 64 KiB. A call must
 *           not be interrupted: all calls share the tables.
 * Ensures   The same record gives the same bytes, independent of earlier calls. No block is written
 *           that would be shorter if it were stored.
 *
 * A token is a literal (0-255), a length (256 + length - 3), a distance symbol (512 + symbol) or
 * the end of the block. It is held as its place in a table (four times the number), with the extra
 * bits of a distance from bit 12 on. A match is two tokens, so that every token is written alike:
 * look up the code, append the extra bits.
 *
 * `npm run kernels` compiles it into deflate-wasm.ts, which the build and the tests
 * load.
 */

import { add, assignCodes, chooseLengths, get, HUFFMAN_END, set } from './huffman.as';

// Pages rarely need codes beyond the limit, so the tests call this directly.
export { chooseLengths };

const HASH_BITS = 13;
/**
 * Shorter matches cost as much as their literals and hide longer matches: they are not searched.
 */
const SHORTEST = 5;
const LONGEST = 258;
/**
 * How far a probe at the second position of a round reads without a check for the end of the
 * record.
 */
const AHEAD: usize = 1 + SHORTEST + 8;
/** A table entry is a position of 16 bits. A longer record moves down between two blocks. */
const WINDOW: usize = 65536;
const SLIDE: usize = 32768;
/** Where a block of a longer record ends: its last match may reach further. */
const BLOCK_END: usize = WINDOW - 512;

const LENGTHS_FROM = 256;
const DISTANCES_FROM = 512;
const END = 542;
const TOKEN_KINDS: usize = 544;
const EXTRA_FROM = 12;

const LITERAL_SYMBOLS: u32 = 286;
const DISTANCE_SYMBOLS: u32 = 30;
const RUN_SYMBOLS: u32 = 19;

// The memory: small tables, then tokens, the input and the output.
const HEADS: usize = HUFFMAN_END; // u16 × 8192: last position by hash
const COUNTS: usize = HEADS + (2 << HASH_BITS); // u32 by token
const SYMBOL_COUNTS: usize = COUNTS + 4 * TOKEN_KINDS; // u32 × 288, by literal and length symbol
const RUN_COUNTS: usize = SYMBOL_COUNTS + 4 * 288; // u32 × 20
const LENGTHS: usize = RUN_COUNTS + 4 * 20; // u8 × 320: code lengths of literals, then of distances
const RUN_LENGTHS: usize = LENGTHS + 320; // u8 × 32
const CODES: usize = RUN_LENGTHS + 32; // u32 × 288: by literal and length symbol
const WRITTEN: usize = CODES + 4 * 288; // u32 by token: what it is written as
const RUNS: usize = WRITTEN + 4 * TOKEN_KINDS; // u32 × 320: code lengths as tokens
const TOKENS: usize = WINDOW; // u32: as many as a block has bytes, and some more
/**
 * Positions count from here. A candidate is read before it is checked: every position may be read.
 */
export const INPUT: usize = 5 * WINDOW + 4096;
export const INPUT_BYTES: usize = 2 * WINDOW;
/** The gap leaves room for a gzip header, and for reads past the end. */
export const OUTPUT: usize = INPUT + INPUT_BYTES + 64;
/**
 * Stored data grows by a few bytes. A block that is stored in the end may first take up to 15 bits
 * a byte.
 */
export const OUTPUT_BYTES: usize = INPUT_BYTES + 2 * WINDOW + 1024;

let out: usize = 0;
/** Bits that do not fill a byte yet: always fewer than eight between two calls. */
let held: u64 = 0;
let bits: u64 = 0;

export function deflate(from: usize, length: usize, isLast: bool): usize {
  let p = begin(from, length);
  let end = p + length;
  out = OUTPUT;
  held = 0;
  bits = 0;
  for (;;) {
    p = writeBlock(p, end, isLast);
    if (p == end) break;
    slide(end);
    p -= SLIDE;
    end -= SLIDE;
  }
  // Any piece but the last ends with an empty stored block, which leaves no bits behind.
  if (!isLast) writeStored(end, end, false);
  align();
  return out - OUTPUT;
}

/** The record's first position; moves the record if its last position would not fit an entry. */
function begin(from: usize, length: usize): usize {
  let p = from - INPUT;
  if (p + length > WINDOW) {
    memory.copy(INPUT, from, length);
    p = 0;
  }
  forget(p);
  return p;
}

/** Moves the record, so that its next bytes come within reach of the table. */
function slide(end: usize): void {
  memory.copy(INPUT, INPUT + SLIDE, end - SLIDE);
  const distance = i16x8.splat(<i16>SLIDE);
  for (let head = HEADS; head < COUNTS; head += 16) {
    v128.store(head, i16x8.sub_sat_u(v128.load(head), distance));
  }
}

/** The number of bytes that `deflate` would give for the last piece; cheaper, as it writes less. */
export function deflatedBytes(from: usize, length: usize): usize {
  let p = begin(from, length);
  let end = p + length;
  let size: u64 = 0;
  for (;;) {
    tokenise(p, blockEnd(end), end);
    out = OUTPUT;
    held = 0;
    bits = 0;
    writeHeader(tokenised == end);
    const coded = size + (<u64>(out - OUTPUT) << 3) + bits + tokenBits();
    const isStored = (coded >>> 3) - (size >>> 3) > <u64>(tokenised - p + 4);
    size = isStored ? storedBits(size, tokenised - p) : coded;
    if (tokenised == end) break;
    slide(end);
    p = tokenised - SLIDE;
    end -= SLIDE;
  }
  return <usize>((size + 7) >>> 3);
}

/** The bits of all tokens of the block. */
function tokenBits(): u64 {
  let sum: u64 = 0;
  for (let symbol: u32 = 0; symbol < literals; symbol++) {
    sum += <u64>get(SYMBOL_COUNTS, symbol) * load<u8>(LENGTHS + symbol);
  }
  for (let length: u32 = 0; length < 256; length++) {
    sum += <u64>get(COUNTS, LENGTHS_FROM + length) * lengthExtraBits(length);
  }
  for (let symbol: u32 = 0; symbol < distances; symbol++) {
    const extraBits: u32 = symbol < 4 ? 0 : (symbol >>> 1) - 1;
    sum +=
      <u64>get(COUNTS, DISTANCES_FROM + symbol) *
      (load<u8>(LENGTHS + literals + symbol) + extraBits);
  }
  return sum;
}

/** The bits after a stored block of so many bytes. */
function storedBits(before: u64, length: usize): u64 {
  let size = before;
  let left = length;
  do {
    const piece = min(left, 65535);
    size = ((size + 3 + 7) & ~7) + 32 + (<u64>piece << 3);
    left -= piece;
  } while (left > 0);
  return size;
}

/**
 * Fills the heads with the record's first position: an empty head looks like a candidate that may
 * be compared.
 */
function forget(first: usize): void {
  const empty = i16x8.splat(<i16>first);
  for (let head = HEADS; head < COUNTS; head += 64) {
    v128.store(head, empty);
    v128.store(head, empty, 16);
    v128.store(head, empty, 32);
    v128.store(head, empty, 48);
  }
}

// @ts-ignore: decorator
@inline
function blockEnd(end: usize): usize {
  return end <= WINDOW ? end : BLOCK_END;
}

function writeBlock(from: usize, end: usize, isLast: bool): usize {
  const startOut = out;
  const startHeld = held;
  const startBits = bits;
  const tokensEnd = tokenise(from, blockEnd(end), end);
  const isFinal = isLast && tokenised == end;
  writeHeader(isFinal);
  assignTokens();
  writeTokens(TOKENS, tokensEnd);
  if (out - startOut > tokenised - from + 4) {
    out = startOut;
    held = startHeld;
    bits = startBits;
    writeStored(from, tokenised, isFinal);
  }
  return tokenised;
}

// Matches.

// @ts-ignore: decorator
@inline
function headOf(bytes: u64): usize {
  return <usize>(((bytes << (64 - 8 * SHORTEST)) * 0x9e3779b185ebca87) >>> (64 - HASH_BITS)) << 1;
}

/** Returns the last position with the same hash, and records this one. */
// @ts-ignore: decorator
@inline
function visit(p: usize, bytes: u64): usize {
  const head = headOf(bytes);
  const candidate = <usize>load<u16>(head, HEADS);
  store<u16>(head, <u16>p, HEADS);
  return candidate;
}

// @ts-ignore: decorator
@inline
function remember(p: usize): void {
  store<u16>(headOf(load<u64>(p, INPUT)), <u16>p, HEADS);
}

/** Zero if the candidate is within 32 KiB and begins with the same bytes. */
// @ts-ignore: decorator
@inline
function differs(candidate: usize, distance: u32, bytes: u64): u64 {
  return <u64>(distance >>> 15) | ((load<u64>(candidate, INPUT) ^ bytes) << (64 - 8 * SHORTEST));
}

// @ts-ignore: decorator
@inline
function count(token: usize): void {
  store<u32>(token, load<u32>(token, COUNTS) + 1, COUNTS);
}

// @ts-ignore: decorator
@inline
function addLiteral(at: usize, bytes: u64): void {
  const token = (<usize>bytes & 255) << 2;
  store<u32>(at, <u32>token);
  count(token);
}

function longMatch(p: usize, before: usize, end: usize): u32 {
  const longest = <u32>min(end - p, LONGEST);
  let length: u32 = SHORTEST + 8;
  for (; length + 8 <= longest; length += 8) {
    const difference = load<u64>(before + length, INPUT) ^ load<u64>(p + length, INPUT);
    if (difference) return length + <u32>(ctz(difference) >> 3);
  }
  while (length < longest && load<u8>(before + length, INPUT) == load<u8>(p + length, INPUT))
    length++;
  return length;
}

/** The position that `tokenise` reached. */
let tokenised: usize = 0;

/**
 * Turns the bytes from `from` to about `to` into tokens and counts them; returns where the tokens
 * end. Unrolled for two positions per round, which saves the checks of every second one.
 */
function tokenise(from: usize, to: usize, end: usize): usize {
  memory.fill(COUNTS, 0, 4 * TOKEN_KINDS);
  const last = end > from + AHEAD ? min(to, end - AHEAD) : from;
  let at: usize = TOKENS;
  let p = from;
  while (p < last) {
    let bytes = load<u64>(p, INPUT);
    let candidate = visit(p, bytes);
    let distance = <u32>(p - 1 - candidate);
    if (differs(candidate, distance, bytes)) {
      addLiteral(at, bytes);
      at += 4;
      p++;
      bytes = load<u64>(p, INPUT);
      candidate = visit(p, bytes);
      distance = <u32>(p - 1 - candidate);
      if (differs(candidate, distance, bytes)) {
        addLiteral(at, bytes);
        at += 4;
        p++;
        continue;
      }
    }
    const difference = load<u64>(candidate, INPUT + SHORTEST) ^ load<u64>(p, INPUT + SHORTEST);
    const length: u32 = difference
      ? SHORTEST + <u32>(ctz(difference) >> 3)
      : longMatch(p, candidate, end);
    const token = (length + (LENGTHS_FROM - 3)) << 2;
    const extraBits: u32 = 30 - clz(distance | 2);
    const symbol: u32 = (DISTANCES_FROM + 2 * extraBits + (distance >>> extraBits)) << 2;
    const extra = distance & ((1 << extraBits) - 1);
    store<u64>(at, <u64>token | (<u64>(symbol | (extra << EXTRA_FROM)) << 32));
    at += 8;
    count(token);
    count(symbol);
    // Only four positions of a match are recorded: almost as good as all of them, and no loop.
    remember(p + 1);
    remember(p + 2);
    p += length;
    remember(p - 2);
    remember(p - 1);
  }
  if (to == end) {
    for (; p < end; p++, at += 4) addLiteral(at, load<u8>(p, INPUT));
  }
  tokenised = p;
  store<u32>(at, END << 2);
  return at + 4;
}

// Blocks.

/** The extra bits of a length less three. */
// @ts-ignore: decorator
@inline
function lengthExtraBits(length: u32): u32 {
  return length == LONGEST - 3 ? 0 : 29 - clz(length | 4);
}

/** The extra bits of a length symbol but the last. */
// @ts-ignore: decorator
@inline
function symbolExtraBits(symbol: u32): u32 {
  return symbol < 265 ? 0 : (symbol - 261) >>> 2;
}

/** How many literals and lengths, and how many distances, the block's header has codes for. */
let literals: u32 = 0;
let distances: u32 = 0;

/** Chooses the block's codes by the counts of its tokens, and writes its header. */
function writeHeader(isFinal: bool): void {
  memory.copy(SYMBOL_COUNTS, COUNTS, 4 * 256);
  memory.fill(SYMBOL_COUNTS + 4 * 256, 0, 4 * 32);
  set(SYMBOL_COUNTS, 256, 1);
  let length = LENGTHS_FROM;
  for (let symbol: u32 = 257; symbol < 285; symbol++) {
    let sum: u32 = 0;
    for (const next = length + (1 << symbolExtraBits(symbol)); length < next; length++)
      sum += get(COUNTS, length);
    set(SYMBOL_COUNTS, symbol, sum);
  }
  // The longest is not the last of the range before it, but a symbol of its own.
  const longest = get(COUNTS, LENGTHS_FROM + LONGEST - 3);
  add(SYMBOL_COUNTS, 284, -longest);
  set(SYMBOL_COUNTS, 285, longest);
  chooseLengths(SYMBOL_COUNTS, LITERAL_SYMBOLS, 15, LENGTHS);
  literals = LITERAL_SYMBOLS;
  while (load<u8>(LENGTHS + literals - 1) == 0) literals--;
  const distanceLengths = LENGTHS + literals;
  chooseLengths(COUNTS + 4 * DISTANCES_FROM, DISTANCE_SYMBOLS, 15, distanceLengths);
  distances = DISTANCE_SYMBOLS;
  while (load<u8>(distanceLengths + distances - 1) == 0) distances--;
  writeLengths(isFinal);
}

/** Stores the bits of every token in WRITTEN. */
function assignTokens(): void {
  const distanceLengths = LENGTHS + literals;
  assignCodes(LENGTHS, literals, CODES);
  memory.copy(WRITTEN, CODES, 4 * 256);
  set(WRITTEN, END, get(CODES, 256));
  let length = LENGTHS_FROM;
  for (let symbol: u32 = 257; symbol < 285; symbol++) {
    const code = get(CODES, symbol);
    const extraBits = symbolExtraBits(symbol);
    let written = code + (extraBits << 26);
    for (const next = length + (1 << extraBits); length < next; length++) {
      set(WRITTEN, length, written);
      written += 1 << (code >>> 26);
    }
  }
  set(WRITTEN, LENGTHS_FROM + LONGEST - 3, get(CODES, 285));
  assignCodes(distanceLengths, distances, WRITTEN + 4 * DISTANCES_FROM);
  for (let symbol: u32 = 4; symbol < distances; symbol++) {
    add(WRITTEN, DISTANCES_FROM + symbol, ((symbol >>> 1) - 1) << 26);
  }
}

// Writing.

/** The order in which deflate sends the lengths of the codes for code lengths. */
const ORDER: usize = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
]);

function writeLengths(isFinal: bool): void {
  const runsEnd = makeRuns(LENGTHS, LENGTHS + literals + distances);
  chooseLengths(RUN_COUNTS, RUN_SYMBOLS, 7, RUN_LENGTHS);
  let sent = RUN_SYMBOLS;
  while (load<u8>(RUN_LENGTHS + load<u8>(ORDER + sent - 1)) == 0) sent--;
  const sizes = ((literals - 257) << 3) | ((distances - 1) << 8) | ((sent - 4) << 13);
  put(sizes | (2 << 1) | <u32>isFinal, 17);
  for (let i: usize = 0; i < sent; i++) put(load<u8>(RUN_LENGTHS + load<u8>(ORDER + i)), 3);
  assignCodes(RUN_LENGTHS, RUN_SYMBOLS, WRITTEN);
  add(WRITTEN, 16, 2 << 26);
  add(WRITTEN, 17, 3 << 26);
  add(WRITTEN, 18, 7 << 26);
  writeTokens(RUNS, runsEnd);
}

// @ts-ignore: decorator
@inline
function addRun(at: usize, symbol: u32, extra: u32): usize {
  store<u32>(at, (symbol << 2) | (extra << EXTRA_FROM));
  add(RUN_COUNTS, symbol, 1);
  return at + 4;
}

/**
 * Code lengths as tokens: 16 repeats the last one 3 to 6 times, 17 and 18 stand for 3 to 10 and 11
 * to 138 zeros.
 */
function makeRuns(from: usize, to: usize): usize {
  memory.fill(RUN_COUNTS, 0, 4 * RUN_SYMBOLS);
  let at: usize = RUNS;
  for (let p = from; p < to; ) {
    const length: u32 = load<u8>(p);
    let same: u32 = 1;
    while (p + same < to && load<u8>(p + same) == length) same++;
    p += same;
    if (length) {
      at = addRun(at, length, 0);
      same--;
    }
    while (same >= 3) {
      const n = min<u32>(same, length ? 6 : 138);
      if (length) at = addRun(at, 16, n - 3);
      else at = n < 11 ? addRun(at, 17, n - 3) : addRun(at, 18, n - 11);
      same -= n;
    }
    for (; same > 0; same--) at = addRun(at, length, 0);
  }
  return at;
}

// @ts-ignore: decorator
@inline
function writtenAs(token: u32): u32 {
  return load<u32>(<usize>(token & ((1 << EXTRA_FROM) - 1)), WRITTEN);
}

// @ts-ignore: decorator
@inline
function codeOf(token: u32, written: u32): u64 {
  // A shift counts modulo 64: the six bits above the code state how far to shift the extra bits.
  return <u64>(written & 0xfffff) | (<u64>(token >>> EXTRA_FROM) << <u64>(written >>> 20));
}

/**
 * Two tokens never take more than 48 bits (a length 20, a distance 28). Four rarely take more than
 * the 56 that fit beside the held bits.
 */
function writeTokens(from: usize, to: usize): void {
  let o = out;
  let h = held;
  let b = bits;
  let at = from;
  for (const fours = to - 15; at < fours; at += 16) {
    const a = load<u32>(at);
    const c = load<u32>(at, 4);
    const d = load<u32>(at, 8);
    const e = load<u32>(at, 12);
    const wa = writtenAs(a);
    const wc = writtenAs(c);
    const wd = writtenAs(d);
    const we = writtenAs(e);
    const first = codeOf(a, wa) | (codeOf(c, wc) << <u64>(wa >>> 26));
    const second = codeOf(d, wd) | (codeOf(e, we) << <u64>(wd >>> 26));
    const firstBits = <u64>(wa >>> 26) + <u64>(wc >>> 26);
    const secondBits = <u64>(wd >>> 26) + <u64>(we >>> 26);
    h |= first << b;
    b += firstBits;
    if (firstBits + secondBits > 56) {
      store<u64>(o, h);
      o += <usize>(b >>> 3);
      h >>>= b & 56;
      b &= 7;
    }
    h |= second << b;
    b += secondBits;
    store<u64>(o, h);
    o += <usize>(b >>> 3);
    h >>>= b & 56;
    b &= 7;
  }
  out = o;
  held = h;
  bits = b;
  for (; at < to; at += 4) {
    const token = load<u32>(at);
    const written = writtenAs(token);
    put(codeOf(token, written), written >>> 26);
  }
}

/** At most 56 bits. */
function put(value: u64, n: u32): void {
  held |= value << bits;
  bits += n;
  store<u64>(out, held);
  out += <usize>(bits >>> 3);
  held >>>= bits & 56;
  bits &= 7;
}

function align(): void {
  if (bits) put(0, <u32>(8 - bits));
}

function writeStored(from: usize, to: usize, isFinal: bool): void {
  let p = from;
  do {
    const length = min(to - p, 65535);
    put(isFinal && p + length == to ? 1 : 0, 3);
    align();
    put(<u64>length | (<u64>(length ^ 0xffff) << 16), 32);
    memory.copy(out, INPUT + p, length);
    out += length;
    p += length;
  } while (p < to);
}
