/** Crawls that show what each limit of memory does: more is on disk, sooner. */
import assert from 'node:assert/strict';
import { type Handler, linking, type Pages } from '../../crawl/small-site.ts';
import type { Crawled, CrawlRow } from './row.ts';

/** Ends when the pages of a crawl that are many are queued. */
const ENOUGH = ['--max-links', '1000000', '--max-body', '100Mi', '--private-delay', '10ms'];
const linksTo = (count: number, folder: string): string =>
  linking(...Array.from({ length: count }, (_, i) => `/${folder}/${i}`));

/** How often a file of an agent was written anew: the number at the end of its name. */
function version(crawled: Crawled, folder: string, name: string): number {
  const files = crawled.files('agents/0', folder);
  const numbers = files.map((file) => new RegExp(`^${name}\\.(\\d+)$`).exec(file)?.[1] ?? '0');
  return Math.max(0, ...numbers.map(Number));
}

/** URLs in memory at the end. */
const inMemory = (crawled: Crawled): number => {
  const { queued, backlog } = JSON.parse(crawled.file('status.json'));
  assert.ok(queued > 1000, `only ${queued} URLs are queued`);
  return queued - backlog;
};

const urls: CrawlRow = {
  name: 'urls',
  prepare: (stage) => [
    `${stage.site('urls.test', {
      '/': linking('/1', '/2'),
      '/1': linksTo(100_000, 'a'),
      '/2': linksTo(100_000, 'b'),
    })}/`,
    ...[...ENOUGH, '--max-pages', '12', '--sieve-memory', '1Mi'],
  ],
  code: 6,
  shows: {
    // Each page that brings new URLs is one merge; the second and the third do not fit into memory.
    '--sieve-memory': (c) => assert.ok(version(c, 'seen', 'keys') >= 5, 'all fits into memory'),
  },
};

const queued: CrawlRow = {
  name: 'queued',
  prepare: (stage) => [
    `${stage.site('queued.test', { '/': linksTo(30_000, 'a-long-path-of-a-page') })}/`,
    ...[...ENOUGH, '--max-pages', '12', '--order', 'bfs'],
    ...['--front-urls', '10', '--backlog-memory', '64Ki'],
  ],
  code: 6,
  shows: {
    '--front-urls': (c) => assert.ok(inMemory(c) <= 10, `${inMemory(c)} URLs are in memory`),
    '--backlog-memory': (c) =>
      assert.ok(c.files('agents/0/backlog').some((name) => name.startsWith('run.'))),
  },
};

const domains: CrawlRow = {
  name: 'budgeted',
  prepare: (stage) => [
    `${stage.site('budgeted.test', { '/': linksTo(36_000, 'a-long-path-of-a-page') })}/`,
    ...[...ENOUGH, '--max-pages', '12', '--domain-memory', '8Mi'],
  ],
  code: 6,
  shows: {
    '--domain-memory': (c) =>
      assert.ok(version(c, 'domains/rounds', 'rounds') > 0, 'all rounds fit into memory'),
  },
};

/** Hosts with long rules: their records do not fit. */
const RULES: Handler = (_, response) => {
  const lines = Array.from({ length: 1500 }, (_, i) => `Disallow: /private/folder/${i}/`);
  response.end(`User-agent: *\n${lines.join('\n')}`);
};
const hosts: CrawlRow = {
  name: 'hosts',
  prepare: (stage) => {
    const pages: Pages = { '/robots.txt': RULES, '/': linking('/x'), '/x': 'x' };
    const names = Array.from({ length: 60 }, (_, i) => `h${i}.hosts.test`);
    const all = names.map((name) => `${stage.site(name, pages)}/`);
    return [
      `${stage.site('start-hosts.test', { '/': linking(...all) })}/`,
      ...['--order', 'bfs', '--front-hosts', '2', '--host-memory', '1Mi'],
    ];
  },
  shows: {
    // Hosts that leave memory are written; with 8 MiB, twice or three times.
    '--front-hosts': (c) => assert.ok(version(c, 'hosts', 'records') > 0, 'all hosts fit'),
    '--host-memory': (c) => assert.ok(version(c, 'hosts', 'records') >= 10, 'all records fit'),
  },
};

export const MEMORY_ROWS: readonly CrawlRow[] = [urls, queued, domains, hosts];
