/**
 * How large the front should be: large enough that no fetcher has to wait, and that there is a
 * choice.
 *
 * Idea      BUbiNG's rule: when a fetcher had to wait although the front was as large as needed,
 *           more is needed. With an order of turns that chooses among ready hosts, the front is a
 *           few times as large as fetchers need.
 * Ensures   the size stays between its first value and the most hosts in memory, and grows by a
 *           sixteenth at a time.
 */

export interface FrontSizeLimits {
  /** Most hosts in memory. */
  readonly hosts: number;
  /** Size of the front at the start that fetchers need. */
  readonly front: number;
  /** The front is so many times as large as fetchers need. */
  readonly choice: number;
}

export class FrontSize {
  readonly #limits: FrontSizeLimits;
  #needed: number;

  constructor(limits: FrontSizeLimits) {
    this.#limits = limits;
    this.#needed = limits.front;
  }

  /** What fetchers need. */
  get needed(): number {
    return this.#needed;
  }

  get required(): number {
    return Math.min(this.#limits.hosts, this.#needed * this.#limits.choice);
  }

  /** Call when a fetcher had to wait; `front` is the size of the front. */
  starved(front: number): void {
    if (front < this.#needed) return;
    this.#needed = Math.min(this.#limits.hosts, this.#needed + Math.max(1, this.#needed >> 4));
  }

  /** Resumes from a checkpoint. */
  restore(needed: number): void {
    const { front, hosts } = this.#limits;
    this.#needed = Math.min(Math.max(needed, front), hosts);
  }
}
