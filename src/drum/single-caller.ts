/**
 * One call at a time; and after a failure none at all, because only opening the folder again at its last checkpoint
 * tells what the disk holds.
 */
export class SingleCaller {
  #busy = false;
  #failure: unknown;

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#busy) throw new Error('called before the promise of the last call has settled');
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
