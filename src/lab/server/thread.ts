/**
 * The lab in a thread of its own, so that it does not share the caller's event loop.
 *
 * The handle is the same as in-process: the web is a pure function, so `expected` and `seeds` are
 * computed on this side from the ports that the thread chose, and only the count of requests
 * crosses over, in shared memory.
 */
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DrumlinError, type ExitCode } from '../../base/errors.ts';
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

export async function startLabThread(options: LabOptions = {}): Promise<Lab> {
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
  const [report] = (await once(worker, 'message')) as [ThreadReport];
  if ('refusal' in report) {
    await worker.terminate();
    const { code, fact, remedy, exitCode } = report.refusal;
    throw new DrumlinError(code, fact, remedy, { exitCode });
  }
  const web = webOf(options, report.ports);
  return labHandle(web, report.ports, report.ca, counter, async () => {
    const gone = once(worker, 'exit');
    worker.postMessage('close');
    await gone;
  });
}
