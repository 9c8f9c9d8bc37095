import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DrumlinError } from '../../src/base/errors.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import { glimpseOf } from '../../src/lab/judge/glimpse.ts';
import { type LabOptions, webOf } from '../../src/lab/server/lab.ts';
import { VirtualCrawl } from '../../src/simulator/crawl.ts';
import { POLICIES, WITH_SPAM } from '../../src/simulator/policies.ts';
import { labReportPage } from '../../src/simulator/report.ts';
import { type PolicyResult, runLab } from '../../src/simulator/run.ts';
import {
  coverageRows,
  kindRows,
  lookUpRows,
  pagesOf,
  summaryRows,
} from '../../src/simulator/summary.ts';

const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };
/** For small crawls, which would be idle most of the time with delays. */
const BRISK: CrawlOptions = { delay: 0, fetches: 32 };
/** So little memory that everything goes to disk. */
const TINY: CrawlOptions = {
  frontHosts: 40,
  frontUrls: 400,
  sieveMemory: 2 ** 20,
  backlogMemory: 2 ** 16,
};

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drumlin-virtual-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function openCrawl(web: LabOptions, config: CrawlOptions = {}): Promise<VirtualCrawl> {
  return VirtualCrawl.open({
    web: webOf(web, PORTS),
    policy: POLICIES.bfs,
    config: resolveConfig({ ...BRISK, ...config }),
    folder,
  });
}

/** Every page that can be reached, by following links one after the other. */
function reachable(web: LabOptions): Set<string> {
  const lab = webOf(web, PORTS);
  const seen = new Set(lab.seeds());
  for (const url of seen) {
    const { links, redirect } = glimpseOf(lab, url) ?? { links: [], redirect: undefined };
    for (const link of redirect === undefined ? links : [redirect]) seen.add(link);
  }
  return seen;
}

async function runOnce(
  pages: number,
  options: LabOptions,
  policies = ['bfs'],
): Promise<PolicyResult[]> {
  const config = resolveConfig(BRISK);
  return runLab({ web: webOf(options, PORTS), policies, pages, config, folder });
}

const withoutMachine = ({ machine: _, ...rest }: PolicyResult) => rest;

describe('a crawl in virtual time', () => {
  test('fetches every page of a finite web once, and then ends', async () => {
    const web: LabOptions = { scenario: 'site', domains: 30, pages: 20, seed: 3 };
    const crawl = await openCrawl(web);
    expect(await crawl.run(1e9)).toBe(false);
    expect(crawl.tally.pages).toBe(reachable(web).size);
    expect(crawl.tally.useful).toBe(600);
    expect(crawl.tally.domains).toBe(30);
    expect(crawl.frontier.queued + crawl.waiting).toBe(0);
    await crawl.close();
  });

  test('does so too when nearly nothing fits into memory', async () => {
    const web: LabOptions = { scenario: 'site', domains: 200, pages: 9, seed: 4 };
    const crawl = await openCrawl(web, TINY);
    expect(await crawl.run(1e9)).toBe(false);
    expect(crawl.tally.useful).toBe(1800);
    expect(crawl.meters.backlog.written).toBeGreaterThan(0);
    await crawl.close();
  });

  test('keeps the delays of hosts: one site takes as long as its pages times the delay', async () => {
    const crawl = await openCrawl({ scenario: 'site', domains: 1, pages: 50 }, { delay: 10_000 });
    await crawl.run(1e9);
    expect(crawl.elapsed / 1000).toBeGreaterThanOrEqual(49 * 10);
    expect(crawl.elapsed / 1000).toBeLessThan(60 * 10);
    await crawl.close();
  });

  test('gives each redirect of a robots.txt a turn of its own, as a real crawl does', async () => {
    const [direct, redirected] = await Promise.all(
      [0, 1].map(async (share) => {
        const mix = { 'robots-redirect': share };
        const web = webOf({ scenario: 'site', domains: 12, pages: 5, mix }, PORTS);
        const own = join(folder, String(share));
        await mkdir(own);
        const config = resolveConfig({ delay: 10_000, fetches: 32 });
        const crawl = await VirtualCrawl.open({ web, policy: POLICIES.bfs, config, folder: own });
        await crawl.run(1e9);
        await crawl.close();
        return crawl;
      }),
    );
    expect(redirected.tally.pages).toBe(direct.tally.pages);
    expect(redirected.tally.robots).toBeGreaterThan(direct.tally.robots);
    expect(redirected.elapsed).toBeGreaterThan(direct.elapsed + 9_000);
  });

  test('stops at the page limit, and continues from there', async () => {
    const crawl = await openCrawl({ scenario: 'clean', domains: 50 });
    expect(await crawl.run(137)).toBe(true);
    expect(crawl.tally.pages).toBe(137);
    const { elapsed } = crawl;
    expect(await crawl.run(400)).toBe(true);
    expect(crawl.tally.pages).toBe(400);
    expect(crawl.elapsed).toBeGreaterThan(elapsed);
    await crawl.close();
  });

  test('obeys robots.txt, looks names up, and gives up hosts that do not exist', async () => {
    const mix = {
      'robots-disallow': 0.2,
      'robots-error': 0.1,
      'dns-nxdomain': 0.2,
      'tls-expired': 0.1,
    };
    const crawl = await openCrawl({ scenario: 'clean', domains: 300, pages: 10, mix });
    expect(await crawl.run(1e9)).toBe(false);
    const { tally } = crawl;
    expect(tally.disallowed).toBeGreaterThan(30);
    expect(tally.lookUps).toBeGreaterThan(tally.domains);
    expect(tally.robots).toBeGreaterThanOrEqual(tally.domains);
    expect(tally.domains).toBeGreaterThan(100);
    expect(tally.domains).toBeLessThan(220);
    await crawl.close();
  });
});

describe('a run of policies', () => {
  test('of 1,500 pages gives the same result twice, except for time and memory', async () => {
    const web: LabOptions = { scenario: 'spam', domains: 300, seed: 9 };
    const [first] = await runOnce(1500, web);
    const [second] = await runOnce(1500, web);
    expect(first.samples.at(-1)?.pages).toBe(1500);
    expect(withoutMachine(second)).toEqual(withoutMachine(first));
    expect(await readdir(folder)).toEqual([]);
  });

  test('adds up: kinds to pages, useful pages to honest ones', async () => {
    const [{ samples, kinds }] = await runOnce(2000, { scenario: 'spam', domains: 400 });
    expect(samples.length).toBe(200);
    const last = samples[samples.length - 1];
    const groups = pagesOf(last, 'honest') + pagesOf(last, 'spam') + pagesOf(last, 'endless');
    expect(groups).toBe(last.pages);
    expect(Object.values(kinds).reduce((sum, { pages }) => sum + pages, 0)).toBe(last.pages);
    expect(Object.values(kinds).reduce((sum, { domains }) => sum + domains, 0)).toBe(last.domains);
    expect(last.useful).toBeLessThanOrEqual(pagesOf(last, 'honest'));
    expect(last.useful).toBeGreaterThan(0);
    for (const [i, sample] of samples.entries())
      if (i > 0) expect(sample.pages).toBeGreaterThan(samples[i - 1].pages);
  });

  test('ends early, and reports it, when the web has no more pages', async () => {
    const [{ complete, samples }] = await runOnce(5000, {
      scenario: 'site',
      domains: 3,
      pages: 10,
    });
    expect(complete).toBe(false);
    expect(samples.at(-1)?.useful).toBe(30);
  });

  test('refuses an unknown policy and names a known one', async () => {
    await expect(runOnce(10, { scenario: 'clean' }, ['bsf'])).rejects.toThrow(
      /no policy "bsf".*"bfs"/,
    );
    await expect(runOnce(10, { scenario: 'clean' }, ['bsf'])).rejects.toBeInstanceOf(DrumlinError);
  });

  test('by any policy fetches every page of a finite web once', async () => {
    const web: LabOptions = { scenario: 'site', domains: 15, pages: 8, seed: 5 };
    const pages = reachable(web).size;
    const policies = Object.keys(POLICIES).filter((name) => !name.endsWith(WITH_SPAM));
    for (const { policy, complete, samples } of await runOnce(1e6, web, policies)) {
      expect([policy, complete, samples.at(-1)?.useful], policy).toEqual([policy, false, 120]);
      expect(samples.at(-1)?.pages, policy).toBe(pages);
      expect(samples.at(-1)?.queued, policy).toBe(0);
    }
  });

  test('by budgets gives the same result twice too', async () => {
    const web: LabOptions = { scenario: 'spam', domains: 300, seed: 6 };
    const [first] = await runOnce(1000, web, ['tse']);
    const [second] = await runOnce(1000, web, ['tse']);
    expect(withoutMachine(second)).toEqual(withoutMachine(first));
  });

  test('can be interrupted, and leaves no files', async () => {
    const stop = new AbortController();
    const config = resolveConfig(BRISK);
    const web = webOf({ scenario: 'clean', domains: 100 }, PORTS);
    const onProgress = () => stop.abort();
    const run = runLab({
      web,
      policies: ['bfs'],
      pages: 5000,
      config,
      folder,
      onProgress,
      signal: stop.signal,
    });
    await expect(run).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(await readdir(folder)).toEqual([]);
  });

  test('is reported in tables and on one page that loads nothing', async () => {
    const results = await runOnce(1000, { scenario: 'spam', domains: 200 });
    expect(summaryRows(results).map((row) => row[0])).toEqual(['policy', 'bfs']);
    expect(kindRows(results)[0]).toEqual(['kind', 'bfs']);
    for (const rows of [
      summaryRows(results),
      kindRows(results),
      coverageRows(results),
      lookUpRows(results),
    ])
      for (const row of rows) expect(row.length).toBe(rows[0].length);
    const page = labReportPage({ facts: ['a <b>'], results });
    expect(page).toContain('a &lt;b&gt;');
    expect(page.match(/<figure>/g)?.length).toBeGreaterThanOrEqual(7);
    expect(page).not.toMatch(/<script|src=|href=|NaN|undefined/);
  });
});
