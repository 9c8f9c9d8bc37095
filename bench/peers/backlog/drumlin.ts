import { Disk } from '../../../src/disk/disk.ts';
import { Backlog } from '../../../src/frontier/backlog/backlog.ts';
import { PathQueue } from '../../../src/frontier/queue/path-queue.ts';
import type { Contender, Task } from './contender.ts';

export async function openBacklog({ folder, memory, perRound }: Task): Promise<Contender> {
  const backlog = await Backlog.open({ disk: new Disk(), folder, memory });
  return {
    add(host, url) {
      backlog.add(host, { url, depth: 1, redirects: 0 });
      return backlog.full ? backlog.makeRoom() : undefined;
    },
    async round(out) {
      const sweep = await backlog.sweep();
      while (await sweep.next()) {
        const queue = new PathQueue(sweep.host);
        await sweep.take(perRound, queue);
        for (let next = queue.shift(); next; next = queue.shift()) out(next.url);
      }
      await backlog.endSweep();
    },
    close: () => backlog.close(),
  };
}
