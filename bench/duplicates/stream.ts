/** Pages one after the other, and how well similar pages are recognised. */
import { type Fingerprint, fingerprintOf } from '../../src/duplicates/fingerprint.ts';
import { SimilarPages } from '../../src/duplicates/similar-pages.ts';
import { readPage, resemblance, shingles } from '../../test/duplicates/naive.ts';
import { distance, simhash } from './simhash.ts';

export interface KnownPage {
  readonly url: string;
  /** Equal for pages that are near-duplicates, in truth. */
  readonly text: string;
  readonly body: Uint8Array;
}

export interface Score {
  readonly precision: number;
  readonly recall: number;
  readonly positives: number;
}

/** For each page, the earlier page that it is reported to be like; undefined if none. */
export type Finder = (threshold: number) => readonly (number | undefined)[];

/**
 * A page is positive if one with its text came before. A page reported to be like one with another
 * text is wrong, unless the two have most of their shingles in common, counted one by one:
 * untranslated sections occur in several languages.
 */
export function scoreOf(pages: readonly KnownPage[], said: readonly (number | undefined)[]): Score {
  const seen = new Set<string>();
  let [positives, right, wrong] = [0, 0, 0];
  for (const [i, { text }] of pages.entries()) {
    if (seen.has(text)) positives++;
    seen.add(text);
    const like = said[i];
    if (like === undefined) continue;
    if (pages[like].text === text) right++;
    else if (exactly(pages[like], pages[i]) < MOSTLY) wrong++;
  }
  return {
    precision: right / Math.max(1, right + wrong),
    recall: right / Math.max(1, positives),
    positives,
  };
}

const MOSTLY = 0.5;
const counted = new WeakMap<KnownPage, Set<string>>();

/** Their exact resemblance, without a sketch. */
function exactly(one: KnownPage, other: KnownPage): number {
  return resemblance(shinglesOf(one), shinglesOf(other));
}

function shinglesOf(page: KnownPage): Set<string> {
  const known = counted.get(page) ?? shingles(readPage(page.body).words, 3);
  counted.set(page, known);
  return known;
}

/** The method of the crawl, in its default memory. */
export function bySketches(pages: readonly KnownPage[]): Finder {
  const fingerprints = pages.map(({ body }) => fingerprintOf(body));
  return (threshold) => {
    const similar = new SimilarPages(16 * 2 ** 20);
    return fingerprints.map((fingerprint, i) => {
      const found = fingerprint.distinct < 5 ? undefined : similar.find(fingerprint, threshold);
      similar.add(fingerprint, pages[i].url);
      return found?.page;
    });
  };
}

/** BUbiNG's method: the same signature. */
export function bySignature(pages: readonly KnownPage[]): readonly (number | undefined)[] {
  const first = new Map<bigint, number>();
  return pages.map(({ body }, i) => {
    const { signature }: Fingerprint = fingerprintOf(body);
    const known = first.get(signature);
    if (known === undefined) first.set(signature, i);
    return known;
  });
}

/**
 * Simhash over the same shingles, compared with every earlier page, so that no index loses any. The
 * threshold is a number of bits.
 */
export function bySimhash(pages: readonly KnownPage[]): Finder {
  const hashes = pages.map(({ body }) => simhash(shingles(readPage(body).words, 3)));
  return (threshold) =>
    hashes.map((hash, i) => {
      let [best, least] = [-1, threshold + 1];
      for (let j = 0; j < i; j++) {
        const bits = distance(hash, hashes[j]);
        if (bits < least) [best, least] = [j, bits];
      }
      return best < 0 ? undefined : best;
    });
}
