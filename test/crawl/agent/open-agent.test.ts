import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { resolveConfig } from '../../../src/config/settings.ts';
import { openAgent } from '../../../src/crawl/agent/open-agent.ts';
import { shareAllowance } from '../../../src/crawl/transport/allowance.ts';
import { shareHosts } from '../../../src/crawl/transport/host-table.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { nodeFileSystem } from '../../../src/disk/file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { startCrawl } from '../here.ts';
import { linking, startSmallSite } from '../small-site.ts';

test('an agent that cannot be opened closes every file that it has opened', async () => {
  const open = new Set<object>();
  const disk = new Disk({
    ...nodeFileSystem,
    open: async (path, mode) => {
      const file = await nodeFileSystem.open(path, mode);
      open.add(file);
      const close = async () => {
        open.delete(file);
        await file.close();
      };
      return {
        read: (...args) => file.read(...args),
        write: (...args) => file.write(...args),
        sync: () => file.sync(),
        truncate: (length) => file.truncate(length),
        size: () => file.size(),
        close,
      };
    },
  });
  const settings = { dir: join(temporaryFolder(), 'crawl'), allowPrivate: true, agents: 1 };
  const config = resolveConfig({ ...settings, delay: 0 });
  // A crawl that has a checkpoint: the files that it names are on disk.
  const site = await startSmallSite({ '/': linking('/a'), '/a': '' });
  await (await startCrawl([`${site.origin}/`], config)).finished;
  await site.close();
  const start = {
    agent: 0,
    agents: 1,
    incarnation: 0,
    config,
    seeds: [],
    moved: [],
    rescoped: false,
    planned: false,
    spam: undefined,
    extracts: [],
    allowance: shareAllowance({}),
    addresses: undefined,
    hosts: shareHosts(),
    filters: { texts: {}, lists: [] },
    paused: false,
  };
  let openAtFailure = 0;
  const opening = openAgent(start, {
    clock: systemClock,
    disk,
    connect: () => {
      openAtFailure = open.size;
      throw new Error('no way to the others');
    },
    log: { event: () => {} },
    onIdle: () => {},
    onLimit: () => {},
    onOutcome: () => {},
    onSeedMoved: () => {},
    onPage: undefined,
    onError: undefined,
    predicates: new Map(),
  });
  await expect(opening).rejects.toThrow('no way to the others');
  expect(openAtFailure).toBeGreaterThan(0);
  expect(open.size).toBe(0);
});
