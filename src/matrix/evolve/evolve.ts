/**
 * How a graph's matrix and its rankings change over snapshots (Eom, Frahm, Benczúr and Shepelyansky
 * 2013): Tables 1 and 2 both ways, κ, places over time (Figures 4 and 8), agreement of tops, shares
 * of categories (Figure 5), another list's first ten (section 4).
 *
 * Requires  graphs with common names. Graphs without names are matched by number.
 * Costs     one snapshot at a time in memory. The last is read first: it decides whose places are
 *           followed.
 */
import { DrumlinError } from '../../base/errors.ts';
import { stopIfAsked } from '../../base/stop.ts';
import { type Bytes, counted } from '../../base/units.ts';
import type { DiskGraph } from '../../graph/open-graph.ts';
import { kendallTau, overlap } from '../../rank/compare/compare.ts';
import type { Places } from '../plane/places.ts';
import {
  type ByKind,
  KINDS,
  lookAt,
  placesOfNames,
  type Snapshot,
  type SnapshotOptions,
} from './snapshot.ts';
import { withoutRedirects } from './without-redirects.ts';

/** Nodes whose places are followed, and the part of another list that is looked for. */
const FIRST = 10;

interface EvolveRequest {
  /** The snapshots in the order of time; each is opened when it is needed. */
  readonly snapshots: readonly { readonly label: string; open(): Promise<DiskGraph> }[];
  readonly alpha: number;
  readonly threads: number;
  readonly memory: Bytes;
  /** Nodes in a top, for overlap and τ. */
  readonly top: number;
  /** Only these nodes, for tops and places. */
  readonly among?: readonly string[] | undefined;
  /** The categories of nodes by name. */
  readonly categories?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Another ranking, best first. */
  readonly against?: readonly string[] | undefined;
  /** Leave out nodes with one arc. */
  readonly dropRedirects?: boolean;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

/** The places of a node in each snapshot; undefined where it is missing. */
export interface Followed {
  readonly name: string;
  readonly places: readonly (number | undefined)[];
}

/** How alike the tops of a snapshot and of the next are. */
interface Step {
  readonly from: string;
  readonly to: string;
  readonly overlap: ByKind<number>;
  readonly tau: ByKind<number>;
}

export interface Evolution {
  readonly snapshots: readonly Snapshot[];
  readonly top: number;
  readonly steps: readonly Step[];
  /** The first ten of the last snapshot by each ranking, over time. */
  readonly followed: ByKind<readonly Followed[]>;
  /** Of the other list's first ten, how many are among our first ten by K, by snapshot. */
  readonly against?: readonly number[];
  /** What the user should know about the input. */
  readonly notes: readonly string[];
}

export async function evolve(request: EvolveRequest): Promise<Evolution> {
  const { snapshots, onProgress, signal } = request;
  if (snapshots.length < 2)
    throw new DrumlinError(
      'EVOLVE',
      `${counted(snapshots.length, 'snapshot')} given.`,
      'Give two or more, in the order of time: 2024=graph1 2025=graph2.',
    );
  const notes = await checkNames(request);
  const order = [snapshots.length - 1, ...snapshots.keys()].slice(0, snapshots.length);
  const found = new Map<number, Snapshot>();
  const followed: Record<(typeof KINDS)[number], (number | undefined)[][]> = {
    k: [],
    kStar: [],
    k2: [],
  };
  let followedNames: ByKind<readonly string[]> | undefined;
  for (const [done, index] of order.entries()) {
    await withGraph(request, index, async (graph, dropped) => {
      const options: SnapshotOptions = {
        ...request,
        top: Math.max(FIRST, request.top),
        onProgress: (share) => {
          stopIfAsked(signal);
          onProgress?.((done + share) / order.length);
        },
      };
      const seen = await lookAt(snapshots[index].label, graph, dropped, options);
      found.set(index, seen.snapshot);
      followedNames ??= firstOfEach(seen.snapshot);
      for (const kind of KINDS) {
        const nodes = nodesBy(seen.places, kind);
        followed[kind][index] = await placesOfNames(graph, nodes, followedNames[kind]);
      }
    });
  }
  const all = snapshots.map((_, i) => found.get(i) as Snapshot);
  requireSet(all, request);
  const rough = all.filter(({ converged }) => converged === 'no').map(({ label }) => label);
  if (rough.length > 0)
    notes.push(`The rankings of ${rough.join(', ')} did not converge: take a smaller --alpha.`);
  const names = followedNames as ByKind<readonly string[]>;
  const follow = (kind: (typeof KINDS)[number]) =>
    names[kind].map((name, i) => ({ name, places: all.map((_, at) => followed[kind][at][i]) }));
  return {
    snapshots: all,
    top: request.top,
    steps: all.slice(1).map((later, i) => stepOf(all[i], later, request.top)),
    followed: { k: follow('k'), kStar: follow('kStar'), k2: follow('k2') },
    ...(request.against && { against: sharedFirst(all, request.against) }),
    notes,
  };
}

async function withGraph(
  { snapshots, dropRedirects, memory }: EvolveRequest,
  index: number,
  work: (graph: Awaited<ReturnType<typeof withoutRedirects>>, dropped: number) => Promise<void>,
): Promise<void> {
  const graph = await snapshots[index].open();
  try {
    if (graph.nodes === 0)
      throw new DrumlinError(
        'MATRIX',
        `The graph of ${snapshots[index].label} has no nodes.`,
        'Give graphs with at least one.',
      );
    const cleaned = dropRedirects ? await withoutRedirects(graph, memory) : graph;
    if (cleaned.nodes === 0)
      throw new DrumlinError(
        'MATRIX',
        `Every node of ${snapshots[index].label} has one arc: without redirects nothing is left.`,
        'Leave out --drop-redirects.',
      );
    await work(cleaned, graph.nodes - cleaned.nodes);
  } finally {
    await graph.close();
  }
}

/** Refuses graphs that cannot be matched; notes those that are matched by number. */
async function checkNames({ snapshots }: EvolveRequest): Promise<string[]> {
  let before: { label: string; graph: DiskGraph } | undefined;
  const unnamed: string[] = [];
  try {
    for (const { label, open } of snapshots) {
      const graph = await open();
      if (!graph.named) unnamed.push(label);
      const last = before;
      before = { label, graph };
      if (last) {
        const common = await haveCommonName(last.graph, graph).finally(() => last.graph.close());
        if (!common) throw noCommonNames(last.label, label);
      }
    }
  } finally {
    await before?.graph.close();
  }
  if (unnamed.length === 0) return [];
  return [`The nodes of ${unnamed.join(', ')} have no names: they are matched by number.`];
}

function noCommonNames(a: string, b: string): DrumlinError {
  return new DrumlinError(
    'EVOLVE',
    `The graphs of ${a} and ${b} have no name in common.`,
    'Give snapshots of the same graph; a graph of numbers can only follow one of numbers.',
  );
}

async function haveCommonName(a: DiskGraph, b: DiskGraph): Promise<boolean> {
  if (a.nodes === 0 || b.nodes === 0) return true; // refused later, with a better reason
  if (a.named !== b.named) return false;
  if (!a.named) return true;
  const [fewer, more] = a.nodes <= b.nodes ? [a, b] : [b, a];
  for await (const name of fewer.names.all())
    if ((await more.names.id(name)) !== undefined) return true;
  return false;
}

function requireSet(all: readonly Snapshot[], { among }: EvolveRequest): void {
  if (among === undefined || all.some(({ inSet = 0 }) => inSet > 0)) return;
  throw new DrumlinError(
    'NODES',
    `None of the ${counted(among.length, 'name')} of the set is a node of these graphs.`,
    'Write names as the graphs have them; "drumlin rank <graph> --among" suggests some.',
  );
}

const firstOfEach = ({ tops }: Snapshot): ByKind<readonly string[]> => ({
  k: tops.k.slice(0, FIRST),
  kStar: tops.kStar.slice(0, FIRST),
  k2: tops.k2.slice(0, FIRST),
});

function nodesBy(places: Places, kind: (typeof KINDS)[number]): Uint32Array {
  return { k: places.byK, kStar: places.byKStar, k2: places.byK2 }[kind];
}

function stepOf(a: Snapshot, b: Snapshot, top: number): Step {
  const numbers = new Map<string, number>();
  const numbered = (names: readonly string[]) =>
    Uint32Array.from(names.slice(0, top), (name) => {
      const number = numbers.get(name) ?? numbers.size;
      numbers.set(name, number);
      return number;
    });
  const measure = (of: (x: Uint32Array, y: Uint32Array) => number): ByKind<number> => ({
    k: of(numbered(a.tops.k), numbered(b.tops.k)),
    kStar: of(numbered(a.tops.kStar), numbered(b.tops.kStar)),
    k2: of(numbered(a.tops.k2), numbered(b.tops.k2)),
  });
  return { from: a.label, to: b.label, overlap: measure(overlap), tau: measure(kendallTau) };
}

function sharedFirst(all: readonly Snapshot[], against: readonly string[]): number[] {
  const theirs = new Set(against.slice(0, FIRST));
  return all.map(({ tops }) => tops.k.slice(0, FIRST).filter((name) => theirs.has(name)).length);
}
