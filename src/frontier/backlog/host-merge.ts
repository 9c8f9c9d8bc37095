/**
 * Reads several sorted sequences of hosts side by side, host by host.
 *
 * Idea      There are a few dozen sequences, and large hosts are in all of them. One pass over an
 *           array of numbers finds all cursors at the least host at once; a heap would give them
 *           one by one. Names are compared only where 53 bits of the keys agree.
 * Requires  every cursor is at its first host.
 */

/** The position in one sequence. */
export interface HostCursor {
  /** 53 bits of the key of the present host (`orderOf`); Infinity at the end. */
  readonly order: number;
  readonly high: number;
  readonly low: number;
  readonly host: string;
  /** Moves to the next host; a promise when that takes time. */
  pass(): void | Promise<void>;
}

export class HostMerge<C extends HostCursor> {
  readonly #cursors: readonly C[];
  readonly #orders: Float64Array;
  /** The cursors at the present host, in the order in which they were given. */
  readonly present: C[] = [];
  readonly #presentAt: number[] = [];

  constructor(cursors: readonly C[]) {
    this.#cursors = cursors;
    this.#orders = Float64Array.from(cursors, ({ order }) => order);
  }

  /** Finds the next host after the last one was passed; false at the end. */
  find(): boolean {
    const orders = this.#orders;
    let least = Infinity;
    for (let i = 0; i < orders.length; i++) if (orders[i] < least) least = orders[i];
    if (least === Infinity) return false;
    for (let i = 0; i < orders.length; i++) if (orders[i] === least) this.#enter(i);
    return true;
  }

  /** Passes the present host; a promise when that takes time. */
  pass(): void | Promise<void> {
    while (this.#presentAt.length > 0) {
      const i = this.#presentAt.pop() as number;
      const cursor = this.present.pop() as C;
      const waits = cursor.pass();
      if (waits) return this.#passAfter(waits, i);
      this.#orders[i] = cursor.order;
    }
  }

  async #passAfter(waits: Promise<void>, i: number): Promise<void> {
    await waits;
    this.#orders[i] = this.#cursors[i].order;
    await this.pass();
  }

  /**
   * Makes a cursor present unless its host comes later; removes those whose host comes later than
   * its host.
   */
  #enter(i: number): void {
    const cursor = this.#cursors[i];
    const difference = this.present.length === 0 ? 0 : compareHosts(cursor, this.present[0]);
    if (difference > 0) return;
    if (difference < 0) {
      this.present.length = 0;
      this.#presentAt.length = 0;
    }
    this.present.push(cursor);
    this.#presentAt.push(i);
  }
}

type Place = Pick<HostCursor, 'high' | 'low' | 'host'>;

/** The order of hosts everywhere in the backlog: by key, those of one key by name. */
export function compareHosts(a: Place, b: Place): number {
  if (a.high !== b.high) return a.high - b.high;
  if (a.low !== b.low) return a.low - b.low;
  return a.host === b.host ? 0 : a.host < b.host ? -1 : 1;
}
