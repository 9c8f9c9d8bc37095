/** Damaged folders: noticed, named, repaired. `soak/damage.ts` tries every damage of every file. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { repair } from '../../src/cli/commands/repair.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { randomFrom } from '../fuzz/mutation.ts';
import { archivedPages } from './archived.ts';
import { type Damage, DamageTrial, damageText, everyDamage, filesIn } from './damage-trial.ts';
import { startCrawl } from './here.ts';

let lab: Lab;
let folder: string;

beforeAll(async () => {
  lab = await startLab({ scenario: 'clean', domains: 8, pages: 4 });
});
afterAll(() => lab.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drumlin-damage-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a folder with one damaged file', () => {
  test.each([
    'budget',
    'bfs',
  ] as const)('is resumed correctly, or refused by name and repaired (--order %s)', async (order) => {
    const trial = new DamageTrial(lab, folder, { order, agents: 2 });
    const made = await trial.make(15);
    const all = everyDamage(made);
    const random = randomFrom(7);
    const some = Array.from({ length: 4 }, () => all[random(all.length)]);
    const flipped = (name: RegExp): Damage => {
      const file = filesIn(made).find((path) => name.test(path)) as string;
      return { file, how: 'flipped', at: 8 * 20 };
    };
    // These were silent once: pages were fetched twice.
    const silent = [flipped(/seen\/keys/), flipped(/front\.\d+$/), flipped(/1\/checkpoint.json$/)];
    // The index is merged from parts, and one with a wrong letter is made again from its file.
    const part = flipped(/parts\/.*-0\.warc\.gz\.cdxj$/);
    const letter = readFileSync(join(made, part.file)).indexOf('"url"') + 18;
    const always = [...silent, { ...part, at: 8 * letter }];
    let repaired = 0;
    for (const damage of [...always, ...some]) {
      const outcome = await trial.try(damage).catch((error) => {
        throw new Error(`${damageText(damage)}: ${error.message}`, { cause: error });
      });
      if (outcome === 'repaired') repaired++;
    }
    expect(repaired).toBeGreaterThanOrEqual(silent.length);
  });

  test('is repaired after a repair that was killed, at any operation of the disk', async () => {
    const trial = new DamageTrial(lab, folder, { order: 'budget', agents: 2 });
    const made = await trial.make(10);
    const keys = filesIn(made).find((path) => /seen\/keys/.test(path)) as string;
    const damage: Damage = { file: keys, how: 'flipped', at: 8 * 20 };
    let operations = 0;
    await trial.try(damage, async () => {
      operations = await trial.repair();
    });
    // Some in the middle, and all about the step in which the new agents take their place.
    const moments = [Math.floor(operations / 2), ...[9, 6, 3].map((n) => operations - n)];
    for (const moment of moments) {
      await trial.try(damage, async () => {
        const killed = trial.repair({ operations: moment, tornRemoval: true });
        await expect(killed).rejects.toMatchObject({ code: 'DISK_FAILED' });
      });
    }
  });
});

describe('drumlin repair', () => {
  const options: CrawlOptions = {
    ...{ allowPrivate: true, delay: 0, agents: 2, order: 'budget' },
    ...{ backlogMemory: 65_536, hostMemory: 2 ** 20, sieveMemory: 2 ** 20, domainMemory: 2 ** 23 },
  };
  const crawl = async (dir: string, more: CrawlOptions = {}) => {
    const config = resolveConfig({ ...options, dns: [lab.dns], dir, ...more });
    return (await startCrawl(lab.seeds, config)).finished;
  };
  const printed = async (dir: string, flags: { check?: boolean; json?: boolean } = {}) => {
    let text = '';
    const code = await repair(dir, flags, { write: (some) => (text += some) });
    return { code, text };
  };

  test('has nothing to do in a whole folder, and changes nothing there', async () => {
    const dir = join(folder, 'crawl');
    await crawl(dir, { maxPages: 12 });
    const before = filesIn(dir);
    const { code, text } = await printed(dir);
    expect([code, text]).toEqual([0, expect.stringMatching(/nothing to repair, \d+ state files/)]);
    expect(filesIn(dir)).toEqual(before);
  });

  test('only verifies with --check, and exits with 8', async () => {
    const dir = join(folder, 'crawl');
    await crawl(dir, { maxPages: 12 });
    const seen = join(dir, 'agents/0/seen');
    const keys = readdirSync(seen).find((name) => name.startsWith('keys')) as string;
    writeFileSync(join(seen, keys), 'DRMS');
    const before = filesIn(dir);
    const { code, text } = await printed(dir, { check: true });
    expect(code).toBe(8);
    expect(text).toContain(join(seen, keys));
    expect(filesIn(dir)).toEqual(before);
    const { text: json } = await printed(dir, { check: true, json: true });
    expect(JSON.parse(json.split('\n')[0])).toMatchObject({ agent: 0 });
  });

  test('rebuilds a crawl of which only the archive and crawl.json are left', async () => {
    const dir = join(folder, 'crawl');
    await crawl(dir, { maxPages: 12 });
    const left = join(folder, 'left');
    for (const name of ['archive', 'crawl.json'])
      cpSync(join(dir, name), join(left, name), { recursive: true });
    const { code, text } = await printed(left);
    expect(code).toBe(0);
    expect(text).toMatch(/2 agents rebuilt/);
    expect(await crawl(left)).toMatchObject({ end: 'finished' });
    expect(await archivedPages(left)).toEqual([...lab.web.allUrls()].sort());
  });

  test('is refused in a folder without a crawl', async () => {
    await expect(printed(folder)).rejects.toMatchObject({ code: 'CRAWL_MISSING', exitCode: 5 });
  });
});
