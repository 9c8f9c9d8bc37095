/**
 * Lists of domain edges by target, as they are in files and as they are read: sorted rows, merged
 * from any number of places.
 *
 * Idea      A row is a target and some of the domains that link to it. A place (a run on disk,
 *           pairs in memory) holds its rows by increasing target. The same target may have rows in
 *           many places, never with a source in common. Reading merges rows by target and
 *           concatenates the sources of one target: only targets are compared.
 *
 *             row    target u64, count u32, sources u64 each; little-endian:
 *                    three u32 words, and two per source
 *
 * Requires  rows of strictly increasing targets in each place, none empty.
 * Ensures   every edge once, targets in increasing order. A list longer than a block continues in
 *           the next block, so a reader needs no memory for a giant.
 * Cost      about 50 ns a row and a copy of the sources; one promise a block.
 */
import type { Pacer } from '../../base/pacer.ts';

export const ROW_WORDS = 3;

/**
 * Some lists. List i belongs to `targets[i]`; its sources here are `sources[ends[i-1] .. ends[i])`,
 * where the first list begins at 0. If these are fewer than `degrees[i]`, the rest was in earlier
 * blocks (first list) or comes in later ones (last list).
 */
export interface EdgeLists {
  readonly length: number;
  readonly targets: BigUint64Array;
  /** Lengths of the whole lists. */
  readonly degrees: Uint32Array;
  readonly ends: Uint32Array;
  readonly sources: BigUint64Array;
  /** Sources of the first list that were in earlier blocks. */
  readonly before: number;
}

/** Supplies more words to a cursor that has used up those it has. */
export interface MoreWords {
  /** The words from the first unused one on: more than there were, unless it is the end. */
  after(used: number): Promise<Uint32Array>;
  damaged(): Error;
}

/** Reads the rows of one place in order. */
export class RowCursor {
  /** Upper half of the present target. */
  high = 0;
  low = 0;
  /** Sources of the present row that were not copied yet. */
  left = 0;
  #words: Uint32Array;
  #at = 0;
  readonly #more: MoreWords | undefined;

  /** Reads rows in memory, or with `more` from a file. */
  constructor(words: Uint32Array, more?: MoreWords) {
    this.#words = words;
    this.#more = more;
  }

  /** Moves to the next row, if it is in memory. */
  begin(): boolean {
    if (this.#words.length - this.#at < ROW_WORDS) return false;
    this.low = this.#words[this.#at];
    this.high = this.#words[this.#at + 1];
    this.left = this.#words[this.#at + 2];
    this.#at += ROW_WORDS;
    return true;
  }

  /** Moves to the next row; false at the end. */
  async next(): Promise<boolean> {
    return this.begin() || ((await this.#fill()) && this.begin());
  }

  /**
   * Copies at most `most` sources of the row, of those in memory. Returns how many; 0 means that
   * `load` is due.
   */
  copy(into: Uint32Array, to: number, most: number): number {
    const words = this.#words;
    const at = this.#at;
    const n = Math.min(this.left, most, (words.length - at) >>> 1);
    // For short rows, the usual case, a loop beats `set`, which needs a view made first.
    if (n <= 16) for (let i = 0; i < 2 * n; i++) into[to + i] = words[at + i];
    else into.set(words.subarray(at, at + 2 * n), to);
    this.#at = at + 2 * n;
    this.left -= n;
    return n;
  }

  /** Reads more of a row that is not at its end. */
  async load(): Promise<void> {
    if (!(await this.#fill())) throw this.damaged();
  }

  damaged(): Error {
    return this.#more?.damaged() ?? new Error('rows in memory end too soon');
  }

  async #fill(): Promise<boolean> {
    const rest = this.#words.length - this.#at;
    if (this.#more === undefined) return false;
    this.#words = await this.#more.after(this.#at);
    this.#at = 0;
    if (this.#words.length > rest) return true;
    if (rest > 0) throw this.damaged();
    return false;
  }
}

/**
 * All rows of the cursors, merged, in blocks of at most `room` sources. A block is valid until the
 * next is asked for.
 */
export async function* mergeRows(
  cursors: readonly RowCursor[],
  room: number,
  pacer: Pacer,
): AsyncGenerator<EdgeLists> {
  const heap = new CursorHeap();
  for (const cursor of cursors) if (await cursor.next()) heap.push(cursor);
  const block = new Block(room);
  while (heap.size > 0) {
    const { high, low } = heap.top;
    const degree = heap.leftOfTop();
    if (degree === 0) throw heap.top.damaged();
    if (block.room === 0) {
      yield block;
      await pacer.pause();
      block.clear(0);
    }
    block.begin(low, high, degree);
    for (let left = degree; left > 0; ) {
      const cursor = heap.top;
      while (cursor.left > 0) {
        if (block.room === 0) {
          yield block;
          await pacer.pause();
          block.clear(degree - left);
          block.begin(low, high, degree);
        }
        const n = block.copyFrom(cursor);
        left -= n;
        if (n === 0) await cursor.load();
      }
      if (cursor.begin() || (await cursor.next())) heap.moveTop();
      else heap.dropTop();
    }
  }
  if (block.length > 0) yield block;
}

/** A block that is filled again and again. */
export class Block implements EdgeLists {
  length = 0;
  before = 0;
  readonly targets: BigUint64Array;
  readonly degrees: Uint32Array;
  readonly ends: Uint32Array;
  readonly sources: BigUint64Array;
  readonly #targetWords: Uint32Array;
  readonly #sourceWords: Uint32Array;
  #filled = 0;

  constructor(room: number) {
    this.targets = new BigUint64Array(room);
    this.degrees = new Uint32Array(room);
    this.ends = new Uint32Array(room);
    this.sources = new BigUint64Array(room);
    this.#targetWords = new Uint32Array(this.targets.buffer);
    this.#sourceWords = new Uint32Array(this.sources.buffer);
  }

  /** Room for sources. No list is empty, so there are never more lists than sources. */
  get room(): number {
    return this.sources.length - this.#filled;
  }

  clear(before: number): void {
    this.length = 0;
    this.#filled = 0;
    this.before = before;
  }

  begin(low: number, high: number, degree: number): void {
    const i = this.length++;
    this.#targetWords[2 * i] = low;
    this.#targetWords[2 * i + 1] = high;
    this.degrees[i] = degree;
    this.ends[i] = this.#filled;
  }

  /** Adds sources to the last list; there must be room. */
  put(sources: BigUint64Array): void {
    this.sources.set(sources, this.#filled);
    this.#filled += sources.length;
    this.ends[this.length - 1] = this.#filled;
  }

  copyFrom(cursor: RowCursor): number {
    const n = cursor.copy(this.#sourceWords, 2 * this.#filled, this.room);
    this.#filled += n;
    this.ends[this.length - 1] = this.#filled;
    return n;
  }
}

/**
 * A heap of cursors, the one with the least target on top. Targets are compared by their first 53
 * bits, as numbers, and seldom by the rest.
 */
class CursorHeap {
  readonly #cursors: RowCursor[] = [];
  readonly #orders: number[] = [];

  get size(): number {
    return this.#cursors.length;
  }

  get top(): RowCursor {
    return this.#cursors[0];
  }

  push(cursor: RowCursor): void {
    const [cursors, orders] = [this.#cursors, this.#orders];
    const order = orderOf(cursor);
    let at = cursors.push(cursor) - 1;
    orders.push(order);
    for (let parent = (at - 1) >>> 1; at > 0; parent = (at - 1) >>> 1) {
      if (!isBefore(order, cursor, orders[parent], cursors[parent])) break;
      cursors[at] = cursors[parent];
      orders[at] = orders[parent];
      at = parent;
    }
    cursors[at] = cursor;
    orders[at] = order;
  }

  /** Restores the heap after the top has moved to its next row. */
  moveTop(): void {
    const [cursors, orders] = [this.#cursors, this.#orders];
    const moved = cursors[0];
    const order = orderOf(moved);
    const { length } = cursors;
    let at = 0;
    for (let child = 1; child < length; child = 2 * at + 1) {
      const other = child + 1;
      if (other < length && isBefore(orders[other], cursors[other], orders[child], cursors[child]))
        child = other;
      if (!isBefore(orders[child], cursors[child], order, moved)) break;
      cursors[at] = cursors[child];
      orders[at] = orders[child];
      at = child;
    }
    cursors[at] = moved;
    orders[at] = order;
  }

  dropTop(): void {
    const last = this.#cursors.pop() as RowCursor;
    this.#orders.pop();
    if (this.#cursors.length === 0) return;
    this.#cursors[0] = last;
    this.moveTop();
  }

  /** Sources of the top's target in all cursors. */
  leftOfTop(): number {
    const orders = this.#orders;
    // Usually only the top is at this target.
    if (orders[1] !== orders[0] && orders[2] !== orders[0]) return this.top.left;
    return this.#leftBelow(0);
  }

  /** The cursors at the top's target are a tree below it. */
  #leftBelow(at: number): number {
    const cursor = this.#cursors[at];
    if (this.#orders[at] !== this.#orders[0] || cursor.low !== this.top.low) return 0;
    return cursor.left + this.#leftBelow(2 * at + 1) + this.#leftBelow(2 * at + 2);
  }
}

function orderOf({ high, low }: RowCursor): number {
  return high * 2 ** 21 + (low >>> 11);
}

function isBefore(order: number, cursor: RowCursor, otherOrder: number, other: RowCursor): boolean {
  return order < otherOrder || (order === otherOrder && cursor.low < other.low);
}
