/**
 * The sets `bm25-ave`, `bm25-avediff` … : how the term weights of sites changed over crawls.
 *
 * The terms are those of the last crawl. Weights of a crawl follow from how many sites have a term
 * in that crawl, and how long sites are there. The number of all sites is that of the last crawl in
 * each, as in the paper; a site that a crawl lacks has no words there.
 */
import type { FeatureSet } from '../features/feature-set.ts';
import { type TermChange, termChange } from '../features/temporal/term-change.ts';
import { bm25Set, type TermStatistics } from '../features/terms/bm25.ts';
import type { TermDocument } from '../features/terms/term-documents.ts';

/** The documents of the same sites in each crawl, the oldest first. */
export function termChangeSet(
  kind: TermChange,
  snapshots: readonly (readonly TermDocument[])[],
  stems: readonly string[],
  statistics: TermStatistics,
): FeatureSet {
  const weights = snapshots.map(
    (documents) => bm25Set(documents, stems, statisticsIn(documents, stems, statistics)).values,
  );
  const sites = snapshots[0].length;
  return {
    name: `bm25-${kind}`,
    columns: statistics.terms,
    values: statistics.terms.map((_, term) =>
      Float64Array.from({ length: sites }, (_, site) =>
        termChange(
          kind,
          weights.map((values) => values[term][site]),
        ),
      ),
    ),
  };
}

function statisticsIn(
  documents: readonly TermDocument[],
  stems: readonly string[],
  { terms, sites }: TermStatistics,
): TermStatistics {
  const sitesWith = new Uint32Array(stems.length);
  let words = 0;
  for (const document of documents) {
    words += document.length;
    for (const stem of document.counts.stems) sitesWith[stem]++;
  }
  const places = new Map(stems.map((stem, place) => [stem, place]));
  return {
    ...{ terms, sites, meanLength: words / Math.max(1, documents.length) },
    sitesWith: terms.map((term) => sitesWith[places.get(term) ?? -1] ?? 0),
  };
}
