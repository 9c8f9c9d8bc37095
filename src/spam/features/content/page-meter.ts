/**
 * Measures a page: its words become 24 numbers (measures.ts).
 *
 *   body ─► fingerprint and words, in one pass ─► 24 values ─► sums of the site
 *
 * Requires  The words of a page as `fingerprintAndWords` gives them, before the next page is read.
 * Ensures   The same page and lists give the same values. They do not depend on earlier pages.
 */
import type { PageWords } from '../../../duplicates/page-words.ts';

/** `new PageMeter(lists)`: made once with the lists of a model; measures one page at a time. */
export interface PageMeter {
  /** The values of `MEASURES`, in their order. A new array. */
  measure(words: PageWords): Float64Array;
}
