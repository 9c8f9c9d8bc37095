/**
 * The kernel that collects a run (run-kernel.as.ts), with its memory and its tables.
 *
 * Idea      The kernel finds words by two tables of UTF-16 units: what a unit does in a word, and
 *           its lower case. The few words that the tables cannot answer for are handed to
 *           JavaScript: texts with letters beyond the first 65,536 characters, words whose lower
 *           case depends on neighbours (Σ) or is longer (İ), and long words.
 * Ensures   `addText` adds the words that `wordsIn` finds, in their order.
 */
import { type KernelMemory, WebAssembly } from '../../base/web-assembly.ts';
import { CLASS, classes, classOfPair } from '../../text/words.ts';
import { wordsIn } from '../store/words.ts';
import { RUN_KERNEL_WASM } from './run-kernel-wasm.ts';

interface Exports {
  readonly memory: KernelMemory<ArrayBuffer>;
  readonly KINDS: { readonly value: number };
  readonly LOWER: { readonly value: number };
  readonly WORD: { readonly value: number };
  readonly WORD_UNITS: { readonly value: number };
  reset(): void;
  used(): number;
  termCount(): number;
  reserve(units: number): number;
  bitsIn(units: number): number;
  find(length: number, field: number): number;
  unitsOf(term: number): number;
  lengthOf(term: number): number;
  fieldOf(term: number): number;
  addVariants(language: number): void;
  setVariants(term: number, language: number, first: number, second: number): void;
  begin(): void;
  addWord(term: number): void;
  addWords(units: number, field: number): void;
  wordCount(): number;
  post(version: number, withPositions: number): void;
  sort(): void;
  outputRoom(bytes: number): number;
  write(to: number, bytes: number): number;
}

/** What a unit does in a word, as in run-kernel.as.ts. */
const KIND = { none: 0, begins: 1, continues: 2, wide: 3 } as const;
/** Below this unit every text is in the form NFC. */
const FIRST_MARK = 0x300;
const PAIRS = /[\u{10000}-\u{10ffff}]/gu;
const OUTPUT = 2 ** 18;

const module = new WebAssembly.Module(RUN_KERNEL_WASM);
let tables: { kinds: Uint8Array; lower: Uint16Array } | undefined;

function unitTables(): { kinds: Uint8Array; lower: Uint16Array } {
  tables ??= {
    kinds: classes().map((kind) => {
      if (kind === CLASS.letter || kind === CLASS.digit) return KIND.begins;
      if (kind === CLASS.mark) return KIND.continues;
      return kind === CLASS.wide ? KIND.wide : KIND.none;
    }),
    lower: Uint16Array.from({ length: 0x10000 }, (_, unit) => {
      const lower = String.fromCharCode(unit).toLowerCase();
      return lower.length === 1 && unit !== 0x3a3 ? lower.charCodeAt(0) : 0;
    }),
  };
  return tables;
}

/** Whether no character of two units belongs to a word. */
const hasOnlySymbols = (pairs: readonly string[]): boolean =>
  pairs.every((pair) => classOfPair(pair.charCodeAt(0), pair.charCodeAt(1)) <= CLASS.symbol);

export class RunKernel {
  readonly #exports: Exports;
  #bytes: Buffer;
  #units: Uint16Array;
  /** The text that is being added: as a string, or its bytes if they are ASCII. */
  #text = '';
  #ascii: Buffer | undefined;
  #field = 0;

  /** `variantsOf` gives the variants of a term in a language: at most two terms. */
  constructor(variantsOf: (term: number, language: number) => readonly number[]) {
    const hard = (start: number, end: number) => this.#hardWord(start, end);
    const variants = (term: number, language: number) => {
      const [first = 0, second = 0] = variantsOf(term, language);
      this.#exports.setVariants(term, language, first, second);
    };
    const instance = new WebAssembly.Instance(module, { host: { hard, variants } });
    this.#exports = instance.exports as Exports;
    this.#bytes = Buffer.from(this.#exports.memory.buffer);
    this.#units = new Uint16Array(this.#exports.memory.buffer);
    const { kinds, lower } = unitTables();
    this.#bytes.set(kinds, this.#exports.KINDS.value);
    this.#units.set(lower, this.#exports.LOWER.value / 2);
    this.#exports.reset();
  }

  /** Forgets everything. */
  reset(): void {
    this.#exports.reset();
  }

  get used(): number {
    return this.#exports.used();
  }

  get terms(): number {
    return this.#exports.termCount();
  }

  /** The number of a term. */
  termOf(field: string, word: string): number {
    const { WORD, WORD_UNITS, find } = this.#exports;
    const bytes = this.#memory();
    const cut = word.length > WORD_UNITS.value ? word.slice(0, WORD_UNITS.value) : word;
    bytes.write(cut, WORD.value, 'utf16le');
    return find(cut.length, field.charCodeAt(0));
  }

  /** The word of a term, without its field. */
  wordOf(term: number): string {
    const start = this.#exports.unitsOf(term);
    const end = start + 2 * this.#exports.lengthOf(term);
    return this.#memory().toString('utf16le', start, end);
  }

  fieldOf(term: number): string {
    return String.fromCharCode(this.#exports.fieldOf(term));
  }

  /** Begins a field of a version with its words; returns how many there are. */
  addText(text: string, field: string): number {
    const { reserve, begin, bitsIn, addWords, wordCount } = this.#exports;
    const place = reserve(text.length);
    this.#memory().write(text, place, 'utf16le');
    begin();
    this.#field = field.charCodeAt(0);
    this.#text = text;
    if (bitsIn(text.length) < FIRST_MARK) addWords(text.length, this.#field);
    else this.#addMarked(text, field);
    this.#text = '';
    return wordCount();
  }

  /** As `addText`, of a text in UTF-8; one in ASCII makes no string. */
  addBytes(text: Buffer, field: string): number {
    const { reserve, begin, addWords, wordCount } = this.#exports;
    const place = reserve(text.length) / 2;
    this.#memory();
    const units = this.#units;
    for (let i = 0; i < text.length; i++) {
      if (text[i] >= 0x80) return this.addText(text.toString(), field);
      units[place + i] = text[i];
    }
    begin();
    this.#field = field.charCodeAt(0);
    this.#ascii = text;
    addWords(text.length, this.#field);
    this.#ascii = undefined;
    return wordCount();
  }

  /** Writes postings for the variants of the field's terms, each with the sum of their counts. */
  postVariants(version: number, language: number): void {
    this.#exports.addVariants(language);
    this.#exports.post(version, 0);
  }

  /** A field of single words that are as they should be. */
  addWords(words: readonly (readonly [field: string, word: string])[]): void {
    const { reserve, begin, addWord } = this.#exports;
    reserve(words.length);
    begin();
    for (const [field, word] of words) addWord(this.termOf(field, word));
  }

  /** Writes the postings of the field. */
  post(version: number, withPositions: boolean): void {
    this.#exports.post(version, withPositions ? 1 : 0);
  }

  /** The run, piece by piece; a piece is valid until the next. Only `reset` may follow. */
  *run(): Generator<Uint8Array> {
    const { sort, outputRoom, write } = this.#exports;
    sort();
    const place = outputRoom(OUTPUT);
    for (;;) {
      const bytes = write(place, OUTPUT);
      if (bytes === 0) return;
      yield this.#memory().subarray(place, place + bytes);
    }
  }

  /** A text with characters that may have other forms, or two units. */
  #addMarked(text: string, field: string): void {
    const { reserve, addWord, addWords } = this.#exports;
    const normal = text.normalize('NFC');
    const pairs = normal.match(PAIRS);
    if (pairs !== null && !hasOnlySymbols(pairs)) {
      for (const word of wordsIn(normal)) addWord(this.termOf(field, word));
      return;
    }
    this.#text = normal;
    if (normal !== text) this.#memory().write(normal, reserve(normal.length), 'utf16le');
    addWords(normal.length, this.#field);
  }

  #hardWord(start: number, end: number): number {
    const field = String.fromCharCode(this.#field);
    const word = this.#ascii
      ? this.#ascii.toString('latin1', start, end)
      : this.#text.slice(start, end);
    return this.termOf(field, wordsIn(word)[0]);
  }

  #memory(): Buffer {
    const { buffer } = this.#exports.memory;
    if (this.#bytes.buffer !== buffer) {
      this.#bytes = Buffer.from(buffer);
      this.#units = new Uint16Array(buffer);
    }
    return this.#bytes;
  }
}
