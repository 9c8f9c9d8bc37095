/**
 * A crawl as it was built, in threads, of which one dies in the middle of it.
 *
 * node thread-death-child.mjs <folder> <dns> <death> <seeds…>: prints how it ended as a line of
 * JSON. The death is JSON: `{ agent, phase, step }` as in `thread-death.mjs`, with the settings
 * `agents` and `checkpoint`.
 */
import { syncBuiltinESMExports } from 'node:module';
import threads, { SHARE_ENV } from 'node:worker_threads';

const [dir, dns, death, ...seeds] = process.argv.slice(2);
const { agent, phase, step, agents, checkpoint = 100 } = JSON.parse(death);

let threadsMade = 0;
threads.Worker = class extends threads.Worker {
  constructor(main, options) {
    super(main, threadsMade++ === agent ? { ...options, ...deadly() } : options);
  }
};
syncBuiltinESMExports();

function deadly() {
  const module = new URL('thread-death.mjs', import.meta.url);
  process.env.DIES_AT = JSON.stringify({ agent, phase, step });
  return { env: SHARE_ENV, execArgv: [...process.execArgv, '--import', module.href] };
}

const { crawl } = await import('../../dist/lib/index.js');

const settings = { dir, dns: [dns], allowPrivate: true, delay: 0, agents, checkpoint };
try {
  for await (const _ of crawl({ seeds, ...settings }));
  console.log(JSON.stringify({ code: 'finished' }));
} catch ({ code, message, exitCode }) {
  console.log(JSON.stringify({ code, message, exitCode }));
}
