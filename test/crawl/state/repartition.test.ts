/** A crawl resumed with another number of agents: seen stays seen, queued stays queued. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { partsDir } from '../../../src/archive/index/index-merge.ts';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import type { Summary } from '../../../src/crawl/crawl.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { type FileSystem, nodeFileSystem } from '../../../src/disk/file-system.ts';
import { type Lab, startLab } from '../../../src/lab/server/lab.ts';
import { FaultyFileSystem, systemError } from '../../disk/faulty-file-system.ts';
import { archivedPages } from '../archived.ts';
import { startCrawl } from '../here.ts';

let lab: Lab;
let pages: string[];
let folder: string;
let dir: string;

beforeAll(async () => {
  lab = await startLab({ scenario: 'clean', domains: 16, pages: 7 });
  pages = [...lab.web.allUrls()].sort();
  folder = mkdtempSync(join(tmpdir(), 'drumlin-agents-'));
  dir = join(folder, 'crawl');
});
afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** No power failure happens here: everything written counts. */
const onDisk = (fileSystem = nodeFileSystem) =>
  new Disk(new FaultyFileSystem({ skipSync: true }, fileSystem));
const SMALL: CrawlOptions = {
  backlogMemory: 65_536,
  hostMemory: 2 ** 20,
  sieveMemory: 2 ** 20,
  domainMemory: 2 ** 23,
  dedupMemory: 65_536,
};
const TINY: CrawlOptions = { frontHosts: 5, frontUrls: 30 };

async function crawl(
  agents: number,
  options: CrawlOptions = {},
  disk = onDisk(),
): Promise<Summary> {
  const config = resolveConfig({
    ...{ dir, dns: [lab.dns], allowPrivate: true, delay: 0, agents, order: 'budget' },
    ...SMALL,
    ...options,
  });
  return (await startCrawl(lab.seeds, config, { disk })).finished;
}

describe('a crawl resumed with another number of agents', () => {
  test.each([
    ['all memory', {}],
    ['next to no memory', TINY],
  ])('fetches every page once, with %s', async (_, options) => {
    let fetched = 0;
    for (const agents of [1, 2, 3, 1, 4]) {
      const {
        pages: some,
        urlsUnique,
        urlsQueued,
      } = await crawl(agents, { maxPages: 20, ...options });
      fetched += some;
      expect(urlsUnique).toBe(fetched + urlsQueued);
    }
    const { pages: rest, urlsUnique, hosts, domains } = await crawl(2, options);
    expect(fetched + rest).toBe(pages.length);
    expect(urlsUnique).toBe(pages.length);
    expect(hosts).toBe(new Set(pages.map((url) => new URL(url).host)).size);
    expect(domains).toBe(16);
    expect(await archivedPages(dir)).toEqual(pages);
    expect(readdirSync(join(dir, 'agents'))).toEqual(['0', '1']);
  });

  test('fetches no robots.txt again', async () => {
    const before = lab.requests;
    for (const agents of [1, 3, 2]) await crawl(agents, { maxPages: 40, ...TINY });
    await crawl(1, TINY);
    const hosts = new Set(pages.map((url) => new URL(url).host));
    expect(lab.requests - before).toBe(pages.length + hosts.size);
  });

  test('keeps the counts', async () => {
    for (const agents of [2, 3, 1]) await crawl(agents, { maxPages: 20 });
    const { state } = JSON.parse(readFileSync(join(dir, 'agents/0/checkpoint.json'), 'utf8'));
    expect(state.counters).toMatchObject({ pages: 60, statuses: { 200: 60 } });
  });

  test('takes out of the archive what the old agents stored after their last checkpoints, even of agents that no longer exist', async () => {
    await crawl(3);
    const archive = join(dir, 'archive');
    const [file] = readdirSync(archive).filter((name) => name.endsWith('-2.warc.gz'));
    const bytes = readFileSync(join(archive, file));
    appendFileSync(join(archive, file), bytes);
    writeFileSync(join(archive, 'drumlin-20300101000000-00000-2.warc.gz'), bytes);
    const [part] = readdirSync(partsDir(dir)).filter((name) =>
      name.startsWith(file.replace('.warc.gz', '.')),
    );
    const captures = readFileSync(join(partsDir(dir), part));
    appendFileSync(join(partsDir(dir), part), captures);
    await crawl(1);
    expect(await archivedPages(dir)).toEqual(pages);
    expect(readFileSync(join(partsDir(dir), part)).equals(captures)).toBe(true);
  });

  const atSwitch: [
    when: string,
    next: number,
    fails: (operation: string, path: string, nth: number) => boolean,
  ][] = [
    [
      'before the new agents count',
      2,
      (operation, path, nth) => operation === 'rename' && isCrawlFile(path) && nth === 1,
    ],
    [
      'before the old agents are deleted',
      3,
      (operation, path) => operation === 'removeFolder' && path.endsWith('agents'),
    ],
    [
      'before the new agents are moved',
      2,
      (operation, path) => operation === 'rename' && path.endsWith('agents'),
    ],
    [
      'before crawl.json is written',
      3,
      (operation, path, nth) => operation === 'rename' && isCrawlFile(path) && nth === 2,
    ],
  ];
  test.each(
    atSwitch,
  )('loses nothing when the switch is interrupted %s, and %d agents resume', async (_, next, fails) => {
    await crawlOfTwo();
    const disk = onDisk(failingWhere(fails));
    await expect(crawl(3, {}, disk)).rejects.toMatchObject({ code: 'DISK_FAILED' });
    await crawl(next);
    expect(await archivedPages(dir)).toEqual(pages);
    expect(readdirSync(dir).sort()).toEqual([
      'agents',
      'archive',
      'checkpoints',
      'crawl.json',
      'indexes',
      'log.jsonl',
      'skipped',
      'status.json',
    ]);
  });

  test('loses nothing when the switch is interrupted anywhere, with any number of agents on resume', async () => {
    await crawl(2, { maxPages: 50, ...TINY });
    let interrupted = 0;
    for (let operations = 3; operations < 1500; operations = Math.ceil(operations * 1.5)) {
      const disk = new Disk(new FaultyFileSystem({ skipSync: true, operations }));
      const agents = 1 + (interrupted % 4);
      await crawl(agents, { maxPages: 10, checkpoint: 100, ...TINY }, disk).catch(({ code }) => {
        expect(code).toBe('DISK_FAILED');
        interrupted++;
      });
    }
    expect(interrupted).toBeGreaterThan(6);
    await crawl(3, TINY);
    expect(await archivedPages(dir)).toEqual(pages);
    expect(existsSync(join(dir, 'agents.next'))).toBe(false);
  });

  test('loses no parcel between agents when all of them died', async () => {
    let died = 0;
    for (let round = 0; round < 6; round++) {
      const disk = new Disk(new FaultyFileSystem({ skipSync: true, operations: 160 + 25 * round }));
      const agents = 2 + (round % 3);
      await crawl(agents, { checkpoint: 100, ...TINY }, disk).catch(({ code }) => {
        expect(code).toBe('DISK_FAILED');
        died++;
      });
    }
    expect(died).toBeGreaterThan(2);
    await crawl(2, TINY);
    expect(await archivedPages(dir)).toEqual(pages);
  });
});

/** The folder of a crawl by two agents with forty pages, made once. */
async function crawlOfTwo(): Promise<void> {
  const made = join(folder, 'of-two');
  if (existsSync(made)) return cpSync(made, dir, { recursive: true });
  await crawl(2, { maxPages: 40 });
  cpSync(dir, made, { recursive: true });
}

const isCrawlFile = (path: string) => path.endsWith('crawl.json');

/**
 * A file system that dies at one operation: `nth` counts those of the same kind on the same path.
 */
function failingWhere(
  fails: (operation: string, path: string, nth: number) => boolean,
): FileSystem {
  const counts = new Map<string, number>();
  let isDead = false;
  const change = (operation: string, path: string) => {
    const nth = (counts.get(operation + path) ?? 0) + 1;
    counts.set(operation + path, nth);
    isDead ||= fails(operation, path, nth);
    if (isDead) throw systemError('EIO');
  };
  return {
    ...nodeFileSystem,
    async open(path, mode) {
      if (mode !== 'read') change('open', path);
      return nodeFileSystem.open(path, mode);
    },
    async rename(from, to) {
      change('rename', to);
      await nodeFileSystem.rename(from, to);
    },
    async removeFolder(path) {
      change('removeFolder', path);
      await nodeFileSystem.removeFolder(path);
    },
  };
}
