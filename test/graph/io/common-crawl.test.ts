import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packNameArcs } from '../../../src/graph/arcs.ts';
import { buildGraph } from '../../../src/graph/build.ts';
import type { GraphLevel } from '../../../src/graph/graph-file.ts';
import { reversed } from '../../../src/graph/io/common-crawl.ts';
import { exportCommonCrawl } from '../../../src/graph/io/export.ts';
import { importGraph } from '../../../src/graph/io/import.ts';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { byteSorted, contentOf, fileOf, newPlace, quickDisk } from '../fixtures.ts';

const OPTIONS = { format: 'common-crawl', memory: 2 ** 20 } as const;

function filesOf(vertices: string, edges: string, prefix = 'cc-main-2026-host-'): string[] {
  const folder = temporaryFolder();
  return [
    fileOf(vertices, `${prefix}vertices.txt.gz`, folder),
    fileOf(edges, `${prefix}edges.txt.gz`, folder),
  ];
}

const host = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'b', '-', 'ö'), minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((labels) => labels.join('.'));

describe('Common Crawl’s files', () => {
  test('are read with the labels of hosts in the usual order, in whatever order the hosts are', async () => {
    const files = filesOf('0\tcom.example\n1\tcom.example.www\n2\torg.a\n', '0\t1\n0\t2\n2\t0\n');
    const out = newPlace();
    const facts = await importGraph(files, out, { ...OPTIONS, disk: quickDisk() });
    expect(facts).toEqual({ nodes: 3, arcs: 3, named: true, level: 'host' });
    expect(await contentOf(out)).toEqual({
      names: ['a.org', 'example.com', 'www.example.com'],
      arcs: ['a.org example.com', 'example.com a.org', 'example.com www.example.com'],
    });
  });

  test('of domains have the number of hosts, which stays with the graph', async () => {
    const files = filesOf('0\tcom.example\t12\n1\torg.a\t1\r\n', '1\t0\n', 'domain-');
    const out = newPlace();
    const facts = await importGraph(files, out, { ...OPTIONS, disk: quickDisk() });
    expect(facts).toEqual({ nodes: 2, arcs: 1, named: true, level: 'domain', hosts: true });
    expect((await contentOf(out)).arcs).toEqual(['a.org example.com']);
    const graph = await openGraph(out);
    expect(await graph.hosts?.()).toEqual(Uint32Array.of(1, 12));
    await graph.close();
  });

  test('with numbers of hosts are exported as they were imported, in any memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(host, { minLength: 1, maxLength: 40, size: 'max' }),
        fc.array(fc.nat(2 ** 32 - 1), { minLength: 40, maxLength: 40 }),
        fc.constantFrom(1, 2 ** 20),
        async (hosts, counts, memory) => {
          const disk = quickDisk();
          const names = byteSorted(hosts.map(reversed));
          const vertices = names.map((name, id) => `${id}\t${name}\t${counts[id]}\n`).join('');
          const out = newPlace();
          await importGraph(filesOf(vertices, '', 'domain-'), out, { ...OPTIONS, disk, memory });
          expect((await contentOf(out)).names).toEqual(byteSorted(hosts));
          const graph = await openGraph(out);
          const folder = newPlace();
          await exportCommonCrawl(graph, folder, { disk, memory });
          await graph.close();
          const text = gunzipSync(readFileSync(join(folder, 'domain-vertices.txt.gz'))).toString();
          expect(text).toBe(vertices);
        },
      ),
      { numRuns: 15 },
    );
  });

  test('with numbers of hosts for some vertices only, or a name twice, are refused by line', async () => {
    const refused = (vertices: string) =>
      expect(importGraph(filesOf(vertices, ''), newPlace(), { ...OPTIONS, disk: quickDisk() }))
        .rejects;
    await refused('0\tcom.a\t3\n1\tcom.b\n').toThrow('no number of hosts, unlike the first');
    await refused('0\tcom.a\n1\tcom.b\t3\n').toThrow('a number of hosts, unlike the first');
    await refused('0\tcom.a\t3\n1\tcom.a\t4\n').toThrow('again, after line 1');
    await refused('0\tcom.a\t3\n1\tcom.a\t3\n').toThrow('again, after line 1');
  });

  test('may be folders of parts with continuous numbers', async () => {
    const folder = temporaryFolder();
    const files = filesOf('0\ta\n', '');
    fileOf('0\ta.x\n1\ta.y\n', 'vertices-0.txt', folder);
    fileOf('2\ta.z\n', 'vertices-1.txt.gz', folder);
    fileOf('2\t0\n', 'edges-0.txt', folder);
    const out = newPlace();
    await importGraph([folder], out, { ...OPTIONS, disk: quickDisk() });
    expect((await contentOf(out)).arcs).toEqual(['z.a x.a']);
    expect(files.length).toBe(2);
  });

  test.each([
    ['0\tcom.a\n2\tcom.b\n', '', 'vertices', 2, 'has the id 2; 1 is expected'],
    ['1\tcom.a\n', '', 'vertices', 1, 'has the id 1; 0 is expected'],
    ['0\tcom.a\ncom.b\n', '', 'vertices', 2, 'does not begin with an id and a tab'],
    ['0 com.a\n', '', 'vertices', 1, 'does not begin with an id and a tab'],
    ['0\tcom.a\n\n', '', 'vertices', 2, 'does not begin with an id and a tab'],
    ['0\t\n', '', 'vertices', 1, 'has no name'],
    ['0\tcom.a\tx\n', '', 'vertices', 1, 'after the name'],
    ['0\tcom.a b\n', '', 'vertices', 1, 'after the name'],
    ['0\tcom.a\n1\tcom.b\n2\tcom.a\n', '', 'vertices', 3, 'names "com.a" again, after line 1'],
    ['0\tcom.a\n1\tcom.b\n', '0\t1\n0\t2\n', 'edges', 2, '"2" is not a number from 0 to 1'],
    ['0\tcom.a\n1\tcom.b\n', '0\t1\n0\n', 'edges', 2, 'has 1 field'],
  ])('that are malformed (%j, %j) are refused by file, line and reason', async (vertices, edges, file, line, reason) => {
    const out = newPlace();
    const work = importGraph(filesOf(vertices, edges), out, { ...OPTIONS, disk: quickDisk() });
    await expect(work).rejects.toThrow(new RegExp(`${file}\\.txt\\.gz, line ${line}: `));
    await expect(work).rejects.toThrow(reason);
    expect(readdirSync(dirname(out))).toEqual([]);
  });

  test('a repeated name is found across files, too', async () => {
    const folder = temporaryFolder();
    fileOf('0\ta\n', 'vertices-0', folder);
    fileOf('1\tb\n2\ta\n', 'vertices-1', folder);
    const work = importGraph([folder], newPlace(), { ...OPTIONS, memory: 1, disk: quickDisk() });
    await expect(work).rejects.toThrow(
      /vertices-1, line 2: names "a" again, after line 1 of .*vertices-0/,
    );
  });

  test('whose names do not tell their contents are refused', async () => {
    const disk = quickDisk();
    await expect(
      importGraph([fileOf('0\ta', 'nodes.txt')], newPlace(), { ...OPTIONS, disk }),
    ).rejects.toThrow('vertices or edges');
    await expect(
      importGraph([fileOf('0\t0', 'edges.txt')], newPlace(), { ...OPTIONS, disk }),
    ).rejects.toThrow('None of the files');
  });

  test('are exported as they were imported, in Common Crawl’s order, in any memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(host, { minLength: 1, maxLength: 40, size: 'max' }),
        fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 60, size: 'max' }),
        fc.constantFrom<GraphLevel>('host', 'domain'),
        fc.constantFrom(1, 2 ** 20),
        async (hosts, pairs, level, memory) => {
          const disk = quickDisk();
          const arcs = pairs.map(([a, b]): [string, string] => [
            hosts[a % hosts.length],
            hosts[b % hosts.length],
          ]);
          const [first, second] = [newPlace(), newPlace()];
          const source = {
            names: packNameArcs([...arcs, ...hosts.map((name): [string] => [name])]),
          };
          await buildGraph(first, source, { disk, level, memory });
          const graph = await openGraph(first);
          const folder = newPlace();
          await exportCommonCrawl(graph, folder, { disk, memory });
          await graph.close();
          const text = (kind: string) =>
            gunzipSync(readFileSync(join(folder, `${level}-${kind}.txt.gz`))).toString();
          const names = byteSorted(hosts.map(reversed));
          expect(text('vertices')).toBe(names.map((name, id) => `${id}\t${name}\n`).join(''));
          const ids = arcs.map((ends) => ends.map((name) => names.indexOf(reversed(name))));
          ids.sort(([a, x], [b, y]) => a - b || x - y);
          expect(text('edges')).toBe(
            [...new Set(ids.map((ends) => `${ends.join('\t')}\n`))].join(''),
          );
          await importGraph([folder], second, { ...OPTIONS, disk, memory });
          expect(await contentOf(second)).toEqual(await contentOf(first));
        },
      ),
      { numRuns: 15 },
    );
  });

  test('are not made from pages or numbers', async () => {
    const disk = quickDisk();
    for (const options of [{ level: 'page' as const }, {}]) {
      const out = newPlace();
      const arcs = { from: Uint32Array.of(0), to: Uint32Array.of(1) };
      const source = options.level
        ? { names: packNameArcs([['http://a/', 'http://b/']]) }
        : {
            ids: (async function* () {
              yield arcs;
            })(),
          };
      await buildGraph(out, source, { ...options, disk, memory: 2 ** 20 });
      const graph = await openGraph(out);
      const folder = newPlace();
      await expect(exportCommonCrawl(graph, folder)).rejects.toMatchObject({
        code: 'GRAPH_EXPORT',
      });
      expect(readdirSync(dirname(folder))).toEqual([]);
      await graph.close();
    }
  });

  test('a name that is reversed twice is unchanged', () => {
    expect(reversed('www.example.org')).toBe('org.example.www');
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '.'), maxLength: 9 }),
        (text) => reversed(reversed(text)) === text,
      ),
    );
  });
});
