/** Bodies that were cut: nothing is lost without a word. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { get } from '../../src/cli/commands/archive-look.ts';
import { summaryText } from '../../src/cli/screen/progress.ts';
import { type CrawlOptions, resolveConfig } from '../../src/config/settings.ts';
import type { Summary } from '../../src/crawl/crawl.ts';
import { crawlReport } from '../../src/crawl/monitor/report.ts';
import { crawlReportPage } from '../../src/crawl/monitor/report-page.ts';
import { Disk } from '../../src/disk/disk.ts';
import { startCrawl } from './here.ts';
import { linking, type SmallSite, startSmallSite } from './small-site.ts';

const LIMIT = 64 * 1024;
/** Decoded, it is beyond the limit of the decoder. */
const LARGE = gzipSync(Buffer.alloc(11 * 2 ** 20, `<p>${'words of a page '.repeat(40)}`), {
  level: 1,
});

/** The same, but not beyond the limit of the ratio; its link is at the end. */
const VARIED = gzipSync(
  `<p>${Array.from({ length: 1_100_000 }, (_, i) => ((i * 2654435761) % 2 ** 32).toString(36)).join(' ')} <a href="/short">x</a>`.padStart(
    11 * 2 ** 20,
  ),
  { level: 1 },
);

let dir: string;
let site: SmallSite;

beforeEach(async () => {
  dir = join(mkdtempSync(join(tmpdir(), 'drumlin-cut-')), 'crawl');
  site = await startSmallSite({
    '/': linking('/short', '/long', '/broken'),
    '/short': 'short',
    '/long': 'x'.repeat(LIMIT + 1),
    '/broken': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100' });
      response.write('cut off', () => response.destroy());
    },
    '/varied': (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
        .end(VARIED),
    '/decoded': (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
        .end(LARGE),
  });
});
afterEach(async () => {
  await site.close();
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

async function crawl(path: string, options: CrawlOptions = {}): Promise<Summary> {
  const config = resolveConfig({
    ...{ dir, allowPrivate: true, delay: 0, agents: 1, maxBody: LIMIT, order: 'bfs' },
    ...options,
  });
  return (await startCrawl([`${site.origin}${path}`], config)).finished;
}

async function got(path: string, flags: object = {}): Promise<{ text: string; notes: string[] }> {
  const output = new PassThrough();
  const notes: string[] = [];
  let text = '';
  output.on('data', (piece) => {
    text += piece;
  });
  await get(dir, `${site.origin}${path}`, flags, output, (note) => void notes.push(note));
  return { text, notes };
}

test('a body beyond --max-body is in the summary, the log, the report and what get prints', async () => {
  const summary = await crawl('/');
  expect(summary.truncated).toMatchObject({ length: 1 });
  expect(summaryText(summary)).toMatch(/truncated +1 at --max-body/);
  const log = readFileSync(join(dir, 'log.jsonl'), 'utf8').split('\n').filter(Boolean);
  const events = log
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'page-truncated');
  expect(events).toContainEqual(
    expect.objectContaining({ url: `${site.origin}/long`, why: 'length', bytes: LIMIT }),
  );
  const html = crawlReportPage(await crawlReport(new Disk(), dir, Date.now()));
  expect(html).toContain('pages with a truncated body');

  const long = await got('/long');
  expect(long.text).toHaveLength(LIMIT);
  expect(long.notes).toEqual([expect.stringMatching(/truncated.*--max-body/)]);
  expect((await got('/short')).notes).toEqual([]);
});

test('the counts of all runs are kept', async () => {
  await crawl('/');
  await crawl('/', { maxBody: LIMIT });
  const { state } = JSON.parse(readFileSync(join(dir, 'agents/0/checkpoint.json'), 'utf8'));
  expect(state.counters.truncated).toMatchObject({ length: 1 });
});

test('a page that is too large when decoded is counted, and get says so', async () => {
  const summary = await crawl('/decoded', { maxBody: 10 * 2 ** 20 });
  expect(summary.truncated).toEqual({ decoding: 1 });
  expect(summaryText(summary)).toMatch(/truncated +1 when decoded/);
  const { text, notes } = await got('/decoded');
  expect(text.length).toBeLessThan(11 * 2 ** 20);
  expect(notes).toEqual([expect.stringMatching(/--raw/)]);
  expect((await got('/decoded', { raw: true })).notes).toEqual([]);
});

test.each([
  'warc',
  'files',
] as const)('a larger --max-body decodes as much, into %s', async (store) => {
  const summary = await crawl('/varied', { maxBody: 12 * 2 ** 20, store });
  expect(summary.truncated).toEqual({});
  expect(site.asked).toContain('/short');
});

test('the list of pages names it, with --store files', async () => {
  await crawl('/decoded', { maxBody: 10 * 2 ** 20, store: 'files' });
  const [list] = readdirSync(join(dir, 'pages')).filter((name) => name.endsWith('.jsonl'));
  const line = JSON.parse(readFileSync(join(dir, 'pages', list), 'utf8').trim());
  expect(line).toMatchObject({ url: `${site.origin}/decoded`, truncated: 'decoding' });
});
