/**
 * Sites that belong together: those of one domain, one address or one group, and those that belong
 * together through others. A split for training and test never divides them.
 */

/** A number for each site; sites that belong together have the same. */
export function groupsOf(belongings: readonly (readonly string[])[]): Uint32Array {
  const parent = Uint32Array.from(belongings.keys());
  const rootOf = (site: number): number => {
    let root = site;
    while (parent[root] !== root) root = parent[root];
    while (parent[site] !== root) [site, parent[site]] = [parent[site], root];
    return root;
  };
  const first = new Map<string, number>();
  for (const [site, values] of belongings.entries()) {
    for (const value of values) {
      const other = first.get(value);
      if (other === undefined) first.set(value, site);
      else parent[rootOf(site)] = rootOf(other);
    }
  }
  return parent.map((_, site) => rootOf(site));
}
