/** The thread that runs tasks of an export: see tasks.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { DrumlinError } from '../base/errors.ts';
import { type Task, TaskRunner, type TaskStart, type ThreadReport } from './tasks.ts';

const port = parentPort;
const runner = new TaskRunner(workerData as TaskStart);
const report = (words: ThreadReport) => port?.postMessage(words);

port?.on('message', (task: Task) => {
  runner.run(task).then(
    () => report('ready'),
    (error: unknown) => report(failure(error)),
  );
});
report('ready');

function failure(error: unknown): ThreadReport {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof DrumlinError)) return { failed: message, stack };
  const { code, fact, remedy, exitCode } = error;
  return { failed: message, stack, drumlin: { code, fact, remedy, exitCode } };
}
