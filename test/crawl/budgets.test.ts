/**
 * A crawl in the order of budgets: what it learns of domains, the budget of each, and what the user
 * decides.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { accountOf } from '../../soak/hostile/verdict.ts';
import { exportCorpus } from '../../src/api/corpus.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import type { Summary } from '../../src/crawl/crawl.ts';
import { type DomainRow, listDomains, ranksOf } from '../../src/crawl/state/domain-list.ts';
import { Disk } from '../../src/disk/disk.ts';
import { crawlLinks } from '../../src/graph/io/crawl-links.ts';
import { type Lab, startLab } from '../../src/lab/server/lab.ts';
import { nameBits, sampler } from '../../src/rank/supporters/sample.ts';
import { setOverride } from '../../src/reputation/budget/overrides.ts';
import { payLevelDomain } from '../../src/url/domain.ts';
import { readParquet } from '../corpus/read-parquet.ts';
import { fastClock } from './fast-clock.ts';
import { startCrawl } from './here.ts';

const disk = new Disk();
let dir: string;
let lab: Lab;

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'drumlin-budgets-')), 'crawl');
});
afterEach(async () => {
  await lab.close();
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

async function crawl(options: CrawlOptions, fetched: string[] = []): Promise<Summary> {
  const config = resolveConfig({
    dir,
    dns: [lab.dns],
    allowPrivate: true,
    insecure: true,
    order: 'budget',
    delay: 0,
    agents: 1,
    ...options,
  });
  const run = await startCrawl(lab.seeds, config, {
    onPage: ({ url }) => void fetched.push(url),
    clock: fastClock(50),
  });
  return run.finished;
}

const domainOf = (url: string) => payLevelDomain(new URL(url).hostname);
const allDomains = async () => (await listDomains(disk, dir, 'domain', 1e6)).rows;

/** Which domain links to which, by the archive. */
async function graphOf(): Promise<Map<string, Set<string>>> {
  const sources = new Map<string, Set<string>>();
  for await (const [from, to] of crawlLinks(disk, dir, { level: 'domain' })) {
    if (to !== undefined) sources.set(to, (sources.get(to) ?? new Set()).add(from));
  }
  return sources;
}

/** Domains two links away and not one, of those that the sample has. */
function supporters(graph: Map<string, Set<string>>, domain: string, p: number): number {
  const isIn = sampler(p, 1);
  const near = graph.get(domain) ?? new Set();
  const far = new Set([...near].flatMap((source) => [...(graph.get(source) ?? [])]));
  return (
    [...far].filter((name) => name !== domain && !near.has(name) && isIn(nameBits(name))).length / p
  );
}

const fetchedBy = (row: DomainRow) => [row.domain, row.fetched] as const;

describe('a crawl in the order of budgets', () => {
  test.each([
    { agents: 1, p: 1, maxPages: Infinity },
    { agents: 3, p: 0.5, maxPages: Infinity },
    { agents: 3, p: 0.5, maxPages: 120 },
    { agents: 2, p: 1, maxPages: Infinity, edgeLife: '100h' },
  ])('has the in-degrees and the sampled supporters that the archive shows: %o', async (asked) => {
    const { agents, p, maxPages, edgeLife = Infinity } = asked;
    lab = await startLab({ scenario: 'clean', domains: 60, pages: 5, seed: 5 });
    const rank = 'tse';
    const { end } = await crawl({ agents, rank, rankSample: p, maxPages, edgeLife });
    expect(end).toBe(maxPages === Infinity ? 'finished' : 'max-pages');
    const graph = await graphOf();
    const rows = await allDomains();
    const linked = rows.filter(({ inDegree }) => inDegree > 0);
    expect(linked.length).toBeGreaterThan(30);
    expect(new Set(linked.map(({ domain }) => domain))).toEqual(new Set(graph.keys()));
    for (const { domain, inDegree, supporters: estimate } of linked) {
      expect([domain, inDegree, estimate]).toEqual([
        domain,
        graph.get(domain)?.size,
        supporters(graph, domain, p),
      ]);
    }
  });

  test('counts every URL that passed the sieve as fetched, skipped, failed or queued, and the pages of each domain', async () => {
    lab = await startLab({ scenario: 'spam', domains: 50, pages: 20, seed: 6 });
    const fetched: string[] = [];
    const summary = await crawl({ maxPages: 150, budget: 'equal(3)', agents: 2 }, fetched);
    expect(accountOf(summary)).toMatchObject({ fetched: 150, lost: 0 });
    const had = new Map((await allDomains()).map(fetchedBy).filter(([, count]) => count > 0));
    for (const [domain, count] of had) {
      expect([domain, fetched.filter((url) => domainOf(url) === domain).length]).toEqual([
        domain,
        count,
      ]);
    }
    expect([...had.values()].reduce((sum, count) => sum + count, 0)).toBe(fetched.length);
    // A corpus of the crawl has the ranks of its domains.
    const ranks = new Map((await allDomains()).map(({ domain, rank }) => [domain, rank]));
    const out = join(dir, '..', `${basename(dir)}-corpus`);
    onTestFinished(() => rmSync(out, { recursive: true, force: true }));
    await exportCorpus([dir], out, { includeOptOuts: true });
    const rows = await readParquet(join(out, 'part-00000.parquet'));
    expect(rows.length).toBeGreaterThan(25);
    for (const row of rows) expect(row.domain_rank).toBe(ranks.get(row.domain));
  });

  test('obeys what the user decides when it is resumed', async () => {
    lab = await startLab({ scenario: 'clean', domains: 30, pages: 20, seed: 8 });
    await crawl({ maxPages: 60 });
    const [blocked, trusted, set] = (await listDomains(disk, dir, 'queued', 3)).rows.map(
      ({ domain }) => domain,
    );
    await setOverride(disk, dir, blocked, 'blocked');
    await setOverride(disk, dir, trusted, 'trusted');
    await setOverride(disk, dir, set, 7);
    const fetched: string[] = [];
    const { refused } = await crawl({}, fetched);
    const state = new Map((await allDomains()).map((row) => [row.domain, row]));
    expect(state.get(blocked)).toMatchObject({ state: 'blocked', budget: 0 });
    expect(state.get(trusted)?.state).toBe('trusted');
    expect(state.get(set)).toMatchObject({ state: 'set', budget: 7 });
    expect(refused.blocked).toBeGreaterThan(0);
    expect(state.get(trusted)?.queued).toBe(0);
  });

  test.each([
    { agents: 1, rank: 'in', enough: 'in >= 4' },
    { agents: 2, rank: 'tse', enough: 'supporters >= 40' },
    { agents: 2, rank: 'trusted', enough: 'supporters >= 20' },
  ] as const)('ends when all queued URLs belong to domains with budget 0: %o', async ({
    agents,
    rank,
    enough,
  }) => {
    lab = await startLab({ domains: 150, pages: 5 });
    // As soon as domains are ranked, those with few links have budget 0.
    const budget = `${enough} ? 5 : 0`;
    const { urlsQueued } = await crawl({ budget, rank, rankSample: 1, agents });
    const without = (await allDomains()).filter(({ budget }) => budget === 0);
    expect(urlsQueued).toBeGreaterThan(0);
    expect(without.reduce((sum, { queued }) => sum + queued, 0)).toBeGreaterThanOrEqual(urlsQueued);
  });

  test('starts with a policy that gives budget only to the best, and gives the others none when it is resumed', async () => {
    lab = await startLab({ domains: 60, pages: 20 });
    const [fetched, later]: [string[], string[]] = [[], []];
    const best = { budget: 'top(3, each=50)', agents: 2 };
    await crawl(best, fetched);
    const bestNow = async () =>
      (await allDomains()).flatMap(({ domain, budget }) => (budget > 1 ? [domain] : []));
    const before = await bestNow();
    expect(fetched.length).toBeGreaterThan(20);
    expect(before).not.toEqual([]);
    await crawl(best, later);
    // The last standing of an agent may reach the other only when the crawl is resumed.
    const either = new Set([...before, ...(await bestNow())]);
    expect(later.filter((url) => !either.has(domainOf(url) ?? ''))).toEqual([]);
  });

  test('cannot be resumed breadth first, which would forget URLs queued for budget', async () => {
    lab = await startLab({ scenario: 'clean', domains: 10, pages: 5 });
    await crawl({ maxPages: 5 });
    await expect(crawl({ order: 'bfs' })).rejects.toMatchObject({ code: 'ORDER_CHANGED' });
  });
});

describe('the list of domains', () => {
  test('refuses a folder without a crawl, and a crawl without budgets', async () => {
    lab = await startLab({ scenario: 'clean', domains: 10, pages: 5 });
    await expect(listDomains(disk, join(dir, 'none'), 'rank', 5)).rejects.toMatchObject({
      code: 'CRAWL_MISSING',
    });
    await crawl({ order: 'bfs', maxPages: 5 });
    await expect(listDomains(disk, dir, 'rank', 5)).rejects.toMatchObject({ code: 'NO_BUDGETS' });
  });

  test('sorts by any column, the highest first, up to a limit', async () => {
    lab = await startLab({ scenario: 'clean', domains: 40, pages: 8 });
    await crawl({ maxPages: 200 });
    const { rows, domains } = await listDomains(disk, dir, 'fetched', 5);
    expect(rows).toHaveLength(5);
    const all = await allDomains();
    expect(all).toHaveLength(domains);
    expect(rows.map(({ fetched }) => fetched)).toEqual(
      all
        .map(({ fetched }) => fetched)
        .sort((a, b) => b - a)
        .slice(0, 5),
    );
    const ranks = (await listDomains(disk, dir, 'rank', 1e6)).rows.map(({ rank }) => rank);
    // Each rank once, then the domains without one.
    const ranked = ranks.filter((rank) => rank !== undefined);
    expect(ranked.length).toBeGreaterThan(1);
    expect(ranks.slice(0, ranked.length)).toEqual(ranked.map((_, i) => i + 1));
    expect(await ranksOf(disk, dir)).toEqual(
      expect.arrayContaining(rows.flatMap(({ domain, rank }) => (rank ? [[domain, rank]] : []))),
    );
  });
});
