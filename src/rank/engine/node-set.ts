/**
 * A set of nodes that a user names, for places within the set: universities among all articles.
 *
 * Ensures   names that the graph lacks are counted, and the first few come with the nearest name
 *           that the graph has. A name twice in the set, or no name in the graph, is an error.
 * Costs     a look-up a name; if some are missing, one pass over all names.
 */
import { DrumlinError } from '../../base/errors.ts';
import { editDistance } from '../../base/nearest.ts';
import { counted, formatCount } from '../../base/units.ts';
import type { Graph, Names } from '../../graph/graph.ts';

interface NodeSet {
  /** How many names were given. */
  readonly given: number;
  /** The nodes found, in the order given. */
  readonly ids: readonly number[];
  readonly names: readonly string[];
  /** The names that the graph lacks. */
  readonly missing: readonly string[];
  /** For the first missing names, the nearest name that the graph has. */
  readonly suggestions: ReadonlyMap<string, string>;
}

/** Missing names that get a suggestion: each costs a comparison with all names. */
const SUGGESTED = 5;

export async function findNodeSet(graph: Graph, given: readonly string[]): Promise<NodeSet> {
  const seen = new Set<string>();
  for (const name of given) {
    if (seen.has(name))
      throw new DrumlinError('NODES', `"${name}" is in the set twice.`, 'Name each node once.');
    seen.add(name);
  }
  const [ids, names, missing]: [number[], string[], string[]] = [[], [], []];
  for (const name of given) {
    const id = await graph.names.id(name);
    if (id === undefined) missing.push(name);
    else {
      ids.push(id);
      names.push(name);
    }
  }
  const suggestions = await nearestNames(graph.names, missing.slice(0, SUGGESTED));
  if (ids.length > 0) return { given: given.length, ids, names, missing, suggestions };
  throw new DrumlinError(
    'NODES',
    given.length === 0
      ? 'The set has no names.'
      : `None of the ${counted(given.length, 'name')} of the set is a node of this graph.`,
    `Write names as the graph has them${suggestions.size > 0 ? `: ${suggestionText(suggestions)}` : ''}.`,
  );
}

/** Which names are missing, as a sentence; undefined if none is. */
export function missingText({
  given,
  missing,
  suggestions,
}: Pick<NodeSet, 'given' | 'missing' | 'suggestions'>): string | undefined {
  if (missing.length === 0) return undefined;
  const more = missing.length > suggestions.size ? ', …' : '';
  const names = suggestions.size > 0 ? `: ${suggestionText(suggestions)}${more}` : '';
  return `${formatCount(missing.length)} of ${counted(given, 'name')} are not in the graph${names}`;
}

function suggestionText(suggestions: ReadonlyMap<string, string>): string {
  return [...suggestions].map(([name, near]) => `"${name}" (nearest: "${near}")`).join(', ');
}

/** The nearest of all names to each of these. */
async function nearestNames(
  names: Names,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (wanted.length === 0) return found;
  const least = wanted.map(() => Number.POSITIVE_INFINITY);
  for await (const name of names.all()) {
    const written = name.toLowerCase();
    for (const [i, one] of wanted.entries()) {
      if (Math.abs(one.length - name.length) >= least[i]) continue;
      const distance = editDistance(one.toLowerCase(), written);
      if (distance >= least[i]) continue;
      least[i] = distance;
      found.set(one, name);
    }
  }
  return new Map(wanted.flatMap((one) => (found.has(one) ? [[one, found.get(one) ?? '']] : [])));
}
