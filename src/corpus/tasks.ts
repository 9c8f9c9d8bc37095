/**
 * The tasks of an export that can run side by side, and the threads that run them.
 *
 * Idea      A task is named by its kind and number, and finds everything else in the work folder.
 *           With one thread the caller runs them. With more, each thread asks for the next task
 *           when it is done with one.
 * Ensures   What a task writes does not depend on the thread or on other tasks of its kind. The
 *           first failure ends all threads and is thrown, a `DrumlinError` as such.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DrumlinError, type ExitCode } from '../base/errors.ts';
import { Disk } from '../disk/disk.ts';
import type { CorpusPlan, Segment } from './plan.ts';
import { SegmentReader } from './read-segment.ts';
import { loadReadingContext } from './reading-context.ts';
import { survey } from './survey.ts';
import { WorkFolder } from './work-folder.ts';
import { writePart } from './write-part.ts';

export type Task =
  | { readonly kind: 'survey'; readonly index: number }
  | { readonly kind: 'read'; readonly index: number; readonly segment: Segment }
  | {
      readonly kind: 'part';
      readonly index: number;
      /** The first segment, and the one after the last. */
      readonly segments: readonly [number, number];
    };

export interface TaskStart {
  readonly out: string;
  readonly plan: CorpusPlan;
}

/** Runs tasks one after the other. */
export class TaskRunner {
  readonly #start: TaskStart;
  readonly #work: WorkFolder;
  #reader: Promise<SegmentReader> | undefined;

  constructor(start: TaskStart, disk = new Disk()) {
    this.#start = start;
    this.#work = new WorkFolder(disk, start.out);
  }

  async run(task: Task): Promise<void> {
    const { plan, out } = this.#start;
    const { kind, index } = task;
    if (kind === 'survey') await this.#done(task, await survey(this.#work, plan, index));
    else if (kind === 'read') {
      this.#reader ??= this.#openReader();
      await this.#done(task, await (await this.#reader).read(index, task.segment));
    } else await this.#done(task, await writePart(this.#work, plan, out, index, task.segments));
  }

  async #openReader(): Promise<SegmentReader> {
    return SegmentReader.open(this.#work, await loadReadingContext(this.#work, this.#start.plan));
  }

  #done({ kind, index }: Task, result: unknown): Promise<void> {
    return this.#work.done(kind, index, result);
  }
}

interface RunOptions {
  readonly threads: number;
  readonly disk: Disk;
  readonly onDone: (done: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The report of a thread: it is ready for a task, or it failed. */
export type ThreadReport =
  | 'ready'
  | { readonly failed: string; readonly stack: string; readonly drumlin?: DrumlinWords };
interface DrumlinWords {
  readonly code: string;
  readonly fact: string;
  readonly remedy: string;
  readonly exitCode: ExitCode;
}

export async function runTasks(
  start: TaskStart,
  tasks: readonly Task[],
  { threads, disk, onDone, signal }: RunOptions,
): Promise<void> {
  if (threads <= 1 || tasks.length <= 1) {
    const runner = new TaskRunner(start, disk);
    for (const [i, task] of tasks.entries()) {
      signal?.throwIfAborted();
      await runner.run(task);
      onDone(i + 1);
    }
    return;
  }
  const queue = [...tasks];
  let done = 0;
  const workers = Array.from({ length: Math.min(threads, tasks.length) }, () => startThread(start));
  const stop = () => {
    queue.length = 0;
    for (const worker of workers) void worker.terminate();
  };
  signal?.addEventListener('abort', stop);
  try {
    await Promise.all(
      workers.map((worker) =>
        serve(
          worker,
          () => {
            const next = queue.shift();
            return next;
          },
          () => onDone(++done),
        ),
      ),
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function startThread(start: TaskStart): Worker {
  // The neighbour has this file's extension: .js if it was built, .ts if a loader runs the sources.
  const extension = extname(new URL(import.meta.url).pathname);
  return new Worker(new URL(`./task-main${extension}`, import.meta.url), { workerData: start });
}

/** Gives a thread tasks until there are no more. */
function serve(worker: Worker, next: () => Task | undefined, onDone: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let busy = false;
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('a thread ended before its tasks')));
    worker.on('message', (report: ThreadReport) => {
      if (report !== 'ready') {
        reject(failureOf(report));
        return;
      }
      if (busy) onDone();
      const task = next();
      busy = task !== undefined;
      if (task) worker.postMessage(task);
      else resolve();
    });
  });
}

function failureOf({ failed, stack, drumlin }: Exclude<ThreadReport, 'ready'>): Error {
  if (drumlin) {
    const { code, fact, remedy, exitCode } = drumlin;
    return new DrumlinError(code, fact, remedy, { exitCode });
  }
  return Object.assign(new Error(failed), { stack });
}
