/**
 * How long it takes to resume a large crawl: from the start of `drumlin crawl --dir` to its first
 * request.
 *
 *   npm run bench -- resume [--urls 20M] [--hosts 500k] [--runs 3]
 *                           [--dir <new folder, or one of an earlier run>]
 *
 * The folder is not crawled but written, with the classes that a crawl uses. It has one agent,
 * whose sieve knows all URLs. Nine in ten of them are queued, in memory up to its limits and on
 * disk beyond, with a record for every host that is not in memory. One agent is the worst case:
 * several open side by side. There is no delay between requests, since after a restart every host
 * is paused for that long. It runs the same command that a user types, so the start of the process
 * counts, too.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/base/clock.ts';
import { formatBytes, formatCount, parseCount } from '../src/base/units.ts';
import { type CrawlConfig, resolveConfig } from '../src/config/settings.ts';
import { Counters } from '../src/crawl/record/counters.ts';
import {
  AgentFolder,
  type AgentState,
  agentDir,
  partFolders,
} from '../src/crawl/state/agent-folder.ts';
import { CrawlFolder } from '../src/crawl/state/crawl-folder.ts';
import { encodeImage } from '../src/crawl/state/memory-image.ts';
import { Disk } from '../src/disk/disk.ts';
import { KnownKeys } from '../src/drum/known-keys.ts';
import { Backlog } from '../src/frontier/backlog/backlog.ts';
import { Frontier } from '../src/frontier/frontier.ts';
import { HostStore } from '../src/frontier/host-store.ts';
import { takeSnapshot } from '../src/frontier/snapshot.ts';
import { startDns } from '../src/lab/server/dns-server.ts';
import { DrumSieve } from '../src/sieve/disk-sieve.ts';

const BIN = join(import.meta.dirname, '..', 'bin', 'drumlin');
/** Fixed, because a folder of an earlier run has the port in its URLs. */
const PORT = 18_473;
const WAITING_SHARE = 0.9;
/** Hosts saved between two writes of the host store. */
const HOSTS_AT_ONCE = 1000;

interface Size {
  readonly urls: number;
  readonly hosts: number;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      urls: { type: 'string', default: '20M' },
      hosts: { type: 'string', default: '500k' },
      runs: { type: 'string', default: '3' },
      dir: { type: 'string', default: '' },
    },
  });
  const dir = values.dir || join(mkdtempSync(join(tmpdir(), 'drumlin-bench-')), 'crawl');
  const web = createServer((_, response) => void response.writeHead(404).end());
  // Hosts have addresses all over 127.0.0.0/8; other clients are not served.
  web.on(
    'connection',
    (socket) => void (socket.localAddress?.startsWith('127.') || socket.destroy()),
  );
  const dns = await startDns(0, (name) => ({ rcode: 0, address: addressOf(name), seconds: 3600 }));
  try {
    web.listen(PORT, '0.0.0.0');
    await once(web, 'listening');
    const config = resolveConfig({
      ...{ dir, agents: 1, allowPrivate: true, delay: 0, dns: [`127.0.0.1:${dns.port}`] },
    });
    if (!existsSync(dir)) {
      await make(config, { urls: parseCount(values.urls), hosts: parseCount(values.hosts) });
    }
    spawnSync(process.execPath, [BIN, '--version']); // compiles changed sources
    for (let i = 0; i < Number(values.runs); i++) await measure(config, web);
  } finally {
    web.close();
    await dns.close();
    if (!values.dir) rmSync(join(dir, '..'), { recursive: true, force: true });
  }
}

/** Each run resumes where the last one stopped. */
async function measure({ dir, dns }: CrawlConfig, web: Server): Promise<void> {
  const startedAt = performance.now();
  const since = () => `${((performance.now() - startedAt) / 1000).toFixed(2)} s`;
  const args = [BIN, 'crawl', '--dir', dir, '--dns', dns[0], '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, said] = ['', ''];
  child.stdout.on('data', (bytes) => {
    output += bytes;
  });
  child.stderr.on('data', (bytes) => {
    said += bytes;
  });
  const ended = once(child, 'close');
  await Promise.race([once(web, 'request'), ended]);
  const first = since();
  child.kill('SIGINT');
  await ended;
  if (output === '') throw new Error(`the crawl printed nothing: ${said}`);
  const { urlsUnique, urlsQueued, cpuSeconds, maxRssBytes } = JSON.parse(output);
  console.table({
    'URLs known': formatCount(urlsUnique),
    'of them queued': formatCount(urlsQueued),
    'from the start to the first request': first,
    'and to the end, with a last checkpoint': since(),
    'processor time': `${cpuSeconds.toFixed(2)} s`,
    memory: formatBytes(maxRssBytes),
  });
}

async function make(config: CrawlConfig, size: Size): Promise<void> {
  const startedAt = performance.now();
  const disk = new Disk();
  const seed = urlOf(0, size);
  const crawl = await CrawlFolder.open(disk, config, [seed], systemClock);
  await crawl.begin(config, 1, [seed]);
  await crawl.close();

  const dir = agentDir(config.dir, 0);
  const folders = partFolders(dir);
  for (const folder of Object.values(folders)) await disk.makeFolder(folder);
  const known = await writeKeys(disk, folders.seen, size.urls);
  const sieve = await DrumSieve.openAt(
    { folder: folders.seen, memory: config.sieveMemory, cache: 0, disk, known },
    undefined,
  );
  const hosts = await HostStore.open({ disk, folder: folders.hosts, memory: config.hostMemory });
  const backlog = await Backlog.open({
    disk,
    folder: folders.backlog,
    memory: config.backlogMemory,
  });
  const frontier = await fill({ backlog, hosts }, config, size);

  const state: AgentState = {
    ...{ savedAt: Date.now(), waiting: frontier.queued, counters: { ...new Counters() } },
    ...{ frontier: frontier.state, taken: known, seeds: 1, moved: [], archive: [] },
  };
  const front = encodeImage({
    frontier: takeSnapshot(frontier),
    transport: { agent: 0, agents: 1, received: [0], unacknowledged: [] },
    discovered: [],
  });
  const agent = AgentFolder.create(disk, dir, { sieve, hosts, backlog, reputation: undefined });
  await agent.save(front, state, async () => {});
  await agent.close();
  process.stderr.write(
    `a folder with ${formatCount(size.urls)} URLs made in ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`,
  );
}

/** Random keys: a resumed crawl looks none of them up. */
async function writeKeys(disk: Disk, folder: string, count: number): Promise<number> {
  const keys = new BigUint64Array(count);
  let state = 1n;
  for (let i = 0; i < count; i++) {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    keys[i] = state;
  }
  const writer = await KnownKeys.create(disk, folder);
  await writer.append(keys.sort());
  return writer.seal();
}

/** One URL for each host in turn, as a broad crawl discovers them. */
async function fill(
  { backlog, hosts: store }: { backlog: Backlog; hosts: HostStore },
  config: CrawlConfig,
  size: Size,
): Promise<Frontier> {
  const limits = {
    ...{ hosts: config.frontHosts, urls: config.frontUrls, front: 2 * config.fetches },
    ...{
      choice: 1,
      hostsPerAddress: Infinity,
      hostsPerDomain: Infinity,
      pagesPerHost: Infinity,
      pagesPerDomain: Infinity,
    },
  };
  const frontier = new Frontier({
    backlog,
    store,
    clock: systemClock,
    limits,
    onSkipped: () => {},
  });
  for (let i = 0; i < size.urls * WAITING_SHARE; i++) {
    frontier.add({ url: urlOf(i, size), depth: 3, redirects: 0 });
    if (backlog.full) await backlog.makeRoom();
  }
  for (let i = 0; i < size.hosts; i++) {
    const name = hostOf(i);
    if (frontier.host(name)) continue;
    const { host } = frontier.registry.candidate(name);
    host.addresses = [{ ip: addressOf(name), family: 4 }];
    host.pages = 1;
    store.save(host);
    store.saveDomain(host.domain);
    if (i % HOSTS_AT_ONCE === 0) await store.write();
  }
  return frontier;
}

const hostOf = (i: number): string => `www.site-${i}.test`;

/** An address for each host, as far as there are any, so that no host waits for another. */
function addressOf(name: string): string {
  const i = Number(/\d+/.exec(name)?.[0] ?? 0);
  return `127.${1 + ((i >> 16) & 127)}.${(i >> 8) & 255}.${1 + (i & 253)}`;
}

function urlOf(i: number, { hosts }: Size): string {
  const name = `a-page-with-a-name-of-usual-length-${Math.floor(i / hosts)}.html`;
  return `http://${hostOf(i % hosts)}:${PORT}/folder/${name}`;
}
