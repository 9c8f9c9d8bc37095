/**
 * The lists of a scan, asked for node by node in increasing order: for reading two graphs, or a
 * graph and another sequence, side by side.
 */
import type { AdjacencyBlock } from '../../graph/graph.ts';

const NO_LIST = new Uint32Array(0);

export class ListCursor {
  readonly #blocks: AsyncIterator<AdjacencyBlock>;
  #block: AdjacencyBlock | undefined;

  constructor(scan: AsyncGenerator<AdjacencyBlock>) {
    this.#blocks = scan;
  }

  /** The list of a node. Nodes must not decrease from call to call. Valid until the next call. */
  async listOf(node: number): Promise<Uint32Array> {
    while (this.#block === undefined || node >= this.#block.first + this.#block.count) {
      const { value, done } = await this.#blocks.next();
      if (done) return NO_LIST;
      this.#block = value;
    }
    const { first, offsets, targets } = this.#block;
    return targets.subarray(offsets[node - first], offsets[node - first + 1]);
  }

  /** Closes the scan. */
  async close(): Promise<void> {
    await this.#blocks.return?.();
  }
}

/** Whether a value is in a strictly increasing list. */
export function isInList(list: Uint32Array, value: number, from = 0, to = list.length): boolean {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low < to && list[low] === value;
}
