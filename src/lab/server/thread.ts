/**
 * The lab in a thread of its own, so that it does not share the caller's event loop.
 *
 * The handle is the same as in-process: the web is a pure function, so `expected` and `seeds` are
 * computed on this side from the ports that the thread chose, and only the count of requests
 * crosses over, in shared memory.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DrumlinError, EXIT, type ExitCode } from '../../base/errors.ts';
import { type Lab, type LabOptions, labHandle, NO_PORTS, webOf } from './lab.ts';

/** The report of the thread: where it listens, or why it cannot. */
export type ThreadReport =
  | {
      readonly ports: { http: number; https: number; dns: number; control: number };
      readonly ca?: string;
    }
  | { readonly refusal: { code: string; fact: string; remedy: string; exitCode: ExitCode } };

/**
 * Megabytes for young objects. A page is 25 KB that live for a moment: with V8's default of 16,
 * collecting them takes a tenth of the time.
 */
const YOUNG = 96;

export interface ThreadData {
  readonly options: LabOptions;
  readonly counter: Uint32Array;
}

/**
 * `onDeath` is called if the thread ends by itself: from then on the web answers nothing. `close`
 * then throws the same error.
 */
export async function startLabThread(
  options: LabOptions = {},
  onDeath: (error: DrumlinError) => void = () => {},
): Promise<Lab> {
  webOf(options, NO_PORTS); // Refuses bad settings before anything starts.
  const counter = new Uint32Array(new SharedArrayBuffer(4));
  const data: ThreadData = { options, counter };
  // The neighbour has this file's extension: .js if it was built, .ts if a loader runs the sources.
  const extension = extname(new URL(import.meta.url).pathname);
  const main = new URL(`./thread-main${extension}`, import.meta.url);
  const worker = new Worker(main, {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  const life = watch(worker, onDeath);
  const report = await Promise.race([life.report, life.death.then(rethrow)]);
  if ('refusal' in report) {
    life.expectEnd();
    await worker.terminate();
    const { code, fact, remedy, exitCode } = report.refusal;
    throw new DrumlinError(code, fact, remedy, { exitCode });
  }
  const web = webOf(options, report.ports);
  return labHandle(web, report.ports, report.ca, counter, async () => {
    life.expectEnd();
    worker.postMessage('close');
    await life.gone;
    if (life.error) throw life.error;
  });
}

interface Life {
  readonly report: Promise<ThreadReport>;
  /** Resolves when the thread is gone, for whatever reason. */
  readonly gone: Promise<unknown>;
  /** Resolves if the thread ends by itself. */
  readonly death: Promise<DrumlinError>;
  /** Why the thread ended by itself, if it did. */
  readonly error: DrumlinError | undefined;
  /** From now on an end without an exception is no death. */
  expectEnd(): void;
}

function watch(worker: Worker, onDeath: (error: DrumlinError) => void): Life {
  let expected = false;
  let error: DrumlinError | undefined;
  let died: (error: DrumlinError) => void = () => {};
  const death = new Promise<DrumlinError>((resolve) => {
    died = resolve;
  });
  const die = (cause: unknown) => {
    if (error) return;
    error = labGone(cause);
    died(error);
    onDeath(error);
  };
  worker.on('error', die);
  const gone = new Promise<void>((resolve) =>
    worker.once('exit', (code) => {
      if (!expected) die(new Error(`exit code ${code}`));
      resolve();
    }),
  );
  return {
    report: new Promise((resolve) => worker.once('message', resolve)),
    gone,
    death,
    get error() {
      return error;
    },
    expectEnd() {
      expected = true;
    },
  };
}

function rethrow(error: DrumlinError): never {
  throw error;
}

function labGone(cause: unknown): DrumlinError {
  return new DrumlinError(
    'LAB_GONE',
    `The synthetic web has ended: ${(cause as Error)?.message}.`,
    'Start it again; if it ends again, please report this error.',
    { exitCode: EXIT.internal, cause },
  );
}
