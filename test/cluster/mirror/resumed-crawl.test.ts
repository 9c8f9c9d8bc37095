/** A crawl that loses its disk resumes from the object store, and its archive is whole there. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AgentMirror } from '../../../src/cluster/mirror/agent-mirror.ts';
import { mergeClusterIndex } from '../../../src/cluster/mirror/merge-index.ts';
import { restoreAgent } from '../../../src/cluster/mirror/restore.ts';
import { resolveConfig } from '../../../src/config/settings.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { startLab } from '../../../src/lab/server/lab.ts';
import { FolderStore } from '../../../src/objects/folder-store.ts';
import { archivedPages } from '../../crawl/archived.ts';
import { fastClock } from '../../crawl/fast-clock.ts';
import { startCrawl } from '../../crawl/here.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

const AGENTS = 2;

test('a crawl that is stopped, uploaded, wiped and restored archives every page of the web once', async () => {
  const root = temporaryFolder();
  const [dir, objects] = [join(root, 'crawl'), join(root, 'objects')];
  const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
  const store = new FolderStore(objects, { disk });
  const lab = await startLab({ scenario: 'clean', domains: 12, pages: 10 });
  const settings = { dir, agents: AGENTS, dns: lab.dns, allowPrivate: true, delay: 0 };
  const crawl = async (more: { readonly maxPages?: number }) => {
    const config = resolveConfig({ ...settings, ...more });
    await (await startCrawl(lab.seeds, config, { clock: fastClock(50) })).finished;
  };
  const upload = async (epoch: number, before: readonly string[]) => {
    const manifests: string[] = [];
    for (let agent = 0; agent < AGENTS; agent++) {
      const place = { store, disk, dir, agent, epoch, before: before[agent] ?? '' };
      const mirror = await AgentMirror.open({ ...place, partBytes: 20_000 });
      const manifest = await (await mirror.stage(true)).send();
      await mirror.committed(manifest);
      manifests.push(manifest);
    }
    return manifests;
  };
  try {
    await crawl({ maxPages: 40 });
    const first = await upload(1, []);
    for (const lost of ['agents', 'archive', 'indexes'])
      rmSync(join(dir, lost), { recursive: true });
    for (const manifest of first) await restoreAgent(store, disk, dir, manifest);
    await crawl({});
    const last = await upload(2, first);
    await mergeClusterIndex(store, disk, join(root, 'scratch'), last);
    expect(await archivedPages(objects)).toEqual([...lab.web.allUrls()].sort());
  } finally {
    await lab.close();
  }
});
