/**
 * Versions in memory to a sorted run on disk: terms in order, each with its postings.
 *
 * Idea      Postings are collected in the order of versions, as numbers in one growing array. When
 *           the run is written they are put in the order of terms by counting; versions stay in
 *           order.
 * Format    Records: the term, the number of postings (at most `RECORD`), the bytes of the rest;
 *           then for each posting the version less the one before, the frequency and, in a field
 *           with positions, the first position and the differences. The first version of a record
 *           is whole, so records can be copied.
 * Cost      About 16 bytes of memory a posting and 4 a word.
 */

import type { Bytes } from '../../base/units.ts';
import { writeVarint } from '../../base/varint.ts';
import { FIELD, type Field, hasPositions } from '../store/formats.ts';
import type { Output } from '../store/output.ts';
import type { VariantTable } from '../store/words.ts';
import { WordIds } from './word-ids.ts';

interface VersionText {
  readonly text: string;
  readonly title: string;
  readonly language: string;
  readonly host: string;
}

/** Postings of a record. */
const RECORD = 4096;
const POSTING_NUMBERS = 4;
const PER_TERM: Bytes = 150;

export class RunBuilder {
  readonly #variants: VariantTable;
  readonly #withPositions: boolean;
  readonly #ids = new Map<Field, WordIds>();
  readonly #terms: string[] = [];
  /** For each language and word, the numbers of its variants. */
  readonly #variantIds = new Map<string, (readonly number[] | undefined)[]>();
  /** Of each posting: term, version, frequency, where its positions begin. */
  #postings: Uint32Array = new Uint32Array(POSTING_NUMBERS << 12);
  #postingCount = 0;
  #positions: Uint32Array = new Uint32Array(1 << 14);
  #positionCount = 0;
  /** Of each term: its last version plus 1, and its posting there. */
  #lastVersion: Uint32Array = new Uint32Array(1 << 12);
  #lastPosting: Uint32Array = new Uint32Array(1 << 12);
  #wordIds: Uint32Array = new Uint32Array(1 << 12);

  constructor(variants: VariantTable, withPositions: boolean) {
    this.#variants = variants;
    this.#withPositions = withPositions;
  }

  get isEmpty(): boolean {
    return this.#postingCount === 0;
  }

  /** About what it takes in memory. */
  get bytes(): Bytes {
    const numbers = POSTING_NUMBERS * this.#postingCount + this.#positionCount;
    // Writing needs a place for each posting besides.
    return 4 * (numbers + this.#postingCount) + PER_TERM * this.#terms.length;
  }

  /** Adds a version; returns how many words its text and its title have. */
  add(version: number, { text, title, language, host }: VersionText): readonly [number, number] {
    const words = this.#field(version, text, FIELD.body, FIELD.bodyVariant, language);
    const titleWords = this.#field(version, title, FIELD.title, FIELD.titleVariant, language);
    for (const site of sitesOf(host)) this.#count(version, this.#idOf(FIELD.site, site));
    if (language !== '') this.#count(version, this.#idOf(FIELD.language, language));
    return [words, titleWords];
  }

  /** Writes the run; the builder is of no use afterwards. */
  async write(out: Output): Promise<void> {
    const terms = this.#terms;
    const order = Uint32Array.from(terms.keys());
    order.sort((a, b) => (terms[a] < terms[b] ? -1 : 1));
    const { places, starts } = this.#byTerm();
    for (const term of order) {
      for (let from = starts[term]; from < starts[term + 1]; from += RECORD) {
        const to = Math.min(starts[term + 1], from + RECORD);
        this.#writeRecord(out, terms[term], places.subarray(from, to));
        await out.settle();
      }
    }
  }

  #field(
    version: number,
    text: string,
    field: Field,
    variantField: Field,
    language: string,
  ): number {
    const first = this.#postingCount;
    let words = 0;
    this.#idsOf(field).read(text, (id) => {
      if (words === this.#wordIds.length) this.#wordIds = grown(this.#wordIds, words + 1);
      this.#wordIds[words++] = id;
      this.#count(version, id);
    });
    const last = this.#postingCount;
    if (this.#withPositions) this.#place(this.#wordIds, words, first);
    for (let posting = first; posting < last; posting++) {
      const at = POSTING_NUMBERS * posting;
      const frequency = this.#postings[at + 2];
      for (const variant of this.#variantsOf(this.#postings[at], variantField, language))
        this.#count(version, variant, frequency);
    }
    return words;
  }

  /** Puts the positions of a text's words, those of each posting together. */
  #place(ids: Uint32Array, words: number, first: number): void {
    this.#positions = grown(this.#positions, this.#positionCount + words);
    const postings = this.#postings;
    let start = this.#positionCount;
    for (let posting = first; posting < this.#postingCount; posting++) {
      postings[POSTING_NUMBERS * posting + 3] = start;
      start += postings[POSTING_NUMBERS * posting + 2];
    }
    // The start of each posting moves to its end, and back.
    for (let i = 0; i < words; i++) {
      const at = POSTING_NUMBERS * this.#lastPosting[ids[i]] + 3;
      this.#positions[postings[at]++] = i;
    }
    for (let posting = first; posting < this.#postingCount; posting++)
      postings[POSTING_NUMBERS * posting + 3] -= postings[POSTING_NUMBERS * posting + 2];
    this.#positionCount = start;
  }

  #variantsOf(term: number, field: Field, language: string): readonly number[] {
    let known = this.#variantIds.get(language);
    if (known === undefined) {
      known = [];
      this.#variantIds.set(language, known);
    }
    let ids = known[term];
    if (ids === undefined) {
      const variants = this.#variants.in(language).of(this.#terms[term].slice(1));
      ids = variants.map((variant) => this.#idOf(field, variant));
      known[term] = ids;
    }
    return ids;
  }

  #idOf(field: Field, word: string): number {
    return this.#idsOf(field).of(word);
  }

  #idsOf(field: Field): WordIds {
    let ids = this.#ids.get(field);
    if (ids === undefined) {
      ids = new WordIds((word) => this.#addTerm(field + word));
      this.#ids.set(field, ids);
    }
    return ids;
  }

  #addTerm(term: string): number {
    const id = this.#terms.push(term) - 1;
    this.#lastVersion = grown(this.#lastVersion, id + 1);
    this.#lastPosting = grown(this.#lastPosting, id + 1);
    return id;
  }

  #count(version: number, term: number, frequency = 1): void {
    if (this.#lastVersion[term] === version + 1) {
      this.#postings[POSTING_NUMBERS * this.#lastPosting[term] + 2] += frequency;
      return;
    }
    const posting = this.#postingCount++;
    this.#lastVersion[term] = version + 1;
    this.#lastPosting[term] = posting;
    this.#postings = grown(this.#postings, POSTING_NUMBERS * (posting + 1));
    const at = POSTING_NUMBERS * posting;
    this.#postings[at] = term;
    this.#postings[at + 1] = version;
    this.#postings[at + 2] = frequency;
  }

  /** The postings in the order of the numbers of terms, those of a term in order of versions. */
  #byTerm(): { places: Uint32Array; starts: Uint32Array } {
    const starts = new Uint32Array(this.#terms.length + 1);
    const postings = this.#postings;
    const end = POSTING_NUMBERS * this.#postingCount;
    for (let at = 0; at < end; at += POSTING_NUMBERS) starts[postings[at] + 1]++;
    for (let term = 0; term < this.#terms.length; term++) starts[term + 1] += starts[term];
    const places = new Uint32Array(this.#postingCount);
    const next = starts.slice();
    for (let at = 0; at < end; at += POSTING_NUMBERS) places[next[postings[at]]++] = at;
    return { places, starts };
  }

  #record = Buffer.alloc(1 << 16);

  #writeRecord(out: Output, term: string, places: Uint32Array): void {
    const withPositions = this.#withPositions && hasPositions(term[0]);
    const postings = this.#postings;
    let [at, before] = [0, -1];
    for (const place of places) {
      const [version, frequency] = [postings[place + 1], postings[place + 2]];
      const room = at + 10 + (withPositions ? 5 * frequency : 0);
      if (room > this.#record.length) {
        const larger = Buffer.alloc(2 * room);
        larger.set(this.#record.subarray(0, at));
        this.#record = larger;
      }
      at = writeVarint(this.#record, at, version - before - 1);
      at = writeVarint(this.#record, at, frequency);
      before = version;
      if (withPositions) at = this.#writePositions(postings[place + 3], frequency, at);
    }
    out.text(term);
    out.varint(places.length);
    out.varint(at);
    out.bytes(this.#record.subarray(0, at));
  }

  #writePositions(start: number, count: number, from: number): number {
    let at = from;
    let before = -1;
    for (let i = start; i < start + count; i++) {
      const position = this.#positions[i];
      at = writeVarint(this.#record, at, position - before - 1);
      before = position;
    }
    return at;
  }
}

function grown(numbers: Uint32Array, least: number): Uint32Array {
  if (numbers.length >= least) return numbers;
  const larger = new Uint32Array(Math.max(2 * numbers.length, least));
  larger.set(numbers);
  return larger;
}

/** A host and its ends after each dot: `www.gov.ly`, `gov.ly`, `ly`. */
function sitesOf(host: string): string[] {
  const labels = host.split('.');
  if (/^[\d.]+$|[:[\]]/.test(host)) return [host];
  return labels.map((_, i) => labels.slice(i).join('.'));
}
