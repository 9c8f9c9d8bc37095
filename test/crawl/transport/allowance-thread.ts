/**
 * One of the threads that share allowances: claims until each ends, and fails every third claim.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Allowance, type SharedAllowance } from '../../../src/crawl/transport/allowance.ts';

export interface SpenderData {
  readonly allowances: readonly SharedAllowance[];
  /** The number of threads started: they begin together. */
  readonly ready: Int32Array;
  /** By allowance: set by the first thread that sees its end. Then no claim is open or granted. */
  readonly ended: Int32Array;
  readonly threads: number;
}

export interface SpenderReport {
  /** By allowance. */
  readonly ends: readonly (string | undefined)[];
  readonly pages: readonly number[];
  readonly claimsAtEnd: number;
}

const { allowances, ready, ended, threads } = workerData as SpenderData;
const ends: (string | undefined)[] = [];
const pages = allowances.map(() => 0);
let claimsAtEnd = 0;
let tries = 0;

function spend(allowance: Allowance, round: number): string | undefined {
  while (allowance.claim()) {
    if (Atomics.load(ended, round) === 1) claimsAtEnd++;
    const gotPage = ++tries % 3 !== 0;
    if (gotPage) pages[round]++;
    allowance.closeClaim(gotPage, gotPage ? 2 : 0);
  }
  return allowance.exhausted;
}

Atomics.add(ready, 0, 1);
while (Atomics.load(ready, 0) < threads);
for (const [round, shared] of allowances.entries()) {
  const allowance = new Allowance(shared);
  let end = spend(allowance, round);
  while (end === undefined) end = spend(allowance, round);
  Atomics.store(ended, round, 1);
  ends.push(end);
}
parentPort?.postMessage({ ends, pages, claimsAtEnd } satisfies SpenderReport);
