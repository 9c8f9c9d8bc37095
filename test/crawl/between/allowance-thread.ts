/** One of the threads that spend an allowance together: claims, fails at every third claim, and goes on to the end. */
import { parentPort, workerData } from 'node:worker_threads';
import { Allowance, type SharedAllowance } from '../../../src/crawl/between/allowance.ts';

export interface SpenderData {
  readonly allowance: SharedAllowance;
  /** Threads that have started: they begin together. */
  readonly ready: Int32Array;
  /** Set by whoever sees the end first: from then on no claim may be granted. */
  readonly ended: Int32Array;
  readonly threads: number;
}

export interface SpenderReport {
  readonly end: string | undefined;
  readonly pages: number;
  readonly claimedAfterEnd: number;
}

const { allowance: shared, ready, ended, threads } = workerData as SpenderData;
const allowance = new Allowance(shared);
let pages = 0;
let claimedAfterEnd = 0;
let end: string | undefined;

Atomics.add(ready, 0, 1);
while (Atomics.load(ready, 0) < threads);
for (let tries = 0; end === undefined; ) {
  const over = Atomics.load(ended, 0) === 1;
  if (allowance.claim()) {
    if (over) claimedAfterEnd++;
    const gotPage = ++tries % 3 !== 0;
    if (gotPage) pages++;
    allowance.settle(gotPage, gotPage ? 2 : 0);
    continue;
  }
  end = allowance.exhausted;
  if (end !== undefined) Atomics.store(ended, 0, 1);
}
parentPort?.postMessage({ end, pages, claimedAfterEnd } satisfies SpenderReport);
