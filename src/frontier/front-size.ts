/**
 * How large the front should be: large enough that no fetcher has to wait, and not larger.
 *
 * Idea      BUbiNG's rule: when a fetcher had to wait although the front was as large as required,
 *           require more. In a crawl with budgets, a front without such waits for a while may
 *           shrink: more URLs then stay where the best can still be chosen.
 * Ensures   the size stays between its first value and the most hosts in memory, and changes by a
 *           sixteenth at a time.
 */
import type { Millis } from '../base/units.ts';

export interface FrontSizeLimits {
  /** Most hosts in memory. */
  readonly hosts: number;
  /** Required size of the front at the start. */
  readonly front: number;
  /** The front may shrink when no fetcher had to wait for this long; Infinity means never. */
  readonly calm: Millis;
}

export class FrontSize {
  readonly #limits: FrontSizeLimits;
  #required: number;
  /** When a fetcher last had to wait, or the required size last shrank. */
  #calmSince: Millis;

  constructor(limits: FrontSizeLimits, now: Millis) {
    this.#limits = limits;
    this.#required = limits.front;
    this.#calmSince = now;
  }

  get required(): number {
    return this.#required;
  }

  /** Call when a fetcher had to wait; `front` is the size of the front. */
  starved(front: number, now: Millis): void {
    this.#calmSince = now;
    if (front < this.#required) return;
    this.#required = Math.min(
      this.#limits.hosts,
      this.#required + Math.max(1, this.#required >> 4),
    );
  }

  /** Reduces the required size, if it is time. */
  shrink(now: Millis): void {
    const { calm, front, hosts } = this.#limits;
    if (now < this.#calmSince + calm) return;
    this.#calmSince = now;
    this.#required = Math.max(Math.min(front, hosts), this.#required - (this.#required >> 4));
  }

  /** Resumes from a checkpoint. */
  restore(required: number): void {
    this.#required = Math.min(required, this.#limits.hosts);
  }
}
