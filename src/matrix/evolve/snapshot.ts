/** What one snapshot of a graph tells: sizes, subspaces both ways, κ, tops and places. */
import type { Bytes } from '../../base/units.ts';
import type { Graph } from '../../graph/graph.ts';
import type { RankOptions } from '../../rank/engine/ranker.ts';
import { type Places, placeOfEach, placesOf } from '../plane/places.ts';
import { type Subspaces, subspaces } from '../subspaces/subspaces.ts';

/** The places by K, K* and K₂, and what belongs to each. */
export const KINDS = ['k', 'kStar', 'k2'] as const;
export type Kind = (typeof KINDS)[number];
export type ByKind<T> = Readonly<Record<Kind, T>>;

/** A row of the paper's Table 2. */
export type SubspaceRow = Pick<
  Subspaces,
  'subspaceNodes' | 'subspaces' | 'largest' | 'circle' | 'ones'
>;

export interface Snapshot {
  readonly label: string;
  readonly nodes: number;
  readonly arcs: number;
  /** Nodes left out because they have one arc. */
  readonly dropped: number;
  readonly correlator: number;
  /** Whether PageRank and CheiRank converged. */
  readonly converged: 'yes' | 'no';
  readonly forward: SubspaceRow;
  readonly reverse: SubspaceRow;
  /** The first nodes, of the set if there is one. */
  readonly tops: ByKind<readonly string[]>;
  /** How many names of the set this snapshot has. */
  readonly inSet?: number;
  /** Shares of categories among the first 30 nodes that have one. */
  readonly categories?: { readonly k: CategoryShares; readonly k2: CategoryShares };
}

type CategoryShares = ReadonlyMap<string, number>;

export interface SnapshotOptions {
  readonly alpha: number;
  readonly threads: number;
  readonly memory: Bytes;
  /** Nodes in a top. */
  readonly top: number;
  readonly among?: readonly string[] | undefined;
  readonly categories?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Called with the share of this snapshot that is done. It may throw. */
  readonly onProgress: (done: number) => void;
}

/** Nodes whose categories count, as in the paper's Figure 5. */
const CATEGORY_TOP = 30;
const WALK = { tolerance: 1e-9, iterations: 1000 };

export async function lookAt(
  label: string,
  graph: Graph,
  dropped: number,
  options: SnapshotOptions,
): Promise<{ snapshot: Snapshot; places: Places }> {
  const { alpha, threads, memory, top, among, categories, onProgress } = options;
  const forward = await subspaces(graph, { memory });
  onProgress(0.1);
  const reverse = await subspaces(graph, { memory, reverse: true });
  onProgress(0.2);
  const walk: RankOptions = { threads, memory, onProgress: (done) => onProgress(0.2 + done * 0.7) };
  const places = await placesOf(graph, { alpha, ...WALK }, walk);
  const set = among && (await idsOf(graph, among));
  const inSet = set && ((node: number) => set.has(node));
  const namesOf = (nodes: Uint32Array) => firstNames(graph, nodes, top, inSet);
  const { nodes, arcs } = graph;
  const snapshot = {
    label,
    nodes,
    arcs,
    dropped,
    correlator: places.correlator,
    converged: places.converged,
    forward: rowOf(forward),
    reverse: rowOf(reverse),
    tops: {
      k: await namesOf(places.byK),
      kStar: await namesOf(places.byKStar),
      k2: await namesOf(places.byK2),
    },
    ...(set && { inSet: set.size }),
    ...(categories && { categories: await categoryShares(graph, places, categories, inSet) }),
  };
  onProgress(1);
  return { snapshot, places };
}

/** The places of nodes in a snapshot; undefined for names that it lacks. */
export async function placesOfNames(
  graph: Graph,
  nodes: Uint32Array,
  names: readonly string[],
): Promise<(number | undefined)[]> {
  const places = placeOfEach(nodes);
  const found: (number | undefined)[] = [];
  for (const name of names) {
    const id = await graph.names.id(name);
    found.push(id === undefined ? undefined : places[id]);
  }
  return found;
}

function rowOf({ subspaceNodes, subspaces: count, largest, circle, ones }: Subspaces): SubspaceRow {
  return { subspaceNodes, subspaces: count, largest, circle, ones };
}

async function idsOf({ names }: Graph, wanted: Iterable<string>): Promise<Set<number>> {
  const ids = new Set<number>();
  for (const name of wanted) {
    const id = await names.id(name);
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

async function firstNames(
  graph: Graph,
  nodes: Uint32Array,
  count: number,
  accepts: (node: number) => boolean = () => true,
): Promise<string[]> {
  const names: string[] = [];
  for (const node of nodes) {
    if (names.length === count) break;
    if (accepts(node)) names.push(await graph.names.name(node));
  }
  return names;
}

async function categoryShares(
  graph: Graph,
  { byK, byK2 }: Places,
  categories: ReadonlyMap<string, readonly string[]>,
  inSet: (node: number) => boolean = () => true,
): Promise<{ k: CategoryShares; k2: CategoryShares }> {
  const known = await idsOf(graph, categories.keys());
  const accepts = (node: number) => known.has(node) && inSet(node);
  const sharesOf = async (nodes: Uint32Array) => {
    const names = await firstNames(graph, nodes, CATEGORY_TOP, accepts);
    const shares = new Map<string, number>();
    for (const name of names) {
      const mine = categories.get(name) ?? [];
      // A node of several categories counts for each of them in equal parts.
      for (const category of mine)
        shares.set(category, (shares.get(category) ?? 0) + 1 / mine.length / names.length);
    }
    return new Map([...shares].sort((a, b) => b[1] - a[1]));
  };
  return { k: await sharesOf(byK), k2: await sharesOf(byK2) };
}
