/**
 * One call at a time, and none after a failure: what the disk then holds is unknown until the
 * folder is opened again at its last checkpoint.
 */
export class SingleCaller {
  #busy = false;
  #failure: unknown;

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#busy) throw new Error('Called before the promise of the last call has settled.');
    this.#busy = true;
    try {
      return await work();
    } catch (error) {
      this.#failure = error;
      throw error;
    } finally {
      this.#busy = false;
    }
  }
}
