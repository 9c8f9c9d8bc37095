/**
 * Counts what the 24 numbers of a page need from the hashes of its words, in AssemblyScript: how
 * many are frequent in the collection and in queries, and how often each word trigram occurs.
 * test/spam/features/naive-content.ts is the same in plain TypeScript.
 *
 * Idea      Branches that depend on words are mispredicted, and tables beyond the first cache are
 *           slow. So a word is compared with the eight words of its bucket at once, and a counter
 *           is always increased: that of the word, or one for all others. A trigram is 32 bits in a
 *           table of the page, written whether it is new or not; the places of those that repeat
 *           are listed, and counted afterwards.
 * Requires  `forget`, then `know` for each frequent word, once. Hashes of at most 65,535 words at
 *           INPUT, where `measure` writes other numbers.
 * Ensures   exact, but for words and trigrams that are taken for others, with a probability of
 *           about 2^-32 each.
 * Cost      about 9 ns a word.
 *
 * `npm run kernels` compiles it into page-kernel-wasm.ts.
 */

/** Classes of ranks: among the first 100, 200, 500, 1,000 words, or none of them. */
const CLASSES: usize = 5;
/**
 * u32: words of each class of the collection, of queries; distinct words of each; trigrams,
 * distinct trigrams, and those that repeat.
 */
export const RESULT: usize = 64;
const DISTINCT: usize = 4 * 2 * CLASSES;
const TRIGRAMS: usize = 2 * DISTINCT;

/** Buckets of eight words: u32 × 8, the upper halves of their hashes. */
const BUCKETS: u32 = 1024;
const ROOM: u32 = 8;
const KEYS: usize = 4096;
/** u16: how often the page has each word of a bucket; a ninth for all words that are not frequent. */
const COUNTERS: usize = KEYS + 4 * ROOM * BUCKETS;
const COUNTERS_END: usize = COUNTERS + 2 * (ROOM + 1) * BUCKETS;
/** Frequent words: u32 number of the counter, u8 class in the collection, u8 class in queries. */
const KNOWN: usize = COUNTERS_END + 64;
const KNOWN_BYTES: usize = 8;
const MOST_KNOWN: usize = 2000;

/** u64 hashes of words. */
export const INPUT: usize = KNOWN + KNOWN_BYTES * MOST_KNOWN + 64;
const MOST_WORDS: usize = 65536;
/** u32 counts of the trigrams that repeat. */
export const REPEATED: usize = INPUT + 8 * MOST_WORDS + 64;
/** u32: trigrams of the page, in a quarter of the slots or less unless the page is very long. */
const TABLE: usize = REPEATED + 4 * (MOST_WORDS / 2);
const MOST_SLOTS: u32 = 131072;
/** u16 for each trigram: how often it was repeated; zero between pages. */
const REPEATS: usize = TABLE + 4 * 2 * MOST_WORDS;

const P1: u64 = 0x9e3779b185ebca87;

let known: u32 = 0;
let turn: u64 = 0;

/** Forgets all frequent words. Buckets are chosen in another way for each `way`. */
export function forget(way: u32): void {
  memory.fill(KEYS, 0, 4 * ROOM * BUCKETS);
  memory.fill(COUNTERS, 0, COUNTERS_END - COUNTERS);
  known = 0;
  turn = <u64>way;
}

// @ts-ignore: decorator
@inline
function bucketOf(hash: u64): u32 {
  return <u32>(hash >> turn) & (BUCKETS - 1);
}

/** Adds a frequent word with its classes; false if its bucket is full. At most 2,000. */
export function know(hash: u64, ofCollection: u32, ofQueries: u32): bool {
  const first = bucketOf(hash) * ROOM;
  for (let slot = first; slot < first + ROOM; slot++) {
    const place = KEYS + ((<usize>slot) << 2);
    if (load<u32>(place) != 0) continue;
    store<u32>(place, <u32>(hash >> 32) | 1);
    const about = KNOWN + KNOWN_BYTES * <usize>known;
    known++;
    store<u32>(about, slot + slot / ROOM); // a bucket has nine counters
    store<u8>(about, <u8>ofCollection, 4);
    store<u8>(about, <u8>ofQueries, 5);
    return true;
  }
  return false;
}

// @ts-ignore: decorator
@inline
function add(place: usize, value: u32): void {
  store<u32>(place, load<u32>(place, RESULT) + value, RESULT);
}

/** Counts everything in the first `words` hashes. */
export function measure(words: u32): void {
  memory.fill(RESULT, 0, TRIGRAMS + 12);
  const end = INPUT + ((<usize>words) << 3);
  for (let at: usize = INPUT; at < end; at += 8) {
    const hash = load<u64>(at);
    const key = i32x4.splat(<u32>(hash >> 32) | 1);
    const bucket = bucketOf(hash);
    const keys = KEYS + ((<usize>bucket) << 5);
    const hits =
      i32x4.bitmask(i32x4.eq(v128.load(keys), key)) |
      (i32x4.bitmask(i32x4.eq(v128.load(keys, 16), key)) << 4);
    const slot = bucket * (ROOM + 1) + <u32>ctz(hits | (1 << ROOM));
    const counter = COUNTERS + ((<usize>slot) << 1);
    store<u16>(counter, load<u16>(counter) + 1);
  }
  collect();
  if (words >= 3) trigrams(words - 2);
}

/** Adds up the counters of frequent words by class, and sets them to zero. */
function collect(): void {
  const end = KNOWN + KNOWN_BYTES * <usize>known;
  for (let about = KNOWN; about < end; about += KNOWN_BYTES) {
    const counter = COUNTERS + ((<usize>load<u32>(about)) << 1);
    const count = <u32>load<u16>(counter);
    if (count == 0) continue;
    store<u16>(counter, 0);
    const ofCollection = <usize>load<u8>(about, 4) << 2;
    const ofQueries = (<usize>load<u8>(about, 5) + CLASSES) << 2;
    add(ofCollection, count);
    add(ofQueries, count);
    add(DISTINCT + ofCollection, 1);
    add(DISTINCT + ofQueries, 1);
  }
}

function trigrams(all: u32): void {
  let slots: u32 = 64;
  while (slots < 4 * all && slots < MOST_SLOTS) slots <<= 1;
  memory.fill(TABLE, 0, (<usize>slots) << 2);
  const mask = slots - 1;
  // Places of trigrams that repeat; they take less room than the hashes that were read.
  let again: usize = INPUT;
  const end = INPUT + ((<usize>all) << 3);
  for (let at: usize = INPUT; at < end; at += 8) {
    let hash = (load<u64>(at) ^ rotl<u64>(load<u64>(at, 8), 21) ^ rotl<u64>(load<u64>(at, 16), 42)) * P1;
    hash ^= hash >> 29;
    const key = <u32>(hash >> 32) | 1;
    let place = <u32>hash & mask;
    let slot = TABLE + ((<usize>place) << 2);
    let entry = load<u32>(slot);
    while (u32(entry != 0) & u32(entry != key)) {
      place = (place + 1) & mask;
      slot = TABLE + ((<usize>place) << 2);
      entry = load<u32>(slot);
    }
    // Without a branch: whether a trigram repeats cannot be predicted.
    store<u32>(slot, key);
    store<u32>(again, place);
    again += usize(entry != 0) << 2;
  }
  const distinct = all - (<u32>(again - INPUT) >>> 2);
  let repeats: usize = REPEATED;
  for (let at: usize = INPUT; at < again; at += 4) {
    const place = load<u32>(at);
    const counter = REPEATS + ((<usize>place) << 1);
    const count = <u32>load<u16>(counter);
    store<u16>(counter, <u16>(count + 1));
    store<u32>(repeats, place);
    repeats += usize(count == 0) << 2;
  }
  for (let at: usize = REPEATED; at < repeats; at += 4) {
    const counter = REPEATS + ((<usize>load<u32>(at)) << 1);
    store<u32>(at, <u32>load<u16>(counter) + 1);
    store<u16>(counter, 0);
  }
  store<u32>(RESULT + TRIGRAMS, all);
  store<u32>(RESULT + TRIGRAMS, distinct, 4);
  store<u32>(RESULT + TRIGRAMS, <u32>(repeats - REPEATED) >>> 2, 8);
}
