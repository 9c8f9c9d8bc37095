/**
 * The set `names`: what the name of a site tells, known before its first page is fetched.
 *
 * Its length, digits, hyphens and labels; and how many of its letter triples fall into each of 64
 * classes. The name is read with a mark at both ends: `a.io` has `^a.`, `a.i`, `.io` and `io$`.
 *
 * Ensures   The same name gives the same values, in every version of the format.
 */
import type { FeatureSet } from '../feature-set.ts';

/** Classes of triples: few enough that each occurs in many names. */
const CLASSES = 64;

export const NAME_COLUMNS: readonly string[] = [
  'length',
  'digits',
  'hyphens',
  'labels',
  ...Array.from({ length: CLASSES }, (_, i) => `triples_${String(i).padStart(2, '0')}`),
];

interface NameColumn {
  readonly name: string;
  readonly of: (site: string) => number;
}

/** The features without the set, and how each follows from a name. */
export function nameColumns(): NameColumn[] {
  let last = '';
  let values = nameValues(last);
  return NAME_COLUMNS.map((name, j) => ({
    name,
    of: (site) => {
      if (site !== last) [last, values] = [site, nameValues(site)];
      return values[j];
    },
  }));
}

/** The values of all columns of a name. */
export function nameValues(name: string): Float64Array {
  const values = new Float64Array(NAME_COLUMNS.length);
  values[0] = name.length;
  values[1] = countOf(name, /[0-9]/g);
  values[2] = countOf(name, /-/g);
  values[3] = name.split('.').length;
  const marked = `^${name}$`;
  for (let at = 0; at + 3 <= marked.length; at++) values[4 + classOf(marked, at)]++;
  return values;
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** FNV-1a of three characters, its upper bits. */
function classOf(text: string, at: number): number {
  let hash = 0x811c9dc5;
  for (let i = at; i < at + 3; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  return (Math.imul(hash, 0x9e3779b1) >>> 0) % CLASSES;
}

export function nameSet(names: readonly string[]): FeatureSet {
  const rows = names.map(nameValues);
  return {
    name: 'names',
    columns: NAME_COLUMNS,
    values: NAME_COLUMNS.map((_, j) => Float64Array.from(rows, (row) => row[j])),
  };
}
