/**
 * The set `bm25`: weights of terms, where a site is one document.
 *
 *   t = ln((N − n + ½) / (n + ½)) · (k₁ + 1) tf / (K + tf),   K = k₁ (1 − b + b · dl / avdl)
 *
 * with k₁ = 1 and b = ½; tf: how often the site has the term, n: sites that have it, N: all sites,
 * dl: words of the site, avdl: their mean. Terms are the 10,000 commonest stems that 10 to 50 % of
 * the sites have. What most sites have (stop words) and what few have (names) is so left out.
 *
 * Ensures   Weights of other sites by the same statistics are comparable: a model keeps them.
 * Cost      8 bytes a site and term.
 */
import { DrumlinError } from '../../../base/errors.ts';
import type { FeatureSet } from '../feature-set.ts';
import type { TermDocument } from './term-documents.ts';

const MOST_TERMS = 10_000;
const LEAST_SHARE = 0.1;
const GREATEST_SHARE = 0.5;
const K1 = 1;
const B = 0.5;

/** What weights depend on besides the site: the terms, and what is known of all sites. */
export interface TermStatistics {
  /** Stems, the commonest first. */
  readonly terms: readonly string[];
  /** How many sites have each term. */
  readonly sitesWith: readonly number[];
  readonly sites: number;
  /** Words a site, on average. */
  readonly meanLength: number;
}

/** Chooses the terms of a collection. `stems`: what the numbers in documents mean. */
export function chooseTerms(
  documents: readonly TermDocument[],
  stems: readonly string[],
): TermStatistics {
  const sitesWith = new Uint32Array(stems.length);
  const occurrences = new Float64Array(stems.length);
  let words = 0;
  for (const document of documents) {
    const { stems: own, counts } = document.counts;
    words += document.length;
    for (let i = 0; i < own.length; i++) {
      sitesWith[own[i]]++;
      occurrences[own[i]] += counts[i];
    }
  }
  const sites = documents.length;
  const chosen = [...stems.keys()]
    .filter((i) => sitesWith[i] >= LEAST_SHARE * sites && sitesWith[i] <= GREATEST_SHARE * sites)
    .sort((a, b) => occurrences[b] - occurrences[a] || (stems[a] < stems[b] ? -1 : 1))
    .slice(0, MOST_TERMS);
  if (chosen.length === 0)
    throw new DrumlinError(
      'FEATURES',
      `No term occurs in 10 to 50 % of the ${sites} sites.`,
      'Give a crawl of more sites, or leave out the set bm25.',
    );
  return {
    terms: chosen.map((i) => stems[i]),
    sitesWith: chosen.map((i) => sitesWith[i]),
    sites,
    meanLength: words / sites,
  };
}

/** The weights of all terms; 0 where a site does not have the term. */
export function bm25Set(
  documents: readonly TermDocument[],
  stems: readonly string[],
  statistics: TermStatistics,
): FeatureSet {
  const { terms, sitesWith, sites, meanLength } = statistics;
  const places = new Map(terms.map((term, place) => [term, place]));
  const placeOf = Int32Array.from(stems, (stem) => places.get(stem) ?? -1);
  const values = terms.map(() => new Float64Array(documents.length));
  for (const [site, document] of documents.entries()) {
    const length = meanLength === 0 ? 1 : document.length / meanLength;
    const k = K1 * (1 - B + B * length);
    const { stems: own, counts } = document.counts;
    for (let i = 0; i < own.length; i++) {
      const place = placeOf[own[i]];
      if (place < 0) continue;
      const rarity = Math.log((sites - sitesWith[place] + 0.5) / (sitesWith[place] + 0.5));
      values[place][site] = (rarity * (K1 + 1) * counts[i]) / (k + counts[i]);
    }
  }
  return { name: 'bm25', columns: terms, values };
}
