/** The inside of `startLabThread`: starts the lab, reports its ports, closes it on request. */
import { parentPort, workerData } from 'node:worker_threads';
import { DrumlinError } from '../../base/errors.ts';
import { startLab } from './lab.ts';
import type { ThreadData, ThreadReport } from './thread.ts';

const { options, counter } = workerData as ThreadData;
const port = parentPort;
if (!port) throw new Error('thread-main runs in a worker thread only');

try {
  const lab = await startLab({ ...options, counter });
  const report: ThreadReport = { ports: lab.ports, ...(lab.ca && { ca: lab.ca }) };
  port.postMessage(report);
  port.once('message', () => {
    // A failure is an uncaught rejection, which the other side reports.
    void lab.close().then(() => port.close());
  });
} catch (error) {
  if (!(error instanceof DrumlinError)) throw error;
  const { code, fact, remedy, exitCode } = error;
  const report: ThreadReport = { refusal: { code, fact, remedy, exitCode } };
  port.postMessage(report);
}
