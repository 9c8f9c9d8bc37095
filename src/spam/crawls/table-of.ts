/** Sets of features side by side, as one table. */
import type { FeatureTable } from '../feature-table.ts';
import type { FeatureSet } from '../features/feature-set.ts';
import type { Site } from '../features/sites.ts';

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
