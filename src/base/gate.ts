/**
 * Lets a limited number of tasks run at once; the others wait in order.
 *
 * Ensures   At most `most` tasks run. A task that fails makes room like any other.
 */
export class Gate {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  async run<T>(task: () => T | Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    try {
      return await task();
    } finally {
      const enter = this.#waiting.shift();
      // The place goes straight to the next task, so that none can overtake it.
      if (enter) enter();
      else this.#free++;
    }
  }
}
