/**
 * The cost of sending bytes to another thread and keeping them: the figures of docs/agents.md.
 *
 *   npx tsx test/crawl/threads/copy-cost.ts [clone | transfer | share]
 */
import { once } from 'node:events';
import {
  isMainThread,
  MessageChannel,
  type MessagePort,
  Worker,
  workerData,
} from 'node:worker_threads';
import { TYPESCRIPT_THREAD } from './typescript-threads.ts';

type Way = 'clone' | 'transfer' | 'share';
const PARCELS = 6000;
/** The most batches under way; acknowledged ones are forgotten. */
const WINDOW = 64;

/** Sends a copy of `batch` and returns the one to keep. */
const WAYS: Record<Way, (port: MessagePort, batch: Uint8Array) => Uint8Array> = {
  clone(port, batch) {
    const kept = batch.slice();
    port.postMessage(kept);
    return kept;
  },
  transfer(port, batch) {
    const sent = batch.slice();
    port.postMessage(sent, [sent.buffer]);
    return batch.slice();
  },
  share(port, batch) {
    const shared = new Uint8Array(new SharedArrayBuffer(batch.length));
    shared.set(batch);
    port.postMessage(shared);
    return shared;
  },
};

async function measure(way: Way, size: number): Promise<string> {
  const { port1, port2 } = new MessageChannel();
  const receiver = new Worker(new URL(import.meta.url), {
    ...TYPESCRIPT_THREAD,
    workerData: port2,
    transferList: [port2],
  });
  await once(port1, 'message');
  const batch = new Uint8Array(size).fill(7);
  const kept: Uint8Array[] = [];
  port1.on('message', (taken: number) => kept.splice(0, taken));
  const before = process.cpuUsage();
  let memory = 0;
  for (let sent = 0; sent < PARCELS; sent++) {
    kept.push(WAYS[way](port1, batch));
    while (kept.length >= WINDOW) await once(port1, 'message');
    if (sent % 100 === 0) memory = Math.max(memory, process.memoryUsage().rss);
  }
  const { user, system } = process.cpuUsage(before);
  port1.close();
  await receiver.terminate();
  return `${((user + system) / PARCELS).toFixed(0)} µs, ${Math.round(memory / 1e6)} MB`;
}

if (isMainThread) {
  // Measure one way per process: memory left behind by one would count for the next.
  const named = process.argv.slice(2) as Way[];
  for (const way of named.length > 0 ? named : (Object.keys(WAYS) as Way[])) {
    for (const size of [4096, 65_536, 262_144])
      console.log(`${way} ${size} bytes: ${await measure(way, size)}`);
  }
} else {
  const port = workerData as MessagePort;
  let taken = 0;
  port.on('message', (bytes: Uint8Array) => {
    for (let i = 0; i < bytes.length; i += 64)
      if (bytes[i] !== 7) throw new Error('other bytes arrived');
    if (++taken % 16 === 0) port.postMessage(16);
  });
  port.postMessage(0);
}
