/**
 * What the direct neighbours of a node tell: degrees, reciprocity, assortativity, and the deviation
 * of PageRank over those that link to it.
 *
 * Requires  wanted nodes in increasing order, each once.
 * Ensures   links from a node to itself count nowhere. Means and shares over nothing are 0.
 *           Assortativity is the degree of a node, in and out together, by the mean degree of its
 *           neighbours, each neighbour once; quotients follow formulas.ts.
 * Cost      one pass over each direction; 8 bytes per node for degrees; the lists of the wanted
 *           nodes one way, in `memory` at most; more are split into batches, with a pass each.
 */
import type { Bytes } from '../../../base/units.ts';
import type { Adjacency, Graph } from '../../../graph/graph.ts';
import { type PageQuantities, quotient } from './formulas.ts';

type Neighbourhood = Pick<
  PageQuantities,
  | 'assortativity'
  | 'avgin_of_out'
  | 'avgout_of_in'
  | 'indegree'
  | 'outdegree'
  | 'prsigma'
  | 'reciprocity'
>;

/**
 * A deviation of PageRank below this part of its mean is an error of computation: there is none.
 */
const NO_DEVIATION = 1e-9;

interface Degrees {
  readonly in: Uint32Array;
  readonly out: Uint32Array;
}

export async function neighbourhoods(
  graph: Graph,
  wanted: Uint32Array,
  pagerank: Float64Array,
  memory: Bytes,
): Promise<Neighbourhood[]> {
  const degrees = await degreesToOthers(graph);
  const found: Neighbourhood[] = [];
  for (let first = 0; first < wanted.length; ) {
    const batch = wanted.subarray(first, batchEnd(wanted, first, degrees.out, memory));
    const outLists: Uint32Array[] = [];
    for await (const [, list] of listsOf(graph.out, batch)) outLists.push(list.slice());
    let at = 0;
    for await (const [node, list] of listsOf(graph.in, batch))
      found.push(neighbourhood(node, outLists[at++], list, degrees, pagerank));
    first += batch.length;
  }
  return found;
}

/** Lengths of all lists without links of nodes to themselves. */
async function degreesToOthers(graph: Graph): Promise<Degrees> {
  const degrees = { in: await graph.in.degrees(), out: await graph.out.degrees() };
  for await (const { first, count, offsets, targets } of graph.out.scan()) {
    for (let i = 0; i < count; i++) {
      for (let at = offsets[i]; at < offsets[i + 1]; at++) {
        if (targets[at] !== first + i) continue;
        degrees.in[first + i]--;
        degrees.out[first + i]--;
      }
    }
  }
  return degrees;
}

/** The end of a batch whose lists fit; at least one node. */
function batchEnd(wanted: Uint32Array, first: number, degrees: Uint32Array, memory: Bytes): number {
  let bytes = 0;
  let end = first;
  do bytes += 128 + 4 * degrees[wanted[end++]];
  while (end < wanted.length && bytes + 128 + 4 * degrees[wanted[end]] <= memory);
  return end;
}

/** The lists of some nodes, without the nodes themselves; valid until the next is asked for. */
async function* listsOf(
  lists: Adjacency,
  wanted: Uint32Array,
): AsyncGenerator<[node: number, list: Uint32Array]> {
  let next = 0;
  const from = wanted[0];
  const to = wanted[wanted.length - 1] + 1;
  for await (const { first, count, offsets, targets } of lists.scan({ from, to })) {
    for (; next < wanted.length && wanted[next] < first + count; next++) {
      const node = wanted[next];
      const list = targets.subarray(offsets[node - first], offsets[node - first + 1]);
      yield [node, list.includes(node) ? list.filter((other) => other !== node) : list];
    }
  }
}

function neighbourhood(
  node: number,
  out: Uint32Array,
  into: Uint32Array,
  degrees: Degrees,
  pagerank: Float64Array,
): Neighbourhood {
  const both = commonOf(out, into);
  const degreeOf = (other: number) => degrees.in[other] + degrees.out[other];
  const neighbours = out.length + into.length - both.length;
  const theirs = sumOver(out, degreeOf) + sumOver(into, degreeOf) - sumOver(both, degreeOf);
  const rank = meanOver(into, (other) => pagerank[other]);
  const deviation = Math.sqrt(meanOver(into, (other) => (pagerank[other] - rank) ** 2));
  return {
    indegree: into.length,
    outdegree: out.length,
    reciprocity: out.length === 0 ? 0 : both.length / out.length,
    assortativity: quotient(degreeOf(node), neighbours === 0 ? 0 : theirs / neighbours),
    avgin_of_out: meanOver(out, (other) => degrees.in[other]),
    avgout_of_in: meanOver(into, (other) => degrees.out[other]),
    prsigma: deviation <= NO_DEVIATION * rank ? 0 : deviation,
  };
}

/** The numbers in both of two increasing lists. */
function commonOf(a: Uint32Array, b: Uint32Array): Uint32Array {
  let at = 0;
  return a.filter((value) => {
    while (at < b.length && b[at] < value) at++;
    return b[at] === value;
  });
}

function sumOver(nodes: Uint32Array, of: (node: number) => number): number {
  let sum = 0;
  for (const node of nodes) sum += of(node);
  return sum;
}

function meanOver(nodes: Uint32Array, of: (node: number) => number): number {
  return nodes.length === 0 ? 0 : sumOver(nodes, of) / nodes.length;
}
