/** One of the threads that stress an address table, and check each other in shared memory. */
import { parentPort, workerData } from 'node:worker_threads';
import {
  type SharedAddresses,
  SharedAddressTable,
} from '../../../src/crawl/transport/address-table.ts';

export interface HammerData {
  readonly addresses: SharedAddresses;
  readonly ips: readonly string[];
  /** By address: the number of holders, and the ready time. */
  readonly inside: Int32Array;
  readonly readyAt: Float64Array;
  /** The number of threads started: they begin together. */
  readonly ready: Int32Array;
  readonly threads: number;
  readonly takes: number;
}

export interface HammerReport {
  readonly violations: readonly string[];
  readonly refused: number;
}

const { addresses, ips, inside, readyAt, ready, threads, takes, agent } =
  workerData as HammerData & {
    agent: number;
  };
const table = new SharedAddressTable(addresses, agent);
const violations: string[] = [];
let refused = 0;
const asleep = new Int32Array(new SharedArrayBuffer(4));

const spin = (millis: number) => {
  const until = performance.now() + millis;
  while (performance.now() < until);
};

Atomics.add(ready, 0, 1);
while (Atomics.load(ready, 0) < threads);
for (let taken = 0, tried = agent; taken < takes; tried++) {
  const i = tried % ips.length;
  const now = Date.now();
  if (table.tryTake(ips[i], now) !== 0) {
    // With fewer cores than threads, the holder may need our core.
    if (++refused % 200 === 0) Atomics.wait(asleep, 0, 0, 1);
    continue;
  }
  taken++;
  if (Atomics.add(inside, i, 1) !== 0) violations.push(`${ips[i]} is held twice`);
  if (now < readyAt[i]) violations.push(`${ips[i]} was taken at ${now}, before ${readyAt[i]}`);
  // Mostly without work and delay: then holds of one address follow each other very closely.
  if (tried % 100 === 0) spin(0.05);
  const next = Date.now() + (tried % 1000 === 0 ? 1 : 0);
  readyAt[i] = next;
  Atomics.sub(inside, i, 1);
  table.giveBack(ips[i], next);
}
parentPort?.postMessage({ violations, refused } satisfies HammerReport);
