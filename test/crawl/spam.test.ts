/**
 * Verdicts on spam while crawling (`--spam`): what they are made of, where they are kept, what they
 * do.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verdictsByArchive } from '../../soak/spam-verdicts.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import type { Summary } from '../../src/crawl/crawl.ts';
import { listDomains } from '../../src/crawl/state/domain-list.ts';
import { Disk } from '../../src/disk/disk.ts';
import { scenarioOf } from '../../src/lab/scenario.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { setOverride } from '../../src/reputation/budget/overrides.ts';
import type { SiteSums } from '../../src/spam/features/content/site-sums.ts';
import { LiveModel } from '../../src/spam/live/live-model.ts';
import { modelText } from '../../src/spam/model.ts';
import { copiesModel, tinyModel } from '../spam/live/tiny-model.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';

const disk = new Disk();
const model = new LiveModel(tinyModel(), 'm.json');
let root: string;
let dir: string;
let spam: string;
let lab: Lab;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'drumlin-verdicts-'));
  dir = join(root, 'crawl');
  spam = join(root, 'model.json');
  writeFileSync(spam, modelText(tinyModel()));
});
afterEach(async () => {
  await lab?.close();
  rmSync(root, { recursive: true, force: true });
});

/** Verdicts that see no copies. */
class Blind extends LiveModel {
  override verdict(name: string, sums: SiteSums): number {
    return super.verdict(name, sums, 0);
  }
}

async function crawl(options: CrawlOptions, fetched: string[] = []): Promise<Summary> {
  const config = resolveConfig({
    ...{ dir, dns: [lab.dns], allowPrivate: true, insecure: true, delay: 0, agents: 1 },
    ...options,
  });
  const onPage = ({ url }: { url: string }) => void fetched.push(url);
  return (await startCrawl(lab.seeds, config, { onPage, clock: fastClock(50) })).finished;
}

async function verdicts(): Promise<Map<string, number | undefined>> {
  const { rows } = await listDomains(disk, dir, 'domain', 1e6);
  return new Map(rows.filter(({ fetched }) => fetched > 0).map((row) => [row.domain, row.spam]));
}

const events = (): { event: string; domain: string; spam: number; before: number }[] =>
  readFileSync(join(dir, 'log.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'spam-verdict');

describe('verdicts of a crawl', () => {
  test('are those that the archive alone gives, through stops, small memory and other numbers of agents', async () => {
    lab = await startLab({ scenario: 'clean', domains: 30, pages: 4, seed: 5 });
    // Hosts leave memory all the time, so that notes go through the host store.
    const small = { spam, maxCrawlDelay: 0, frontHosts: 10, frontUrls: 100 };
    await crawl({ ...small, agents: 2, maxPages: 30 });
    await crawl({ ...small, agents: 3, maxPages: 30 });
    const summary = await crawl({ ...small, agents: 1 });
    expect(summary.end).toBe('finished');
    const expected = await verdictsByArchive(dir, model);
    const given = await verdicts();
    expect(expected.size).toBeGreaterThan(18);
    for (const [domain, verdict] of expected)
      expect([domain, given.get(domain)]).toEqual([domain, verdict]);
    expect(new Set(expected.values()).size).toBeGreaterThan(5);
    expect(summary.spam?.verdicts).toBeGreaterThan(0);
  });

  test('know which domain had a text first, through stops, also if no page is compared otherwise', async () => {
    const scenario = scenarioOf('clean', { copy: 0.3 });
    lab = await startLab({ scenario, domains: 30, pages: 12, seed: 5 });
    writeFileSync(spam, modelText(copiesModel()));
    for (let stop = 0; stop < 2; stop++)
      await crawl({ spam, agents: 2, maxPages: 110, budget: 'equal(20)' });
    const expected = await verdictsByArchive(dir, new LiveModel(copiesModel(), 'm.json'));
    const given = await verdicts();
    for (const [domain, verdict] of expected)
      expect([domain, given.get(domain)]).toEqual([domain, verdict]);
    const others = await verdictsByArchive(dir, new Blind(copiesModel(), 'm.json'));
    const copies = [...expected].filter(([domain, verdict]) => verdict !== others.get(domain));
    expect(copies.length).toBeGreaterThan(0);
  });

  test('are given by name to domains without pages, and logged when they turn', async () => {
    lab = await startLab({ scenario: 'clean', domains: 40, pages: 6, seed: 5 });
    const summary = await crawl({ spam, maxPages: 40 });
    const { rows } = await listDomains(disk, dir, 'spam', 1e6);
    const unseen = rows.filter(({ fetched }) => fetched === 0);
    expect(unseen.length).toBeGreaterThan(3);
    for (const { domain, spam: verdict } of unseen) expect(verdict).toBe(model.byName(domain));
    expect(rows.map(({ spam: verdict }) => verdict)).toEqual(
      rows.map(({ spam: verdict }) => verdict ?? 0).sort((a, b) => b - a),
    );
    const turned = events();
    expect(turned.length).toBe((summary.spam?.found ?? 0) + (summary.spam?.cleared ?? 0));
    expect(turned.length).toBeGreaterThan(0);
    for (const { spam: now, before } of turned) expect(now >= 0.5).toBe(before < 0.5);
  });

  test('change budgets; a budget, a block and the trust of the operator win', async () => {
    lab = await startLab({ scenario: 'clean', domains: 30, pages: 10, seed: 8 });
    writeFileSync(spam, modelText(tinyModel(2)));
    const budget = '100 * (1 - spam)';
    await crawl({ spam, budget, maxPages: 30 });
    const low = (await listDomains(disk, dir, 'queued', 1e6)).rows;
    const judged = low.filter((row) => row.fetched > 0);
    for (const row of judged) expect(row.budget).toBe(Math.round(100 * (1 - (row.spam ?? 0))));
    expect(Math.max(...judged.map((row) => row.budget))).toBeLessThan(95);
    const [trusted, set] = judged.map(({ domain }) => domain);
    await setOverride(disk, dir, trusted, 'trusted');
    await setOverride(disk, dir, set, 77);
    await crawl({ spam, budget, maxPages: 5 });
    const after = new Map(
      (await listDomains(disk, dir, 'domain', 1e6)).rows.map((row) => [row.domain, row]),
    );
    expect(after.get(trusted)?.budget).toBe(100);
    expect(after.get(set)?.budget).toBe(77);
  });

  test('that shut a domain out leave its URLs queued, until the operator trusts it', async () => {
    lab = await startLab({ scenario: 'clean', domains: 30, pages: 10, seed: 8 });
    writeFileSync(spam, modelText(tinyModel(0.5)));
    const budget = 'spam < 0.5 ? 10 : 0';
    const fetched: string[] = [];
    const rows = async () => (await listDomains(disk, dir, 'queued', 1e6)).rows;
    expect((await crawl({ spam, budget }, fetched)).end).toBe('finished');
    const isShut = ({ spam: verdict = 0, fetched: pages }: Awaited<ReturnType<typeof rows>>[0]) =>
      pages > 0 && verdict >= 0.5;
    const [most, ...others] = (await rows()).filter(isShut);
    expect([most.budget, most.queued > 0, others.length > 0]).toEqual([0, true, true]);
    await setOverride(disk, dir, most.domain, 'trusted');
    expect((await crawl({ spam, budget }, fetched)).end).toBe('finished');
    const after = (await rows()).find(({ domain }) => domain === most.domain);
    expect(after).toMatchObject({ queued: 0, state: 'trusted' });
    expect(after?.fetched).toBeGreaterThanOrEqual(most.fetched + most.queued);
    expect(new Set(fetched).size).toBe(fetched.length);
  });

  test('are a predicate of filters, in any order', async () => {
    lab = await startLab({ scenario: 'clean', domains: 30, pages: 6, seed: 5 });
    const fetched: string[] = [];
    const fetchFilter = 'DomainPages == 0 or DomainSpam < 0.5';
    const summary = await crawl({ spam, order: 'bfs', fetchFilter }, fetched);
    expect(summary.refused['fetch-filter']).toBeGreaterThan(0);
    expect(summary.end).toBe('finished');
  });

  test('cost a crawl without a model nothing: no column, no counter, no note', async () => {
    lab = await startLab({ scenario: 'clean', domains: 20, pages: 4, seed: 5 });
    const summary = await crawl({});
    expect(summary).not.toHaveProperty('spam');
    const { rows } = await listDomains(disk, dir, 'domain', 1e6);
    expect(rows.some((row) => 'spam' in row)).toBe(false);
    expect(readFileSync(join(dir, 'agents/0/checkpoint.json'), 'utf8')).not.toContain('spam');
  });
});

describe('a model that cannot judge is refused before anything is fetched', () => {
  test.each([
    ['{', 'not JSON'],
    ['{}', 'not a spam model'],
    [modelText({ ...tinyModel(), features: ['links:pagerank'] }), '--sets content,names'],
    [modelText({ ...tinyModel(), words: undefined }), 'no lists of frequent words'],
    [modelText({ ...tinyModel(), level: 'host' }), '--level domain'],
    [modelText({ ...tinyModel(), calibration: {} as never }), 'is damaged'],
    [modelText({ ...tinyModel(), calibration: undefined as never }), 'is damaged'],
    [modelText({ ...tinyModel(), parts: [{} as never] }), 'is damaged'],
    [modelText({ ...tinyModel(), words: {} as never }), 'is damaged'],
    [modelText({ ...tinyModel(), words: { collection: 7, queries: [] } as never }), 'is damaged'],
  ])('%#', async (text, message) => {
    writeFileSync(spam, text);
    const config = resolveConfig({ spam, dir });
    await expect(startCrawl(['http://a.test/'], config)).rejects.toThrow(message);
  });

  test('as is a filter that needs verdicts without a model', async () => {
    const config = resolveConfig({ dir, fetchFilter: 'DomainSpam < 0.8' });
    await expect(startCrawl(['http://a.test/'], config)).rejects.toThrow(
      'DomainSpam is not known in this crawl',
    );
  });

  test('as is a budget that needs verdicts without a model', async () => {
    const config = resolveConfig({ dir, budget: '10 * (1 - spam)' });
    await expect(startCrawl(['http://a.test/'], config)).rejects.toThrow(
      'Give a model with --spam',
    );
  });
});
