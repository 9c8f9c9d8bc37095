/**
 * Measures a page: its words become 24 numbers (measures.ts).
 *
 *   body ─► fingerprint and words, in one pass ─► 24 values ─► sums of the site
 *
 * Idea      The pass that makes the fingerprint of a page has hashed its words already. What is
 *           left needs no string: look-ups of hashes, counts of trigrams of hashes, and the size of
 *           the text when deflated.
 * Requires  The words of a page as `fingerprintAndWords` gives them, before the next page is read.
 *           `METERED_TEXT` bytes of the text are enough.
 * Ensures   The same page and lists give the same values. They do not depend on earlier pages.
 * Cost      with the recording of words, about 50 µs for a page of the lab, beside 63 µs for
 *           its fingerprint; deflate is 15 of these. 1.5 MB of memory.
 */
import { deflater } from '../../../archive/compress/deflate.ts';
import { DrumlinError } from '../../../base/errors.ts';
import { WebAssembly } from '../../../base/web-assembly.ts';
import { fingerprintAndWords } from '../../../duplicates/fingerprint.ts';
import type { PageWords } from '../../../duplicates/page-words.ts';
import { FREQUENT, MEASURES, roundValues } from './measures.ts';
import { PAGE_KERNEL_WASM } from './page-kernel-wasm.ts';
import type { WordLists } from './word-lists.ts';
import { fillWordTable } from './word-table.ts';

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly RESULT: { readonly value: number };
  readonly INPUT: { readonly value: number };
  readonly REPEATED: { readonly value: number };
  readonly SHIFTS: { readonly value: number };
  readonly SLOTS: { readonly value: number };
  readonly COUNTERS: { readonly value: number };
  readonly ENDS: { readonly value: number };
  measure(words: number): void;
}

/** Classes of ranks: one for each number of frequent words, and one for all other words. */
const CLASSES = FREQUENT.length + 1;
const OTHER = FREQUENT.length;
const DISTINCT = 2 * CLASSES;
const TRIGRAMS = 4 * CLASSES;
const RESULTS = TRIGRAMS + 3;

/**
 * So many bytes of a text are deflated: otherwise most of the cost of a page would be deflate. A
 * meter needs no more of the text.
 */
export const METERED_TEXT = 4096;

let compiled: object | undefined;

/** Made once with the lists of a model; measures one page at a time. */
export class PageMeter {
  readonly #exports: Exports;
  readonly #input: BigUint64Array;
  readonly #counts: Uint32Array;
  /** How often each trigram that repeats occurs. */
  readonly #repeated: Uint32Array;
  /** How many words of each list there are, for each number of frequent words. */
  readonly #sizes: readonly number[];

  constructor({ collection, queries }: WordLists) {
    compiled ??= new WebAssembly.Module(PAGE_KERNEL_WASM);
    const instance = new WebAssembly.Instance(compiled);
    this.#exports = instance.exports as unknown as Exports;
    const { memory, INPUT, RESULT, REPEATED } = this.#exports;
    this.#input = new BigUint64Array(memory.buffer, INPUT.value, MOST_WORDS);
    this.#counts = new Uint32Array(memory.buffer, RESULT.value, RESULTS);
    this.#repeated = new Uint32Array(memory.buffer, REPEATED.value, MOST_WORDS / 2);
    this.#sizes = [collection, queries].flatMap(({ length }) =>
      FREQUENT.map((k) => Math.min(k, length)),
    );
    this.#learn(classesOf(collection), classesOf(queries));
  }

  #learn(ofCollection: ReadonlyMap<bigint, number>, ofQueries: ReadonlyMap<bigint, number>): void {
    const { memory, SHIFTS, SLOTS, COUNTERS, ENDS } = this.#exports;
    const hashes = [...new Set([...ofCollection.keys(), ...ofQueries.keys()])];
    const pairOf = (hash: bigint): number =>
      (ofCollection.get(hash) ?? OTHER) * CLASSES + (ofQueries.get(hash) ?? OTHER);
    fillWordTable(
      {
        shifts: new Uint8Array(memory.buffer, SHIFTS.value, SLOTS.value - SHIFTS.value),
        slots: new Uint32Array(memory.buffer, SLOTS.value, (COUNTERS.value - SLOTS.value) / 4),
        ends: new Uint32Array(memory.buffer, ENDS.value, CLASSES * CLASSES),
        counters: COUNTERS.value,
      },
      hashes.map((hash) => ({ hash, pair: pairOf(hash) })),
    );
  }

  /** The values of `MEASURES`, in their order. A new array. */
  measure(page: PageWords): Float64Array {
    const { hashes, text, textBytes, characters, anchorWords, titleWords, bytes } = page;
    this.#input.set(hashes);
    this.#exports.measure(hashes.length);
    const words = hashes.length;
    const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
    const values = new Float64Array(MEASURES.length);
    values[0] = words;
    values[1] = titleWords;
    values[2] = ratio(characters, words);
    values[3] = ratio(anchorWords, words);
    values[4] = ratio(textBytes - words, bytes);
    const beginning = text.subarray(0, METERED_TEXT);
    values[5] = words === 0 ? 0 : deflater().size(beginning) / beginning.length;
    this.#frequent(values, words);
    this.#trigrams(values);
    roundValues(values);
    return values;
  }

  /** Precision and recall, from the counts by class. */
  #frequent(values: Float64Array, words: number): void {
    let at = 6;
    for (let list = 0; list < 2; list++) {
      let found = 0;
      let distinct = 0;
      for (let k = 0; k < FREQUENT.length; k++) {
        const size = this.#sizes[list * FREQUENT.length + k];
        found += this.#counts[list * CLASSES + k];
        distinct += this.#counts[DISTINCT + list * CLASSES + k];
        values[at + k] = words === 0 ? 0 : found / words;
        values[at + FREQUENT.length + k] = size === 0 ? 0 : distinct / size;
      }
      at += 2 * FREQUENT.length;
    }
  }

  /** With counts c of T trigrams, −Σ p ln p is ln T − Σ c ln c / T; the other likewise. */
  #trigrams(values: Float64Array): void {
    const counts = this.#counts;
    const all = counts[TRIGRAMS];
    const distinct = counts[TRIGRAMS + 1];
    const repeated = counts[TRIGRAMS + 2];
    if (all === 0) return;
    let entropy = 0;
    let independence = 0;
    for (let i = 0; i < repeated; i++) {
      const count = this.#repeated[i];
      const logarithm = count < LOGARITHMS.length ? LOGARITHMS[count] : Math.log(count);
      entropy += count * logarithm;
      independence += logarithm;
    }
    values[22] = Math.log(all) - entropy / all;
    values[23] = Math.log(all) - independence / distinct;
  }
}

const MOST_WORDS = 65536;
const LOGARITHMS = Float64Array.from({ length: 256 }, (_, count) => Math.log(count));

/** The class of each word, by its hash. */
function classesOf(words: readonly string[]): Map<bigint, number> {
  const { hashes } = fingerprintAndWords(Buffer.from(words.join(' '))).words;
  if (hashes.length !== words.length || words.length > FREQUENT[OTHER - 1])
    throw new DrumlinError(
      'SPAM_MODEL',
      'The lists of frequent words are damaged.',
      'Make the features anew, and train the model with them.',
    );
  const classes = new Map<bigint, number>();
  for (const [rank, hash] of hashes.entries())
    classes.set(
      hash,
      FREQUENT.findIndex((k) => rank < k),
    );
  return classes;
}
