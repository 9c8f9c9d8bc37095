/** For the facts of a result: did the error fall to the tolerance before the iterations ended? */
export const hasConverged = (error: number, tolerance: number): 'yes' | 'no' =>
  error <= tolerance ? 'yes' : 'no';

/**
 * Progress of an iteration whose error falls by about the same factor in each step: the remaining
 * steps follow from the factor seen so far.
 */
export class Convergence {
  readonly #target: number;
  readonly #most: number;
  readonly #factor: number;
  #first = 0;
  #steps = 0;

  /** `factor` is the factor expected before any step. */
  constructor(target: number, most: number, factor: number) {
    this.#target = target;
    this.#most = most;
    this.#factor = factor;
  }

  /**
   * Takes the error after one more step. Returns the share of the work that is done, 1 at the end.
   */
  update(error: number): number {
    if (this.#steps++ === 0) this.#first = error;
    if (error <= this.#target || this.#steps >= this.#most) return 1;
    const factor =
      this.#steps > 1 ? (error / this.#first) ** (1 / (this.#steps - 1)) : this.#factor;
    const left =
      factor < 1 ? Math.log(this.#target / error) / Math.log(factor) : Number.POSITIVE_INFINITY;
    return this.#steps / (this.#steps + Math.min(left, this.#most - this.#steps));
  }
}
