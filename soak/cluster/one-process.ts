/**
 * The crawl of a cluster beside that of one process on the same web: the same URLs archived, and
 * the ranks that the agents computed live are those of `drumlin rank` on the archive.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { restoreAgent } from '../../src/cluster/mirror/restore.ts';
import { Disk } from '../../src/disk/disk.ts';
import { startLab } from '../../src/lab/server/lab.ts';
import type { ObjectStore } from '../../src/objects/object-store.ts';
import { openObjects } from '../../src/objects/open-objects.ts';
import { type Case, figuresOf, judge } from './judge.ts';

const DRUMLIN = join(import.meta.dirname, '../../bin/drumlin');

interface Compared {
  /** Archived by one process; of those, pages that the web has and that are missing. */
  readonly archived: number;
  readonly missing: number;
  /** Domains with an estimate, and those whose live one is another than that of the archive. */
  readonly ranked: number;
  readonly differ: readonly string[];
}

/** `manifests` of all agents; the lab of the case has been closed, and its ports are free. */
export async function compareWithOne(
  given: Case,
  folder: string,
  manifests: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Compared> {
  const one = join(folder, 'one');
  await crawlAlone(given, one);
  const alone = await judge({ ...given, objects: `file://${one}`, changes: [] }, {});
  const all = join(folder, 'all');
  await gather(await openObjects(given.objects, env), all, manifests);
  copyFileSync(join(one, 'crawl.json'), join(all, 'crawl.json'));
  const { archived, missing } = figuresOf(alone);
  return { archived, missing, ...compareRanks(all) };
}

async function crawlAlone({ web, ports, agents }: Case, dir: string): Promise<void> {
  const lab = await startLab({ ...web, httpPort: ports.http, dnsPort: ports.dns });
  try {
    const where = ['--dir', dir, '--agents', String(agents), '--allow-private', '--dns', lab.dns];
    const delays = ['--delay', '20ms', '--address-delay', '0', '--max-crawl-delay', '20ms'];
    const given = [...lab.seeds, ...where, ...delays, '--contact', 'you@example.com', '--quiet'];
    const child = spawn(process.execPath, [DRUMLIN, 'crawl', ...given], { stdio: 'inherit' });
    await once(child, 'exit');
  } finally {
    await lab.close();
  }
}

/** The agents of the cluster and its archive, as the folder of one crawl. */
async function gather(store: ObjectStore, dir: string, manifests: readonly string[]) {
  for (const manifest of manifests) await restoreAgent(store, new Disk(), dir, manifest);
  for (const kind of ['archive', 'indexes']) {
    mkdirSync(join(dir, kind), { recursive: true });
    for await (const { key } of store.list(`${kind}/`))
      writeFileSync(join(dir, kind, basename(key)), (await store.get(key)) as Buffer);
  }
}

function compareRanks(dir: string): Pick<Compared, 'ranked' | 'differ'> {
  const graph = join(dir, 'graph');
  run('graph', 'build', dir, '--level', 'domain', '--out', graph);
  const method = ['--by', 'tse', '--sample', 'name', '--p', '1', '--top', 'all'];
  const offline = new Map<string, number>();
  for (const line of run('rank', graph, ...method)
    .split('\n')
    .filter(Boolean)) {
    const [, domain, score] = line.split('\t');
    offline.set(domain, Number(score));
  }
  const lines = run('domains', dir, '--json', '--top', '100000').split('\n').filter(Boolean);
  const live = lines.map((line) => JSON.parse(line)).filter(({ inDegree }) => inDegree > 0);
  const differ = live
    .filter(({ domain, supporters }) => offline.get(domain) !== supporters)
    .map(({ domain, supporters }) => `${domain}: live ${supporters}, ${offline.get(domain)}`);
  return { ranked: live.length, differ };
}

function run(...args: string[]): string {
  const most = 2 ** 28;
  const { status, stdout, stderr } = spawnSync(process.execPath, [DRUMLIN, ...args], {
    ...{ encoding: 'utf8', maxBuffer: most },
  });
  if (status !== 0) throw new Error(`drumlin ${args[0]}: ${stderr.slice(-500)}`);
  return stdout;
}
