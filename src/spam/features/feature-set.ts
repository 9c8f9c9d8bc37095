/**
 * A set of features: numbers of one kind that describe sites.
 *
 *   sites ─► set by set: columns of numbers ─► one table: `set:column`
 *
 * Idea      Whoever makes a set knows nothing of the others. It gets the list of sites, and gives a
 *           column of numbers for each of its features. The table has the columns of all sets side
 *           by side.
 * Requires  Each column has a value for each site, in the order of the list. NaN is a missing
 *           value: the site has no such number. Infinite values are not allowed.
 */
export interface FeatureSet {
  /** What stands before the colon in the names of its features: `content`, `links` … */
  readonly name: string;
  /** The names of its features, without that of the set. */
  readonly columns: readonly string[];
  /** A column for each name; NaN is a missing value. */
  readonly values: readonly Float64Array[];
}
