/**
 * Threads that help a kernel: each has the kernel's module and memory, enters its `serve`, and
 * stays there until told to stop.
 *
 * The thread's own program is one line, given as text: it needs none of our modules, so it starts
 * in milliseconds and in the same way where the sources are run, tested or built.
 */
import { Worker } from 'node:worker_threads';

const PROGRAM = `
const { module, memory } = require('node:worker_threads').workerData;
new WebAssembly.Instance(module, { env: { memory } }).exports.serve();
`;

export interface Helpers {
  readonly count: number;
  /** Throws what a thread failed with, if one did. */
  check(): void;
  /** Settles when all have left `serve`. */
  ended(): Promise<void>;
}

export function startHelpers(count: number, module: object, memory: object): Helpers {
  let failure: Error | undefined;
  const exits = Array.from({ length: count }, () => {
    const worker = new Worker(PROGRAM, {
      eval: true,
      execArgv: [],
      workerData: { module, memory },
    });
    worker.on('error', (error) => {
      failure = error;
    });
    return new Promise((resolve) => worker.once('exit', resolve));
  });
  return {
    count,
    check() {
      if (failure) throw failure;
    },
    async ended() {
      await Promise.all(exits);
    },
  };
}
