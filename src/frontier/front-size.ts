/**
 * How large the front should be: large enough that no fetcher waits, and not larger.
 *
 * Idea      BUbiNG's: when a fetcher had to wait although the front was as large as required, more is required from now on. Where what is in the front
 *           was chosen, a front that nobody has waited for in a while may shrink: what waits elsewhere can then be chosen among for longer.
 * Ensures   from what it is at first up to the most hosts there may be; a sixteenth more or less at a time.
 */
import type { Millis } from '../base/units.ts';

export interface FrontSizeLimits {
  /** Most hosts in memory. */
  readonly hosts: number;
  /** The front is this large at first. */
  readonly front: number;
  /** It may become smaller again when no fetcher has waited for so long; Infinity: never. */
  readonly calm: Millis;
}

export class FrontSize {
  readonly #limits: FrontSizeLimits;
  #required: number;
  /** When a fetcher last had to wait, or the front was last allowed to shrink. */
  #calmSince: Millis;

  constructor(limits: FrontSizeLimits, now: Millis) {
    this.#limits = limits;
    this.#required = limits.front;
    this.#calmSince = now;
  }

  get required(): number {
    return this.#required;
  }

  /** A fetcher had to wait while the front had this size. */
  starved(front: number, now: Millis): void {
    this.#calmSince = now;
    if (front < this.#required) return;
    this.#required = Math.min(
      this.#limits.hosts,
      this.#required + Math.max(1, this.#required >> 4),
    );
  }

  /** Makes less required, if it is time. */
  shrink(now: Millis): void {
    const { calm, front, hosts } = this.#limits;
    if (now < this.#calmSince + calm) return;
    this.#calmSince = now;
    this.#required = Math.max(Math.min(front, hosts), this.#required - (this.#required >> 4));
  }

  /** Takes up where a checkpoint left off. */
  restore(required: number): void {
    this.#required = Math.min(required, this.#limits.hosts);
  }
}
