/**
 * Learns from fetched pages which parts of a host's URLs do not choose the page, and beyond which
 * numbers there is nothing.
 *
 * Idea      Every page is entered under its URL, and under each URL with one part blanked. Another
 *           page found there differs only in that part: whether their texts agree is evidence for
 *           or against the part (`TrapRules`). Whether the page is like an earlier one with other
 *           numbers is evidence for or against an end (`NumberEnds`).
 * Requires  Pages with status 200 that were added to `pages`, in the same order.
 * Ensures   A table of fixed size, where new entries replace the oldest. It is not stored: `enter`
 *           fills it again from the stored pages.
 * Cost      A look-up for each parameter, number and token of a URL: 8 µs per page and more.
 */

import { xxh64 } from '../base/xxh64.ts';
import { originOf } from '../url/parts.ts';
import { type Fingerprint, SAME_TEXT } from './fingerprint.ts';
import type { NumberEnds } from './number-ends.ts';
import type { SimilarPage, SimilarPages } from './similar-pages.ts';
import type { RuleChange, TrapRules } from './trap-rules.ts';
import { type Variant, variantsOf } from './url-variants.ts';

/** A page of fewer shingles is an error message or a frame: nothing is learned from it. */
const LEAST_SHINGLES = 8;
const WAYS = 4;

interface Learned {
  readonly rule: string;
  readonly change: RuleChange;
  /** The evidence, as a sentence. */
  readonly why: string;
  /** Two pages, the earlier one first. */
  readonly examples: readonly string[];
}

export class TrapLearner {
  readonly #pages: SimilarPages;
  readonly #rules: TrapRules;
  readonly #ends: NumberEnds;
  /** Per entry: two halves of the hash of its URL, and the page's number plus one. */
  readonly #table: Uint32Array;
  readonly #sets: number;

  constructor(pages: SimilarPages, rules: TrapRules, ends: NumberEnds) {
    this.#pages = pages;
    this.#rules = rules;
    this.#ends = ends;
    this.#sets = Math.max(1, (2 * pages.capacity) / WAYS);
    this.#table = new Uint32Array(this.#sets * WAYS * 3);
  }

  /**
   * Enters a page that was just added. Learns from the pages entered under the same URLs, and from
   * `near`, the earlier page most like it. `isRelated` if one of them with the same text has a URL
   * of the same form.
   */
  learn(
    url: string,
    fingerprint: Fingerprint,
    page: number,
    near: SimilarPage | undefined,
  ): { readonly learned: Learned[]; readonly isRelated: boolean } {
    if (fingerprint.distinct < LEAST_SHINGLES) return { learned: [], isRelated: false };
    const seen = this.#ends.observe(url, fingerprint, near);
    let { isRelated } = seen;
    const learned = seen.changes.map(({ pages, ...rest }) => ({
      ...rest,
      why: `${pages} pages beyond it had the same text`,
    }));
    const origin = originOf(url);
    const variants = variantsOf(url);
    for (const variant of variants) {
      const other = this.#find(variant.rest);
      if (other === undefined || !this.#pages.has(other)) continue;
      const earlier = this.#pages.urlOf(other);
      const value = valueIn(earlier, variant);
      if (value === null || value === variant.value) continue;
      const isSame = this.#pages.similarityTo(other, fingerprint) >= SAME_TEXT;
      isRelated ||= isSame;
      for (const rule of variant.rules) {
        const observed = this.#rules.observe(
          origin,
          rule,
          isSame,
          value,
          variant.value,
          textMark(fingerprint),
        );
        const { change, same, other: differ } = observed;
        const why = `of the last pairs of pages that differ only in it, ${same} had the same text and ${differ} had different texts`;
        if (change) learned.push({ rule, change, why, examples: [earlier, url] });
      }
    }
    this.#enterAll(url, variants, page);
    return { learned, isRelated };
  }

  /** Enters a page again after a restart. */
  enter(url: string, { distinct }: Fingerprint, page: number): void {
    if (distinct < LEAST_SHINGLES) return;
    this.#ends.enter(url);
    this.#enterAll(url, variantsOf(url), page);
  }

  #enterAll(url: string, variants: readonly Variant[], page: number): void {
    this.#put(url, page);
    for (const { rest, needsRest } of variants) if (!needsRest) this.#put(rest, page);
  }

  #find(text: string): number | undefined {
    const [low, high, set] = this.#placeOf(text);
    for (let at = set; at < set + WAYS * 3; at += 3) {
      if (this.#table[at] === low && this.#table[at + 1] === high && this.#table[at + 2] > 0) {
        return this.#table[at + 2] - 1;
      }
    }
    return undefined;
  }

  /**
   * Puts the newest first; it replaces an entry for the same text, or else the oldest of the set.
   */
  #put(text: string, page: number): void {
    const table = this.#table;
    const [low, high, set] = this.#placeOf(text);
    let at = set;
    while (at < set + (WAYS - 1) * 3 && (table[at] !== low || table[at + 1] !== high)) at += 3;
    table.copyWithin(set + 3, set, at);
    table[set] = low;
    table[set + 1] = high;
    table[set + 2] = page + 1;
  }

  #placeOf(text: string): readonly [low: number, high: number, set: number] {
    const hash = xxh64(text);
    const low = Number(hash & 0xffffffffn);
    return [low, Number(hash >> 32n), (low % this.#sets) * WAYS * 3];
  }
}

/**
 * One of 32 marks, mostly equal for texts that agree in nine tenths of their places: it depends on
 * three of them.
 */
const textMark = ({ sketch }: Fingerprint): number =>
  Math.imul(sketch[0] & 0xfff, 0x9e3779b1) >>> 27;

/**
 * The value of the part in another URL with the same rest: undefined if it is missing, null if the
 * URL has another rest after all.
 */
function valueIn(url: string, { rest, rules, needsRest }: Variant): string | undefined | null {
  if (url === rest) return undefined;
  if (needsRest) return null;
  const same = variantsOf(url).find(
    (variant) => variant.rest === rest && variant.rules[0] === rules[0],
  );
  return same === undefined ? null : same.value;
}
