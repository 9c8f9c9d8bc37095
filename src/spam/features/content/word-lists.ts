/** The most frequent words of a collection and of queries, which precision and recall look at. */

/** Words as a page's text has them, in lower case; the most frequent first, at most 1,000. */
export interface WordLists {
  readonly collection: readonly string[];
  /** Empty without a list of queries. */
  readonly queries: readonly string[];
}
