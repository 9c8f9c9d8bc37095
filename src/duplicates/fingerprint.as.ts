/**
 * Reads the text of a page once, in AssemblyScript: its signature, and the least hash of its
 * shingles in each of 128 places. fingerprint.ts defines what a word is, what is skipped, and what
 * the numbers mean. test/duplicates/naive.ts is the same in plain TypeScript.
 *
 * `npm run kernels` compiles it into fingerprint-wasm.ts, which the build and
 * the tests load. At least 80 zero bytes follow the input, so that every loop that runs past its
 * end stops there.
 */

/**
 * u64 signature, u32 words; of the recorded words: u32 words, bytes with the space after each,
 * characters, in links, in the title.
 */
export const RESULT: usize = 64;
export const MINIMA: usize = 1024;
export const INPUT: usize = 4096;
export const INPUT_BYTES: u32 = 524288;
/** Recorded words: as they are written with a space after each, and their hashes. */
export const TEXT: usize = INPUT + INPUT_BYTES + 4096;
const TEXT_BYTES: usize = 131070;
/** Room for a hash of each word, which has two bytes of text or more: of 65,535 at most. */
export const HASHES: usize = TEXT + TEXT_BYTES + 66;

const SCRATCH: usize = 2048;
const SCRATCH_BYTES: u32 = 64;
/** Link text of more words is not a menu. */
const LINK_WORDS: u32 = 32;

const P1: u64 = 0x9e3779b185ebca87;
const P2: u64 = 0xc2b2ae3d27d4eb4f;
const HIGH: u64 = 0x8080808080808080;
const CLOSING: u64 = 0x5555555555555555;
const OPENING: u64 = 0x3333333333333333;

// Names of elements as little-endian numbers.
const TITLE: u64 = 0x656c746974;
const A: u64 = 0x61;
const SCRIPT: u64 = 0x747069726373;
const STYLE: u64 = 0x656c797473;
const NOSCRIPT: u64 = 0x7470697263736f6e;
const TEMPLATE: u64 = 0x6574616c706d6574;

// @ts-ignore: decorator
@inline
function digitsIn(bytes: v128): v128 {
  return i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(48)), i8x16.splat(10));
}

/** Which of sixteen bytes may be in a word. */
// @ts-ignore: decorator
@inline
function wordBytesIn(bytes: v128, digits: v128): v128 {
  const letters = i8x16.lt_u(
    i8x16.sub(v128.or(bytes, i8x16.splat(0x20)), i8x16.splat(97)),
    i8x16.splat(26),
  );
  return v128.or(v128.or(letters, digits), i8x16.lt_s(bytes, i8x16.splat(0)));
}

/** Which of sixteen bytes always begin a word: the first bytes of characters that are words. */
// @ts-ignore: decorator
@inline
function wideIn(bytes: v128): v128 {
  return i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(-29)), i8x16.splat(11));
}

// @ts-ignore: decorator
@inline
function bits(bytes: v128): u64 {
  return <u64><u32>i8x16.bitmask(bytes);
}

// @ts-ignore: decorator
@inline
function joined(a: u64, b: u64, c: u64, d: u64): u64 {
  return a | (b << 16) | (c << 32) | (d << 48);
}

/** Where the word that begins at `at` ends. */
function wordEnd(at: usize): usize {
  let first: u32 = 0xfffe;
  while (true) {
    const bytes = v128.load(at);
    const inside = v128.andnot(wordBytesIn(bytes, digitsIn(bytes)), wideIn(bytes));
    const ends = (<u32>i8x16.bitmask(inside) ^ 0xffff) & first;
    if (ends != 0) return at + ctz(ends);
    first = 0xffff;
    at += 16;
  }
}

/** Eight bytes, ASCII letters in lower case. */
// @ts-ignore: decorator
@inline
function lowered(at: usize): u64 {
  const bytes = load<u64>(at);
  return bytes | ((~bytes & HIGH) >> 2);
}

// @ts-ignore: decorator
@inline
function mixed(hash: u64): u64 {
  const product = hash * P1;
  return product ^ (product >> 32);
}

/**
 * The first eight bytes, then eight at a time, then the last eight: words up to sixteen bytes are
 * hashed without a branch.
 */
// @ts-ignore: decorator
@inline
function hashOf(at: usize, length: u32): u64 {
  const first = lowered(at) & (u64.MAX_VALUE >> (<u64>(8 - min<u32>(length, 8)) << 3));
  let hash = mixed(P2 ^ length ^ first);
  const last = at + length - 8;
  if (length > 16) {
    for (let middle = at + 8; middle < last; middle += 8) hash = mixed(hash ^ lowered(middle));
  }
  return mixed(hash ^ (length > 8 ? lowered(last) : 0));
}

function hasDigit(at: usize, end: usize): bool {
  for (; at < end; at++) if (<u32>load<u8>(at) - 48 < 10) return true;
  return false;
}

/** The hash of a word without its digits; 0 if nothing is left. Requires a digit in it. */
function hashOfLetters(at: usize, end: usize): u64 {
  let kept: u32 = 0;
  for (; at < end && kept < SCRATCH_BYTES; at++) {
    const c = load<u8>(at);
    if (<u32>c - 48 >= 10) store<u8>(SCRATCH + kept++, c);
  }
  return kept == 0 ? 0 : hashOf(SCRATCH, kept);
}

/** The next `>` or quote from `at` on, or the end. */
function nextOfTag(at: usize, end: usize): usize {
  while (at < end) {
    const bytes = v128.load(at);
    const greater = i8x16.eq(bytes, i8x16.splat(0x3e));
    const quotes = v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x27)));
    const hits = <u32>i8x16.bitmask(v128.or(greater, quotes));
    if (hits != 0) return min(at + ctz(hits), end);
    at += 16;
  }
  return end;
}

function nextOf(at: usize, end: usize, wanted: u32): usize {
  const pattern = i8x16.splat(<i8>wanted);
  while (at < end) {
    const hits = <u32>i8x16.bitmask(i8x16.eq(v128.load(at), pattern));
    if (hits != 0) return min(at + ctz(hits), end);
    at += 16;
  }
  return end;
}

// @ts-ignore: decorator
@inline
function isSpace(c: u32): bool {
  return c == 32 || (c - 9 < 5 && c != 11);
}

/**
 * The position after the `>` of a tag whose name ends at `from`. A quote counts only at the
 * beginning of a value.
 */
function passAttributes(from: usize, end: usize): usize {
  let at = from;
  while (true) {
    at = nextOfTag(at, end);
    if (at >= end) return end;
    const c = <u32>load<u8>(at);
    if (c == 0x3e) return at + 1;
    let before = at - 1;
    while (before > from && isSpace(load<u8>(before))) before--;
    if (load<u8>(before) == 0x3d) {
      at = nextOf(at + 1, end, c);
      if (at >= end) return end;
    }
    at++;
  }
}

/** Where the end tag of a raw-text element begins. */
function closeOf(at: usize, end: usize, name: u64, length: u32): usize {
  const mask = u64.MAX_VALUE >> ((8 - <u64>length) << 3);
  while (true) {
    at = nextOf(at, end, 0x3c);
    if (at >= end) return end;
    if (load<u8>(at + 1) == 0x2f && (lowered(at + 2) & mask) == name && at + 2 + length <= end)
      return at;
    at++;
  }
}

function commentEnd(at: usize, end: usize): usize {
  while (true) {
    at = nextOf(at, end, 0x3e);
    if (at >= end) return end;
    if (load<u16>(at - 2) == 0x2d2d) return at + 1;
    at++;
  }
}

/** Whether a word is the name or number of a character reference. Requires a `;` behind it. */
function isReference(at: usize): bool {
  const before = load<u8>(at - 1);
  return before == 0x26 || (before == 0x23 && load<u8>(at - 2) == 0x26);
}

/** Copies a word and a space behind it; writes up to sixteen bytes more. */
// @ts-ignore: decorator
@inline
function copyWord(from: usize, to: usize, length: usize): void {
  v128.store(to, v128.load(from));
  for (let done: usize = 16; done < length; done += 16)
    v128.store(to + done, v128.load(from + done));
  store<u8>(to + length, 32);
}

/** The bytes of a word that do not begin a character of UTF-8. */
function continuedIn(at: usize, end: usize): u32 {
  let count: u32 = 0;
  for (; at < end; at += 16) {
    const continuing = <u32>i8x16.bitmask(i8x16.lt_s(v128.load(at), i8x16.splat(-64)));
    count += popcnt(continuing & (0xffff >>> (16 - min<u32>(<u32>(end - at), 16))));
  }
  return count;
}

/**
 * Reads `length` bytes of input; the text of links counts among the shingles only with `withLinks`.
 * With `kept`, all words outside the title are recorded, too; their text up to so many bytes.
 */
export function read(length: u32, withLinks: bool, kept: u32): void {
  // Two copies of the loop: what recording needs would take registers from the other.
  if (kept == 0) readPage(length, withLinks, false, 0);
  else readPage(length, withLinks, true, TEXT + min<usize>(kept, TEXT_BYTES));
}

/**
 * Text is read in blocks of 64 bytes, which begin between words. Bit masks state where words begin
 * and end, so that no word depends on the one before it. A block is read up to the next `<`, or to
 * the last word that ends in it.
 *
 * Long: it is the hot loop of the kernel: all branches share its state and its constant vectors,
 * which are local variables.
 */
// @ts-ignore: decorator
@inline
function readPage(length: u32, withLinks: bool, records: bool, keptTo: usize): void {
  const end = INPUT + length;
  let hashAt = HASHES;
  let textAt = TEXT;
  let anchors: u32 = 0;
  let anchorsFrom = HASHES;
  let continued: u32 = 0;
  let titles: u32 = 0;
  let inTitle = false;
  memory.fill(MINIMA, 0xff, 512);
  let at = INPUT;
  let signature: u64 = P2;
  let words: u32 = 0;
  let older: u64 = 0;
  let old: u64 = 0;
  let inLink = false;
  let linked: u32 = 0;
  // Kept in registers: otherwise the engine creates each of them at every use.
  const zero = i8x16.splat(48);
  const ten = i8x16.splat(10);
  const lower = i8x16.splat(0x20);
  const letterA = i8x16.splat(97);
  const letters = i8x16.splat(26);
  const less = i8x16.splat(0x3c);
  const semicolon = i8x16.splat(0x3b);
  while (at < end) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    const digits = joined(
      bits(i8x16.lt_u(i8x16.sub(a, zero), ten)),
      bits(i8x16.lt_u(i8x16.sub(b, zero), ten)),
      bits(i8x16.lt_u(i8x16.sub(c, zero), ten)),
      bits(i8x16.lt_u(i8x16.sub(d, zero), ten)),
    );
    const alphabet = joined(
      bits(i8x16.lt_u(i8x16.sub(v128.or(a, lower), letterA), letters)),
      bits(i8x16.lt_u(i8x16.sub(v128.or(b, lower), letterA), letters)),
      bits(i8x16.lt_u(i8x16.sub(v128.or(c, lower), letterA), letters)),
      bits(i8x16.lt_u(i8x16.sub(v128.or(d, lower), letterA), letters)),
    );
    const beyond = joined(bits(a), bits(b), bits(c), bits(d));
    const inside = digits | alphabet | beyond;
    const wide =
      beyond == 0 ? 0 : joined(bits(wideIn(a)), bits(wideIn(b)), bits(wideIn(c)), bits(wideIn(d)));
    const markup = joined(
      bits(i8x16.eq(a, less)),
      bits(i8x16.eq(b, less)),
      bits(i8x16.eq(c, less)),
      bits(i8x16.eq(d, less)),
    );
    const before = inside << 1;
    // Up to the first `<`, which may itself be the end of a word.
    const upTo = markup ^ (markup - 1);
    let starts = inside & (~before | wide) & upTo;
    let ends = before & (~inside | wide) & upTo;
    const isLong = ends == 0 && (starts & 1) != 0;
    // Most blocks: nothing to do for a word but to record it.
    const isPlain =
      records &&
      textAt >= keptTo &&
      textAt + 128 < TEXT + TEXT_BYTES &&
      !(isLong || inTitle || beyond != 0) &&
      !v128.any_true(
        v128.or(
          v128.or(i8x16.eq(a, semicolon), i8x16.eq(b, semicolon)),
          v128.or(i8x16.eq(c, semicolon), i8x16.eq(d, semicolon)),
        ),
      );
    let next = at;
    while (isLong || ends != 0) {
      let from = at;
      let stop: usize;
      let hasDigits: bool;
      if (isLong) {
        stop = min(wordEnd(at), end);
        hasDigits = hasDigit(at, stop);
      } else {
        const s = ctz(starts);
        const e = ctz(ends);
        starts &= starts - 1;
        ends &= ends - 1;
        from = at + <usize>s;
        stop = at + <usize>e;
        hasDigits = ((digits >> s) & ((<u64>1 << (e - s)) - 1)) != 0;
      }
      const hash = hashOf(from, <u32>(stop - from));
      const letters = hasDigits ? hashOfLetters(from, stop) : hash;
      if (letters != 0) signature = (rotl<u64>(signature, 23) ^ letters) * P1;
      next = stop;
      if (isPlain) {
        textAt += stop - from + 1;
        store<u64>(hashAt, hash);
        hashAt += 8;
      } else if (records && !(load<u8>(stop) == 0x3b && isReference(from))) {
        const length = stop - from;
        if (inTitle) titles++;
        else if (textAt + length < TEXT + TEXT_BYTES) {
          if (textAt < keptTo) copyWord(from, textAt, length);
          if (isLong || beyond != 0) continued += continuedIn(from, stop);
          textAt += length + 1;
          store<u64>(hashAt, hash);
          hashAt += 8;
        }
      }
      if (!inLink || withLinks || linked++ >= LINK_WORDS) {
        words++;
        if (words >= 3) put(older, old, hash);
        older = old;
        old = hash;
      }
      if (isLong) break;
    }
    if (isLong) {
      at = next;
      continue;
    }
    if (markup == 0) {
      // A word that does not end here begins the next block.
      at += starts != 0 ? <usize>ctz(starts) : 64;
      continue;
    }
    at += <usize>ctz(markup);
    if (at >= end) break;
    const second = <u32>load<u8>(at + 1);
    if (second == 0x21 && load<u16>(at + 2) == 0x2d2d) {
      at = commentEnd(at + 6, end);
      continue;
    }
    const closing = second == 0x2f;
    const start = at + (closing ? 2 : 1);
    if ((<u32>load<u8>(start) | 0x20) - 97 >= 26) {
      const isDeclaration = closing || second == 0x21 || second == 0x3f;
      at = isDeclaration ? min(nextOf(at + 1, end, 0x3e) + 1, end) : at + 1;
      continue;
    }
    const nameEnd = min(wordEnd(start), end);
    const size = <u32>(nameEnd - start);
    signature =
      (rotl<u64>(signature, 23) ^ hashOf(start, size) ^ (closing ? CLOSING : OPENING)) * P1;
    at = passAttributes(nameEnd, end);
    if (size > 8) continue;
    const name = lowered(start) & (u64.MAX_VALUE >> ((8 - <u64>size) << 3));
    if (name == A) {
      if (records && inLink) anchors += <u32>(hashAt - anchorsFrom) >>> 3;
      anchorsFrom = hashAt;
      inLink = !closing;
      linked = 0;
    } else if (name == TITLE) {
      inTitle = !closing;
    } else if (
      !closing &&
      (name == SCRIPT || name == STYLE || name == NOSCRIPT || name == TEMPLATE)
    ) {
      at = closeOf(at, end, name, size);
    }
  }
  if (words == 1 || words == 2) put(0, older, old);
  store<u64>(RESULT, signature);
  store<u32>(RESULT, words, 8);
  if (!records) return;
  if (inLink) anchors += <u32>(hashAt - anchorsFrom) >>> 3;
  const recorded = <u32>(hashAt - HASHES) >>> 3;
  store<u32>(RESULT, recorded, 12);
  store<u32>(RESULT, <u32>(textAt - TEXT), 16);
  store<u32>(RESULT, <u32>(textAt - TEXT) - recorded - continued, 20);
  store<u32>(RESULT, anchors, 24);
  store<u32>(RESULT, titles, 28);
}

/**
 * The first seven bits of a shingle's hash select its place; the last 32 are compared for the
 * least.
 */
// @ts-ignore: decorator
@inline
function put(first: u64, second: u64, third: u64): void {
  let hash = first ^ rotl<u64>(second, 21) ^ rotl<u64>(third, 42);
  hash = mixed(hash);
  hash *= P2;
  hash ^= hash >> 32;
  const place = MINIMA + (<usize>(hash >> 57) << 2);
  const value = <u32>hash;
  if (value < load<u32>(place)) store<u32>(place, value);
}
