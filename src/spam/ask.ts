/**
 * Which sites to label next: those that the model is least sure of, and that differ.
 *
 * Idea      A label of a site with a probability near 0 or 1 teaches little, and neither does that
 *           of the tenth site of a group. So sites are taken in the order of their distance from
 *           1/2, one of each group, and none of a group that has a label.
 * Ensures   Deterministic: of equally unsure sites the first by name.
 */
import type { FeatureTable } from './feature-table.ts';
import { groupsOf } from './groups.ts';

interface Asked {
  readonly site: string;
  readonly score: number;
}

/** `labelled`: places of sites that have a label. */
export function sitesToAsk(
  table: FeatureTable,
  scores: Float64Array,
  labelled: Iterable<number>,
  count: number,
): Asked[] {
  const groups = groupsOf(table.belongings);
  const taken = new Set(Array.from(labelled, (place) => groups[place]));
  const unsure = (place: number): number => Math.abs(scores[place] - 0.5);
  const order = [...table.sites.keys()].sort(
    (a, b) => unsure(a) - unsure(b) || (table.sites[a] < table.sites[b] ? -1 : 1),
  );
  const asked: Asked[] = [];
  for (const place of order) {
    if (asked.length >= count) break;
    if (taken.has(groups[place])) continue;
    taken.add(groups[place]);
    asked.push({ site: table.sites[place], score: scores[place] });
  }
  return asked;
}
