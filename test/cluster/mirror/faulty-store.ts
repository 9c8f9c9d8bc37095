/** An object store that fails now and then: before it did what was asked, or after. */
import type { ObjectStore } from '../../../src/objects/object-store.ts';

export class FaultyStore implements ObjectStore {
  readonly place = 'faulty';
  readonly leastPart = 1;
  readonly #inner: ObjectStore;
  /** Called before every change: `before` fails, `after` does it and loses the answer. */
  fault: () => 'none' | 'before' | 'after' = () => 'none';

  constructor(inner: ObjectStore) {
    this.#inner = inner;
  }

  async #change<T>(work: () => Promise<T>): Promise<T> {
    const fault = this.fault();
    if (fault === 'before') throw new Error('the store failed');
    const result = await work();
    if (fault === 'after') throw new Error('the answer was lost');
    return result;
  }

  get: ObjectStore['get'] = (...args) => this.#inner.get(...args);
  look: ObjectStore['look'] = (...args) => this.#inner.look(...args);
  list: ObjectStore['list'] = (...args) => this.#inner.list(...args);
  put: ObjectStore['put'] = (...args) => this.#change(() => this.#inner.put(...args));
  delete: ObjectStore['delete'] = (...args) => this.#change(() => this.#inner.delete(...args));
  begin: ObjectStore['begin'] = (...args) => this.#change(() => this.#inner.begin(...args));
  putPart: ObjectStore['putPart'] = (...args) => this.#change(() => this.#inner.putPart(...args));
  complete: ObjectStore['complete'] = (...args) =>
    this.#change(() => this.#inner.complete(...args));
  abort: ObjectStore['abort'] = (...args) => this.#change(() => this.#inner.abort(...args));
}
