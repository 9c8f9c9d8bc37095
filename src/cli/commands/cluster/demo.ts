/** `drumlin cluster demo`: workers, a synthetic web and a folder of objects, in one process. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXIT } from '../../../base/errors.ts';
import { parseDuration } from '../../../base/units.ts';
import { connectBrokers } from '../../../cluster/broker/connect.ts';
import { createCluster, stopCluster } from '../../../cluster/create.ts';
import { Worker } from '../../../cluster/worker/worker.ts';
import { resolveConfig } from '../../../config/settings.ts';
import { startLabThread } from '../../../lab/server/thread.ts';
import { openObjects } from '../../../objects/open-objects.ts';
import { freshFolder } from '../../foreground/run-crawl.ts';
import { STOP_SIGNALS } from '../../input/interrupt.ts';

export interface DemoFlags {
  readonly brokers: string;
  readonly dir?: string;
  readonly workers: number;
  readonly agents: number;
  readonly maxTime: string;
}

const say = (line: string) => void process.stderr.write(`${line}\n`);

export async function demo(flags: DemoFlags): Promise<number> {
  const dir = resolve(flags.dir ?? freshFolder('cluster-demo'));
  const brokers = await connectBrokers(flags.brokers, process.env);
  const name = `demo-${randomBytes(4).toString('hex')}`;
  const lab = await startLabThread({ scenario: 'clean' });
  try {
    mkdirSync(dir, { recursive: true });
    const objects = pathToFileURL(join(dir, 'objects')).href;
    const store = await openObjects(objects, process.env);
    const book = await brokers.book(name, { replicas: 1 });
    if (!book) throw new Error('The broker made no book.');
    const config = resolveConfig({
      ...{ allowPrivate: true, delay: '1s', addressDelay: '100ms', dns: [lab.dns] },
      maxTime: parseDuration(flags.maxTime),
    });
    const { agents } = flags;
    await createCluster({
      ...{ book, store, objects, name, agents, config, seeds: lab.seeds, now: Date.now() },
    });
    const workers = [];
    for (let n = 1; n <= flags.workers; n++) {
      const folder = join(dir, `worker-${n}`);
      workers.push(
        await Worker.join({ name, brokers, store, dir: folder, commitEvery: 10_000 }, book),
      );
    }
    say(
      `${flags.workers} workers crawl a synthetic web for ${flags.maxTime}; the pages are in ${dir}`,
    );
    say(`look: drumlin cluster status ${name} --brokers ${flags.brokers}`);
    const stop = () => void stopCluster(book);
    for (const signal of STOP_SIGNALS) process.once(signal, stop);
    const ends = await Promise.all(workers.map(({ finished }) => finished));
    for (const signal of STOP_SIGNALS) process.removeListener(signal, stop);
    say(`ended: ${ends[0]}; see drumlin archive list ${join(dir, 'objects')}`);
    return ends[0] === 'interrupted' ? EXIT.interrupted : EXIT.ok;
  } finally {
    await lab.close();
    await brokers.close();
  }
}
