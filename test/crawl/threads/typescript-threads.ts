/**
 * Lets threads run the TypeScript sources. The test runner compiles what tests import, not what
 * their threads load: this module adds the loader there.
 */
import type { WorkerOptions } from 'node:worker_threads';

const loader = `import { register } from 'node:module'; register('tsx/esm', ${JSON.stringify(import.meta.url)}, { data: true });`;

export const TYPESCRIPT_THREAD: WorkerOptions = {
  execArgv: ['--import', `data:text/javascript,${encodeURIComponent(loader)}`],
};
