import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ranksFileCommand } from '../../../src/cli/commands/rank/ranks-file.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { importGraph } from '../../../src/graph/io/import.ts';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { commonCrawlRanks } from '../../../src/rank/files/common-crawl-ranks.ts';
import { javaDouble, javaFloat } from '../../../src/rank/files/java-number.ts';
import { rank } from '../../../src/rank/index.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { fileOf, newPlace, quickDisk } from '../../graph/fixtures.ts';

const VERTICES = ['com.a\t3', 'com.b\t1', 'com.b.www\t2', 'net.c\t70', 'org.d\t1'];
const EDGES = ['0\t1', '1\t0', '2\t0', '3\t0', '3\t1', '4\t3', '2\t3'];

async function graphOf(vertices: readonly string[], kind: string): Promise<string> {
  const folder = temporaryFolder();
  const lines = vertices.map((vertex, id) => `${id}\t${vertex}\n`).join('');
  const files = [
    fileOf(lines, `${kind}-vertices.txt`, folder),
    fileOf(`${EDGES.join('\n')}\n`, `${kind}-edges.txt`, folder),
  ];
  const out = newPlace();
  await importGraph(files, out, { format: 'common-crawl', disk: quickDisk() });
  return out;
}

async function linesOf(folder: string, by: object = { exact: true }): Promise<string[][]> {
  const graph = await openGraph(folder);
  const scratch = join(temporaryFolder(), 'scratch');
  mkdirSync(scratch);
  const options = { exact: false, ...by, threads: 1, memory: 2 ** 26, disk: new Disk(), scratch };
  const lines: string[][] = [];
  for await (const line of commonCrawlRanks(graph, options)) lines.push(line.trimEnd().split('\t'));
  await graph.close();
  return lines;
}

describe('the file of ranks', () => {
  test('has the columns and the order of Common Crawl', async () => {
    const folder = await graphOf(VERTICES, 'domain');
    const [head, ...lines] = await linesOf(folder);
    expect(head.join(' ')).toBe('#harmonicc_pos #harmonicc_val #pr_pos #pr_val #host_rev #n_hosts');
    // a: 1 from b, b.www and c, 1/2 from d. b: 1 from a and c, 1/2 from b.www and d.
    // c: 1 from b.www and d. Nothing leads to the others, which are in the order of their names.
    expect(lines.map(([place, value, , , name, hosts]) => [place, value, name, hosts])).toEqual([
      ['1', '3.5', 'com.a', '3'],
      ['2', '3.0', 'com.b', '1'],
      ['3', '2.0', 'net.c', '70'],
      ['4', '0.0', 'com.b.www', '2'],
      ['5', '0.0', 'org.d', '1'],
    ]);
    const graph = await openGraph(folder);
    const { scores } = await rank(graph, { by: 'pagerank' });
    const id = async (name: string) =>
      (await graph.names.id(name.split('.').reverse().join('.'))) ?? -1;
    for (const [, , , value, name] of lines) expect(Number(value)).toBe(scores[await id(name)]);
    await graph.close();
    const byPage = [...lines].sort((a, b) => Number(a[2]) - Number(b[2]));
    expect(byPage.map(([, , place]) => place)).toEqual(['1', '2', '3', '4', '5']);
    expect(byPage.map(([, , , , name]) => name)).toEqual([
      ...['com.a', 'com.b', 'net.c', 'com.b.www', 'org.d'],
    ]);
  });

  test('counts with as many registers as are asked for', async () => {
    const folder = await graphOf(VERTICES, 'domain');
    const [, rough] = await linesOf(folder, { registers: 16 });
    const [, fine] = await linesOf(folder, { registers: 1024 });
    expect(fine[1]).not.toBe(rough[1]);
    expect(Number(fine[1])).toBeCloseTo(3.5, 0);
  });

  test('of hosts has no numbers of hosts, and is compressed if its name says so', async () => {
    const folder = await graphOf(
      VERTICES.map((vertex) => vertex.split('\t')[0]),
      'host',
    );
    const expected = (await linesOf(folder)).map((cells) => `${cells.join('\t')}\n`).join('');
    expect(expected.split('\n')[0]).toMatch(/#host_rev$/);
    const flags = { exact: true, threads: '1', memory: '64Mi' };
    const screen = { write: () => true };
    for (const name of ['ranks.txt', 'ranks.txt.gz']) {
      const out = join(temporaryFolder(), name);
      await ranksFileCommand(folder, { ...flags, out }, { output: process.stdout, screen });
      const bytes = readFileSync(out);
      expect((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()).toBe(expected);
    }
  });
});

describe('numbers as Java prints them', () => {
  test('are like these', () => {
    const doubles = [0, 1, 0.001, 9999999, 1e7, 123456789, 0.00012, 1e-7, 1 / 3];
    const printed = ['0.0', '1.0', '0.001', '9999999.0', '1.0E7', '1.23456789E8', '1.2E-4'];
    expect(doubles.map(javaDouble)).toEqual([...printed, '1.0E-7', '0.3333333333333333']);
    const floats = [37_500_000, 1 / 3, 16_777_216, 3.4e38].map(Math.fround);
    expect(floats.map(javaFloat)).toEqual([...['3.75E7', '0.33333334', '1.6777216E7', '3.4E38']]);
  });

  test('are read back as they were', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }), (value) => {
        expect(Number(javaDouble(value))).toBe(value);
        const short = Math.fround(value);
        if (Number.isFinite(short)) expect(Math.fround(Number(javaFloat(short)))).toBe(short);
      }),
    );
  });
});
