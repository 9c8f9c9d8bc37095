/**
 * A queue by numbers that holds one item or none most of the time.
 *
 * Idea      The first item is kept in the queue itself; a heap is made only for further ones. Most
 *           addresses have one host, and two heaps for each of thousands of addresses would be the
 *           largest thing that a front keeps in memory.
 * Ensures   `pop` returns an item with the least number. An item that was popped is not kept in
 *           memory, except for a few in a queue of many.
 * Cost      about 60 bytes for at most one item; O(log n) per operation.
 */
import FlatQueue from 'flatqueue';

/**
 * Popped items that may stay in the arrays of a heap: to allocate for each push would cost more.
 */
const BEHIND = 4;

export class SmallQueue<T> {
  #first: T | undefined;
  #value = 0;
  #others: FlatQueue<T> | undefined;

  get length(): number {
    return this.#first === undefined ? 0 : 1 + (this.#others?.length ?? 0);
  }

  /** The least number; undefined when the queue is empty. */
  peekValue(): number | undefined {
    return this.#first === undefined ? undefined : this.#value;
  }

  push(item: T, value: number): void {
    if (this.#first === undefined) {
      this.#first = item;
      this.#value = value;
      return;
    }
    this.#others ??= new FlatQueue<T>();
    if (value < this.#value) {
      this.#others.push(this.#first, this.#value);
      this.#first = item;
      this.#value = value;
    } else this.#others.push(item, value);
  }

  pop(): T | undefined {
    const first = this.#first;
    const others = this.#others;
    this.#first = undefined;
    if (!others) return first;
    this.#value = others.peekValue() as number;
    this.#first = others.pop();
    if (others.length === 0) this.#others = undefined;
    // A FlatQueue keeps popped items in its arrays beyond its length.
    else if (others.ids.length > 2 * others.length + BEHIND) others.shrink();
    return first;
  }
}
