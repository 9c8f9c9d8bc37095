import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CompareFlags,
  compareCommand,
  registerCompare,
} from '../../../src/cli/commands/rank-compare.ts';
import { importGraph } from '../../../src/graph/io/import.ts';

const folder = mkdtempSync(join(tmpdir(), 'drumlin-compare-'));
const graph = join(folder, 'graph');
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const arcs = ['a good', 'b good', 'c good', 'a bad', 'b bad', 'good fine', 'bad poor'];
  await importGraph([file('edges.txt', arcs.join('\n').replaceAll(' ', '\t'))], graph, {
    format: 'edges',
  });
});

const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** Parses the words after `rank`, which has flags of the same names, and prints into memory. */
async function compare(...words: string[]): Promise<string> {
  const rank = new Command('rank')
    .exitOverride()
    .option('--by <method>')
    .option('--top <count>')
    .argument('[graph]');
  registerCompare(rank);
  const output = new PassThrough();
  rank.commands[0]
    .exitOverride()
    .action((where: string, flags: CompareFlags) =>
      compareCommand(where, flags, { output, screen: { write() {} } }),
    );
  await rank.parseAsync(['compare', ...words], { from: 'user' });
  output.end();
  return text(output);
}

describe('drumlin rank compare', () => {
  test('prints what each method costs and admits, then how well they agree', async () => {
    const bad = file('bad.txt', 'bad\npoor\nnowhere\n');
    const printed = await compare(graph, '--by', 'in,supp,tse:p=1', '--bad', bad, '--top', '4');
    const [summary, , head, ...rows] = printed.split('\n');
    expect(summary).toBe(
      '7 nodes; 7 arcs; rankings compared up to place 4; 2 of 3 bad names are in the graph',
    );
    expect(head.split(/ {2,}/)).toEqual([
      'method',
      'time',
      'CPU',
      'memory',
      'read',
      'first bad',
      'bad in 4',
      'mean error',
      'worst error',
    ]);
    expect(rows[0]).toMatch(/^in +.* +2 +2 +– +–$/);
    expect(rows[2]).toMatch(/^tse:p=1 +.* 0 % +0 %$/);
    expect(printed).toMatch(/shared \\ τ +in +supp +tse:p=1\n/);
    expect(printed).toMatch(/\ntse:p=1 +\d+ % +100 %\n/);
  });

  test('prints JSON', async () => {
    const comparison = JSON.parse(await compare(graph, '--json', '--by', 'in', '--top', '3'));
    expect(comparison).toMatchObject({
      nodes: 7,
      arcs: 7,
      top: 3,
      methods: [{ label: 'in', title: 'In-degree' }],
    });
    expect(comparison.methods[0].bytesRead).toBeGreaterThan(0);
  });

  test('writes a page', async () => {
    const report = join(folder, 'report.html');
    await compare(graph, '--by', 'in,opic', '--report', report);
    expect(readFileSync(report, 'utf8')).toMatch(
      /^<!doctype html>.*Rankings of graph.*<\/html>\n$/s,
    );
  });

  test('compares the methods of the paper by default', async () => {
    const printed = await compare(graph);
    for (const method of ['in', 'opic', 'pagerank', 'trustrank', 'supp', 'tse'])
      expect(printed).toMatch(new RegExp(`^${method} `, 'm'));
  });

  test.each([
    [['--by', 'pagerang'], 'RANKER'],
    [['--by', 'in,,supp'], 'RANKER'],
    [['--by', 'tse:p'], 'PARAMETER'],
    [['--by', 'tse:q=1'], 'PARAMETER'],
    [['--by', 'in:q=1'], 'PARAMETER'],
    [['--by', 'tse:p=2'], 'PARAMETER'],
    [['--top', '0'], 'VALUE'],
    [['--bad', '/nowhere/at/all'], 'NAMES'],
    [['--by', 'trustrank:good=/nowhere'], 'NAMES'],
  ])('refuses %j', async (words, code) => {
    await expect(compare(graph, ...words)).rejects.toMatchObject({ code });
  });
});
