/**
 * A crawl as it was built, in threads, of which one is ended from outside in the middle of it.
 *
 * node thread-death-child.mjs <folder> <dns> <seeds…>: prints how it ended as a line of JSON.
 */
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

const workers = [];
threads.Worker = class extends threads.Worker {
  constructor(...args) {
    super(...args);
    workers.push(this);
  }
};
syncBuiltinESMExports();

const { crawl } = await import('../../dist/lib/index.js');

const [dir, dns, ...seeds] = process.argv.slice(2);
const settings = { dir, dns: [dns], allowPrivate: true, delay: 0, agents: 3, checkpoint: 100 };
let pages = 0;
try {
  for await (const _ of crawl({ seeds, ...settings }))
    if (++pages === 30) void workers[1].terminate();
  console.log(JSON.stringify({ code: 'finished' }));
} catch ({ code, message, exitCode }) {
  console.log(JSON.stringify({ code, message, exitCode }));
}
