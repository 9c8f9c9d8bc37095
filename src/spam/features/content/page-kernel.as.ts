/**
 * Counts what the 24 numbers of a page need from the hashes of its words, in AssemblyScript: how
 * many are frequent in the collection and in queries, and how often each word trigram occurs.
 * test/spam/features/naive-content.ts is the same in plain TypeScript.
 *
 * Idea      One table holds the frequent words of both lists with the class of their ranks; one
 *           table of the page counts trigrams. An entry of it is the upper 48 bits of a hash and a
 *           count; its place follows from the lower bits.
 * Requires  `forget`, then `know` for each frequent word, once. Hashes of at most 65,536 words at
 *           INPUT.
 * Ensures   exact, but for words and trigrams with equal hashes, with probability 2^-64.
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

/** Frequent words: u64 hash, u8 class in the collection, u8 class in queries, u32 last page. */
const SLOT_BYTES: usize = 16;
const SLOTS: u32 = 8192;
const FREQUENT: usize = 1024;
/** u64 hashes of words. */
export const INPUT: usize = FREQUENT + SLOT_BYTES * SLOTS;
const MOST_WORDS: usize = 65536;
/** u32 counts of the trigrams that repeat. */
export const REPEATED: usize = INPUT + 8 * MOST_WORDS + 64;
/** u64: trigrams of the page. */
const TABLE: usize = REPEATED + 4 * (MOST_WORDS / 2);
const COUNT: u64 = 0xffff;

const P1: u64 = 0x9e3779b185ebca87;

let page: u32 = 0;

/** Forgets all frequent words. */
export function forget(): void {
  memory.fill(FREQUENT, 0, SLOT_BYTES * SLOTS);
  page = 0;
}

// @ts-ignore: decorator
@inline
function slotOf(hash: u64): usize {
  return FREQUENT + ((<usize>hash & (SLOTS - 1)) << 4);
}

/** The slot of a frequent word, or an empty one. */
// @ts-ignore: decorator
@inline
function find(hash: u64): usize {
  let slot = slotOf(hash);
  while (true) {
    const key = load<u64>(slot);
    if (key == hash || key == 0) return slot;
    slot += SLOT_BYTES;
    if (slot == INPUT) slot = FREQUENT;
  }
}

/** Adds a frequent word with its classes. At most 2,000. */
export function know(hash: u64, ofCollection: u32, ofQueries: u32): void {
  const slot = find(hash);
  store<u64>(slot, hash);
  store<u8>(slot, <u8>ofCollection, 8);
  store<u8>(slot, <u8>ofQueries, 9);
}

// @ts-ignore: decorator
@inline
function count(place: usize): void {
  store<u32>(place, load<u32>(place, RESULT) + 1, RESULT);
}

/** Counts everything in the first `words` hashes. */
export function measure(words: u32): void {
  memory.fill(RESULT, 0, TRIGRAMS + 12);
  page++;
  const end = INPUT + ((<usize>words) << 3);
  for (let at: usize = INPUT; at < end; at += 8) {
    const slot = find(load<u64>(at));
    if (load<u64>(slot) == 0) continue;
    const ofCollection = <usize>load<u8>(slot, 8) << 2;
    const ofQueries = (<usize>load<u8>(slot, 9) + CLASSES) << 2;
    count(ofCollection);
    count(ofQueries);
    if (load<u32>(slot, 12) != page) {
      store<u32>(slot, page, 12);
      count(DISTINCT + ofCollection);
      count(DISTINCT + ofQueries);
    }
  }
  if (words >= 3) trigrams(words - 2);
}

function trigrams(all: u32): void {
  let slots: u32 = 64;
  while (slots < 2 * all) slots <<= 1;
  memory.fill(TABLE, 0, (<usize>slots) << 3);
  const mask = slots - 1;
  let distinct: u32 = 0;
  let repeats: usize = REPEATED;
  const end = INPUT + ((<usize>all) << 3);
  for (let at: usize = INPUT; at < end; at += 8) {
    let hash = (load<u64>(at) ^ rotl<u64>(load<u64>(at, 8), 21) ^ rotl<u64>(load<u64>(at, 16), 42)) * P1;
    hash ^= hash >> 32;
    let place = <u32>hash & mask;
    while (true) {
      const slot = TABLE + ((<usize>place) << 3);
      const entry = load<u64>(slot);
      if (entry == 0) {
        store<u64>(slot, (hash & ~COUNT) | 1);
        distinct++;
        break;
      }
      if (((entry ^ hash) & ~COUNT) == 0) {
        store<u64>(slot, entry + 1);
        if ((entry & COUNT) == 1) {
          store<u32>(repeats, place);
          repeats += 4;
        }
        break;
      }
      place = (place + 1) & mask;
    }
  }
  for (let at: usize = REPEATED; at < repeats; at += 4) {
    store<u32>(at, <u32>(load<u64>(TABLE + ((<usize>load<u32>(at)) << 3)) & COUNT));
  }
  store<u32>(RESULT + TRIGRAMS, all);
  store<u32>(RESULT + TRIGRAMS, distinct, 4);
  store<u32>(RESULT + TRIGRAMS, <u32>(repeats - REPEATED) >>> 2, 8);
}
