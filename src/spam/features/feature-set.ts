/**
 * A set of features: numbers of one kind that describe sites, and how sets become a table.
 *
 *   sites ─► set by set: columns of numbers ─► one table: `set:column`
 *
 * Idea      Whoever makes a set knows nothing of the others. It gets the list of sites, and gives a
 *           column of numbers for each of its features. The table has the columns of all sets side
 *           by side.
 * Requires  Each column has a value for each site, in the order of the list. NaN is a missing
 *           value: the site has no such number. Infinite values are not allowed.
 */
import type { FeatureTable } from '../feature-table.ts';
import type { Site } from './sites.ts';

export interface FeatureSet {
  /** What stands before the colon in the names of its features: `content`, `links` … */
  readonly name: string;
  /** The names of its features, without that of the set. */
  readonly columns: readonly string[];
  /** A column for each name; NaN is a missing value. */
  readonly values: readonly Float64Array[];
}

/** The table of all sets, with what the sites have in common with others. */
export function tableOf(sites: readonly Site[], sets: readonly FeatureSet[]): FeatureTable {
  for (const { name, columns, values } of sets)
    if (columns.length !== values.length || values.some(({ length }) => length !== sites.length))
      throw new RangeError(`the set "${name}" has not a value for each column and site`);
  return {
    sites: sites.map(({ name }) => name),
    ids: [],
    belongings: sites.map(belongingsOf),
    names: sets.flatMap(({ name, columns }) => columns.map((column) => `${name}:${column}`)),
    columns: sets.flatMap(({ values }) => values),
  };
}

/** As a table that is read from a file has them. */
function belongingsOf({ domain, addresses, group }: Site): string[] {
  return [
    `domain ${domain}`,
    ...addresses.map((address) => `address ${address}`),
    ...(group === undefined ? [] : [`group ${group}`]),
  ];
}
