/**
 * The content of a page in a hundred bytes: equal for equal pages, nearly equal for nearly equal
 * pages.
 *
 * Idea      Two summaries, made in one pass over the bytes of a page. The **signature** is
 *           BUbiNG's: a hash of the words without their digits and of the tags without their
 *           attributes. It stays the same if only dates, counters and targets of links change. The
 *           **sketch** is for pages that differ a little more: minhash by one permutation. Every
 *           three words in a row are a shingle. Its hash selects one of 128 places, and each place
 *           keeps four bits of its least hash. The share of places in which two pages agree
 *           estimates the share of shingles that they have in common, their resemblance (Broder).
 *           The **bands** are hashes of three whole minima each: pages that share one are worth
 *           comparing.
 * Requires  HTML in an encoding that contains ASCII. Nothing else: any bytes are accepted.
 * Ensures   The same bytes give the same fingerprint, in every process and version of the format;
 *           time is linear. Words are runs of letters, digits and bytes beyond ASCII, in lower
 *           case; a character of an East Asian script is a word. Scripts, styles, comments and the
 *           text of links are skipped, because menus are links. But a page with fewer than 32 other
 *           words consists of its links, and is read with them. Only the first 512 KiB are read.
 * Cost      55 to 85 µs for a page of 25 KB on a busy machine, about as much as finding its links;
 *           1.2 MB of memory per thread, of which pages without recorded words touch half.
 */
import { WebAssembly } from '../base/web-assembly.ts';
import { FINGERPRINT_WASM } from './fingerprint-wasm.ts';
import type { PageWords } from './page-words.ts';

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly RESULT: { readonly value: number };
  readonly MINIMA: { readonly value: number };
  readonly INPUT: { readonly value: number };
  readonly INPUT_BYTES: { readonly value: number };
  readonly TEXT: { readonly value: number };
  readonly HASHES: { readonly value: number };
  read(length: number, withLinks: boolean, keptText: number): void;
}

const PLACES = 128;
const BITS = 4;
/** The length of a sketch in words of 32 bits. */
export const SKETCH_WORDS = (PLACES * BITS) / 32;
export const BANDS = 12;
const ROWS = 3;
/** A page with fewer words outside links counts as a list of links. */
const FEW_WORDS = 32;
/**
 * The least similarity of two texts that count as the same: much stricter than for a
 * near-duplicate, because whole folders depend on it.
 */
export const SAME_TEXT = 0.9;
const EMPTY = 0xffffffff;
const PADDING = 80;
/** As many bytes of text as are recorded, or more. */
const ALL_TEXT = 2 ** 17;

export interface Fingerprint {
  readonly signature: bigint;
  /** Eight places per element, the first in the lowest bits. */
  readonly sketch: Uint32Array;
  readonly bands: Uint32Array;
  /** The number of words in the sketch. */
  readonly words: number;
  /**
   * The number of places with a shingle: for a short page, the number of different shingles. With
   * very few a sketch means little.
   */
  readonly distinct: number;
}

class Fingerprinter {
  readonly #read: Exports['read'];
  readonly #input: Uint8Array;
  readonly #room: number;
  readonly #minima: Uint32Array;
  readonly #signature: BigUint64Array;
  /** Words of the sketch; recorded words, their bytes and characters, those in links and title. */
  readonly #counts: Uint32Array;
  readonly #text: number;
  readonly #hashes: number;

  constructor() {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(FINGERPRINT_WASM));
    const { memory, RESULT, MINIMA, INPUT, INPUT_BYTES, TEXT, HASHES, read } =
      instance.exports as unknown as Exports;
    this.#read = read;
    this.#text = TEXT.value;
    this.#hashes = HASHES.value;
    this.#room = INPUT_BYTES.value;
    this.#input = new Uint8Array(memory.buffer, INPUT.value, this.#room + PADDING);
    this.#minima = new Uint32Array(memory.buffer, MINIMA.value, PLACES);
    this.#signature = new BigUint64Array(memory.buffer, RESULT.value, 1);
    this.#counts = new Uint32Array(memory.buffer, RESULT.value + 8, 6);
  }

  /** The words that were recorded with the last page. */
  words(body: Uint8Array, { sketch, distinct }: Fingerprint, keptText: number): PageWords {
    const counts = this.#counts;
    return {
      sketch,
      distinct,
      hashes: new BigUint64Array(counts.buffer, this.#hashes, counts[1]),
      text: new Uint8Array(counts.buffer, this.#text, Math.min(counts[2], keptText)),
      textBytes: counts[2],
      characters: counts[3],
      anchorWords: counts[4],
      titleWords: counts[5],
      bytes: Math.min(body.length, this.#room),
    };
  }

  read(body: Uint8Array, keptText: number): Fingerprint {
    const length = Math.min(body.length, this.#room);
    this.#input.set(length < body.length ? body.subarray(0, length) : body);
    this.#input.fill(0, length, length + PADDING);
    this.#read(length, false, keptText);
    if (this.#counts[0] < FEW_WORDS) this.#read(length, true, 0);
    const words = this.#counts[0];
    const distinct = filledPlaces(this.#minima);
    const minima = distinct === 0 ? this.#minima : filledUp(this.#minima);
    const signature = this.#signature[0];
    return { signature, sketch: sketchOf(minima), bands: bandsOf(minima), words, distinct };
  }
}

let shared: Fingerprinter | undefined;

/** The fingerprint of a page's decoded body. */
export function fingerprintOf(body: Uint8Array): Fingerprint {
  shared ??= new Fingerprinter();
  return shared.read(body, 0);
}

/**
 * The fingerprint of a page's decoded body, and its words, which are valid until the next call. To
 * copy the text costs time: `keptText` is how many bytes of it are wanted, by default all.
 */
export function fingerprintAndWords(
  body: Uint8Array,
  keptText = ALL_TEXT,
): { fingerprint: Fingerprint; words: PageWords } {
  shared ??= new Fingerprinter();
  const fingerprint = shared.read(body, keptText);
  return { fingerprint, words: shared.words(body, fingerprint, keptText) };
}

/**
 * Estimates the share of shingles that two pages have in common, from their sketches: 0 to 1,
 * standard deviation 0.04.
 */
export function similarity(
  one: Uint32Array,
  oneAt: number,
  other: Uint32Array,
  otherAt: number,
): number {
  let differing = 0;
  for (let i = 0; i < SKETCH_WORDS; i++) {
    let bits = one[oneAt + i] ^ other[otherAt + i];
    bits |= bits >>> 2;
    bits |= bits >>> 1;
    bits &= 0x11111111;
    // The sum of the eight nibbles, each 0 or 1.
    bits = (bits + (bits >>> 4)) & 0x03030303;
    differing += Math.imul(bits, 0x01010101) >>> 24;
  }
  // One place in sixteen agrees by chance.
  return Math.max(0, 1 - ((differing / PLACES) * 16) / 15);
}

function filledPlaces(minima: Uint32Array): number {
  let filled = 0;
  for (let place = 0; place < PLACES; place++) if (minima[place] !== EMPTY) filled++;
  return filled;
}

/**
 * A page of few words leaves places empty. Each gets the least hash of another place, chosen in the
 * same way for every page ("optimal densification", Shrivastava). So equal sets have equal
 * sketches, and similar sets similar ones.
 */
function filledUp(minima: Uint32Array): Uint32Array {
  const filled = minima.slice();
  for (let place = 0; place < PLACES; place++) {
    if (minima[place] !== EMPTY) continue;
    let other = place;
    for (let attempt = 1; minima[other] === EMPTY; attempt++) other = elsewhere(place, attempt);
    filled[place] = minima[other];
  }
  return filled;
}

/**
 * After as many attempts as there are places, tries them in turn, so that one that is not empty is
 * found.
 */
function elsewhere(place: number, attempt: number): number {
  if (attempt > PLACES) return attempt % PLACES;
  const product = Math.imul(place * PLACES + attempt, 0x9e3779b1);
  return Math.imul(product ^ (product >>> 15), 0x85ebca77) >>> 25;
}

function sketchOf(minima: Uint32Array): Uint32Array {
  const sketch = new Uint32Array(SKETCH_WORDS);
  for (let place = 0; place < PLACES; place++) {
    sketch[place >>> 3] |= (minima[place] & 15) << ((place & 7) * BITS);
  }
  return sketch;
}

function bandsOf(minima: Uint32Array): Uint32Array {
  const bands = new Uint32Array(BANDS);
  for (let band = 0; band < BANDS; band++) {
    let hash = band + 1;
    for (let row = 0; row < ROWS; row++) {
      hash = Math.imul(hash ^ minima[band * ROWS + row], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    bands[band] = hash;
  }
  return bands;
}
