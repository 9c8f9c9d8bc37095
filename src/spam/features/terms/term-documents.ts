/**
 * Sites as documents of stems: how often each stem occurs in the pages of a site.
 *
 * Idea      A stem is a number. The numbers of a site's words are collected in a list, which is
 *           sorted and counted when it is full; so a site needs eight bytes for each of its stems.
 * Requires  Texts of words with a space after each, as `PageWords` has them.
 * Ensures   The same pages give the same counts, in any order.
 * Cost      A word is stemmed once in the life of the counter. Memory: its stems, and eight bytes
 *           for each site and stem.
 */
import { stemmer } from 'stemmer';

/** Longer words are no terms: addresses, keys and the like. */
const LONGEST = 40;
const FULL = 8192;

/** The stems of one site. */
export class TermDocument {
  /** The number of words, also of those that became the same stem. */
  length = 0;
  /** Stems in increasing order, and how often each occurs. */
  #stems = new Uint32Array(0);
  #counts = new Uint32Array(0);
  #waiting: number[] = [];

  add(stem: number): void {
    this.length++;
    if (this.#waiting.push(stem) >= FULL) this.#count();
  }

  /** Stems in increasing order, and how often each occurs. */
  get counts(): { readonly stems: Uint32Array; readonly counts: Uint32Array } {
    this.#count();
    return { stems: this.#stems, counts: this.#counts };
  }

  #count(): void {
    if (this.#waiting.length === 0) return;
    const added = Uint32Array.from(this.#waiting).sort();
    this.#waiting = [];
    const stems = new Uint32Array(this.#stems.length + added.length);
    const counts = new Uint32Array(stems.length);
    let [length, old] = [0, 0];
    const put = (stem: number, count: number): void => {
      if (length > 0 && stems[length - 1] === stem) counts[length - 1] += count;
      else {
        stems[length] = stem;
        counts[length++] = count;
      }
    };
    for (const stem of added) {
      for (; old < this.#stems.length && this.#stems[old] <= stem; old++)
        put(this.#stems[old], this.#counts[old]);
      put(stem, 1);
    }
    for (; old < this.#stems.length; old++) put(this.#stems[old], this.#counts[old]);
    this.#stems = stems.slice(0, length);
    this.#counts = counts.slice(0, length);
  }
}

/** Numbers of stems, the same for all sites. */
export class StemNumbers {
  readonly #words = new Map<string, number>();
  readonly #stems = new Map<string, number>();

  /** All stems; the place of each is its number. */
  get stems(): string[] {
    return [...this.#stems.keys()];
  }

  /** Adds the words of a page to a site. */
  add(document: TermDocument, words: Iterable<string>): void {
    for (const word of words) {
      if (word.length > LONGEST) continue;
      let number = this.#words.get(word);
      if (number === undefined) {
        const stem = stemOf(word);
        number = this.#stems.get(stem) ?? this.#stems.size;
        this.#stems.set(stem, number);
        this.#words.set(word, number);
      }
      document.add(number);
    }
  }
}

/** Porter's stem of an English word; a word with other letters or digits stays as it is. */
export function stemOf(word: string): string {
  return /^[a-z]+$/.test(word) ? stemmer(word) : word;
}
