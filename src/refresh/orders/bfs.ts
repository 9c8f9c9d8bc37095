/**
 * `bfs`, breadth first: a queue begins with the sample. A page found alive appends its untested
 * links, in the order of their names. When the queue is empty, the best untested page by PageRank
 * follows (LiveRank, section 2.5).
 */
import type { Csr } from '../../graph/graph.ts';
import { type Order, type OrderMethod, type TestedSample, VERDICT, type Verdict } from './order.ts';

export const bfs: OrderMethod = {
  name: 'bfs',
  title: 'Breadth first',
  kind: 'dynamic',
  async open(collection, sample) {
    const byPageRank = await collection.byPageRank();
    return new BreadthFirst(await collection.links(), byPageRank, sample);
  },
};

class BreadthFirst implements Order {
  readonly #links: Csr;
  readonly #byPageRank: Uint32Array;
  /** Whether the page is in the queue, or was. */
  readonly #queued: Uint8Array;
  readonly #queue: Uint32Array;
  #head = 0;
  #tail = 0;
  #best = 0;

  constructor(links: Csr, byPageRank: Uint32Array, sample: TestedSample) {
    this.#links = links;
    this.#byPageRank = byPageRank;
    this.#queued = new Uint8Array(byPageRank.length);
    this.#queue = new Uint32Array(byPageRank.length);
    for (const page of sample.pages) this.#queued[page] = 1;
    for (const [i, page] of sample.pages.entries())
      if (sample.verdicts[i] === VERDICT.alive) this.#append(page);
  }

  next(): number {
    if (this.#head < this.#tail) return this.#queue[this.#head++];
    const pages = this.#byPageRank;
    while (this.#best < pages.length && this.#queued[pages[this.#best]] === 1) this.#best++;
    if (this.#best === pages.length) return -1;
    const page = pages[this.#best++];
    this.#queued[page] = 1;
    return page;
  }

  tested(page: number, verdict: Verdict): void {
    if (verdict === VERDICT.alive) this.#append(page);
  }

  #append(page: number): void {
    const { offsets, targets } = this.#links;
    const end = offsets[page + 1];
    for (let at = offsets[page]; at < end; at++) {
      const target = targets[at];
      if (this.#queued[target] === 1) continue;
      this.#queued[target] = 1;
      this.#queue[this.#tail++] = target;
    }
  }
}
