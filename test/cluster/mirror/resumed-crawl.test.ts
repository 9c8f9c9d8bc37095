/** A crawl that loses its disk resumes from the object store, and its archive is whole there. */
import { readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Case, judge } from '../../../soak/cluster/judge.ts';
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
  const web = { scenario: 'clean' as const, domains: 8, pages: 6 };
  const log = join(root, 'requests.jsonl');
  const lab = await startLab({ ...web, log });
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
    await crawl({ maxPages: 15 });
    const first = await upload(1, []);
    for (const lost of ['agents', 'archive', 'indexes'])
      rmSync(join(dir, lost), { recursive: true });
    for (const manifest of first) await restoreAgent(store, disk, dir, manifest);
    await nextSecond();
    await crawl({});
    const last = await upload(2, first);
    await mergeClusterIndex(store, disk, join(root, 'scratch'), last);
    expect(await archivedPages(objects)).toEqual([...lab.web.allUrls()].sort());
    await lab.close(); // writes the rest of its log
    await judgeTheJudge({
      ...{ web, ports: lab.ports, log, objects: `file://${objects}` },
      ...{ delay: 0, addressDelay: 0, maxCrawlDelay: 0, agents: 1, changes: [], faults: [] },
    });
  } finally {
    await lab.close();
  }
});

/** Files are named by the second: those that were wiped must not get a namesake. */
async function nextSecond(): Promise<void> {
  const second = () => Math.floor(Date.now() / 1000);
  for (const begun = second(); second() === begun; ) await new Promise(setImmediate);
}

/** The judge of the soak test finds nothing here, and finds what is made wrong. */
async function judgeTheJudge(given: Case): Promise<void> {
  const counts = async (changed: Partial<Case> = {}) => {
    const { missing, twice, torn, unconfirmed, index, tooSoon } = await judge(
      { ...given, ...changed },
      {},
    );
    return [missing, twice, torn, unconfirmed, index, tooSoon].map(({ length }) => length > 0);
  };
  const [no, yes] = [false, true];
  expect(await counts()).toEqual([no, no, no, no, no, no]);
  expect(await counts({ delay: 60_000 })).toEqual([no, no, no, no, no, yes]);
  const archive = join(given.objects.slice('file://'.length), 'archive');
  const [first, second] = readdirSync(archive);
  truncateSync(join(archive, first), 2000);
  rmSync(join(archive, second));
  const [missing, , torn, , index] = await counts();
  expect([missing, torn, index]).toEqual([yes, yes, yes]);
}
