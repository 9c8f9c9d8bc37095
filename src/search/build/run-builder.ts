/**
 * Versions in memory to a sorted run on disk: terms in order, each with its postings.
 *
 * Idea      The kernel (run-kernel.ts) finds words and collects postings. What it cannot know comes
 *           from here: the variants of a word, asked for once a run, and sites.
 * Format    Records: the term, the number of postings (at most 4,096), the bytes of the rest; then
 *           for each posting the version less the one before, the frequency and, in a field with
 *           positions, the first position and the differences. The first version of a record is
 *           whole, so records can be copied.
 * Cost      About 5 bytes of memory a posting, 2 a word and 100 a term.
 */

import type { Bytes } from '../../base/units.ts';
import { FIELD, type Field, hasPositions } from '../store/formats.ts';
import type { Output } from '../store/output.ts';
import { VariantTable } from '../store/words.ts';
import { RunKernel } from './run-kernel.ts';

interface VersionText {
  readonly text: string;
  readonly title: string;
  readonly language: string;
  readonly host: string;
}

/** Memory of a term besides: a place in the order. */
const PER_TERM: Bytes = 16;
/** Variants of words that are kept from run to run: about 200 bytes each. */
const KEPT = 100_000;
const NO_TERMS: readonly number[] = [];
/** Where the variants of a field's words go. */
const VARIANT_OF: Readonly<Record<string, Field>> = {
  [FIELD.body]: FIELD.bodyVariant,
  [FIELD.title]: FIELD.titleVariant,
  [FIELD.anchor]: FIELD.anchorVariant,
};

export class RunBuilder {
  readonly #kernel: RunKernel;
  #variants = new VariantTable();
  /** Words that were asked for since the table of variants is there. */
  #asked = 0;
  readonly #withPositions: boolean;
  /** Languages in the order in which they were seen: their numbers in the kernel, from 1. */
  readonly #languages: string[] = [];

  constructor(withPositions: boolean) {
    this.#kernel = new RunKernel((term, language) => this.#variantsOf(term, language - 1));
    this.#withPositions = withPositions;
  }

  /** About what it takes in memory. */
  get bytes(): Bytes {
    return this.#kernel.used + PER_TERM * this.#kernel.terms;
  }

  /** Adds a version; returns how many words its text and its title have. */
  add(version: number, { text, title, language, host }: VersionText): readonly [number, number] {
    const words = this.#field(version, text, FIELD.body, language);
    const titleWords = this.#field(version, title, FIELD.title, language);
    const sites = sitesOf(host).map((site) => [FIELD.site, site] as const);
    this.#kernel.addWords(language === '' ? sites : [...sites, [FIELD.language, language]]);
    this.#kernel.post(version, false);
    return [words, titleWords];
  }

  /** Adds the text of an anchor, in UTF-8, under its number; returns how many words it has. */
  addAnchor(number: number, text: Buffer, language: string): number {
    const words = this.#kernel.addBytes(text, FIELD.anchor);
    this.#post(number, FIELD.anchor, language);
    return words;
  }

  /** Writes the run; then the builder is empty. */
  async write(out: Output): Promise<void> {
    for (const piece of this.#kernel.run()) {
      out.bytes(piece);
      await out.settle();
    }
    this.#kernel.reset();
  }

  #field(version: number, text: string, field: Field, language: string): number {
    const words = this.#kernel.addText(text, field);
    this.#post(version, field, language);
    return words;
  }

  #post(version: number, field: Field, language: string): void {
    this.#kernel.post(version, this.#withPositions && hasPositions(field));
    this.#kernel.postVariants(version, this.#numberOf(language));
  }

  #numberOf(language: string): number {
    const known = this.#languages.indexOf(language);
    if (known >= 0) return known + 1;
    return this.#languages.push(language);
  }

  /** The terms of the variants of a term: asked for when the term was last in another language. */
  #variantsOf(term: number, language: number): readonly number[] {
    if (this.#asked++ === KEPT) {
      this.#variants = new VariantTable();
      this.#asked = 1;
    }
    const field = VARIANT_OF[this.#kernel.fieldOf(term)];
    const kernel = this.#kernel;
    const variants = this.#variants.in(this.#languages[language]).of(kernel.wordOf(term));
    if (variants.length === 0) return NO_TERMS;
    return variants.map((variant) => kernel.termOf(field, variant));
  }
}

/** A host and its ends after each dot: `www.gov.ly`, `gov.ly`, `ly`. */
function sitesOf(host: string): string[] {
  const labels = host.split('.');
  if (/^[\d.]+$|[:[\]]/.test(host)) return [host];
  return labels.map((_, i) => labels.slice(i).join('.'));
}
