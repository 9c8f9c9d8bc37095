/**
 * The 24 numbers of a page (Castillo et al., SIGIR 2007, and Ntoulas et al., WWW 2006).
 *
 * Idea      Sums over the pages of a site must not depend on the order of the pages. So each number
 *           is a multiple of a power of two: sums of so many, and of their squares, are exact in a
 *           float of 64 bits.
 * Ensures   A measured value times `2 ** bits` is a whole number of at most 2^22. The squares of
 *           512 pages add up to at most 2^53.
 */

interface Measure {
  readonly name: string;
  readonly meaning: string;
  /** The binary digits behind the point. */
  readonly bits: number;
  /** 2 ** bits */
  readonly scale: number;
  /** Only known with a list of queries. */
  readonly needsQueries: boolean;
}

/** The numbers of most frequent words that precision and recall look at. */
export const FREQUENT = [100, 200, 500, 1000] as const;
/** A measure of so many binary digits is at most 2^22 / 2^bits. */
const MOST = 2 ** 22;

const measure = (name: string, bits: number, meaning: string, needsQueries = false): Measure => ({
  ...{ name, bits, scale: 2 ** bits, meaning, needsQueries },
});

const shares = (of: string, words: string, needsQueries: boolean): Measure[] => [
  ...FREQUENT.map((k) =>
    measure(`${of}_precision_${k}`, 22, `share of its words among the ${k} ${words}`, needsQueries),
  ),
  ...FREQUENT.map((k) =>
    measure(`${of}_recall_${k}`, 22, `share of the ${k} ${words} that it has`, needsQueries),
  ),
];

/** All of them, in the order of a page's values. */
export const MEASURES: readonly Measure[] = [
  measure('words', 0, 'words of its text'),
  measure('title_words', 0, 'words of its title'),
  measure('word_length', 14, 'mean characters of its words, at most 256'),
  measure('anchor', 22, 'share of its words that are in links'),
  measure('visible', 22, 'bytes of its words, of all its bytes'),
  measure('deflated', 20, 'size of the first 4 KiB of its text when deflated, of their size'),
  ...shares('collection', 'most frequent words of the collection', false),
  ...shares('query', 'most frequent words of queries', true),
  measure('trigram_entropy', 18, '−Σ p ln p of its word trigrams'),
  measure('trigram_independence', 18, '−(1/k) Σ ln p over its k distinct word trigrams'),
];

const SCALES = Float64Array.from(MEASURES, ({ scale }) => scale);

/** Replaces the values of all measures by the nearest that sums can add up exactly. */
export function roundValues(values: Float64Array): void {
  for (let i = 0; i < values.length; i++) {
    const scale = SCALES[i];
    values[i] = Math.max(0, Math.min(Math.round(values[i] * scale), MOST)) / scale;
  }
}
