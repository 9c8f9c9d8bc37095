import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { evolveCommand } from '../../../src/cli/commands/matrix/evolve.ts';
import { importGraph } from '../../../src/graph/io/import.ts';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import { withoutRedirects } from '../../../src/matrix/evolve/without-redirects.ts';
import { rank } from '../../../src/rank/index.ts';
import { fileOf, newPlace, quickDisk } from '../../graph/fixtures.ts';

const FLAGS = { alpha: '0.85', threads: '1', memory: '64Mi', top: '3' };

async function graphOf(edges: string, names = true): Promise<string> {
  const out = newPlace();
  await importGraph([fileOf(edges)], out, { format: 'edges', names, disk: quickDisk() });
  return out;
}

/** What the command prints as JSON, and what it tells on the screen. */
async function evolved(words: readonly string[], flags: object = {}) {
  const output = new PassThrough();
  const all = text(output);
  let told = '';
  const screen = { write: (line: string) => (told += line) };
  await evolveCommand(words, { ...FLAGS, json: true, ...flags }, { output, screen });
  output.end();
  return { out: await all, told };
}

// b is known to all; in the second year c is, and e and f lead only to each other.
const FIRST = 'a b\nc b\nd b\nb a\ne b\na c\nq b\np b\n';
const SECOND = 'a c\nb c\nd c\nc a\nc b\ne f\nf e\nnew c\n';

describe('Snapshots of a graph', () => {
  test('are compared in sizes, subspaces both ways, tops and places', async () => {
    const words = [`2024=${await graphOf(FIRST)}`, `2025=${await graphOf(SECOND)}`];
    const found = JSON.parse((await evolved(words)).out);
    const [first, second] = found.snapshots;
    expect(first).toMatchObject({ label: '2024', nodes: 7, arcs: 8, dropped: 0 });
    // a, b, c and e, f are closed, of period 2; both have more than a tenth of all nodes.
    expect(second.forward).toEqual({
      subspaceNodes: 0,
      subspaces: 0,
      largest: 0,
      circle: 2 + 2,
      ones: 2,
    });
    expect(second.reverse.ones).toBeGreaterThan(0);
    for (const [i, folder] of words.entries()) {
      const { openGraph } = await import('../../../src/graph/open-graph.ts');
      const graph = await openGraph(folder.slice(5));
      const { facts } = await rank(graph, { by: '2drank' });
      expect(found.snapshots[i].correlator).toBe(facts.correlator);
      for (const [kind, by] of [
        ['k', 'pagerank'],
        ['kStar', 'cheirank'],
        ['k2', '2drank'],
      ]) {
        const ranking = await rank(graph, { by });
        const places = new Map<string, number>();
        for await (const { name, rank: place } of ranking.top()) places.set(name, place);
        for (const { name, places: over } of found.followed[kind])
          expect(over[i] ?? undefined).toBe(places.get(name));
      }
      await graph.close();
    }
    expect(found.followed.k[0].name).toBe('c');
    expect(found.steps[0]).toMatchObject({ from: '2024', to: '2025' });
    expect(found.steps[0].overlap.k).toBeCloseTo(1, 12); // a, b and c, in another order
    expect(found.steps[0].tau.k).toBeLessThan(1);
    const same = JSON.parse((await evolved([words[0], words[0].replace('2024', '2025')])).out);
    expect(same.steps[0]).toMatchObject({
      overlap: { k: 1, kStar: 1, k2: 1 },
      tau: { k: 1, kStar: 1, k2: 1 },
    });
  });

  test('whose rankings did not converge are named', async () => {
    // Two rings of periods 2 and 3 that hardly anybody leaves.
    const rings = await graphOf('a b\nb a\nc d\nd e\ne c\nx a\nx c\n');
    const words = [`2024=${await graphOf(FIRST)}`, `2025=${rings}`];
    const { out, told } = await evolved(words, { alpha: '0.9999' });
    const { snapshots } = JSON.parse(out);
    const rough = snapshots.filter(({ converged }: { converged: string }) => converged === 'no');
    expect(rough.map(({ label }: { label: string }) => label)).toContain('2025');
    expect(told).toMatch(/rankings of .*2025 did not converge: take a smaller --alpha/);
    expect((await evolved(words)).told).not.toMatch(/converge/);
  });

  test('may be seen in a set, by category and against another list, and drawn', async () => {
    const graph = await graphOf(FIRST);
    const words = [`x=${graph}`, `y=${await graphOf(SECOND)}`];
    const report = join(dirname(graph), 'evolve.html');
    const flags = {
      report,
      among: fileOf('a\nb\nq\n', 'set.txt'),
      categories: fileOf('# comment\na\tarts\nb\tpolitics\nb\tarts\nd\tsport\n', 'c.tsv'),
      against: fileOf('b\nz\n', 'other.txt'),
    };
    const found = JSON.parse((await evolved(words, flags)).out);
    expect(found.snapshots.map(({ inSet }: { inSet: number }) => inSet)).toEqual([3, 2]);
    expect(found.snapshots[0].tops.k).toEqual(['b', 'a', 'q']);
    // Of the set, a and b have categories; b counts half for each of its two.
    expect(found.snapshots[0].categories.k).toEqual({ arts: 0.75, politics: 0.25 });
    expect(found.against).toEqual([1, 1]);
    expect(readFileSync(report, 'utf8')).toMatch(/Categories by K2[\s\S]*Another list/);
    expect(readFileSync(report, 'utf8')).not.toMatch(/NaN|Infinity/);
    const plain = (await evolved(words, { ...flags, json: false, report: undefined })).out;
    expect(plain).toMatch(/^snapshot +N +arcs +kappa\nx +7 +8 /);
  });

  test('lose their redirects on request: nodes with one arc, and the arcs to them', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const arcs = [
      [0, 1],
      [0, 3],
      [1, 0],
      [3, 0],
      [3, 1],
      [3, 2],
      [3, 3],
    ] as const;
    const cleaned = await withoutRedirects(memoryGraph(4, arcs, names), 2 ** 20);
    expect(cleaned).toMatchObject({ nodes: 3, arcs: 4 }); // a→d, d→a, d→c, d→d
    expect(await Promise.all([0, 1, 2].map((id) => cleaned.names.name(id)))).toEqual([
      'a',
      'c',
      'd',
    ]);
    expect(await Promise.all(names.map((name) => cleaned.names.id(name)))).toEqual([
      0,
      undefined,
      1,
      2,
    ]);
    const all: string[] = [];
    for await (const name of cleaned.names.all()) all.push(name);
    expect(all).toEqual(['a', 'c', 'd']);
    await expect(withoutRedirects(memoryGraph(4, arcs, names), 10)).rejects.toThrow(/--memory/);
  });

  test('without names are matched by number, and that is reported', async () => {
    const words = [`x=${await graphOf('0 1\n1 2\n', false)}`, `y=${await graphOf('0 1\n', false)}`];
    expect((await evolved(words)).told).toContain('have no names: they are matched by number');
  });

  test('are refused without a common name, without nodes, with a label twice, or alone', async () => {
    const [a, b, empty] = [await graphOf('a b\n'), await graphOf('x y\n'), await graphOf('')];
    const numbers = await graphOf('0 1\n', false);
    const refused = (words: string[], flags = {}) => expect(evolved(words, flags)).rejects;
    await refused([`1=${a}`, `2=${b}`]).toThrow(/graphs of 1 and 2 have no name in common/);
    await refused([`1=${a}`, `2=${numbers}`]).toThrow(/no name in common/);
    await refused([`1=${a}`, `2=${empty}`]).toThrow(/graph of 2 has no nodes/);
    await refused([`1=${a}`]).toThrow(/1 snapshot given/);
    await refused([`1=${a}`, `1=${a}`]).toThrow(/"1" is there twice/);
    await refused([`1=${a}`, a]).toThrow(/is no snapshot/);
    const report = join(dirname(a), 'none.html');
    const twice = { among: fileOf('a\na\n', 'twice.txt'), report };
    await refused([`1=${a}`, `2=${a}`], twice).toThrow(/is in the set twice/);
    const other = { among: fileOf('q\n', 'q.txt'), report };
    await refused([`1=${a}`, `2=${a}`], other).toThrow(/None of the 1 name/);
    await refused([`1=${a}`, `2=${a}`], { categories: fileOf('a\n', 'c.tsv') }).toThrow(
      /no name with/,
    );
    const ring = await graphOf('a b\nb a\n');
    await refused([`1=${ring}`, `2=${ring}`], { dropRedirects: true }).toThrow(/nothing is left/);
    expect(existsSync(report)).toBe(false);
  });
});
