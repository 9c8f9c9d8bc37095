/**
 * How many nodes, and how many other sites, reach a node within 1 to 4 links: exactly, for the
 * nodes that are asked for.
 *
 * Idea      Breadth-first search from many nodes at once. Every node has a bit for each wanted
 *           node: "I reach it". One pass over the out-lists ORs into the bits of a node those of
 *           the nodes it links to, and so takes all searches one step further. Bits are counted in
 *           columns by binary counters of one word per 32 columns and digit: two operations a word.
 * Requires  `siteOf`, where given, holds a site for each node, numbered from 0 to `sites` - 1.
 * Ensures   a node does not support itself, and a site not its own pages, whatever links there are.
 * Cost      `memory` at most: 8 bytes per node and 4 per site for each 32 wanted nodes of a batch,
 *           a byte per node, and the lists (4 bytes an arc) if half of the memory holds them.
 *           Otherwise lists are read again in each pass. Four passes a batch, about a nanosecond
 *           per arc and word.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Bytes } from '../../../base/units.ts';
import type { Adjacency, AdjacencyBlock, Graph } from '../../../graph/graph.ts';
import { requireMemory } from '../../../rank/engine/memory.ts';

const FARTHEST = 4;

interface SupportersRequest {
  /** The nodes whose supporters are counted, each once. */
  readonly wanted: Uint32Array;
  /** The site of each node; by default every node is a site of its own. */
  readonly siteOf?: Uint32Array | undefined;
  readonly sites?: number;
  readonly memory: Bytes;
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** Counts by distance (distance 1 first) and then by wanted node. */
interface Supporters {
  readonly nodes: readonly Float64Array[];
  readonly sites: readonly Float64Array[];
}

/** Bits of a typed array's index that are fast to compute with. */
const MOST_WORDS = 2 ** 30;
const CHUNK_NODES = 65_536;

export async function supportersWithin(
  graph: Graph,
  request: SupportersRequest,
): Promise<Supporters> {
  const { wanted, siteOf, memory, onProgress } = request;
  const sites = siteOf ? (request.sites ?? 0) : 0;
  const wordBytes = 4 * (2 * graph.nodes + sites);
  const least = graph.nodes + wordBytes;
  requireMemory(memory, { what: 'Supporters within four links', bytes: least });
  const lists = await openLists(graph.out, graph, Math.min(memory / 2, memory - least));
  const room = memory - lists.bytes - graph.nodes;
  const words = Math.max(
    1,
    Math.min(
      Math.ceil(wanted.length / 32),
      Math.floor(room / Math.max(1, wordBytes)),
      Math.floor(MOST_WORDS / Math.max(1, graph.nodes)),
    ),
  );
  const found = {
    nodes: Array.from({ length: FARTHEST }, () => new Float64Array(wanted.length)),
    sites: Array.from({ length: FARTHEST }, () => new Float64Array(wanted.length)),
  };
  const search = new Search(graph.nodes, words, siteOf, sites);
  for (let first = 0; first < wanted.length; first += 32 * words) {
    const batch = wanted.subarray(first, first + 32 * words);
    search.start(batch);
    for (let distance = 1; distance <= FARTHEST; distance++) {
      for await (const block of lists.blocks()) search.step(block);
      const counts = search.endStep();
      for (let i = 0; i < batch.length; i++) {
        found.nodes[distance - 1][first + i] = counts.nodes[i] - 1;
        found.sites[distance - 1][first + i] = counts.sites[i] - 1;
      }
      onProgress?.((first + (distance / FARTHEST) * batch.length) / wanted.length);
    }
  }
  return found;
}

/** The lists in memory if they fit, else read anew for each pass; offsets need not begin at 0. */
async function openLists(
  lists: Adjacency,
  { nodes, arcs }: Graph,
  memory: Bytes,
): Promise<{ bytes: Bytes; blocks(): AsyncGenerator<AdjacencyBlock> }> {
  const bytes = 4 * (nodes + 1 + arcs);
  if (bytes > memory) return { bytes: 0, blocks: () => lists.scan() };
  const { offsets, targets } = await lists.load();
  async function* blocks(): AsyncGenerator<AdjacencyBlock> {
    for (let first = 0; first < nodes; first += CHUNK_NODES) {
      const count = Math.min(CHUNK_NODES, nodes - first);
      yield { first, count, offsets: offsets.subarray(first, first + count + 1), targets };
      await turn();
    }
  }
  return { bytes, blocks };
}

class Search {
  readonly #words: number;
  readonly #siteOf: Uint32Array | undefined;
  readonly #siteBits: Uint32Array;
  /** Bits of the wanted nodes that each node reaches, before and after this step. */
  #before: Uint32Array;
  #after: Uint32Array;
  /** Whether a node had any bit before this step. */
  readonly #reaches: Uint8Array;

  constructor(nodes: number, words: number, siteOf: Uint32Array | undefined, sites: number) {
    this.#words = words;
    this.#siteOf = siteOf;
    this.#siteBits = new Uint32Array(sites * words);
    this.#before = new Uint32Array(nodes * words);
    this.#after = new Uint32Array(nodes * words);
    this.#reaches = new Uint8Array(nodes);
  }

  start(batch: Uint32Array): void {
    this.#before.fill(0);
    this.#reaches.fill(0);
    for (const [i, node] of batch.entries()) {
      this.#before[node * this.#words + (i >>> 5)] |= 1 << (i & 31);
      this.#reaches[node] = 1;
    }
  }

  step({ first, count, offsets, targets }: AdjacencyBlock): void {
    const words = this.#words;
    const before = this.#before;
    const after = this.#after;
    const reaches = this.#reaches;
    after.set(before.subarray(first * words, (first + count) * words), first * words);
    for (let i = 0; i < count; i++) {
      const own = (first + i) * words;
      const end = offsets[i + 1];
      for (let at = offsets[i]; at < end; at++) {
        const target = targets[at];
        if (reaches[target] === 0) continue;
        const other = target * words;
        for (let word = 0; word < words; word++) after[own + word] |= before[other + word];
      }
    }
  }

  /** What reaches each wanted node now, itself included. */
  endStep(): { nodes: Float64Array; sites: Float64Array } {
    const words = this.#words;
    const bits = this.#after;
    [this.#before, this.#after] = [this.#after, this.#before];
    const nodes = new ColumnCounts(words);
    const siteBits = this.#siteBits.fill(0);
    for (let node = 0, at = 0; node < this.#reaches.length; node++, at += words) {
      let any = 0;
      for (let word = 0; word < words; word++) any |= bits[at + word];
      if (any === 0) continue;
      this.#reaches[node] = 1;
      nodes.add(bits, at);
      if (!this.#siteOf) continue;
      const site = this.#siteOf[node] * words;
      for (let word = 0; word < words; word++) siteBits[site + word] |= bits[at + word];
    }
    const counted = nodes.counts();
    if (!this.#siteOf) return { nodes: counted, sites: counted };
    const sites = new ColumnCounts(words);
    for (let at = 0; at < siteBits.length; at += words) sites.add(siteBits, at);
    return { nodes: counted, sites: sites.counts() };
  }
}

/** Counts the ones in each column of rows of bits. */
class ColumnCounts {
  readonly #words: number;
  /** Digit d of the counters of 32 columns is a word of the d-th array. */
  readonly #digits: Uint32Array[] = [];

  constructor(words: number) {
    this.#words = words;
  }

  add(bits: Uint32Array, at: number): void {
    const digits = this.#digits;
    for (let word = 0; word < this.#words; word++) {
      let carry = bits[at + word];
      for (let digit = 0; carry !== 0; digit++) {
        if (digit === digits.length) digits.push(new Uint32Array(this.#words));
        const counted = digits[digit];
        const both = counted[word] & carry;
        counted[word] ^= carry;
        carry = both;
      }
    }
  }

  counts(): Float64Array {
    const counts = new Float64Array(32 * this.#words);
    for (const [digit, counted] of this.#digits.entries())
      for (let i = 0; i < counts.length; i++)
        counts[i] += ((counted[i >>> 5] >>> (i & 31)) & 1) * 2 ** digit;
    return counts;
  }
}
