/** The faults of the harness: each strikes, lasts, and is over when its promise resolves. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage, Worker } from './stage.ts';

export const KINDS = [
  'kill-worker',
  'kill-broker',
  'stop-5',
  'stop-20',
  'stop-60',
  'wipe',
  'store-errors',
  'cut-link',
  'clock',
] as const;
/** Drawn only if `--kinds` names them: a broker loses its data; all brokers lose all messages. */
export const RARE = ['lose-broker', 'lose-parcels'] as const;
export type Kind = (typeof KINDS)[number] | (typeof RARE)[number];

/** Times are those of an unhurried cluster, in milliseconds; `pace` makes them shorter. */
export async function strike(
  kind: Kind,
  stage: Stage,
  worker: Worker,
  random: () => number,
): Promise<void> {
  const { pace } = stage.plan;
  const time = (millis: number) => sleep(millis * pace);
  switch (kind) {
    case 'kill-worker':
      await stage.killWorker(worker);
      await time(random() * 30_000);
      return stage.restart(worker);
    case 'wipe':
      await stage.killWorker(worker);
      stage.wipe(worker);
      await time(random() * 30_000);
      return stage.restart(worker);
    case 'clock':
      await stage.killWorker(worker);
      worker.ahead = Math.round((random() * 2 - 1) * stage.plan.skew);
      return stage.restart(worker);
    case 'kill-broker':
    case 'lose-broker': {
      const broker = stage.brokers[Math.floor(random() * stage.brokers.length)];
      return stage.killBroker(broker, random() * 20_000 * pace, kind === 'lose-broker');
    }
    case 'lose-parcels': // all brokers at once: every message on its way is gone
      await Promise.all(stage.brokers.map((broker) => stage.killBroker(broker, 0, false)));
      return;
    case 'stop-5':
    case 'stop-20':
    case 'stop-60':
      worker.child.kill('SIGSTOP');
      await time(Number(kind.slice(5)) * 1000);
      return void worker.child.kill('SIGCONT');
    case 'store-errors':
      worker.toStore.cutAfter(random() < 0.3 ? 0 : Math.floor(random() * 200_000));
      await time(5000 + random() * 30_000);
      return worker.toStore.mend();
    case 'cut-link': {
      const links = random() < 0.5 ? worker.toBrokers : [...worker.toBrokers, worker.toStore];
      for (const link of links) link.cut();
      await time(2000 + random() * 40_000);
      for (const link of links) link.mend();
    }
  }
}
