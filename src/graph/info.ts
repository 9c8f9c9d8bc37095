/**
 * Facts about a graph: sizes, degrees, reciprocity, strongly connected components.
 *
 * Costs     12 bytes a node and one scan of each direction; for the components the out-lists in
 *           memory, if they fit.
 */
import type { Bytes } from '../base/units.ts';
import { BYTES_PER_NODE, type Components, strongComponents } from './components.ts';
import type { Graph } from './graph.ts';

export interface DegreeFacts {
  readonly mean: number;
  /** Standard deviation. */
  readonly deviation: number;
  /** Third central moment divided by the third power of the deviation; 0 if all are equal. */
  readonly skewness: number;
  readonly largest: number;
  /** The first node with the largest degree; absent in a graph without nodes. */
  readonly largestNode?: string;
}

export interface GraphInfo {
  readonly nodes: number;
  readonly arcs: number;
  readonly out: DegreeFacts;
  readonly in: DegreeFacts;
  /** Nodes without out-links. */
  readonly dangling: number;
  /** Nodes without in-links. */
  readonly unreferenced: number;
  /** Nodes without any link. */
  readonly isolated: number;
  /** Arcs from a node to itself. */
  readonly loops: number;
  /** Share of the other arcs whose reverse is there too; 0 if there are none. */
  readonly reciprocity: number;
  /** Absent if the memory was not enough. */
  readonly components?: Components;
  /** Memory needed for the components. */
  readonly componentMemory: Bytes;
  readonly bytes: { readonly out: Bytes; readonly in: Bytes };
}

export interface InfoOptions {
  /** Memory for the components. Default 1 GiB. */
  readonly memory?: Bytes;
  readonly onProgress?: (step: 'reading' | 'finding components', share: number) => void;
}

const DEFAULT_MEMORY: Bytes = 2 ** 30;

export async function graphInfo(graph: Graph, options: InfoOptions = {}): Promise<GraphInfo> {
  const { nodes, arcs } = graph;
  const outDegrees = await graph.out.degrees();
  const inDegrees = await graph.in.degrees();
  const { loops, mutual } = await countMutual(graph, options);
  const componentMemory = arcs * 4 + nodes * (4 + BYTES_PER_NODE);
  const affordable = componentMemory <= (options.memory ?? DEFAULT_MEMORY);
  const none = (degrees: Uint32Array) => (_: number, node: number) => degrees[node] === 0;
  const dangling = count(outDegrees, none(outDegrees));
  return {
    nodes,
    arcs,
    out: await degreeFacts(graph, outDegrees),
    in: await degreeFacts(graph, inDegrees),
    dangling,
    unreferenced: count(inDegrees, none(inDegrees)),
    isolated: count(outDegrees, (degree, node) => degree === 0 && inDegrees[node] === 0),
    loops,
    reciprocity: arcs > loops ? mutual / (arcs - loops) : 0,
    ...(affordable && { components: await findComponents(graph, options) }),
    componentMemory,
    bytes: { out: graph.out.bytes, in: graph.in.bytes },
  };
}

function count(degrees: Uint32Array, accepts: (degree: number, node: number) => boolean): number {
  let n = 0;
  for (let node = 0; node < degrees.length; node++) if (accepts(degrees[node], node)) n++;
  return n;
}

async function degreeFacts(graph: Graph, degrees: Uint32Array): Promise<DegreeFacts> {
  const n = degrees.length;
  if (n === 0) return { mean: 0, deviation: 0, skewness: 0, largest: 0 };
  const mean = graph.arcs / n;
  let [second, third, largest] = [0, 0, 0];
  for (let node = 0; node < n; node++) {
    const distance = degrees[node] - mean;
    second += distance * distance;
    third += distance * distance * distance;
    if (degrees[node] > degrees[largest]) largest = node;
  }
  const deviation = Math.sqrt(second / n);
  return {
    mean,
    deviation,
    skewness: deviation > 0 ? third / n / deviation ** 3 : 0,
    largest: degrees[largest],
    largestNode: await graph.names.name(largest),
  };
}

/**
 * Counts the loops, and the other arcs whose reverse is there, from both lists of each node side by
 * side.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: two scans side by side.
async function countMutual(
  graph: Graph,
  options: InfoOptions,
): Promise<{ loops: number; mutual: number }> {
  let [loops, mutual] = [0, 0];
  for await (const out of graph.out.scan()) {
    const { first, count, offsets, targets } = out;
    for await (const into of graph.in.scan({ from: first, to: first + count })) {
      for (let i = 0; i < into.count; i++) {
        const node = into.first + i;
        let a = offsets[node - first];
        let b = into.offsets[i];
        const [aEnd, bEnd] = [offsets[node - first + 1], into.offsets[i + 1]];
        while (a < aEnd && b < bEnd) {
          const difference = targets[a] - into.targets[b];
          if (difference === 0) {
            if (targets[a] === node) loops++;
            else mutual++;
          }
          if (difference <= 0) a++;
          if (difference >= 0) b++;
        }
      }
    }
    options.onProgress?.('reading', (first + count) / graph.nodes);
  }
  return { loops, mutual };
}

async function findComponents(graph: Graph, options: InfoOptions): Promise<Components> {
  options.onProgress?.('finding components', 0);
  return strongComponents(graph.nodes, await graph.out.load());
}
