/**
 * Threads that help a kernel: each has the kernel's module and memory, and runs its `serve` until
 * it is stopped.
 *
 * The thread's own program is one line, given as text. It needs none of our modules, so it starts
 * in milliseconds, and in the same way from sources, in tests and built.
 */
import { Worker } from 'node:worker_threads';

const PROGRAM = `
const { module, memory } = require('node:worker_threads').workerData;
new WebAssembly.Instance(module, { env: { memory } }).exports.serve();
`;

export interface Helpers {
  readonly count: number;
  /** Throws the error of a thread that failed, if any. */
  check(): void;
  /** Resolves when all threads have left `serve`. */
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
