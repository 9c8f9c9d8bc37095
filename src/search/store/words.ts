/**
 * Texts to words, and words to the variants under which they are also found.
 *
 * Idea      A word is indexed as it is written, in lower case. If its form without accents, or its
 *           stem in the language of the text, differs from it, these are indexed beside it, as
 *           variants. A word is thus found by any form with the same stem, and exact forms score
 *           more.
 * Ensures   The same words and variants for a text and for a query.
 * Cost      A stem takes about 20 µs; those of the last 400,000 words of a language are kept.
 */
import { stemmerOf } from '../../text/stems.ts';
import { searchTerms } from '../../text/words.ts';

/** Longer words are cut. */
const LONGEST_WORD = 64;
const KEPT = 400_000;
const NO_VARIANTS: readonly string[] = [];
const DIGITS = /[0-9]/;
const ASCII = /^[\x00-\x7f]*$/;
/** Accents of Latin, Greek and Cyrillic; points of Hebrew and Arabic. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;

/** The words of a text, in order: lower case; East Asian scripts in pairs of characters. */
export function wordsIn(text: string): string[] {
  const words = searchTerms(ASCII.test(text) ? text : text.normalize('NFC'));
  for (let i = 0; i < words.length; i++)
    if (words[i].length > LONGEST_WORD) words[i] = cut(words[i]);
  return words;
}

function cut(word: string): string {
  const last = word.charCodeAt(LONGEST_WORD - 1);
  return word.slice(0, last >= 0xd800 && last < 0xdc00 ? LONGEST_WORD - 1 : LONGEST_WORD);
}

const folded = (word: string): string =>
  ASCII.test(word) ? word : word.normalize('NFD').replace(ACCENTS, '').normalize('NFC');

/** The variants of words in one language, besides the words themselves. */
export class Variants {
  readonly #stem: (word: string) => string;
  readonly #known = new Map<string, readonly string[]>();

  /** `language` is ISO 639-1; one without a stemmer has variants without accents only. */
  constructor(language: string) {
    this.#stem = stemmerOf(language) ?? ((word) => word);
  }

  of(word: string): readonly string[] {
    const known = this.#known.get(word);
    if (known) return known;
    const variants = this.#compute(word);
    if (this.#known.size >= KEPT) this.#known.clear();
    this.#known.set(word, variants);
    return variants;
  }

  #compute(word: string): readonly string[] {
    const bare = folded(word);
    // A word with digits is no word of a language.
    const stem = DIGITS.test(word) ? bare : folded(this.#stem(word));
    const isBareOther = bare !== word && bare !== '';
    if (stem === bare || stem === word || stem === '') return isBareOther ? [bare] : NO_VARIANTS;
    return isBareOther ? [bare, stem] : [stem];
  }
}

/** The variants of each language, made when they are first needed. */
export class VariantTable {
  readonly #languages = new Map<string, Variants>();

  in(language: string): Variants {
    const known = this.#languages.get(language);
    if (known) return known;
    const variants = new Variants(language);
    this.#languages.set(language, variants);
    return variants;
  }
}
