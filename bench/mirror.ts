/**
 * What checkpoints in the object store cost: an agent that discovers URLs for some minutes, and
 * uploads a checkpoint every minute.
 *
 *   npm run bench -- mirror [minutes] [URLs a minute] [bytes of a piece]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { xxh64 } from '../src/base/xxh64.ts';
import { AgentMirror } from '../src/cluster/mirror/agent-mirror.ts';
import { restoreAgent } from '../src/cluster/mirror/restore.ts';
import { resolveConfig } from '../src/config/settings.ts';
import { Counters } from '../src/crawl/record/counters.ts';
import { AgentFolder } from '../src/crawl/state/agent-folder.ts';
import { Disk } from '../src/disk/disk.ts';
import { bytesIn } from '../src/disk/usage.ts';
import { BatchBuilder } from '../src/drum/keyed-batch.ts';
import { FolderStore } from '../src/objects/folder-store.ts';
import { FaultyFileSystem } from '../test/disk/faulty-file-system.ts';

const CHECKPOINTS_A_MINUTE = 6;

export async function run(args: string[]): Promise<void> {
  const [minutes = 10, urls = 30_000, pieceBytes = 4096] = args.map(Number);
  const folder = mkdtempSync(join(tmpdir(), 'bench-mirror-'));
  try {
    await measure(folder, minutes, urls, pieceBytes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string, minutes: number, urls: number, pieceBytes: number) {
  const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
  const store = new FolderStore(join(folder, 'objects'), {
    disk: new Disk(new FaultyFileSystem({ skipSync: true })),
  });
  const dir = join(folder, 'crawl');
  const agent = await AgentFolder.open(disk, 0, resolveConfig({ dir, order: 'bfs' }));
  const place = { store, disk, dir, agent: 0, epoch: 1, before: '', pieceBytes };
  const mirror = await AgentMirror.open(place);
  const rows: { bytes: number; stage: number; all: number }[] = [];
  let manifest = '';
  for (let minute = 0; minute < minutes; minute++) {
    for (let part = 0; part < CHECKPOINTS_A_MINUTE; part++) {
      const count = Math.floor(urls / CHECKPOINTS_A_MINUTE);
      await discover(agent, minute * urls + part * count, count);
      await checkpoint(agent);
    }
    const before = process.cpuUsage();
    const staged = await mirror.stage();
    const stage = process.cpuUsage(before);
    manifest = await staged.send();
    await mirror.committed(manifest);
    const all = process.cpuUsage(before);
    rows.push({ bytes: staged.bytes, stage: cpu(stage), all: cpu(all) });
  }
  const state = await bytesIn(join(dir, 'agents'));
  const sum = (of: (row: (typeof rows)[number]) => number) =>
    rows.reduce((s, row) => s + of(row), 0);
  const n = rows.length;
  const before = process.cpuUsage();
  const begun = performance.now();
  await restoreAgent(store, new Disk(), join(folder, 'restored'), manifest);
  const restore = { ms: performance.now() - begun, cpu: cpu(process.cpuUsage(before)) };
  const text = (await store.get(manifest))?.length ?? 0;
  const figures = {
    pieceBytes,
    'URLs offered': minutes * urls,
    'state on disk, MB': mega(state),
    'sent in all, MB': mega(sum((row) => row.bytes)),
    'sent an upload, MB': mega(sum((row) => row.bytes) / n),
    'sent for a URL, bytes': Math.round(sum((row) => row.bytes) / minutes / urls),
    'CPU of stage, ms': Math.round(sum((row) => row.stage) / n),
    'CPU of an upload, ms': Math.round(sum((row) => row.all) / n),
    'manifest, KB': Math.round(text / 1000),
    'restore, ms': Math.round(restore.ms),
    'CPU of restore, ms': Math.round(restore.cpu),
  };
  console.table(figures);
  await agent.close();
}

const cpu = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
const mega = (bytes: number): number => Math.round(bytes / 1e5) / 10;

/** Two of three URLs are new; a host has a hundred. */
async function discover(agent: AgentFolder, from: number, count: number): Promise<void> {
  const batch = new BatchBuilder();
  for (let i = from; i < from + count; i++) {
    const number = i % 3 === 2 ? Math.floor(i / 2) : i;
    const host = `www.site-${Math.floor(number / 100)}.example`;
    const url = `http://${host}/articles/2026/${number}.html`;
    batch.addText(xxh64(url), url);
    if (number % 100 === 0)
      agent.hosts.put(xxh64(host), Buffer.from(`${host} and what is known of it`));
    if (i % 3 !== 2) agent.backlog.add(host, { url, depth: 3, redirects: 0 });
  }
  await agent.sieve.offer(batch);
  while (await agent.sieve.take());
  await agent.hosts.write();
  await agent.backlog.makeRoom();
}

async function checkpoint(agent: AgentFolder): Promise<void> {
  const image = Buffer.alloc(2_000_000, 'the front of an agent');
  await agent.save(
    [image],
    {
      savedAt: 0,
      waiting: 0,
      counters: { ...new Counters() },
      frontier: { hostsSeen: 0, domainsSeen: 0, required: 0, allHere: false },
      ...{ taken: 0, seeds: 0, moved: [], archive: [] },
    },
    async () => {},
  );
}
