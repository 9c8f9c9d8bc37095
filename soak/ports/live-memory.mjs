/**
 * Loaded into a process and its threads before their program (`node --expose-gc --import`): answers
 * each message of the parent with the bytes in use after all threads have collected their garbage.
 */
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/** How long threads may take to answer. */
const PATIENCE = 1000;
const channel = new BroadcastChannel('live-memory');
channel.unref();

if (isMainThread) {
  let threads = 0;
  channel.onmessage = ({ data }) => {
    threads += data;
  };
  process.on('message', () => {
    threads = 0;
    channel.postMessage('collect');
    const own = collected();
    setTimeout(() => process.send(own + threads), PATIENCE);
  });
  process.channel.unref();
} else {
  channel.onmessage = ({ data }) => {
    if (data === 'collect') channel.postMessage(collected());
  };
}

function collected() {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
