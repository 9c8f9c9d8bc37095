/** Crawls that show what the settings of ranks, budgets and memory do. */
import assert from 'node:assert/strict';
import { modelText } from '../../../src/spam/model.ts';
import { type Handler, linking } from '../../crawl/small-site.ts';
import { tinyModel } from '../../spam/live/tiny-model.ts';
import { left } from './checks.ts';
import { page, words } from './pages.ts';
import type { CrawlRow } from './row.ts';

const TEN = Array.from({ length: 10 }, (_, i) => `/${i}`);

const listed: CrawlRow = {
  name: 'listed',
  prepare: (stage) => {
    const pages = { '/': linking(...TEN), ...Object.fromEntries(TEN.map((path) => [path, path])) };
    stage.write('ranks.txt', 'first-listed.test 9\nsecond-listed.test 3\n');
    return [
      ...['first', 'second'].map((name) => `${stage.site(`${name}-listed.test`, pages)}/`),
      ...['--rank', 'list', '--rank-file', 'ranks.txt'],
    ];
  },
  after: async (stage) => (await stage.run(['domains', 'listed'])).out,
  shows: {
    '--rank': (c) => assert.match(c.extra, /by list|rank.*list/i),
    '--rank-file': (c) => assert.match(c.extra, /1 +first-listed.*\n.*2 +second-listed/),
  },
};

const broke: CrawlRow = {
  name: 'broke',
  prepare: (stage) => [`${stage.site('broke.test', { '/': 'x' })}/`, '--budget', 'equal(0)'],
  code: 3,
  shows: { '--budget': left('/') },
};

/** A verdict of a model for which everything is spam. */
const spam: CrawlRow = {
  name: 'spammy',
  prepare: (stage) => {
    stage.write('model.json', modelText(tinyModel(2)));
    return [
      `${stage.site('spammy.test', {
        '/': page(words(200), ...TEN),
        ...Object.fromEntries(TEN.map((path, i) => [path, page(words(150, i + 2))])),
      })}/`,
      ...['--spam', 'model.json'],
    ];
  },
  // The domain gets no budget after its first page.
  shows: { '--spam': left('/9') },
};

/** Links between domains, and a page that keeps the crawl going for a while. */
const linked = (stage: Parameters<CrawlRow['prepare']>[0], name: string): string => {
  const domains = Array.from({ length: 40 }, (_, i) => `d${i}-${name}.test`);
  for (const domain of domains) stage.site(domain, { '/': 'x' });
  const late: Handler = (_, response) => void setTimeout(() => response.end('late'), 700);
  return `${stage.site(`${name}.test`, {
    '/': linking(...domains.map((domain) => `${stage.origin(domain)}/`), '/late'),
    '/late': late,
  })}/`;
};

const sampled: CrawlRow = {
  name: 'sampled',
  prepare: (stage) => [linked(stage, 'sampled'), '--rank', 'tse', '--rank-sample', '0.000001'],
  shows: {
    // The links of a domain that is not in the sample are not kept.
    '--rank-sample': (c) => {
      const { reputation } = JSON.parse(c.file('agents/0/checkpoint.json')).state;
      assert.deepEqual(reputation.sample.files, { 'sample.1': 8 });
    },
  },
};

const aging: CrawlRow = {
  name: 'aging',
  prepare: (stage) => [
    ...[linked(stage, 'aging'), '--rank', 'in', '--edge-life', '100ms', '--checkpoint', '100ms'],
  ],
  shows: {
    '--edge-life': (c) => assert.ok(sumOf('inDegree', c.extra) === 0, 'links have not aged'),
  },
  after: async (stage) => (await stage.run(['domains', 'aging', '--json'])).out,
};

/** A number of all domains, added up. */
function sumOf(column: string, lines: string): number {
  const rows: Record<string, number>[] = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.ok(rows.length > 10, 'the domains are not listed');
  assert.ok(
    rows.every((row) => row[column] !== undefined),
    `no ${column}`,
  );
  return rows.reduce((sum, row) => sum + row[column], 0);
}

export const RANKING_ROWS: readonly CrawlRow[] = [listed, broke, spam, sampled, aging];
