/**
 * The words of versions to a sorted run, in AssemblyScript: finds words, numbers them, and collects
 * their postings. run-builder.ts defines the format of a run, src/search/store/words.ts what a word
 * is.
 *
 * Idea      A text is read once: words become lower case where they stand and are looked up in a
 *           table with open addressing. Postings of a term are bytes in a chain of slices, each
 *           twice as long as the one before (as in Lucene): the chain is what is written.
 * Requires  `reset` before anything else. Units of surrogates belong to no word. One text at a
 *           time.
 * Ensures   The same terms and bytes as a sort of all postings. After a failed `memory.grow` it
 *           traps.
 *
 * `npm run kernels` compiles it into run-kernel-wasm.ts, which the build and the tests load.
 */

/**
 * The term of the word in `start .. end` of the input, which only JavaScript can make lower case.
 */
// @ts-ignore: decorator
@external("host", "hard")
declare function hard(start: u32, end: u32): u32;

/** Sets the variants of a term in a language. */
// @ts-ignore: decorator
@external("host", "variants")
declare function variants(term: u32, language: u32): void;

/** Of each unit: what it does in a word. */
export const KINDS: usize = 1024;
const BEGINS: u8 = 1;
const CONTINUES: u8 = 2;
const WIDE: u8 = 3;
/** Of each unit: its lower case; 0 if that depends on its neighbours or is longer. */
export const LOWER: usize = KINDS + 0x10000;
/** A word that JavaScript asks for. */
export const WORD: usize = LOWER + 0x20000;
export const WORD_UNITS: u32 = 4096;
const HEAP: usize = WORD + 2 * <usize>WORD_UNITS;

const LONGEST: u32 = 64;
/** Postings of a record. */
const RECORD: u32 = 4096;
const CHUNK: usize = 1 << 16;
/** Of the table, and of a text. */
const LEAST_SLOTS: u32 = 1 << 13;
const LEAST_ROOM: u32 = 1 << 14;
/** Lengths of slices: 16 << level, the last four bytes name the next. */
const LAST_LEVEL: u32 = 7;
/** Where chains after the first begin. */
const LATER_LEVEL: u32 = 4;

// A term; its number is where it stands.
const LENGTH: usize = 0; // u16: units of its word
const FIELD: usize = 2; // u16
const COUNT: usize = 4; // postings of the open chain
const LAST: usize = 8; // the last version of the open chain
const HEAD: usize = 12;
const TAIL: usize = 16;
const TAIL_END: usize = 20;
const BYTES: usize = 24;
const LEVEL: usize = 28; // u8, of the tail
const FIRST_LEVEL: usize = 29; // u8, of the head
const CLOSED: usize = 32; // first and last chain that is full
const CLOSED_LAST: usize = 36;
const STAMP: usize = 40; // the field that had it last
const SLOT: usize = 44; // its place there
const VARIANTS: usize = 48; // its variants in the language that was last asked for
const UNITS: usize = 52;

// The variants of a term in a language: 16 bytes.
const NEXT_LANGUAGE: usize = 0;
const LANGUAGE: usize = 4;
const VARIANT: usize = 8; // terms, or 0
const VARIANT_2: usize = 12;

// A chain that is full: 20 bytes.
const NEXT: usize = 0;
const NODE_HEAD: usize = 4;
const NODE_BYTES: usize = 8;
const NODE_COUNT: usize = 12;
const NODE_LEVEL: usize = 16;

let top: usize = 0;
let arena: usize = 0;
let arenaEnd: usize = 0;
let handedOut: u32 = 0;
let table: usize = 0;
let mask: u32 = 0;
let terms: u32 = 0;
let stamp: u32 = 0;
/** Of the text: its units, the slot of each word, positions by slot. */
let input: usize = 0;
let room: u32 = 0;
let slots: usize = 0;
let places: usize = 0;
/** Of each slot: term, frequency, where its positions end. */
let found: usize = 0;
let counts: usize = 0;
let ends: usize = 0;
let words: u32 = 0;
let distinct: u32 = 0;

// @ts-ignore: decorator
@inline
function u32At(base: usize, at: u32): u32 {
  return load<u32>(base + ((<usize>at) << 2));
}

// @ts-ignore: decorator
@inline
function setU32(base: usize, at: u32, value: u32): void {
  store<u32>(base + ((<usize>at) << 2), value);
}

function take(bytes: usize): usize {
  const at = top;
  top += (bytes + 15) & ~15;
  const pages = <i32>((top + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages > 256 ? pages : 256) < 0 && memory.grow(pages) < 0)
    unreachable();
  return at;
}

/** Memory for a slice, a word or a chain: a multiple of four. */
function small(bytes: usize): usize {
  if (arena + bytes > arenaEnd) {
    arena = take(CHUNK);
    arenaEnd = arena + CHUNK;
  }
  const at = arena;
  arena += bytes;
  handedOut += <u32>bytes;
  return at;
}

/** Memory that is no longer used becomes slices. */
function recycle(at: usize, bytes: usize): void {
  if (bytes <= arenaEnd - arena) return;
  arena = at;
  arenaEnd = at + bytes;
}

/** Forgets everything. */
export function reset(): void {
  top = HEAP;
  arena = 0;
  arenaEnd = 0;
  handedOut = 0;
  terms = 0;
  stamp = 0;
  room = 0;
  mask = LEAST_SLOTS - 1;
  table = take((<usize>mask + 1) << 3);
  memory.fill(table, 0, (<usize>mask + 1) << 3);
}

/** Bytes of memory that terms and postings use, and long texts. */
export function used(): u32 {
  const long = room > LEAST_ROOM ? room * 22 : 0;
  return handedOut + ((mask + 1 - LEAST_SLOTS) << 3) + long;
}

export function termCount(): u32 {
  return terms;
}

/** Makes room for a text; returns where it goes. */
export function reserve(units: u32): usize {
  if (units > room || room == 0) {
    if (room > 0) recycle(input, <usize>room * 22 + 256);
    room = LEAST_ROOM;
    while (room < units) room <<= 1;
    input = take(<usize>room * 22 + 256);
    slots = input + ((<usize>room) << 1) + 64;
    places = slots + ((<usize>room) << 2) + 16;
    found = places + ((<usize>room) << 2) + 16;
    counts = found + ((<usize>room) << 2) + 16;
    ends = counts + ((<usize>room) << 2) + 16;
  }
  return input;
}

/** The bits of all units of the input together. */
export function bitsIn(units: u32): u32 {
  let bits: u32 = 0;
  for (let i: u32 = 0; i < units; i++) bits |= load<u16>(input + ((<usize>i) << 1));
  return bits;
}

function newTerm(units: usize, length: u32, field: u32): u32 {
  terms++;
  const bytes = (<usize>length) << 1;
  const term = small((UNITS + bytes + 3) & ~3);
  memory.fill(term, 0, UNITS);
  store<u16>(term, <u16>length, LENGTH);
  store<u16>(term, <u16>field, FIELD);
  memory.copy(term + UNITS, units, bytes);
  return <u32>term;
}

function rehash(): void {
  const old = table;
  const oldSlots = mask + 1;
  mask = (oldSlots << 1) - 1;
  table = take((<usize>mask + 1) << 3);
  memory.fill(table, 0, (<usize>mask + 1) << 3);
  for (let i: u32 = 0; i < oldSlots; i++) {
    const entry = load<u64>(old + ((<usize>i) << 3));
    if (entry == 0) continue;
    let slot = <u32>entry & mask;
    while (load<u64>(table + ((<usize>slot) << 3)) != 0) slot = (slot + 1) & mask;
    store<u64>(table + ((<usize>slot) << 3), entry);
  }
  recycle(old, (<usize>oldSlots) << 3);
}

// @ts-ignore: decorator
@inline
function isSame(term: usize, units: usize, length: u32, field: u32): bool {
  if (load<u32>(term, LENGTH) != (length | (field << 16))) return false;
  let a = term + UNITS;
  let b = units;
  const end = b + ((<usize>length) << 1);
  while (b < end) {
    if (load<u16>(a) != load<u16>(b)) return false;
    a += 2;
    b += 2;
  }
  return true;
}

/** The term of a word in lower case. */
function termOf(units: usize, length: u32, field: u32, rawHash: u32): u32 {
  const hash = (rawHash ^ (rawHash >> 15)) * 0x2c1b3c6d;
  let slot = hash & mask;
  while (true) {
    const at = table + ((<usize>slot) << 3);
    const entry = load<u64>(at);
    if (entry == 0) break;
    if (<u32>entry == hash) {
      const term = <u32>(entry >> 32);
      if (isSame(<usize>term, units, length, field)) return term;
    }
    slot = (slot + 1) & mask;
  }
  const term = newTerm(units, length, field);
  store<u64>(table + ((<usize>slot) << 3), <u64>hash | (<u64>term << 32));
  if (terms > mask >> 1) rehash();
  return term;
}

// @ts-ignore: decorator
@inline
function mixed(hash: u32, unit: u32): u32 {
  return (hash ^ unit) * 0x01000193 + 0x9e37;
}

/** The term of the first `length` units at `WORD`. */
export function find(length: u32, field: u32): u32 {
  let hash = field;
  for (let i: u32 = 0; i < length; i++) hash = mixed(hash, load<u16>(WORD + ((<usize>i) << 1)));
  return termOf(WORD, length, field, hash);
}

/** Where the units of a term are. */
export function unitsOf(term: usize): usize {
  return term + UNITS;
}

export function lengthOf(term: usize): u32 {
  return <u32>load<u16>(term, LENGTH);
}

export function fieldOf(term: usize): u32 {
  return <u32>load<u16>(term, FIELD);
}

/** Begins a field of a version. */
export function begin(): void {
  stamp++;
  words = 0;
  distinct = 0;
}

/** The next word of the field. */
export function addWord(term: u32): void {
  const record = <usize>term;
  if (load<u32>(record, STAMP) != stamp) {
    store<u32>(record, stamp, STAMP);
    store<u32>(record, distinct, SLOT);
    setU32(found, distinct, term);
    setU32(counts, distinct, 1);
    setU32(slots, words++, distinct++);
    return;
  }
  const slot = load<u32>(record, SLOT);
  setU32(counts, slot, u32At(counts, slot) + 1);
  setU32(slots, words++, slot);
}

// @ts-ignore: decorator
@inline
function unitAt(at: u32): u32 {
  return <u32>load<u16>(input + ((<usize>at) << 1));
}

// @ts-ignore: decorator
@inline
function kindOf(unit: u32): u8 {
  return load<u8>(KINDS + <usize>unit);
}

/** Finds the words in the first `units` of the input, and adds them. */
export function addWords(units: u32, field: u32): void {
  store<u16>(input + ((<usize>units) << 1), 0);
  let at: u32 = 0;
  while (at < units) {
    const kind = kindOf(unitAt(at));
    if (kind == BEGINS) at = addWordAt(at, field);
    else if (kind == WIDE) at = addPairs(at, field);
    else at++;
  }
}

/** Adds the word that begins at a place; returns its end. */
function addWordAt(start: u32, field: u32): u32 {
  let hash = field;
  let isHard = false;
  let at = start;
  while (true) {
    const unit = unitAt(at);
    const kind = kindOf(unit);
    if (kind != BEGINS && kind != CONTINUES) break;
    const lower = <u32>load<u16>(LOWER + ((<usize>unit) << 1));
    if (lower == 0) isHard = true;
    else if (lower != unit) store<u16>(input + ((<usize>at) << 1), <u16>lower);
    hash = mixed(hash, lower);
    at++;
  }
  const length = at - start;
  if (isHard || length > LONGEST) addWord(hard(start, at));
  else addWord(termOf(input + ((<usize>start) << 1), length, field, hash));
  return at;
}

/** Adds pairs of neighbours, or the one character that has none; returns the end of all. */
function addPairs(start: u32, field: u32): u32 {
  let end = start + 1;
  while (kindOf(unitAt(end)) == WIDE) end++;
  if (end == start + 1) {
    addWord(termOf(input + ((<usize>start) << 1), 1, field, mixed(field, unitAt(start))));
    return end;
  }
  for (let at = start; at + 1 < end; at++) {
    const hash = mixed(mixed(field, unitAt(at)), unitAt(at + 1));
    addWord(termOf(input + ((<usize>at) << 1), 2, field, hash));
  }
  return end;
}

export function wordCount(): u32 {
  return words;
}

/** Counts a term `count` times more, without words: a variant. */
function addCount(term: u32, count: u32): void {
  const record = <usize>term;
  if (load<u32>(record, STAMP) != stamp) {
    store<u32>(record, stamp, STAMP);
    store<u32>(record, distinct, SLOT);
    setU32(found, distinct, term);
    setU32(counts, distinct++, count);
    return;
  }
  const slot = load<u32>(record, SLOT);
  setU32(counts, slot, u32At(counts, slot) + count);
}

/**
 * Replaces the terms of the field by their variants in a language, with the sum of their counts.
 * Variants that are not known are asked for.
 */
export function addVariants(language: u32): void {
  // The terms and counts are copied, because the variants take their place.
  const count = distinct;
  memory.copy(slots, found, (<usize>count) << 2);
  memory.copy(places, counts, (<usize>count) << 2);
  begin();
  for (let i: u32 = 0; i < count; i++) {
    const term = <usize>u32At(slots, i);
    const found = variantsOf(term, language);
    const first = load<u32>(found, VARIANT);
    if (first == 0) continue;
    const times = u32At(places, i);
    addCount(first, times);
    const second = load<u32>(found, VARIANT_2);
    if (second != 0) addCount(second, times);
  }
}

/** The variants of a term in a language; pages in other languages may have asked for theirs. */
function variantsOf(term: usize, language: u32): usize {
  let found = <usize>load<u32>(term, VARIANTS);
  while (found != 0 && load<u32>(found, LANGUAGE) != language)
    found = <usize>load<u32>(found, NEXT_LANGUAGE);
  if (found != 0) return found;
  variants(<u32>term, language);
  return <usize>load<u32>(term, VARIANTS);
}

/** Sets the variants of a term in a language; 0 for none. */
export function setVariants(term: usize, language: u32, first: u32, second: u32): void {
  const place = small(16);
  store<u32>(place, load<u32>(term, VARIANTS), NEXT_LANGUAGE);
  store<u32>(place, language, LANGUAGE);
  store<u32>(place, first, VARIANT);
  store<u32>(place, second, VARIANT_2);
  store<u32>(term, <u32>place, VARIANTS);
}

// The tail of the chain that is being written.
let tail: usize = 0;
let tailEnd: usize = 0;
let level: u32 = 0;
let written: u32 = 0;

function nextSlice(): void {
  if (level < LAST_LEVEL) level++;
  const next = small(16 << <usize>level);
  store<u32>(tailEnd, <u32>next);
  tail = next;
  tailEnd = next + (16 << <usize>level) - 4;
}

// @ts-ignore: decorator
@inline
function putByte(byte: u32): void {
  if (tail == tailEnd) nextSlice();
  store<u8>(tail++, <u8>byte);
  written++;
}

// @ts-ignore: decorator
@inline
function put(value: u32): void {
  let rest = value;
  while (rest >= 128) {
    putByte(rest | 128);
    rest >>= 7;
  }
  putByte(rest);
}

function openChain(record: usize): void {
  const before = load<u32>(record, COUNT);
  if (before == RECORD) closeChain(record);
  if (before == 0 || before == RECORD) {
    level = before == 0 ? 0 : LATER_LEVEL;
    const head = small(16 << <usize>level);
    store<u32>(record, <u32>head, HEAD);
    store<u8>(record, <u8>level, FIRST_LEVEL);
    tail = head;
    tailEnd = head + (16 << <usize>level) - 4;
    return;
  }
  level = <u32>load<u8>(record, LEVEL);
  tail = <usize>load<u32>(record, TAIL);
  tailEnd = <usize>load<u32>(record, TAIL_END);
}

/** The chain of a term has all postings of a record: the next one begins another. */
function closeChain(record: usize): void {
  const node = small(20);
  store<u32>(node, 0, NEXT);
  store<u32>(node, load<u32>(record, HEAD), NODE_HEAD);
  store<u32>(node, load<u32>(record, BYTES), NODE_BYTES);
  store<u32>(node, load<u32>(record, COUNT), NODE_COUNT);
  store<u32>(node, <u32>load<u8>(record, FIRST_LEVEL), NODE_LEVEL);
  const last = <usize>load<u32>(record, CLOSED_LAST);
  if (last == 0) store<u32>(record, <u32>node, CLOSED);
  else store<u32>(last, <u32>node, NEXT);
  store<u32>(record, <u32>node, CLOSED_LAST);
  store<u32>(record, 0, COUNT);
  store<u32>(record, 0, BYTES);
}

/** Writes a posting for each term of the field, with positions if it has them. */
export function post(version: u32, withPositions: bool): void {
  if (withPositions) placeWords();
  for (let slot: u32 = 0; slot < distinct; slot++) {
    const record = <usize>u32At(found, slot);
    openChain(record);
    written = 0;
    const postings = load<u32>(record, COUNT);
    put(postings == 0 ? version : version - load<u32>(record, LAST) - 1);
    const count = u32At(counts, slot);
    put(count);
    if (withPositions) {
      const end = u32At(ends, slot);
      let before: u32 = -1;
      for (let i = end - count; i < end; i++) {
        const position = u32At(places, i);
        put(position - before - 1);
        before = position;
      }
    }
    store<u32>(record, postings + 1, COUNT);
    store<u32>(record, version, LAST);
    store<u32>(record, <u32>tail, TAIL);
    store<u32>(record, <u32>tailEnd, TAIL_END);
    store<u8>(record, <u8>level, LEVEL);
    store<u32>(record, load<u32>(record, BYTES) + written, BYTES);
  }
}

/** Puts the positions of the words of each slot together. */
function placeWords(): void {
  let start: u32 = 0;
  for (let slot: u32 = 0; slot < distinct; slot++) {
    setU32(ends, slot, start);
    start += u32At(counts, slot);
  }
  for (let i: u32 = 0; i < words; i++) {
    const slot = u32At(slots, i);
    const at = u32At(ends, slot);
    setU32(places, at, i);
    setU32(ends, slot, at + 1);
  }
}

// Terms in order: of each four units from a depth on (u64, the first in the highest bits), term.
let order: usize = 0;
const ENTRY: usize = 16;

// @ts-ignore: decorator
@inline
function entryAt(at: i32): usize {
  return order + <usize>at * ENTRY;
}

/** Four units of a term from a depth on; the field is its first, and 0 follows its last. */
function keyOf(term: u32, depth: u32): u64 {
  const record = <usize>term;
  const units = record + UNITS;
  const length = <u32>load<u16>(record, LENGTH) + 1;
  let key: u64 = 0;
  for (let i = depth; i < depth + 4; i++) {
    let unit: u64 = 0;
    if (i == 0) unit = load<u16>(record, FIELD);
    else if (i < length) unit = load<u16>(units + ((<usize>i - 1) << 1));
    key = (key << 16) | unit;
  }
  return key;
}

function swap(a: usize, b: usize): void {
  const key = load<u64>(a);
  const term = load<u32>(a, 8);
  store<u64>(a, load<u64>(b));
  store<u32>(a, load<u32>(b, 8), 8);
  store<u64>(b, key);
  store<u32>(b, term, 8);
}

/** Sorts entries by their keys. */
function sortKeys(from: i32, to: i32): void {
  let low = from;
  let high = to;
  while (high - low > 12) {
    const pivot = medianOf(low, high);
    let i = low;
    let j = high - 1;
    while (i <= j) {
      while (load<u64>(entryAt(i)) < pivot) i++;
      while (load<u64>(entryAt(j)) > pivot) j--;
      if (i <= j) swap(entryAt(i++), entryAt(j--));
    }
    if (j + 1 - low < high - i) {
      sortKeys(low, j + 1);
      low = i;
    } else {
      sortKeys(i, high);
      high = j + 1;
    }
  }
  for (let i = low + 1; i < high; i++)
    for (let j = i; j > low && load<u64>(entryAt(j - 1)) > load<u64>(entryAt(j)); j--)
      swap(entryAt(j - 1), entryAt(j));
}

function medianOf(low: i32, high: i32): u64 {
  const a = load<u64>(entryAt(low));
  const b = load<u64>(entryAt((low + high) >> 1));
  const c = load<u64>(entryAt(high - 1));
  if (a < b) return b < c ? b : a < c ? c : a;
  return a < c ? a : b < c ? c : b;
}

function sortFrom(from: i32, to: i32, depth: u32): void {
  for (let i = from; i < to; i++) store<u64>(entryAt(i), keyOf(load<u32>(entryAt(i), 8), depth));
  sortKeys(from, to);
  let start = from;
  while (start < to) {
    const key = load<u64>(entryAt(start));
    let end = start + 1;
    while (end < to && load<u64>(entryAt(end)) == key) end++;
    if (end - start > 1) sortFrom(start, end, depth + 4);
    start = end;
  }
}

// Where writing the run is: a term, a chain of it, a slice of that.
let nextTerm: u32 = 0;
let chain: usize = 0;
let record: usize = 0;
let slice: usize = 0;
let sliceLeft: usize = 0;
let chainLeft: u32 = 0;

/** Puts the terms in order; nothing can be added until `reset`. */
export function sort(): void {
  order = take((<usize>terms + 1) * ENTRY);
  let placed = 0;
  for (let slot: u32 = 0; slot <= mask; slot++) {
    const term = <u32>(load<u64>(table + ((<usize>slot) << 3)) >> 32);
    if (term != 0) store<u32>(entryAt(placed++), term, 8);
  }
  sortFrom(0, terms, 0);
  nextTerm = 0;
  chain = 0;
  record = 0;
  chainLeft = 0;
}

function varint(at: usize, value: u32): usize {
  let rest = value;
  while (rest >= 128) {
    store<u8>(at++, <u8>(rest | 128));
    rest >>= 7;
  }
  store<u8>(at, <u8>rest);
  return at + 1;
}

/** A character as UTF-8. */
function character(at: usize, code: u32): usize {
  if (code < 0x80) {
    store<u8>(at, <u8>code);
    return at + 1;
  }
  if (code < 0x800) {
    store<u8>(at, <u8>(0xc0 | (code >> 6)));
    store<u8>(at + 1, <u8>(0x80 | (code & 63)));
    return at + 2;
  }
  if (code < 0x10000) {
    store<u8>(at, <u8>(0xe0 | (code >> 12)));
    store<u8>(at + 1, <u8>(0x80 | ((code >> 6) & 63)));
    store<u8>(at + 2, <u8>(0x80 | (code & 63)));
    return at + 3;
  }
  store<u8>(at, <u8>(0xf0 | (code >> 18)));
  store<u8>(at + 1, <u8>(0x80 | ((code >> 12) & 63)));
  store<u8>(at + 2, <u8>(0x80 | ((code >> 6) & 63)));
  store<u8>(at + 3, <u8>(0x80 | (code & 63)));
  return at + 4;
}

/** Writes the field and the word of a term as UTF-8 after their length. */
function writeTerm(at: usize, term: usize): usize {
  const units = term + UNITS;
  const length = <u32>load<u16>(term, LENGTH);
  // The length is written in two bytes when it might need them, so that nothing moves.
  const start = at + (length > 40 ? 2 : 1);
  let to = character(start, <u32>load<u16>(term, FIELD));
  for (let i: u32 = 0; i < length; i++) {
    let code = <u32>load<u16>(units + ((<usize>i) << 1));
    if ((code & 0xfc00) == 0xd800 && i + 1 < length) {
      const low = <u32>load<u16>(units + ((<usize>i + 1) << 1));
      code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
      i++;
    }
    to = character(to, code);
  }
  const bytes = <u32>(to - start);
  if (length > 40) {
    store<u8>(at, <u8>((bytes & 127) | 128));
    store<u8>(at + 1, <u8>(bytes >> 7));
  } else store<u8>(at, <u8>bytes);
  return to;
}

/** Begins the next record, if there is any: writes its head. */
function nextRecord(at: usize): usize {
  let head: u32 = 0;
  let count: u32 = 0;
  let first: u32 = 0;
  while (true) {
    if (record != 0) {
      // After the chains that are full comes the open one.
      if (chain != 0) {
        head = load<u32>(chain, NODE_HEAD);
        chainLeft = load<u32>(chain, NODE_BYTES);
        count = load<u32>(chain, NODE_COUNT);
        first = load<u32>(chain, NODE_LEVEL);
        chain = <usize>load<u32>(chain, NEXT);
        break;
      }
      head = load<u32>(record, HEAD);
      chainLeft = load<u32>(record, BYTES);
      count = load<u32>(record, COUNT);
      first = <u32>load<u8>(record, FIRST_LEVEL);
      const term = record;
      record = 0;
      if (count == 0) continue;
      return headOf(at, term, head, count, first);
    }
    if (nextTerm == terms) return at;
    record = <usize>load<u32>(entryAt(nextTerm++), 8);
    chain = <usize>load<u32>(record, CLOSED);
  }
  return headOf(at, record, head, count, first);
}

function headOf(at: usize, term: usize, head: u32, count: u32, first: u32): usize {
  let to = writeTerm(at, term);
  to = varint(to, count);
  to = varint(to, chainLeft);
  level = first;
  slice = <usize>head;
  sliceLeft = (16 << <usize>first) - 4;
  return to;
}

/** Bytes that the head of a record may need. */
const MOST_HEAD: usize = 3 * 4096 + 32;

/** Writes the next part of the run to `to`, of at most `bytes`; returns how many: 0 at the end. */
export function write(to: usize, bytes: usize): usize {
  let at = to;
  const end = to + bytes;
  while (true) {
    if (chainLeft == 0) {
      if (end - at < MOST_HEAD) break;
      const before = at;
      at = nextRecord(at);
      if (at == before) break;
    }
    while (chainLeft > 0 && at < end) {
      if (sliceLeft == 0) {
        slice = <usize>load<u32>(slice);
        if (level < LAST_LEVEL) level++;
        sliceLeft = (16 << <usize>level) - 4;
      }
      let n = sliceLeft;
      if (n > <usize>chainLeft) n = <usize>chainLeft;
      if (n > end - at) n = end - at;
      memory.copy(at, slice, n);
      at += n;
      slice += n;
      sliceLeft -= n;
      chainLeft -= <u32>n;
    }
    if (chainLeft > 0) break;
  }
  return at - to;
}

/** Room for `write`. */
export function outputRoom(bytes: usize): usize {
  return take(bytes);
}
