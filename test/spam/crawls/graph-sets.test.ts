import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packNameArcs } from '../../../src/graph/arcs.ts';
import { buildGraph } from '../../../src/graph/build.ts';
import { changeOfCrawls, linksOfCrawl } from '../../../src/spam/crawls/graph-sets.ts';
import type { FeatureSet } from '../../../src/spam/features/feature-set.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { quickDisk } from '../../graph/fixtures.ts';

/** The folder of a crawl: pages and their links. */
function crawlOf(pages: Readonly<Record<string, readonly string[]>>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'archive'));
  const records = Object.entries(pages).map(([url, links]) => {
    const body = links.map((href) => `<a href="${href}">x</a>`).join('');
    const block = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${body}`;
    const head = `WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: ${url}`;
    return `${head}\r\nContent-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`;
  });
  writeFileSync(join(folder, 'archive', 'a-00000.warc'), records.join(''));
  return folder;
}

const request = (sites: readonly string[], scratch = temporaryFolder()) => ({
  sites,
  level: 'domain' as const,
  memory: 2 ** 24,
  threads: 1,
  scratch,
});

const featureOf = ({ columns, values }: FeatureSet, name: string, site: number) =>
  values[columns.indexOf(name)][site];

const WEB = {
  'http://a.test/': ['/best', 'http://b.test/'],
  'http://a.test/best': ['/'],
  'http://b.test/': ['http://a.test/best', 'http://never.test/'],
  'http://c.test/deep/page': ['http://a.test/best', 'http://b.test/'],
};

test('links of a crawl are those of its pages, and its graph is deleted', async () => {
  const scratch = temporaryFolder();
  const sites = ['a.test', 'b.test', 'c.test', 'never.test'];
  const set = await linksOfCrawl(quickDisk(), { crawl: crawlOf(WEB) }, request(sites, scratch));
  expect(set.name).toBe('links');
  expect(set.columns.length).toBe(176);
  expect(featureOf(set, 'eq_hp_mp', 0)).toBe(0);
  expect(featureOf(set, 'indegree_hp', 0)).toBe(1);
  expect(featureOf(set, 'indegree_mp', 0)).toBe(3);
  expect(featureOf(set, 'siteneighbors_1_mp', 0)).toBe(2);
  expect(featureOf(set, 'outdegree_hp', 1)).toBe(1); // what was not fetched is no page
  expect(featureOf(set, 'outdegree_hp', 2)).toBe(2); // without a page "/" its shortest URL
  expect(featureOf(set, 'indegree_hp', 3)).toBeNaN();
  expect(readdirSync(scratch)).toEqual([]);
});

test('links of a graph of sites need no pages; one of another level is refused', async () => {
  const disk = quickDisk();
  const graph = join(temporaryFolder(), 'graph');
  const arcs = packNameArcs([
    ['a.test', 'b.test'],
    ['c.test', 'b.test'],
  ]);
  await buildGraph(graph, { names: arcs }, { level: 'domain', disk });
  const asked = { crawl: 'not read', graph, trusted: ['a.test'] };
  const set = await linksOfCrawl(disk, asked, request(['b.test', 'c.test']));
  expect(featureOf(set, 'indegree_hp', 0)).toBe(2);
  expect(featureOf(set, 'eq_hp_mp', 0)).toBe(1);
  expect(featureOf(set, 'trustrank_hp', 1)).toBe(0);
  const refused = linksOfCrawl(disk, asked, { ...request(['b.test']), level: 'host' });
  await expect(refused).rejects.toMatchObject({ code: 'FEATURES' });
});

test('trusted sites that the crawl lacks are an error that names the way out', async () => {
  const asked = { crawl: crawlOf(WEB), trusted: ['other.test'] };
  const refused = linksOfCrawl(quickDisk(), asked, request(['a.test']));
  await expect(refused).rejects.toMatchObject({ code: 'WHITELIST' });
});

test('change is between the two last crawls, for sites that both fetched', async () => {
  const later = {
    'http://a.test/': ['http://c.test/'],
    'http://b.test/': ['http://a.test/'],
    'http://c.test/': ['http://a.test/', 'http://never.test/'],
    'http://new.test/': ['http://a.test/'],
  };
  const sites = ['a.test', 'b.test', 'c.test', 'never.test', 'new.test'];
  const crawls = [crawlOf({ 'http://x.test/': [] }), crawlOf(WEB), crawlOf(later)];
  const scratch = temporaryFolder();
  const set = await changeOfCrawls(quickDisk(), crawls, request(sites, scratch));
  expect(set.columns.length).toBe(117);
  const column = (name: string) => sites.map((_, i) => featureOf(set, name, i));
  const missing = Number.NaN;
  expect(column('ODR')).toEqual([1, 0.5, 0.5, missing, missing]);
  expect(column('OGR')).toEqual([1, 0, 0.5, missing, missing]);
  expect(column('IDR')).toEqual([0, 1, 0, missing, missing]);
  expect(column('IGR')).toEqual([0.5, 0, 1, missing, missing]);
  expect(readdirSync(scratch)).toEqual([]);
});

test('one crawl has no change', async () => {
  const refused = changeOfCrawls(quickDisk(), [crawlOf(WEB)], request(['a.test']));
  await expect(refused).rejects.toMatchObject({ code: 'FEATURES' });
});
