/**
 * Counts what the 24 numbers of a page need from the hashes of its words, in AssemblyScript: how
 * many are frequent in the collection and in queries, and how often each word trigram occurs.
 * test/spam/features/naive-content.ts is the same in plain TypeScript.
 *
 * Idea      Branches that depend on words are mispredicted, and tables beyond the first cache are
 *           slow. So a frequent word has a slot of its own (word-table.ts), and a counter is always
 *           increased: that of the word, or one for all others. Counters are in the order of
 *           classes, so that those of a class are added up in one run. A trigram is 32 bits in a
 *           bucket of four, which are compared at once. It is written whether it is new or not; the
 *           places of those that repeat are listed, and counted afterwards.
 * Requires  SHIFTS, SLOTS and ENDS as `fillWordTable` writes them. Hashes of at most 65,535 words
 *           at INPUT, where `measure` writes other numbers.
 * Ensures   exact, but for words and trigrams that are taken for others, with a probability of
 *           about 2^-32 each.
 * Cost      about 6 ns a word.
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

/** u8 for each group of words: which slots its words have. */
export const SHIFTS: usize = 4096;
const GROUPS: u32 = 1024;
/** u32 upper half of the hash of a frequent word, u32 address of its counter. */
export const SLOTS: usize = SHIFTS + GROUPS;
const SLOT_BITS: u32 = 12;
/** u16: how often the page has each frequent word, in the order of classes. */
export const COUNTERS: usize = SLOTS + (8 << SLOT_BITS);
const MOST_KNOWN: usize = 2000;
/** For all other words: 32 counters, because to increase the same one again and again is slow. */
const OTHERS: usize = COUNTERS + 2 * MOST_KNOWN;
const COUNTERS_END: usize = OTHERS + 2 * 32;
/** u32 for each pair of classes, in the collection and in queries: where its counters end. */
export const ENDS: usize = COUNTERS_END + 64;

/** u64 hashes of words. */
export const INPUT: usize = ENDS + 192;
const MOST_WORDS: usize = 65536;
/** u32 counts of the trigrams that repeat. */
export const REPEATED: usize = INPUT + 8 * MOST_WORDS + 64;
/**
 * u32: trigrams of the page, in buckets of four; at most a third is filled unless the page is very
 * long.
 */
const TABLE: usize = REPEATED + 4 * (MOST_WORDS / 2);
const MOST_SLOTS: u32 = 131072;
/** u16 for each trigram: how often it was repeated; zero between pages. */
const REPEATS: usize = TABLE + 4 * 2 * MOST_WORDS;

const P1: u64 = 0x9e3779b185ebca87;

/** Counts everything in the first `words` hashes. */
export function measure(words: u32): void {
  memory.fill(RESULT, 0, TRIGRAMS + 12);
  const end = INPUT + ((<usize>words) << 3);
  for (let at: usize = INPUT; at < end; at += 8) {
    const hash = load<u64>(at);
    const group = <usize>(hash >> 40) & (GROUPS - 1);
    const factor = (<u32>load<u8>(group, SHIFTS) * 0x9e3779b1) | 1;
    const slot = <usize>((<u32>hash * factor) >>> (32 - SLOT_BITS)) << 3;
    const isFrequent = load<u32>(slot, SLOTS) == <u32>(hash >> 32);
    const counter = select<usize>(
      <usize>load<u32>(slot, SLOTS + 4),
      OTHERS + ((group & 31) << 1),
      isFrequent,
    );
    store<u16>(counter, load<u16>(counter) + 1);
  }
  collect();
  if (words >= 3) trigrams(words - 2);
}

// @ts-ignore: decorator
@inline
function add(place: usize, value: u32): void {
  store<u32>(place, load<u32>(place, RESULT) + value, RESULT);
}

/** Adds up the counters of frequent words by class, and sets them to zero. */
function collect(): void {
  let at = COUNTERS;
  for (let pair: usize = 0; pair < CLASSES * CLASSES; pair++) {
    const end = <usize>load<u32>(pair << 2, ENDS);
    let sum: u32 = 0;
    let distinct: u32 = 0;
    for (; at < end; at += 2) {
      const count = <u32>load<u16>(at);
      sum += count;
      distinct += u32(count != 0);
    }
    const ofCollection = (pair / CLASSES) << 2;
    const ofQueries = ((pair % CLASSES) + CLASSES) << 2;
    add(ofCollection, sum);
    add(ofQueries, sum);
    add(DISTINCT + ofCollection, distinct);
    add(DISTINCT + ofQueries, distinct);
  }
  memory.fill(COUNTERS, 0, COUNTERS_END - COUNTERS);
}

/** The entries of a bucket that are the trigram or empty, as bits. */
// @ts-ignore: decorator
@inline
function fitting(bucket: u32, keys: v128): i32 {
  const entries = v128.load(<usize>bucket, TABLE);
  return i32x4.bitmask(v128.or(i32x4.eq(entries, keys), i32x4.eq(entries, i32x4.splat(0))));
}

function trigrams(all: u32): void {
  let slots: u32 = 64;
  while (slots < 3 * all && slots < MOST_SLOTS) slots <<= 1;
  memory.fill(TABLE, 0, (<usize>slots) << 2);
  const mask = (slots - 4) << 2;
  // Places of trigrams that repeat; they take less room than the hashes that were read.
  let again: usize = INPUT;
  const end = INPUT + ((<usize>all) << 3);
  let first = load<u64>(INPUT);
  let second = load<u64>(INPUT, 8);
  for (let at: usize = INPUT; at < end; at += 8) {
    const third = load<u64>(at, 16);
    const hash = (first ^ rotl<u64>(second, 21) ^ rotl<u64>(third, 42)) * P1;
    first = second;
    second = third;
    const key = <u32>(hash >> 32) | 1;
    const keys = i32x4.splat(key);
    let bucket = <u32>(hash >> 12) & mask;
    let fits = fitting(bucket, keys);
    while (fits == 0) {
      bucket = (bucket + 16) & mask;
      fits = fitting(bucket, keys);
    }
    // A bucket is filled from its beginning: what is empty comes after the trigram.
    const place = bucket + (<u32>ctz(fits) << 2);
    const entry = load<u32>(<usize>place, TABLE);
    // Without a branch: whether a trigram repeats cannot be predicted.
    store<u32>(<usize>place, key, TABLE);
    store<u32>(again, place);
    again += usize(entry != 0) << 2;
  }
  const distinct = all - (<u32>(again - INPUT) >>> 2);
  let repeats: usize = REPEATED;
  for (let at: usize = INPUT; at < again; at += 4) {
    const place = load<u32>(at);
    const counter = <usize>place >> 1;
    const count = <u32>load<u16>(counter, REPEATS);
    store<u16>(counter, <u16>(count + 1), REPEATS);
    store<u32>(repeats, place);
    repeats += usize(count == 0) << 2;
  }
  for (let at: usize = REPEATED; at < repeats; at += 4) {
    const counter = <usize>load<u32>(at) >> 1;
    store<u32>(at, <u32>load<u16>(counter, REPEATS) + 1);
    store<u16>(counter, 0, REPEATS);
  }
  store<u32>(RESULT + TRIGRAMS, all);
  store<u32>(RESULT + TRIGRAMS, distinct, 4);
  store<u32>(RESULT + TRIGRAMS, <u32>(repeats - REPEATED) >>> 2, 8);
}
