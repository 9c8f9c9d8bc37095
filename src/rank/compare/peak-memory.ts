/**
 * The most memory that a piece of work takes: how far the process grows while it runs. Another
 * thread samples it, since the work may block this one.
 *
 * Costs     a thread, some 10 MB while it runs, which are not counted. Memory that lives shorter
 *           than the time between two samples may be missed, unless the work asks for a sample.
 */
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';

/** Milliseconds between two samples. */
const INTERVAL = 10;

const PROGRAM = `
const { parentPort, workerData: { peak, interval } } = require('node:worker_threads');
const look = () => { peak[0] = Math.max(peak[0], process.memoryUsage.rss()); };
setInterval(look, interval);
parentPort.on('message', () => { look(); parentPort.postMessage('looked'); });
parentPort.postMessage('ready');
`;

export async function peakMemory<T>(
  work: (sample: () => Promise<void>) => Promise<T>,
): Promise<{ result: T; bytes: number }> {
  collectGarbage();
  const peak = new Float64Array(new SharedArrayBuffer(8));
  const worker = new Worker(PROGRAM, {
    eval: true,
    execArgv: [],
    workerData: { peak, interval: INTERVAL },
  });
  // Without a listener the death of the thread would end the process.
  const gone = once(worker, 'exit');
  gone.catch(() => {});
  const answer = async () => void (await Promise.race([once(worker, 'message'), gone]));
  const sample = () => {
    worker.postMessage('look');
    return answer();
  };
  await answer();
  const before = process.memoryUsage.rss();
  peak[0] = before;
  try {
    const result = await work(sample);
    await sample();
    return { result, bytes: Math.max(0, peak[0] - before) };
  } finally {
    await worker.terminate();
  }
}

/** Garbage of earlier work would hide what the next one takes. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
}
