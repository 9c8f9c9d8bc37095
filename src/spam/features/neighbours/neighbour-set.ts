/**
 * The set `neighbours`: what a site has in common with others besides links.
 *
 *   sites_at_address    other sites that share an address with it
 *   domains_at_address  other domains among these
 *   near_share          the part of its pages that are nearly the same as a page of another site
 *   near_sites          the most other sites that have one of its pages
 *
 * Farms are many names for one machine and one template; so are the sites of a large host, which is
 * why both numbers are given.
 *
 * Ensures   a site without known address, or without pages, has missing values there.
 * Cost      linear in the addresses of all sites: sites at one address are counted once for all.
 */
import type { FeatureSet } from '../feature-set.ts';
import type { Site } from '../sites.ts';
import type { SharedPages } from './near-pages.ts';

export function neighbourSet(sites: readonly Site[], near: SharedPages): FeatureSet {
  const [atAddress, domains] = addressColumns(sites);
  return {
    name: 'neighbours',
    columns: ['sites_at_address', 'domains_at_address', 'near_share', 'near_sites'],
    values: [
      atAddress,
      domains,
      near.shared.map((shared, site) => shared / near.pages[site]),
      near.sites.map((others, site) => (near.pages[site] === 0 ? Number.NaN : others)),
    ],
  };
}

function addressColumns(sites: readonly Site[]): [Float64Array, Float64Array] {
  const at = new Map<string, number[]>();
  for (const [i, { addresses }] of sites.entries())
    for (const address of addresses) push(at, address, i);
  const counts = new Map<string, readonly [sites: number, domains: number]>();
  /** Sites with the same addresses have the same neighbours: counted once. */
  const countOf = ({ addresses }: Site): readonly [number, number] => {
    const key = addresses.join(' ');
    const known = counts.get(key);
    if (known) return known;
    const together = new Set(addresses.flatMap((address) => at.get(address) ?? []));
    const domains = new Set([...together].map((i) => sites[i].domain));
    const found = [together.size - 1, domains.size - 1] as const;
    counts.set(key, found);
    return found;
  };
  const columns = [0, 1].map((column) =>
    Float64Array.from(sites, (site) =>
      site.addresses.length === 0 ? Number.NaN : countOf(site)[column],
    ),
  );
  return [columns[0], columns[1]];
}

function push(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
