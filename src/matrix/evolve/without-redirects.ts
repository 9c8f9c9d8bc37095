/**
 * A graph without its redirects: the nodes with one arc are left out, with all arcs to them (Eom et
 * al., Appendix: "links cleaning procedure eliminates all redirects (nodes with one outgoing
 * link)").
 *
 * Costs     the arcs in memory, about 24 bytes each while they are copied.
 */
import { type Bytes, formatCount } from '../../base/units.ts';
import type { Graph, Names } from '../../graph/graph.ts';
import { memoryGraph } from '../../graph/memory-graph.ts';
import { requireMemory } from '../../rank/engine/memory.ts';

export async function withoutRedirects(graph: Graph, memory: Bytes): Promise<Graph> {
  requireMemory(memory, {
    what: `The arcs of ${formatCount(graph.nodes)} nodes`,
    bytes: 24 * graph.arcs + 20 * graph.nodes,
    reach: Number.POSITIVE_INFINITY,
  });
  const degrees = await graph.out.degrees();
  const kept = Uint32Array.from(degrees.keys()).filter((node) => degrees[node] !== 1);
  const newId = new Int32Array(graph.nodes).fill(-1);
  kept.forEach((node, id) => {
    newId[node] = id;
  });
  const { offsets, targets } = await graph.out.load();
  const [from, to] = [new Uint32Array(targets.length), new Uint32Array(targets.length)];
  let arcs = 0;
  for (const [id, node] of kept.entries()) {
    for (let at = offsets[node]; at < offsets[node + 1]; at++) {
      if (newId[targets[at]] < 0) continue;
      from[arcs] = id;
      to[arcs++] = newId[targets[at]];
    }
  }
  const pairs = { from: from.subarray(0, arcs), to: to.subarray(0, arcs) };
  const names = new KeptNames(graph.names, kept, newId);
  return { ...memoryGraph(kept.length, pairs), names, close: () => graph.close() };
}

/** The names of the nodes that are left. */
class KeptNames implements Names {
  readonly #names: Names;
  readonly #kept: Uint32Array;
  readonly #newId: Int32Array;

  constructor(names: Names, kept: Uint32Array, newId: Int32Array) {
    this.#names = names;
    this.#kept = kept;
    this.#newId = newId;
  }

  name(id: number): Promise<string> {
    return this.#names.name(this.#kept[id]);
  }

  async id(name: string): Promise<number | undefined> {
    const node = await this.#names.id(name);
    return node === undefined || this.#newId[node] < 0 ? undefined : this.#newId[node];
  }

  async *all(): AsyncGenerator<string> {
    let node = 0;
    for await (const name of this.#names.all()) if (this.#newId[node++] >= 0) yield name;
  }
}
