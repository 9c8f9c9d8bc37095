/**
 * A disk that fills up, writes less than asked, refuses fsync or rename, or loses power: the crawl
 * stops, reports why, and can be resumed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DrumlinError } from '../../src/base/errors.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { Disk } from '../../src/disk/disk.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { type Faults, FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { PowerCutFileSystem } from '../disk/power-cut-file-system.ts';
import { archivedPages } from './archived.ts';
import { startCrawl } from './here.ts';

let lab: Lab;
let pages: string[];
let folder: string;
let dir: string;

beforeAll(async () => {
  lab = await startLab({ scenario: 'clean', domains: 15, pages: 6 });
  pages = [...lab.web.allUrls()].sort();
});
afterAll(() => lab.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drumlin-faults-'));
  dir = join(folder, 'crawl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Little memory, so that everything goes to disk. */
const TINY: CrawlOptions = {
  frontHosts: 8,
  frontUrls: 40,
  backlogMemory: 65_536,
  hostMemory: 2 ** 20,
  sieveMemory: 2 ** 20,
  domainMemory: 2 ** 23,
  dedupMemory: 65_536,
};

/** Crawls until the end or a failure, which it returns. */
async function crawl(disk: Disk, options: CrawlOptions = {}): Promise<unknown> {
  const config = resolveConfig({
    ...{
      dir,
      dns: [lab.dns],
      allowPrivate: true,
      delay: 0,
      agents: 2,
      checkpoint: 100,
      order: 'budget',
    },
    ...TINY,
    ...options,
  });
  try {
    const run = await startCrawl(lab.seeds, config, { disk });
    await run.finished;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Every fault in turn, each at another moment, until the crawl ends. */
async function crawlThrough(faultsOf: (round: number) => Faults | undefined): Promise<number> {
  let failures = 0;
  for (let round = 0; ; round++) {
    const faults = faultsOf(round);
    const error = await crawl(
      faults ? new Disk(new FaultyFileSystem({ skipSync: true, ...faults })) : new Disk(),
    );
    if (error === undefined) return failures;
    expect(error).toBeInstanceOf(DrumlinError);
    expect((error as DrumlinError).code).toMatch(/^DISK_(FULL|FAILED)$/);
    expect((error as DrumlinError).exitCode).toBe(4);
    failures++;
  }
}

describe('a crawl whose disk', () => {
  test('is full now and then stops, reports it, and is resumed when there is room', async () => {
    const failures = await crawlThrough((round) =>
      round < 9 ? { room: 20_000 * 2 ** (round % 5) } : undefined,
    );
    expect(failures).toBeGreaterThanOrEqual(4);
    expect(await archivedPages(dir)).toEqual(pages);
  });

  test('writes a few bytes at a time still archives everything', async () => {
    expect(
      await crawl(new Disk(new FaultyFileSystem({ skipSync: true, shortTransfers: 1009 }))),
    ).toBeUndefined();
    expect(await archivedPages(dir)).toEqual(pages);
  });

  test.each<[string, Faults]>([
    ['fsync', { failSync: true }],
    ['rename', { failRename: true }],
  ])('fails at %s stops, and is resumed when it works again', async (_, faults) => {
    const failures = await crawlThrough((round) => (round === 0 ? faults : undefined));
    expect(failures).toBe(1);
    expect(await archivedPages(dir)).toEqual(pages);
  });

  test('fails for good at any moment loses no page and archives none twice', async () => {
    let operations = 5;
    const failures = await crawlThrough(() => {
      operations = Math.ceil(operations * 1.4);
      return operations < 4000 ? { operations } : undefined;
    });
    expect(failures).toBeGreaterThan(5);
    expect(await archivedPages(dir)).toEqual(pages);
  });

  test('loses power at any moment, and with it what was not made durable, loses no page', async () => {
    for (let operations = 20; ; operations = Math.ceil(operations * 1.7)) {
      const powered = new PowerCutFileSystem({ eagerRenames: operations % 2 === 0 });
      const error = await crawl(new Disk(new FaultyFileSystem({ operations }, powered)));
      if (error === undefined) break;
      powered.cutPower();
    }
    expect(await archivedPages(dir)).toEqual(pages);
  });
});
