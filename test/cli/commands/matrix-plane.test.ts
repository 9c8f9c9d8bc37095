/** From flags to what `drumlin matrix plane` and `reduce` print and write. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { planeCommand } from '../../../src/cli/commands/matrix/plane.ts';
import { reduceCommand } from '../../../src/cli/commands/matrix/reduce.ts';
import { importGraph } from '../../../src/graph/io/import.ts';
import { fileOf, newPlace, quickDisk } from '../../graph/fixtures.ts';

const FLAGS = { alpha: '0.85', threads: '1', memory: '64Mi' };

async function graphOf(edges: string): Promise<string> {
  const out = newPlace();
  await importGraph([fileOf(edges)], out, { format: 'edges', names: true, disk: quickDisk() });
  return out;
}

/** What a command prints, and what it tells on the screen. */
async function printed(
  run: (streams: {
    output: PassThrough;
    screen: { write(line: string): unknown };
  }) => Promise<void>,
): Promise<{ out: string; told: string }> {
  const output = new PassThrough();
  let told = '';
  const all = text(output);
  await run({ output, screen: { write: (line) => (told += line) } });
  output.end();
  return { out: await all, told };
}

test('plane prints the correlator and the first nodes, and writes a page', async () => {
  const graph = await graphOf('a b\nb c\nc b\nd b\n');
  const report = join(dirname(graph), 'plane.html');
  const { out, told } = await printed((streams) =>
    planeCommand(graph, { ...FLAGS, report }, streams),
  );
  expect(out).toMatch(/kappa +[−0-9.]+\n/);
  expect(out).toMatch(/1 +b +/);
  expect(told).toContain(`plots: ${report}`);
  expect(readFileSync(report, 'utf8')).toContain('Density of nodes');
  const json = await printed((streams) => planeCommand(graph, { ...FLAGS, json: true }, streams));
  expect(JSON.parse(json.out)).toMatchObject({ nodes: 4, arcs: 4, converged: 'yes' });
});

test('reduce prints shares and hidden links, writes all links, and reports missing names', async () => {
  const graph = await graphOf('alpha x\nx beta\nbeta alpha\nx alpha\n');
  const out = join(dirname(graph), 'reduced.tsv');
  const nodes = fileOf('alpha\nbeta\nbetta\n', 'set.txt');
  const { out: said, told } = await printed((streams) =>
    reduceCommand(graph, { ...FLAGS, nodes, out }, streams),
  );
  expect(said).toMatch(/nodes +2\n/);
  expect(said).toMatch(/alpha → beta +[−0-9.]+ .* no\n/);
  expect(told).toContain('1 of 3 names are not in the graph: "betta" (nearest: "beta")');
  const lines = readFileSync(out, 'utf8').trim().split('\n');
  expect(lines[0]).toBe('from\tto\ttotal\tdirect\tpagerank\thidden');
  expect(lines).toHaveLength(1 + 4);
});

test('bad input leaves no file: an empty graph, a name twice, a damping out of range', async () => {
  const empty = await graphOf('');
  const report = join(dirname(empty), 'plane.html');
  await expect(
    printed((streams) => planeCommand(empty, { ...FLAGS, report }, streams)),
  ).rejects.toThrow(/no nodes/);
  expect(existsSync(report)).toBe(false);
  const graph = await graphOf('a b\n');
  const twice = fileOf('a\na\n', 'twice.txt');
  const out = join(dirname(graph), 'reduced.tsv');
  const refused = (flags: object) =>
    expect(
      printed((streams) =>
        reduceCommand(graph, { ...FLAGS, nodes: twice, out, ...flags }, streams),
      ),
    ).rejects;
  await refused({}).toThrow(/twice\.txt:2: "a" is in the set twice/);
  await refused({ nodes: fileOf('a\n', 'one.txt'), alpha: 'much' }).toThrow(/alpha: NaN is out/);
  expect(existsSync(out)).toBe(false);
});
