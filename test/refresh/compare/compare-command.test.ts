import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writePages } from '../../../src/cli/commands/lab.ts';
import { type CompareFlags, compareCommand } from '../../../src/cli/commands/refresh/compare.ts';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { rank } from '../../../src/rank/index.ts';
import type { OrderComparison } from '../../../src/refresh/compare/compare.ts';
import { Collection } from '../../../src/refresh/orders/collection.ts';
import { findOrder } from '../../../src/refresh/orders/registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'drumlin-compare-'));
const web = join(folder, 'web');
const aliveFile = join(web, 'alive.txt');
const FLAGS: CompareFlags = {
  alive: aliveFile,
  by: 'random,in,pagerank,pa,pa+-,asf,bfs,ai',
  sample: 'random,in,pagerank',
  z: '2%',
  seeds: '2',
  perHost: '3',
  threads: '1',
  memory: '1Gi',
};

async function compare(flags: Partial<CompareFlags> = {}) {
  const output = new PassThrough();
  let said = '';
  const screen = {
    write(text: string) {
      said += text;
    },
  };
  const text: string[] = [];
  output.setEncoding('utf8').on('data', (part: string) => text.push(part));
  await compareCommand(web, { ...FLAGS, ...flags }, { output, screen });
  output.end();
  return { text: text.join(''), said };
}

beforeAll(async () => {
  const screen = { write: () => {} };
  const size = { domains: 60, pages: 20, seed: 5, step: 24, scenario: 'clean' };
  await writePages({ out: web, memory: '64Mi', ...size }, screen);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('drumlin lab pages', () => {
  test('writes a graph whose nodes are the pages of the truth', async () => {
    const rows = readFileSync(join(web, 'truth.tsv'), 'utf8').trimEnd().split('\n').slice(1);
    const graph = await openGraph(web);
    const names: string[] = [];
    for await (const name of graph.names.all()) names.push(name);
    await graph.close();
    expect(rows.map((row) => row.split('\t')[0]).sort()).toEqual([...names].sort());
    const living = rows.filter((row) => row.split('\t')[1] === 'alive');
    expect(readFileSync(aliveFile, 'utf8').trimEnd().split('\n')).toEqual(
      living.map((row) => row.split('\t')[0]),
    );
    expect(living.length).toBeGreaterThan(0);
    expect(living.length).toBeLessThan(rows.length);
  });

  test('refuses a web with traps', async () => {
    const flags = { out: join(folder, 'x'), memory: '64Mi', seed: 1, step: 1, domains: 50 };
    await expect(writePages({ ...flags, scenario: 'hostile' }, { write() {} })).rejects.toThrow(
      /cannot be listed/,
    );
  });
});

describe('drumlin refresh compare', () => {
  test('gives the costs of each order, and ends at n / n_a or below', async () => {
    const { text } = await compare({ json: true });
    const comparison = JSON.parse(text) as OrderComparison;
    const all = comparison.pages / comparison.living;
    expect(comparison.runs).toHaveLength(3 + 3 + 6 + 1 + 3 + 3);
    for (const { mean, least, most, seeds } of comparison.runs) {
      expect(mean).toHaveLength(20);
      expect(mean.at(-1)).toBeLessThanOrEqual(all + 1e-9);
      for (let i = 0; i < 20; i++) {
        expect(least[i]).toBeGreaterThanOrEqual(1);
        expect(least[i]).toBeLessThanOrEqual(mean[i] + 1e-9);
        expect(most[i]).toBeGreaterThanOrEqual(mean[i] - 1e-9);
        if (seeds === 1) expect(most[i]).toBe(least[i]);
      }
    }
  });

  test('writes a page with the six figures', async () => {
    const report = join(folder, 'costs.html');
    await compare({ report });
    const page = readFileSync(report, 'utf8');
    for (const figure of ['1a', '1b', '2', '3a', '3b', '4a', '4b', '5', '6'])
      expect(page).toContain(`<h2>Figure ${figure}:`);
  });

  test('counts names that are no nodes', async () => {
    const file = join(folder, 'more.txt');
    writeFileSync(file, `${readFileSync(aliveFile, 'utf8')}http://nowhere.test/\n`);
    expect((await compare({ alive: file, by: 'in' })).said).toMatch(/^1 name /);
  });

  test.each<[string, Partial<CompareFlags>, RegExp]>([
    ['a sample of nothing', { z: '0%' }, /Try --z 0\.5%/],
    ['a sample of 0 pages', { z: '0' }, /cannot be drawn/],
    ['more than all pages', { z: '100M' }, /cannot be drawn/],
    ['more than 100 %', { z: '101%' }, /cannot be drawn/],
    ['an unknown order', { by: 'pagernk' }, /Did you mean "pagerank"/],
    ['an unknown sample', { sample: 'rand' }, /Did you mean "random"/],
    ['no seeds', { seeds: '0' }, /--seeds must be at least 1/],
    ['no list', { alive: join(folder, 'absent.txt') }, /does not exist/],
  ])('refuses %s', async (_what, flags, message) => {
    await expect(compare(flags)).rejects.toThrow(message);
  });

  test('refuses a list without a single node', async () => {
    const file = join(folder, 'strangers.txt');
    writeFileSync(file, 'http://nowhere.test/\n');
    await expect(compare({ alive: file })).rejects.toThrow(/None of the 1 names/);
  });
});

describe('rank --by live', () => {
  test('gives the order of pa+-, ties included', async () => {
    const graph = await openGraph(web);
    const living = new Set(readFileSync(aliveFile, 'utf8').trimEnd().split('\n'));
    const names: string[] = [];
    for await (const name of graph.names.all()) names.push(name);
    const pages = Uint32Array.from({ length: 40 }, (_, i) => (i * 17) % names.length);
    const verdicts = Uint8Array.from(pages, (page) => (living.has(names[page]) ? 1 : 0));
    const chosen = (verdict: number) =>
      [...pages].filter((_, i) => verdicts[i] === verdict).map((page) => names[page]);
    const ranking = await rank(graph, { by: 'live', alive: chosen(1), dead: chosen(0) });
    const order = await findOrder('pa+-').open(
      new Collection(graph),
      { pages, verdicts },
      { seed: 1 },
    );
    const expected: number[] = [];
    for (let page = order.next(); page >= 0; page = order.next()) expected.push(page);
    const sampled = new Set(pages);
    expect([...ranking.order()].filter((page) => !sampled.has(page))).toEqual(expected);
    await expect(rank(graph, { by: 'live', alive: [names[0]], dead: [names[0]] })).rejects.toThrow(
      /both alive and dead/,
    );
    await expect(rank(graph, { by: 'live', alive: ['nobody'] })).rejects.toThrow(/none of the 1/);
    await graph.close();
  });
});
