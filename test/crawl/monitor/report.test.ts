/** The report of a crawl: its numbers, its self-contained page, its series after a crash. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'parse5';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeReport } from '../../../src/cli/screen/write-report.ts';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import { crawlReport } from '../../../src/crawl/monitor/report.ts';
import { crawlReportPage, evenStretches } from '../../../src/crawl/monitor/report-page.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { startCrawl } from '../here.ts';
import { linking, type SmallSite, startSmallSite } from '../small-site.ts';

let site: SmallSite;
let dir: string;
const disk = new Disk();

beforeEach(async () => {
  const paths = Array.from({ length: 30 }, (_, i) => `/${i}`);
  site = await startSmallSite({
    '/': linking(...paths, '/missing', '/odd'),
    ...Object.fromEntries(paths.map((path) => [path, 'page'])),
    '/odd': (_, response) => response.writeHead(200, { 'content-type': 'text/<b>odd' }).end('x'),
    '/robots.txt': (_, response) => response.end('User-agent: *\nDisallow: /7\n'),
  });
  dir = join(mkdtempSync(join(tmpdir(), 'drumlin-report-')), '<script>alert(1)</script>');
});
afterEach(async () => {
  await site.close();
  rmSync(join(dir, '../..'), { recursive: true, force: true });
});

const crawl = async (options: CrawlOptions = {}) => {
  const config = resolveConfig({ dir, delay: 0, allowPrivate: true, agents: 2, ...options });
  return (await startCrawl([`${site.origin}/`], config)).finished;
};
const pagesOf = async () =>
  (await crawlReport(disk, dir, Date.now())).series.reduce((sum, { pages }) => sum + pages, 0);

describe('the report of a crawl', () => {
  test('has pages, statuses, types, domains and settings, in one file that loads nothing and runs nothing', async () => {
    await crawl();
    const path = await writeReport(dir);
    expect(path).toBe(join(dir, 'report.html'));
    const html = readFileSync(path, 'utf8');
    expect(html).toMatch(/<td>pages<\/td><td>32<\/td>/);
    expect(html).toMatch(/<td>404<\/td><td>1<\/td>/);
    expect(html).toMatch(/<td>text\/html<\/td><td>30<\/td>/);
    expect(html).toMatch(/<td>robots\.txt<\/td><td>1<\/td>/);
    expect(html).toMatch(/<td>127\.0\.0\.1<\/td><td>32<\/td>/);
    expect(html).toMatch(/<td>--delay<\/td><td>0 ms<\/td>/);
    const elements = elementsOf(parse(html));
    expect(new Set(elements.map(({ nodeName }) => nodeName))).not.toContain('script');
    for (const { attrs = [] } of elements) {
      for (const { name, value } of attrs) {
        expect(name).not.toMatch(/^(on|src|href)/);
        expect(value).not.toMatch(/url\(|http/);
      }
    }
  });

  test('counts the pages of all runs over time, even if the number of agents changes', async () => {
    for (const agents of [2, 1, 3]) await crawl({ maxPages: 8, agents });
    expect(await pagesOf()).toBe(24);
  });

  test('goes back to the checkpoint after a crash: pages fetched again are not counted twice', async () => {
    await crawl({ maxPages: 10 });
    const config = resolveConfig({ dir, delay: 0, allowPrivate: true, agents: 2 });
    const run = await startCrawl([`${site.origin}/`], config, {
      onPage: ({ url }) => {
        if (url.endsWith('/odd')) throw new Error('crash');
      },
    });
    await run.finished.catch(() => {});
    await crawl();
    const { status } = await crawlReport(disk, dir, Date.now());
    expect(status.counters.pages).toBe(32);
    expect(await pagesOf()).toBe(32);
  });

  test('shows ranks and budgets with --order budget', async () => {
    await crawl({ order: 'budget' });
    const html = crawlReportPage(await crawlReport(disk, dir, Date.now()));
    expect(html).toContain('<th>budget</th>');
    expect(html).toMatch(/<td>127\.0\.0\.1<\/td><td>32<\/td><td>–<\/td><td>1<\/td>/);
  });

  test('plots the series, and says so if it is too short', async () => {
    await crawl();
    const report = await crawlReport(disk, dir, Date.now());
    const stretch = {
      ...report.series[0],
      millis: 1000,
      bytes: 9,
      front: 3,
      errors: 0,
      retries: 0,
    };
    const long = {
      ...report,
      series: Array.from({ length: 200 }, (_, i) => ({ ...stretch, pages: i % 7, queued: i })),
    };
    const html = crawlReportPage(long);
    expect(html.match(/<figure>/g)?.length).toBeGreaterThanOrEqual(5);
    expect(html).toContain('minutes of crawling');
    expect(html).not.toContain('NaN');
    expect(crawlReportPage({ ...report, series: [] })).toContain('too short for a plot');
  });

  test('is an error where there is no crawl', async () => {
    await expect(writeReport(join(dir, 'none'))).rejects.toThrow('There is no crawl in');
  });
});

interface Node {
  readonly nodeName: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly Node[];
}

function elementsOf(node: Node): Node[] {
  return [node, ...(node.childNodes ?? []).flatMap(elementsOf)];
}

test('rates are those of whole stretches: a short one at either end joins its neighbour', () => {
  const stretch = (millis: number, pages: number) => ({
    ...{ millis, pages, begins: 0, elapsed: 0, bytes: 0, errors: 0, retries: 0 },
    ...{ spam: 0, fetching: 0, front: 0, queued: 0, backlog: 0 },
  });
  const even = evenStretches([
    stretch(100, 1),
    stretch(1000, 1),
    stretch(1000, 1),
    stretch(400, 1),
  ]);
  expect(even.map(({ millis, pages }) => [millis, pages])).toEqual([
    [1100, 2],
    [1400, 2],
  ]);
  expect(evenStretches([])).toEqual([]);
  expect(evenStretches([stretch(5, 1)])).toHaveLength(1);
});
