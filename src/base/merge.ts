/**
 * Sorted streams, merged: a heap of the streams by what each has next.
 *
 * Idea      A stream is a *lane* with a current item. The lane with the least item is at the top;
 *           its user takes the item and moves on. What an item is, only the lanes and their order
 *           know.
 * Requires  Lanes whose items are in order.
 * Ensures   Every item is at the top once, in order. `close` closes all lanes.
 * Cost      Two comparisons for each doubling of the number of lanes; waits only for lanes that do.
 */

/** A stream of items, of which one is current if `hasOne`. */
export interface Lane {
  readonly hasOne: boolean;
  /** Leaves the current item. */
  skip(): void;
  /**
   * Makes the next item current, if there is one. Await what it returns, if it returns anything.
   */
  fill(): Promise<void> | undefined;
  close(): Promise<void>;
}

export class Merge<L extends Lane> {
  readonly #lanes: readonly L[];
  readonly #isBefore: (a: L, b: L) => boolean;
  readonly #heap: L[] = [];

  constructor(lanes: readonly L[], isBefore: (a: L, b: L) => boolean) {
    this.#lanes = lanes;
    this.#isBefore = isBefore;
  }

  /** Fills the lanes; call it first. */
  async begin(): Promise<void> {
    const heap = this.#heap;
    for (const lane of this.#lanes) {
      await lane.fill();
      if (lane.hasOne) heap.push(lane);
    }
    for (let i = (heap.length >> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  /** The lane with the least item; undefined after the last. */
  get top(): L | undefined {
    return this.#heap[0];
  }

  /** Moves on behind the item at the top. Await what it returns, if it returns anything. */
  next(): Promise<void> | undefined {
    const lane = this.#heap[0];
    lane.skip();
    const wait = lane.fill();
    if (wait) return wait.then(() => this.#settle());
    this.#settle();
    return undefined;
  }

  async close(): Promise<void> {
    for (const lane of this.#lanes) await lane.close();
  }

  #settle(): void {
    const heap = this.#heap;
    if (!heap[0].hasOne) {
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) heap[0] = last;
    }
    if (heap.length > 1) this.#sink(0);
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const isBefore = this.#isBefore;
    let at = from;
    for (;;) {
      let least = 2 * at + 1;
      if (least >= heap.length) return;
      if (least + 1 < heap.length && isBefore(heap[least + 1], heap[least])) least++;
      if (!isBefore(heap[least], heap[at])) return;
      [heap[at], heap[least]] = [heap[least], heap[at]];
      at = least;
    }
  }
}
