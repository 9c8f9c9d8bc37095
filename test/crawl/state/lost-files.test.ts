/**
 * A crawl's folder that has lost files: it is resumed correctly or refused by name, and nothing in
 * its archive is lost.
 */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isWarcName } from '../../../src/archive/warc/warc-names.ts';
import { readWarc } from '../../../src/archive/warc/warc-reader.ts';
import { DrumlinError } from '../../../src/base/errors.ts';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import type { Summary } from '../../../src/crawl/crawl.ts';
import { type Lab, startLab } from '../../../src/lab/server/lab.ts';
import { archivedPages } from '../archived.ts';
import { startCrawl } from '../here.ts';

let lab: Lab;
let pages: string[];
let folder: string;
let dir: string;

beforeAll(async () => {
  lab = await startLab({ scenario: 'clean', domains: 8, pages: 4 });
  pages = [...lab.web.allUrls()].sort();
  folder = mkdtempSync(join(tmpdir(), 'drumlin-lost-'));
  dir = join(folder, 'crawl');
});
afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const SMALL: CrawlOptions = {
  ...{ backlogMemory: 65_536, hostMemory: 2 ** 20, sieveMemory: 2 ** 20 },
  ...{ domainMemory: 2 ** 23, dedupMemory: 65_536 },
};

async function crawl(
  agents = 2,
  options: CrawlOptions = {},
  seeds: readonly string[] = lab.seeds,
  warnings: string[] = [],
): Promise<Summary> {
  const config = resolveConfig({
    ...{ dir, dns: [lab.dns], allowPrivate: true, delay: 0, agents, order: 'budget' },
    ...SMALL,
    ...options,
  });
  const run = await startCrawl(seeds, config, { onWarning: (said) => void warnings.push(said) });
  return run.finished;
}

/** All files below a folder. */
const filesIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();

/** Every response in the archive and its orphans: URL and digest. */
async function records(): Promise<Set<string>> {
  const found = new Set<string>();
  const archive = join(dir, 'archive');
  for (const file of existsSync(archive) ? filesIn(archive) : []) {
    if (!isWarcName(file)) continue;
    for await (const { type, headers } of readWarc(join(archive, file))) {
      if (type !== 'response' && type !== 'revisit') continue;
      found.add(`${headers.targetUri} ${headers.get('WARC-Payload-Digest')}`);
    }
  }
  return found;
}

const codeOf = (error: unknown): string => (error as DrumlinError).code;

describe('a crawl that has lost its checkpoint', () => {
  test.each([
    ['agents'],
    ['agents/0'],
    ['agents/1'],
    ['agents/0/checkpoint.json'],
    ['agents/1/checkpoint.json'],
  ])('by the removal of %s is refused, with any number of agents', async (lost) => {
    await crawl();
    const before = await records();
    rmSync(join(dir, lost), { recursive: true });
    for (const agents of [2, 1, 3]) {
      const refused = await crawl(agents).catch((error) => error);
      expect(refused).toBeInstanceOf(DrumlinError);
      expect(refused).toMatchObject({ code: 'CHECKPOINT_MISSING', exitCode: 5 });
      expect(refused.message).toContain(join(dir, 'agents'));
    }
    expect(await records()).toEqual(before);
    expect(await archivedPages(dir)).toEqual(pages);
  });

  test.each([
    ['empty', ''],
    ['unreadable', '{"drumlin":"ag'],
    ['of another version', '{"drumlin":"agent","version":2,"sequence":3}'],
  ])('because it is %s is refused by name', async (_, text) => {
    await crawl();
    const before = await records();
    const path = join(dir, 'agents/1/checkpoint.json');
    writeFileSync(path, text);
    for (const agents of [2, 1]) {
      const refused = await crawl(agents).catch((error) => error);
      expect(refused).toMatchObject({ exitCode: 5 });
      expect(refused.message).toContain(path);
    }
    expect(await records()).toEqual(before);
  });

  test('is refused if an earlier version made it, which kept no notes', async () => {
    await crawl();
    rmSync(join(dir, 'checkpoints'), { recursive: true });
    const kept = join(folder, 'kept.json');
    renameSync(join(dir, 'agents/0/checkpoint.json'), kept);
    await expect(crawl()).rejects.toMatchObject({ code: 'CHECKPOINT_MISSING' });
    renameSync(kept, join(dir, 'agents/0/checkpoint.json'));
    expect(await crawl()).toMatchObject({ end: 'finished', pages: 0 });
    expect(await archivedPages(dir)).toEqual(pages);
  });

  test.each<[string, object, boolean]>([
    ['of a crawl that ended', { state: 'ended' }, true],
    ['by which every agent had reported', { state: 'running', urlsSeen: 9 }, true],
    // The time was then that of the agents that had reported.
    ['by which an agent had not reported', { state: 'failed', urlsSeen: 0 }, false],
    ['before the checkpoint of an agent', { state: 'running', urlsSeen: 9, vitals: {} }, false],
  ])('is known by a status that an earlier version left %s: %j', async (_, status, isLost) => {
    await crawl();
    for (const name of ['checkpoints', 'agents/1']) rmSync(join(dir, name), { recursive: true });
    const path = join(dir, 'status.json');
    const written = JSON.parse(readFileSync(path, 'utf8'));
    expect(written.vitals.savedAt).toBeGreaterThan(0);
    writeFileSync(path, JSON.stringify({ ...written, ...status }));
    if (isLost) await expect(crawl()).rejects.toMatchObject({ code: 'CHECKPOINT_MISSING' });
    else {
      await crawl();
      expect(await archivedPages(dir)).toEqual(pages);
    }
  });

  test('and crawl.json is not taken for an empty folder', async () => {
    await crawl();
    for (const name of ['crawl.json', 'status.json', 'agents'])
      rmSync(join(dir, name), { recursive: true });
    await expect(crawl()).rejects.toMatchObject({ code: 'CRAWL_FILE', exitCode: 5 });
  });
});

describe('a crawl resumed from an old copy of its checkpoint', () => {
  test.each([
    [2],
    [3],
  ])('by %i agents keeps the records of later checkpoints as orphans', async (agents) => {
    await crawl(2, { maxPages: 12 });
    cpSync(join(dir, 'agents'), join(folder, 'copy'), { recursive: true });
    await crawl();
    const before = await records();
    rmSync(join(dir, 'agents'), { recursive: true });
    renameSync(join(folder, 'copy'), join(dir, 'agents'));
    const warnings: string[] = [];
    await crawl(agents, {}, lab.seeds, warnings);
    expect(await records()).toEqual(before);
    expect(await archivedPages(dir)).toEqual(pages);
    expect(readdirSync(join(dir, 'archive/orphans')).length).toBeGreaterThan(0);
    expect(warnings.join('\n')).toMatch(/agent 0 is older .*orphans/);
    expect(readFileSync(join(dir, 'log.jsonl'), 'utf8')).toContain('"archive-orphan"');
  });

  test('keeps the list of pages with --store files', async () => {
    await crawl(1, { store: 'files', maxPages: 12 });
    cpSync(join(dir, 'agents'), join(folder, 'copy'), { recursive: true });
    await crawl(1, { store: 'files' });
    const list = readFileSync(join(dir, 'pages/pages-0.jsonl'), 'utf8').split('\n');
    rmSync(join(dir, 'agents'), { recursive: true });
    renameSync(join(folder, 'copy'), join(dir, 'agents'));
    await crawl(1, { store: 'files' });
    const orphan = readFileSync(join(dir, 'pages/orphans/pages-0.jsonl'), 'utf8').split('\n');
    expect(list.slice(-orphan.length)).toEqual(orphan);
  });
});

describe('a crawl that was killed before its first checkpoint', () => {
  test('starts again, and keeps what it had stored as orphans', async () => {
    await crawl(2, { maxPages: 12 });
    const before = await records();
    // As if nothing had been checkpointed.
    for (const name of ['checkpoints', 'agents', 'status.json'])
      rmSync(join(dir, name), { recursive: true });
    await crawl();
    expect(await archivedPages(dir)).toEqual(pages);
    const after = await records();
    expect([...before].filter((record) => !after.has(record))).toEqual([]);
    expect(readdirSync(join(dir, 'archive/orphans')).length).toBeGreaterThan(0);
  });
});

/** The files without which nothing can be resumed. */
const NEEDED = ['agents/0/checkpoint.json', 'agents/1/checkpoint.json', 'crawl.json'];
const isNeeded = (file: string) => NEEDED.includes(file);

describe('a crawl that has lost any single file', () => {
  test.each<[string, CrawlOptions, ('removed' | 'emptied')[]]>([
    ['finished', {}, ['removed']],
    ['stopped', { maxPages: 15 }, ['removed', 'emptied']],
  ])(
    'is resumed correctly or refused by name, when it was %s',
    async (_, options, damages) => {
      await crawl(2, { ...options, checkpoint: 100 });
      const made = join(folder, 'made');
      renameSync(dir, made);
      const outcomes: Record<string, string> = {};
      for (const [i, file] of filesIn(made).entries()) {
        // Names that matter meet every damage, the others one each.
        for (const how of isNeeded(file) ? damages : [damages[i % damages.length]]) {
          cpSync(made, dir, { recursive: true });
          if (how === 'removed') rmSync(join(dir, file));
          else truncateSync(join(dir, file));
          const before = await records();
          const error = await crawl().then(
            () => undefined,
            (thrown) => thrown,
          );
          const after = await records();
          const lost = [...before].filter((record) => !after.has(record));
          expect(lost, `${file} ${how}`).toEqual([]);
          outcomes[`${file} ${how}`] = error ? codeOf(error) : 'resumed';
          if (error) {
            expect(error, `${file} ${how}: ${error.stack}`).toBeInstanceOf(DrumlinError);
            expect(error.message).toContain(basename(file));
          } else if (!isWarcName(file)) {
            expect(await archivedPages(dir), `${file} ${how}`).toEqual(pages);
          }
          rmSync(dir, { recursive: true });
        }
      }
      rmSync(made, { recursive: true });
      for (const file of NEEDED)
        for (const how of damages)
          expect(outcomes[`${file} ${how}`], `${file} ${how}`).not.toBe('resumed');
    },
    120_000,
  );
});
