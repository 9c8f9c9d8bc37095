/**
 * The versions of a part that match, with their scores, in AssemblyScript. scanner.ts says what
 * lists, masks and clauses mean; store/posting-writer.ts defines the format of a list.
 *
 * Idea      Versions are looked at in windows. From the directories of the lists follows which of
 *           them have postings in a window, and the most that a version there can score: windows
 *           without a result are skipped before anything is decoded. In the others candidates come
 *           from few lists: those of the clause with the fewest postings or, if these are fewer,
 *           those without which no version can reach the score asked for (MaxScore). Then the
 *           other lists follow, short ones first. Before each, candidates go that cannot reach the
 *           score with all that may still come; a block without a candidate is not decoded. What
 *           is left and matches is scored list after list, so that the parts of a score are added
 *           up in the order of the lists.
 *           Lists are held from query to query with what their directories say, their greatest
 *           scores for the last weights, and the block that was decoded last.
 * Requires  `open` once; `takeHeld` and `hold` for each list that is not held yet; for each query
 *           `start`; for each list `addList`, `setDriving`, `setBits` or `addMasks`, and
 *           `setScore`; numbers at `clausesAt` and `setClauses`, a mask at `excludedAt`; then
 *           `scan` until it returns -1.
 * Ensures   A version of a window is a candidate once, however many lists have it: `MATCHED` says
 *           which are. So no table of a window has more than `WINDOW` entries.
 *
 * `npm run kernels` compiles it into scan-kernel-wasm.ts, which the build and the tests load.
 */

const END: u32 = 0xffffffff;
/** The most versions of a window: eight times the postings of a block. */
const WINDOW: u32 = 2048;
/** Where bytes go when four numbers are decoded, by their widths; and how many bytes they take. */
const SHUFFLES: usize = 1024;
const WIDTHS: usize = SHUFFLES + 4096;
/** What a length adds to the frequency in the denominator: of texts, of titles, of anchors. */
const NORMS: usize = WIDTHS + 256;
const NORM_COUNT: u32 = 8192;
const SCORES: usize = NORMS + 24 * <usize>NORM_COUNT;
/** One byte a version of the window: whether it may match. All are 0 between two windows. */
const MATCHED: usize = SCORES + 8 * <usize>WINDOW;
/** Places in the window of versions that may match. */
const PLACES: usize = MATCHED + <usize>WINDOW;
export const RESULT_VERSIONS: usize = PLACES + 4 * <usize>WINDOW;
export const RESULT_SCORES: usize = RESULT_VERSIONS + 4 * <usize>WINDOW;
/** What is known of the score of each version of the window. */
const PARTIAL: usize = RESULT_SCORES + 8 * <usize>WINDOW;
const HEAP: usize = PARTIAL + 8 * <usize>WINDOW;
/** So many results are handed over at once, if there are more windows. */
const ENOUGH: u32 = 32;

// A list.
const BYTES: usize = 0;
const COUNT: usize = 4;
const BLOCKS: usize = 8;
const LASTS: usize = 12; // the last version of each block
const STARTS: usize = 16; // where each block begins
const GREATEST: usize = 20; // the greatest frequency of each block
const LEAST: usize = 24; // the least length of each block
const BOUNDS: usize = 28; // the greatest score of each block, without the factor (f64)
const FIELD: usize = 32; // 0 texts, 1 titles, 2 anchors, 3 without lengths
const MASKS: usize = 36; // pairs of a word of the mask and its bits
const MASK_COUNT: usize = 40;
const CURRENT: usize = 44;
const DECODED: usize = 48;
const AT: usize = 52;
const IDS: usize = 56;
const FREQUENCIES: usize = 60;
const FACTOR: usize = 64; // f64; 0 if it does not score
const ENTRIES: usize = 72; // places in the window (u32) and what they score (f64, after 8 bytes)
const ENTRY_COUNT: usize = 76;
const FIRST: usize = 80; // the first version that may be in it, from the window on
const DRIVES: usize = 84; // whether versions without it cannot match
const BOUND: usize = 88; // the most that a version of the window gets from it (f64)
const IS_SOURCE: usize = 96; // whether candidates come from it, in this window
const WITH_FREQUENCIES: usize = 100; // the block whose frequencies are decoded
const FREQUENCIES_AT: usize = 104; // where those of the decoded block begin
const BITS: usize = 108; // what it gives to a mask of one number
const BOUNDS_OF: usize = 112; // the weights that these are for
const LIST_BYTES: usize = 120;

let top: usize = HEAP;
let versions: u32 = 0;
let block: u32 = 0;
let window: u32 = 0;
let lengths: usize = 0;
let valid: usize = 0;
/** Of the block that is looked at: which postings count. */
let hits: usize = 0;
/** Lists are held from `heldBase` to `base`. */
let heldBase: usize = 0;
let base: usize = 0;

let lists: usize = 0;
let listRoom: u32 = 0;
let listCount: u32 = 0;
/** The lists by their postings, the fewest first; made when the first window is looked at. */
let order: usize = 0;
let isOrdered = false;
let results: u32 = 0;
let maskWords: u32 = 1;
let masks: usize = 0;
let present: usize = 0;
let clauses: usize = 0;
let clauseWords: u32 = 0;
let clauseRoom: u32 = 0;
let excluded: usize = 0;
let hasExcluded = false;
/** Whether each clause has one alternative and masks one number: then these bits are required. */
let isSimple = false;
let required: u32 = 0;
let k1: f64 = 0;
let b: f64 = 0;
let bodyMean: f64 = 0;
let titleMean: f64 = 0;
let anchorMean: f64 = 0;
/** The field without lengths. */
const NO_LENGTHS: u32 = 3;
/** A number for each change of these. */
let weights: u32 = 0;
let position: u32 = 0;
export let decodedBlocks: u32 = 0;

// @ts-ignore: decorator
@inline
function u32At(from: usize, at: u32): u32 {
  return load<u32>(from + ((<usize>at) << 2));
}

// @ts-ignore: decorator
@inline
function setU32(from: usize, at: u32, value: u32): void {
  store<u32>(from + ((<usize>at) << 2), value);
}

export function take(bytes: usize): usize {
  const at = top;
  top += (bytes + 15) & ~15;
  const pages = <i32>((top + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) unreachable();
  return at;
}

/**
 * Makes the tables for a part; returns where the lengths of texts go, then titles, then anchors.
 */
export function open(count: u32, postings: u32): usize {
  versions = count;
  block = postings;
  window = min(WINDOW, 8 * postings);
  for (let widths: u32 = 0; widths < 256; widths++) {
    let from: u32 = 0;
    for (let i: u32 = 0; i < 4; i++) {
      const width = (widths >> (2 * i)) & 3;
      const bytes: u32 = width == 3 ? 4 : width;
      for (let j: u32 = 0; j < 4; j++)
        store<u8>(SHUFFLES + <usize>(16 * widths + 4 * i + j), j < bytes ? <u8>(from + j) : 255);
      from += bytes;
    }
    store<u8>(WIDTHS + <usize>widths, <u8>from);
  }
  lengths = take((<usize>count) * 12);
  valid = take(<usize>count + 16);
  hits = take((<usize>postings + 4) << 2);
  heldBase = top;
  base = top;
  return lengths;
}

/** Where a 1 or 0 goes for each version: whether it may be found. */
export function validAt(): usize {
  return valid;
}

/** Begins a query with room for `room` lists, `words` numbers of a mask and of all clauses. */
export function start(room: u32, words: u32, clauseNumbers: u32): void {
  top = base;
  listRoom = room;
  lists = take((<usize>room) << 2);
  listCount = 0;
  order = take((<usize>room) << 2);
  isOrdered = false;
  maskWords = words;
  masks = take((<usize>(WINDOW * words)) << 2);
  present = take((<usize>words) << 2);
  excluded = take((<usize>words) << 2);
  memory.fill(excluded, 0, (<usize>words) << 2);
  hasExcluded = false;
  clauseRoom = clauseNumbers;
  clauses = take((<usize>clauseNumbers) << 2);
  clauseWords = 0;
  position = 0;
  decodedBlocks = 0;
}

let at: usize = 0;

function varint(): u32 {
  let byte = <u32>load<u8>(at++);
  let value = byte & 127;
  for (let shift: u32 = 7; byte >= 128 && shift < 35; shift += 7) {
    byte = <u32>load<u8>(at++);
    value |= (byte & 127) << shift;
  }
  return value;
}

// @ts-ignore: decorator
@inline
function listAt(list: u32): usize {
  return <usize>u32At(lists, list);
}

/** Bytes of the lists that are held. */
export function heldBytes(): usize {
  return base - heldBase;
}

/** Forgets all lists. */
export function release(): void {
  base = heldBase;
}

/** Room for the bytes of a list that is to be held; 32 bytes more than it has. Not in a query. */
export function takeHeld(bytes: usize): usize {
  top = base;
  const place = take(bytes);
  base = top;
  return place;
}

/** Holds the list whose bytes stand at `bytes`; returns where it is, or 0 if they are damaged. */
export function hold(bytes: usize, length: u32, count: u32, field: u32, hasPositions: bool): usize {
  const blocks = (count + block - 1) / block;
  const list = takeHeld(LIST_BYTES);
  memory.fill(list, 0, LIST_BYTES);
  store<u32>(list, count, COUNT);
  store<u32>(list, blocks, BLOCKS);
  store<u32>(list, field, FIELD);
  store<u32>(list, END, DECODED);
  store<u32>(list, END, WITH_FREQUENCIES);
  const table = takeHeld(24 * <usize>blocks);
  store<u32>(list, <u32>table, BOUNDS);
  store<u32>(list, <u32>(table + 8 * <usize>blocks), LASTS);
  store<u32>(list, <u32>(table + 12 * <usize>blocks), STARTS);
  store<u32>(list, <u32>(table + 16 * <usize>blocks), GREATEST);
  store<u32>(list, <u32>(table + 20 * <usize>blocks), LEAST);
  const room = min(count, block) + 4;
  store<u32>(list, <u32>takeHeld((<usize>room) << 2), IDS);
  store<u32>(list, <u32>takeHeld((<usize>room) << 2), FREQUENCIES);
  store<u32>(list, <u32>bytes, BYTES);
  const isWhole =
    blocks > 1 ? readDirectory(list, bytes, length, hasPositions) : describe(list, length);
  return isWhole ? list : 0;
}

/** Adds a list that is held to the query; returns its number. */
export function addList(list: usize): i32 {
  if (listCount == listRoom) return -1;
  setU32(lists, listCount, <u32>list);
  store<f64>(list, 0, FACTOR);
  store<u32>(list, 0, CURRENT);
  store<u32>(list, 0, AT);
  store<u32>(list, 0, DRIVES);
  store<u32>(list, 0, BITS);
  store<u32>(list, 0, MASK_COUNT);
  store<u32>(list, <u32>take(<usize>min(load<u32>(list, COUNT), WINDOW) << 4), ENTRIES);
  return listCount++;
}

function readDirectory(list: usize, bytes: usize, length: u32, hasPositions: bool): bool {
  const blocks = load<u32>(list, BLOCKS);
  at = bytes;
  const directory = varint();
  let from = directory + <u32>(at - bytes);
  let last: u32 = -1;
  for (let i: u32 = 0; i < blocks; i++) {
    if (at >= bytes + <usize>length || from >= length) return false;
    last += varint() + 1;
    setU32(<usize>load<u32>(list, LASTS), i, last);
    setU32(<usize>load<u32>(list, STARTS), i, from);
    from += varint();
    setU32(<usize>load<u32>(list, GREATEST), i, varint());
    setU32(<usize>load<u32>(list, LEAST), i, varint());
    if (hasPositions) varint();
  }
  return from == length && last < versions;
}

/** A list of one block has no directory: what it would say is computed. */
function describe(list: usize, length: u32): bool {
  const lasts = <usize>load<u32>(list, LASTS);
  setU32(lasts, 0, END);
  setU32(<usize>load<u32>(list, STARTS), 0, 0);
  decode(list, 0);
  const end = <u32>(decodeFrequencies(list) - <usize>load<u32>(list, BYTES));
  const count = load<u32>(list, COUNT);
  const ids = <usize>load<u32>(list, IDS);
  const last = u32At(ids, count - 1);
  if (end != length || last >= versions) return false;
  setU32(lasts, 0, last);
  const field = load<u32>(list, FIELD);
  let greatest: u32 = 0;
  let least: u32 = field == NO_LENGTHS ? 0 : END;
  for (let i: u32 = 0; i < count; i++) {
    greatest = max(greatest, u32At(<usize>load<u32>(list, FREQUENCIES), i) + 1);
    if (field != NO_LENGTHS) least = min(least, lengthOf(field, u32At(ids, i)));
  }
  setU32(<usize>load<u32>(list, GREATEST), 0, greatest);
  setU32(<usize>load<u32>(list, LEAST), 0, least);
  return true;
}

// @ts-ignore: decorator
@inline
function lengthOf(field: u32, version: u32): u32 {
  return u32At(lengths, field * versions + version);
}

/** Decodes `count` numbers; returns where the next byte is. */
function readNumbers(from: usize, count: u32, to: usize): usize {
  let next = from + <usize>((count + 3) >> 2);
  let out = to;
  for (let i: u32 = 0; i < count; i += 4) {
    const widths = <usize>load<u8>(from++);
    v128.store(out, i8x16.swizzle(v128.load(next), v128.load(SHUFFLES + (widths << 4))));
    next += <usize>load<u8>(WIDTHS + widths);
    out += 16;
  }
  return next;
}

/** Decodes the versions of a block; returns where its frequencies begin. */
function decode(list: usize, current: u32): usize {
  const n = min(block, load<u32>(list, COUNT) - current * block);
  const ids = <usize>load<u32>(list, IDS);
  const start =
    <usize>load<u32>(list, BYTES) + <usize>u32At(<usize>load<u32>(list, STARTS), current);
  const next = readNumbers(start, n, ids);
  const before: u32 = current == 0 ? -1 : u32At(<usize>load<u32>(list, LASTS), current - 1);
  // Sums of four differences at a time: of two, of four, then with what came before.
  let sums = i32x4.splat(before);
  const ones = i32x4.splat(1);
  const zeros = i32x4.splat(0);
  for (let i: u32 = 0; i < n; i += 4) {
    const at = ids + ((<usize>i) << 2);
    let four = i32x4.add(v128.load(at), ones);
    four = i32x4.add(
      four,
      i8x16.shuffle(zeros, four, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27),
    );
    four = i32x4.add(
      four,
      i8x16.shuffle(zeros, four, 0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23),
    );
    four = i32x4.add(four, sums);
    v128.store(at, four);
    sums = i32x4.splat(i32x4.extract_lane(four, 3));
  }
  store<u32>(list, current, DECODED);
  store<u32>(list, <u32>next, FREQUENCIES_AT);
  decodedBlocks++;
  return next;
}

/**
 * Decodes the frequencies, each less 1, of the block whose versions are decoded; where they end.
 */
function decodeFrequencies(list: usize): usize {
  const current = load<u32>(list, DECODED);
  const n = min(block, load<u32>(list, COUNT) - current * block);
  store<u32>(list, current, WITH_FREQUENCIES);
  return readNumbers(
    <usize>load<u32>(list, FREQUENCIES_AT),
    n,
    <usize>load<u32>(list, FREQUENCIES),
  );
}

/** How many valid versions a list has. */
export function countValid(index: u32): u32 {
  const list = listAt(index);
  const blocks = load<u32>(list, BLOCKS);
  const count = load<u32>(list, COUNT);
  const ids = <usize>load<u32>(list, IDS);
  let found: u32 = 0;
  for (let current: u32 = 0; current < blocks; current++) {
    if (load<u32>(list, DECODED) != current) decode(list, current);
    const n = min(block, count - current * block);
    for (let i: u32 = 0; i < n; i++) {
      const id = u32At(ids, i);
      if (id < versions) found += <u32>load<u8>(valid + <usize>id);
    }
  }
  return found;
}

export function setMeans(newK1: f64, newB: f64, body: f64, title: f64, anchors: f64): void {
  if (newK1 == k1 && newB == b && body == bodyMean && title == titleMean && anchors == anchorMean)
    return;
  k1 = newK1;
  b = newB;
  bodyMean = body;
  titleMean = title;
  anchorMean = anchors;
  weights++;
  for (let i: u32 = 0; i < NORM_COUNT; i++) {
    store<f64>(NORMS + ((<usize>i) << 3), newNorm(0, i));
    store<f64>(NORMS + ((<usize>(NORM_COUNT + i)) << 3), newNorm(1, i));
    store<f64>(NORMS + ((<usize>(2 * NORM_COUNT + i)) << 3), newNorm(2, i));
  }
}

function newNorm(field: u32, length: u32): f64 {
  const mean = field == 0 ? bodyMean : field == 1 ? titleMean : field == 2 ? anchorMean : 0;
  const relative: f64 = mean > 0 ? <f64>length / mean : 0;
  return k1 * (1 - b + b * relative);
}

// @ts-ignore: decorator
@inline
function normOf(field: u32, length: u32): f64 {
  if (length >= NORM_COUNT || field == NO_LENGTHS) return newNorm(field, length);
  return load<f64>(NORMS + ((<usize>(field * NORM_COUNT + length)) << 3));
}

// @ts-ignore: decorator
@inline
function normAt(field: u32, version: u32): f64 {
  return field == NO_LENGTHS ? newNorm(NO_LENGTHS, 0) : normOf(field, lengthOf(field, version));
}

/** BM25 of one list: increases with the frequency, decreases with the length. */
// @ts-ignore: decorator
@inline
function scoreOf(factor: f64, frequency: u32, norm: f64): f64 {
  return (factor * <f64>frequency * (k1 + 1)) / (<f64>frequency + norm);
}

/** The weight of a list times its inverse document frequency; call `setMeans` before. */
export function setScore(index: u32, factor: f64): void {
  const list = listAt(index);
  store<f64>(list, factor, FACTOR);
  if (load<u32>(list, BOUNDS_OF) == weights) return;
  store<u32>(list, weights, BOUNDS_OF);
  const blocks = load<u32>(list, BLOCKS);
  const bounds = <usize>load<u32>(list, BOUNDS);
  const field = load<u32>(list, FIELD);
  for (let i: u32 = 0; i < blocks; i++) {
    const norm = normOf(field, u32At(<usize>load<u32>(list, LEAST), i));
    store<f64>(
      bounds + ((<usize>i) << 3),
      scoreOf(1, u32At(<usize>load<u32>(list, GREATEST), i), norm),
    );
  }
}

/** Every version that matches is in one of the lists that drive. */
export function setDriving(index: u32): void {
  store<u32>(listAt(index), 1, DRIVES);
}

/** Sets the bits that a list gives to its versions, if a mask is one number. */
export function setBits(index: u32, bits: u32): void {
  store<u32>(listAt(index), bits, BITS);
}

/**
 * Sets the bits that a list gives to its versions: `pairs` pairs of a word of the mask and bits.
 */
export function addMasks(index: u32, pairs: u32): usize {
  const list = listAt(index);
  const place = take((<usize>pairs) << 3);
  store<u32>(list, <u32>place, MASKS);
  store<u32>(list, pairs, MASK_COUNT);
  return place;
}

/** Where the clauses go: for each how many alternatives, then a mask for each. */
export function clausesAt(): usize {
  return clauses;
}

export function setClauses(numbers: u32): void {
  clauseWords = min(numbers, clauseRoom);
  required = 0;
  isSimple = maskWords == 1;
  for (let at: u32 = 0; at + 1 < clauseWords; at += 1 + u32At(clauses, at) * maskWords) {
    if (u32At(clauses, at) != 1) isSimple = false;
    required |= u32At(clauses, at + 1);
  }
}

/** Where a mask goes: versions with any of its bits are not found. */
export function excludedAt(): usize {
  hasExcluded = true;
  return excluded;
}

/** Whether a mask has all bits of one alternative of every clause. */
function matches(mask: usize): bool {
  let clause: u32 = 0;
  while (clause < clauseWords) {
    let left = u32At(clauses, clause++);
    const next = clause + left * maskWords;
    let holds = false;
    for (; left > 0 && !holds; left--) {
      holds = true;
      for (let word: u32 = 0; word < maskWords; word++) {
        const bits = u32At(clauses, clause + word);
        if ((u32At(mask, word) & bits) != bits) holds = false;
      }
      clause += maskWords;
    }
    if (!holds) return false;
    clause = next;
  }
  return true;
}

function isExcluded(mask: usize): bool {
  for (let word: u32 = 0; word < maskWords; word++)
    if ((u32At(mask, word) & u32At(excluded, word)) != 0) return true;
  return false;
}

/** Gives the bits of a list to a mask. */
// @ts-ignore: decorator
@inline
function mark(list: usize, mask: usize): void {
  if (maskWords == 1) {
    store<u32>(mask, load<u32>(mask) | load<u32>(list, BITS));
    return;
  }
  const pairs = <usize>load<u32>(list, MASKS);
  const count = load<u32>(list, MASK_COUNT);
  for (let i: u32 = 0; i < count; i++) {
    const word = mask + ((<usize>u32At(pairs, 2 * i)) << 2);
    store<u32>(word, load<u32>(word) | u32At(pairs, 2 * i + 1));
  }
}

/** Moves a list to the first block that ends at a version or after it; returns where it begins. */
function look(list: usize, version: u32): u32 {
  const lasts = <usize>load<u32>(list, LASTS);
  const blocks = load<u32>(list, BLOCKS);
  let low = load<u32>(list, CURRENT);
  if (low < blocks && u32At(lasts, low) < version) {
    let step: u32 = 1;
    while (low + step < blocks && u32At(lasts, low + step) < version) {
      low += step;
      step <<= 1;
    }
    let high = min(blocks, low + step);
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (u32At(lasts, middle) < version) low = middle;
      else high = middle;
    }
    low = high;
    store<u32>(list, low, CURRENT);
    store<u32>(list, 0, AT);
  }
  if (low >= blocks) return END;
  return low == 0 ? 0 : u32At(lasts, low - 1) + 1;
}

/** The most that a version up to `end` can get from a list that has postings there. */
function boundOf(list: usize, end: u32): f64 {
  const factor = load<f64>(list, FACTOR);
  if (factor == 0) return 0;
  const lasts = <usize>load<u32>(list, LASTS);
  const bounds = <usize>load<u32>(list, BOUNDS);
  const blocks = load<u32>(list, BLOCKS);
  let greatest: f64 = 0;
  for (let i = load<u32>(list, CURRENT); i < blocks; i++) {
    greatest = max(greatest, load<f64>(bounds + ((<usize>i) << 3)));
    if (u32At(lasts, i) >= end) break;
  }
  return factor * greatest;
}

function putInOrder(): void {
  for (let i: u32 = 0; i < listCount; i++) {
    const count = load<u32>(listAt(i), COUNT);
    let place = i;
    for (; place > 0; place--) {
      const before = u32At(order, place - 1);
      if (load<u32>(listAt(before), COUNT) <= count) break;
      setU32(order, place, before);
    }
    setU32(order, place, i);
  }
  isOrdered = true;
}

/**
 * Finds the next versions that match and can reach a score. Returns how many there are; -1 if there
 * are no more.
 */
export function scan(least: f64): i32 {
  if (!isOrdered) putInOrder();
  results = 0;
  while (position < versions && results < ENOUGH) {
    const from = position;
    const end = min(versions - 1, from + window - 1);
    if (results + (end + 1 - from) > WINDOW) break;
    memory.fill(present, 0, (<usize>maskWords) << 2);
    let bound: f64 = 0;
    for (let i: u32 = 0; i < listCount; i++) {
      const list = listAt(i);
      const first = look(list, from);
      store<u32>(list, first, FIRST);
      store<u32>(list, 0, ENTRY_COUNT);
      store<u32>(list, 0, IS_SOURCE);
      if (first > end) continue;
      mark(list, present);
      const most = boundOf(list, end);
      store<f64>(list, most, BOUND);
      bound += most;
    }
    if (!matches(present)) {
      position = firstAfter(end);
      continue;
    }
    position = end + 1;
    if (bound >= least) find(from, end, least, bound);
  }
  return results == 0 && position >= versions ? -1 : <i32>results;
}

/** The first version after a window that may be in any list. */
function firstAfter(end: u32): u32 {
  let first: u32 = END;
  for (let i: u32 = 0; i < listCount; i++) first = min(first, look(listAt(i), end + 1));
  return max(first, end + 1);
}

/** Marks the lists that candidates come from; returns the most that these give to a version. */
function chooseSources(end: u32, least: f64): f64 {
  // A version in none of the others cannot reach the score: these are left out from the longest on.
  let rest: f64 = 0;
  let essential = listCount;
  for (; essential > 0; essential--) {
    const list = listAt(u32At(order, essential - 1));
    if (load<u32>(list, FIRST) > end) continue;
    const most = load<f64>(list, BOUND);
    if (rest + most >= least) break;
    rest += most;
  }
  let inEssential: u64 = 0;
  let inDriving: u64 = 0;
  for (let i: u32 = 0; i < listCount; i++) {
    const list = listAt(u32At(order, i));
    if (load<u32>(list, FIRST) > end) continue;
    const count = <u64>load<u32>(list, COUNT);
    if (i < essential) inEssential += count;
    if (load<u32>(list, DRIVES) != 0) inDriving += count;
  }
  let sources: f64 = 0;
  for (let i: u32 = 0; i < listCount; i++) {
    const list = listAt(u32At(order, i));
    if (load<u32>(list, FIRST) > end) continue;
    if (inEssential < inDriving ? i >= essential : load<u32>(list, DRIVES) == 0) continue;
    store<u32>(list, 1, IS_SOURCE);
    sources += load<f64>(list, BOUND);
  }
  return sources;
}

/** Adds the versions of a window that match and reach a score to the results. */
function find(from: u32, end: u32, least: f64, bound: f64): void {
  memory.fill(masks, 0, (<usize>((end + 1 - from) * maskWords)) << 2);
  candidates = 0;
  // What versions may still get from lists that were not looked at.
  let rest = bound - chooseSources(end, least);
  for (let i: u32 = 0; i < listCount; i++)
    if (load<u32>(listAt(i), IS_SOURCE) != 0) collect(listAt(i), from, end, true);
  for (let i: u32 = 0; i < listCount && candidates > 0; i++) {
    const list = listAt(u32At(order, i));
    if (load<u32>(list, FIRST) > end || load<u32>(list, IS_SOURCE) != 0) continue;
    // Short lists are looked at sooner than candidates.
    if (<u64>load<u32>(list, COUNT) * <u64>window > <u64>(candidates >> 2) * <u64>versions)
      prune(least - rest);
    if (candidates == 0) return;
    collect(list, from, end, false);
    rest -= load<f64>(list, BOUND);
  }
  prune(least);
  const count = match();
  if (count == 0) return;
  for (let i: u32 = 0; i < listCount; i++) addScores(listAt(i));
  for (let i: u32 = 0; i < count; i++) {
    const place = u32At(PLACES, i);
    const score = load<f64>(SCORES + ((<usize>place) << 3));
    store<u8>(MATCHED + <usize>place, 0);
    if (score < least) continue;
    setU32(RESULT_VERSIONS, results, from + place);
    store<f64>(RESULT_SCORES + ((<usize>results) << 3), score);
    results++;
  }
}

/** How many versions of the window are candidates, at `PLACES`. */
let candidates: u32 = 0;

/** Drops the candidates that have less than a score so far; sums may differ by rounding. */
function prune(least: f64): void {
  const slack = least - 1e-9 * abs(least) - 1e-12;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < candidates; i++) {
    const place = u32At(PLACES, i);
    if (load<f64>(PARTIAL + ((<usize>place) << 3)) < slack) store<u8>(MATCHED + <usize>place, 0);
    else setU32(PLACES, kept++, place);
  }
  candidates = kept;
}

/** Whether there is a candidate from one place of the window to another. */
function hasCandidate(first: u32, last: u32): bool {
  let at = MATCHED + <usize>first;
  const stop = MATCHED + <usize>last + 1;
  for (; at + 8 <= stop; at += 8) if (load<u64>(at) != 0) return true;
  for (; at < stop; at++) if (load<u8>(at) != 0) return true;
  return false;
}

/** Where the first posting of a decoded block behind a version is, from a place on. */
function firstBehind(ids: usize, from: u32, n: u32, version: u32): u32 {
  let low = from;
  let high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (u32At(ids, middle) <= version) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Notes at `hits` which postings of a decoded block count: of a source those of valid versions, of
 * another list those of candidates. Returns how many. Without a branch: whether one counts cannot
 * be foretold.
 */
function findHits(ids: usize, first: u32, stop: u32, flags: usize): u32 {
  let count: u32 = 0;
  for (let i = first; i < stop; i++) {
    setU32(hits, count, i);
    count += <u32>load<u8>(flags + <usize>u32At(ids, i));
  }
  return count;
}

/** Makes a version of the window a candidate, if it is none. */
// @ts-ignore: decorator
@inline
function addCandidate(place: u32): void {
  const matched = MATCHED + <usize>place;
  const isNew = 1 - <u32>load<u8>(matched);
  const sum = PARTIAL + ((<usize>place) << 3);
  setU32(PLACES, candidates, place);
  candidates += isNew;
  store<f64>(sum, isNew != 0 ? 0 : load<f64>(sum));
  store<u8>(matched, 1);
}

/** Looks at the postings of a list in a window: those of candidates count, which a source makes. */
function collect(list: usize, from: u32, end: u32, isSource: bool): void {
  const blocks = load<u32>(list, BLOCKS);
  const count = load<u32>(list, COUNT);
  const ids = <usize>load<u32>(list, IDS);
  const lasts = <usize>load<u32>(list, LASTS);
  if (load<u32>(list, FIRST) > end) return;
  let current = load<u32>(list, CURRENT);
  let i = load<u32>(list, AT);
  for (; current < blocks; current++) {
    const last = u32At(lasts, current);
    const first: u32 = current == 0 ? 0 : u32At(lasts, current - 1) + 1;
    if (first > end) break;
    if (!isSource && !hasCandidate(max(first, from) - from, min(last, end) - from)) {
      if (last > end) break;
      i = 0;
      continue;
    }
    if (load<u32>(list, DECODED) != current) decode(list, current);
    const n = min(block, count - current * block);
    while (i < n && u32At(ids, i) < from) i++;
    const stop = last <= end ? n : firstBehind(ids, i, n, end);
    const found = findHits(ids, i, stop, isSource ? valid : MATCHED - <usize>from);
    if (found > 0) addHits(list, found, from, isSource);
    i = stop;
    if (i < n) break;
    i = 0;
  }
  store<u32>(list, current, CURRENT);
  store<u32>(list, i, AT);
}

/**
 * Adds the postings that `findHits` noted to the entries of a list, and to what is known of scores.
 */
function addHits(list: usize, found: u32, from: u32, isSource: bool): void {
  if (load<u32>(list, WITH_FREQUENCIES) != load<u32>(list, DECODED)) decodeFrequencies(list);
  const room = min(load<u32>(list, COUNT), WINDOW);
  const ids = <usize>load<u32>(list, IDS);
  const frequencies = <usize>load<u32>(list, FREQUENCIES);
  const entries = <usize>load<u32>(list, ENTRIES);
  const field = load<u32>(list, FIELD);
  const factor = load<f64>(list, FACTOR);
  let entry = load<u32>(list, ENTRY_COUNT);
  for (let hit: u32 = 0; hit < found && entry < room; hit++) {
    const i = u32At(hits, hit);
    const version = u32At(ids, i);
    const place = version - from;
    if (isSource) addCandidate(place);
    mark(list, masks + ((<usize>(place * maskWords)) << 2));
    if (factor == 0) continue;
    const score = scoreOf(factor, u32At(frequencies, i) + 1, normAt(field, version));
    const at = entries + ((<usize>entry) << 4);
    store<u32>(at, place);
    store<f64>(at, score, 8);
    entry++;
    const sum = PARTIAL + ((<usize>place) << 3);
    store<f64>(sum, load<f64>(sum) + score);
  }
  store<u32>(list, entry, ENTRY_COUNT);
}

/** Keeps the candidates that match; returns how many. */
function match(): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < candidates; i++) {
    const place = u32At(PLACES, i);
    const mask = masks + ((<usize>(place * maskWords)) << 2);
    store<u8>(MATCHED + <usize>place, 0);
    if (isSimple ? (load<u32>(mask) & required) != required : !matches(mask)) continue;
    if (hasExcluded && isExcluded(mask)) continue;
    setU32(PLACES, count++, place);
    store<u8>(MATCHED + <usize>place, 1);
    store<f64>(SCORES + ((<usize>place) << 3), 0);
  }
  return count;
}

function addScores(list: usize): void {
  const count = load<u32>(list, ENTRY_COUNT);
  let at = <usize>load<u32>(list, ENTRIES);
  const end = at + ((<usize>count) << 4);
  for (; at < end; at += 16) {
    const place = load<u32>(at);
    if (load<u8>(MATCHED + <usize>place) == 0) continue;
    const sum = SCORES + ((<usize>place) << 3);
    store<f64>(sum, load<f64>(sum) + load<f64>(at, 8));
  }
}
