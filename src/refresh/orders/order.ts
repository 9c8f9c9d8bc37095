/**
 * What an order of tests is (LiveRank: Huynh, Mathieu and Viennot, "How to Refresh Old Crawls").
 *
 * A refresh has two phases. First it tests a sample Z of the pages. Then the method orders the
 * other pages by what the sample showed, and they are tested in that order:
 *
 *   const collection = new Collection(graph, { threads: 2 });
 *   const method = findOrder('pa+-');
 *   const sample = await sampleFor(method, collection, { by: 'random', z: 5400, seed: 1 });
 *   ... test the pages of `sample`, in this order ...
 *   const order = await method.open(collection, { pages: sample, verdicts }, { seed: 1 });
 *   for (let page = order.next(); page >= 0; page = order.next())
 *     order.tested(page, test(page));
 *
 * Methods are static (they need no sample: `sampleFor` gives an empty one), sampled (ordered once,
 * after the sample) or dynamic (each test changes what is next). The loop is the same for all.
 *
 * Ensures   sample and order together name each page exactly once. The same verdicts in the same
 *           order give the same pages. A dynamic order may be asked for more pages before the
 *           verdicts of the last ones are known; then it orders by what is known.
 */
import type { Collection } from './collection.ts';

export type OrderName = 'random' | 'in' | 'pagerank' | 'pa' | 'pa+-' | 'asf' | 'bfs' | 'ai';

/** The result of a test. An unknown page (a server's error) counts neither as alive nor as dead. */
export const VERDICT = { dead: 0, alive: 1, unknown: 2 } as const;
export type Verdict = (typeof VERDICT)[keyof typeof VERDICT];

/** A sample after its test. */
export interface TestedSample {
  /** Nodes of the graph, in the order in which they were chosen. */
  readonly pages: Uint32Array;
  /** The verdict of each of these pages. */
  readonly verdicts: Uint8Array;
}

export interface Order {
  /** The page to test next, never one of the sample; -1 if none is left. */
  next(): number;
  /** Takes the verdict of a page that `next` returned. Static and sampled orders ignore it. */
  tested(page: number, verdict: Verdict): void;
}

interface OrderOptions {
  /** What `random` draws. */
  readonly seed: number;
}

export interface SampleSize {
  readonly z: number;
  readonly seed: number;
  /** Pages of a host that `asf` samples. */
  readonly perHost?: number;
}

export interface OrderMethod {
  readonly name: OrderName;
  /** A short title for a table or a plot. */
  readonly title: string;
  readonly kind: 'static' | 'sampled' | 'dynamic';
  /** Chooses a sample of its own, where the first pages of a static order would not do. */
  sample?(collection: Collection, size: SampleSize): Promise<Uint32Array>;
  open(collection: Collection, sample: TestedSample, options: OrderOptions): Promise<Order>;
}

/** The pages of a list in their order, without those of the sample. */
export function listed(pages: Uint32Array, sample: TestedSample): Order {
  const done = new Uint8Array(pages.length);
  for (const page of sample.pages) done[page] = 1;
  let at = 0;
  return {
    next() {
      while (at < pages.length && done[pages[at]] === 1) at++;
      return at < pages.length ? pages[at++] : -1;
    },
    tested() {},
  };
}

/** The pages of the sample with this verdict. */
export function pagesWith({ pages, verdicts }: TestedSample, verdict: Verdict): Uint32Array {
  return pages.filter((_, i) => verdicts[i] === verdict);
}
