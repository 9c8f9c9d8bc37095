/**
 * What a page is about, in a hundred bytes: equal for equal pages, and nearly equal for nearly equal ones.
 *
 * Idea      Two summaries, made in one pass over the bytes of a page.
 *           The **signature** is BUbiNG's: a hash of the words without their digits and of the tags without their attributes. It stays
 *           the same when only dates, counters and the targets of links change.
 *           The **sketch** is for pages that differ a little more: minhash by one permutation. Every three words in a row are a
 *           shingle; its hash says in which of 128 places it counts, and of each place the least hash is kept, four bits of it. Two
 *           pages agree in as many places as they have shingles in common: the share estimates their resemblance (Broder).
 *           The **bands** are hashes of three whole minima each: pages that share one are worth comparing.
 * Requires  HTML in an encoding where ASCII is ASCII. Nothing else: whatever the bytes are, they are read.
 * Ensures   the same bytes give the same fingerprint, in every process and version of the format; time is linear.
 *           Words are runs of letters, digits and bytes beyond ASCII, in lower case; a character of an East Asian script is a word.
 *           Scripts, styles, comments and the text of links are left out, because menus are links; but a page with fewer than 32
 *           other words is its links, and is read with them. Only the first 512 KiB are read.
 * Cost      55 to 85 µs for a page of 25 KB on a busy machine, about as much as finding its links; 576 KiB of memory a thread.
 */
import { WebAssembly } from '../base/web-assembly.ts';
import { FINGERPRINT_WASM } from './fingerprint-wasm.ts';

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly RESULT: { readonly value: number };
  readonly MINIMA: { readonly value: number };
  readonly INPUT: { readonly value: number };
  readonly INPUT_BYTES: { readonly value: number };
  read(length: number, withLinks: boolean): void;
}

const PLACES = 128;
const BITS = 4;
/** In words of 32 bits. */
export const SKETCH_WORDS = (PLACES * BITS) / 32;
export const BANDS = 12;
const ROWS = 3;
/** A page with fewer words outside links is taken for a list of links. */
const FEW_WORDS = 32;
/** Texts that agree less are not one text: much stricter than a near-duplicate, because whole folders hang on it. */
export const SAME_TEXT = 0.9;
const EMPTY = 0xffffffff;
const PADDING = 80;

export interface Fingerprint {
  readonly signature: bigint;
  /** Eight places a word, the first in the lowest bits. */
  readonly sketch: Uint32Array;
  readonly bands: Uint32Array;
  /** How many words the sketch is made of. */
  readonly words: number;
  /** In how many places there was a shingle: of few words, how many different ones. With very few a sketch says little. */
  readonly distinct: number;
}

class Fingerprinter {
  readonly #read: Exports['read'];
  readonly #input: Uint8Array;
  readonly #room: number;
  readonly #minima: Uint32Array;
  readonly #signature: BigUint64Array;
  readonly #words: Uint32Array;

  constructor() {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(FINGERPRINT_WASM));
    const { memory, RESULT, MINIMA, INPUT, INPUT_BYTES, read } =
      instance.exports as unknown as Exports;
    this.#read = read;
    this.#room = INPUT_BYTES.value;
    this.#input = new Uint8Array(memory.buffer, INPUT.value, this.#room + PADDING);
    this.#minima = new Uint32Array(memory.buffer, MINIMA.value, PLACES);
    this.#signature = new BigUint64Array(memory.buffer, RESULT.value, 1);
    this.#words = new Uint32Array(memory.buffer, RESULT.value + 8, 1);
  }

  read(body: Uint8Array): Fingerprint {
    const length = Math.min(body.length, this.#room);
    this.#input.set(length < body.length ? body.subarray(0, length) : body);
    this.#input.fill(0, length, length + PADDING);
    this.#read(length, false);
    if (this.#words[0] < FEW_WORDS) this.#read(length, true);
    const words = this.#words[0];
    const distinct = filledPlaces(this.#minima);
    const minima = distinct === 0 ? this.#minima : filledUp(this.#minima);
    const signature = this.#signature[0];
    return { signature, sketch: sketchOf(minima), bands: bandsOf(minima), words, distinct };
  }
}

let shared: Fingerprinter | undefined;

/** The fingerprint of a page's body, content codings removed. */
export function fingerprintOf(body: Uint8Array): Fingerprint {
  shared ??= new Fingerprinter();
  return shared.read(body);
}

/** Of two sketches, the share of shingles that their pages have in common, about: 0 to 1, standard deviation 0.04. */
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
 * A page of few words leaves places empty. Each is given the least hash of another place, the same for every page in which
 * that one is the first found ("optimal densification", Shrivastava): so equal sets have equal sketches, and similar ones similar.
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

/** Attempts beyond the number of places go through them in turn, so that one that is not empty is found. */
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
