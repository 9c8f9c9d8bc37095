/**
 * The lists of a scan, asked for node by node in increasing order: for reading two graphs, or a
 * graph and something else, side by side.
 */
import type { AdjacencyBlock } from '../../graph/graph.ts';

const NO_LIST = new Uint32Array(0);

export class ListCursor {
  readonly #blocks: AsyncIterator<AdjacencyBlock>;
  #block: AdjacencyBlock | undefined;

  constructor(scan: AsyncGenerator<AdjacencyBlock>) {
    this.#blocks = scan;
  }

  /**
   * The list of a node that is not below the one asked for before; valid until the next is asked
   * for.
   */
  async listOf(node: number): Promise<Uint32Array> {
    while (this.#block === undefined || node >= this.#block.first + this.#block.count) {
      const { value, done } = await this.#blocks.next();
      if (done) return NO_LIST;
      this.#block = value;
    }
    const { first, offsets, targets } = this.#block;
    return targets.subarray(offsets[node - first], offsets[node - first + 1]);
  }

  /** Lets go of what the scan holds open. */
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
