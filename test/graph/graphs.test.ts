import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Disk } from '../../src/disk/disk.ts';
import { packNameArcs } from '../../src/graph/arcs.ts';
import { buildGraph } from '../../src/graph/build.ts';
import { memoryGraph } from '../../src/graph/memory-graph.ts';
import { openGraph } from '../../src/graph/open-graph.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { describeGraph, type Plan } from './conformance.ts';

/** Does not wait for the disk: these tests do not end the process. */
const disk = new Disk(new FaultyFileSystem({ skipSync: true }));

/** Arcs in small batches. */
async function* idArcs({ arcs }: Plan) {
  for (let at = 0; at < arcs.length; at += 50) {
    const batch = arcs.slice(at, at + 50);
    yield { from: Uint32Array.from(batch, ([a]) => a), to: Uint32Array.from(batch, ([, b]) => b) };
  }
}

/** Arcs first and then nodes alone, so that names come in no order. */
function* nameArcs({ arcs }: Plan, names: readonly string[]): Generator<[string, string?]> {
  for (const [from, to] of arcs) yield [names[from], names[to]];
  for (const name of names.toReversed()) yield [name];
}

async function* batches(names: readonly string[]) {
  for await (const { bytes, spans, count } of packNameArcs(names.map((name): [string] => [name]))) {
    const own = new Uint32Array(2 * count);
    for (let i = 0; i < count; i++) own.set(spans.subarray(4 * i, 4 * i + 2), 2 * i);
    yield { bytes, spans: own, count };
  }
}

async function build(plan: Plan, memory: number) {
  const folder = join(temporaryFolder(), 'graph');
  const { names, nodes } = plan;
  const source = names
    ? { names: packNameArcs(nameArcs(plan, names)) }
    : { ids: idArcs(plan), nodes };
  await buildGraph(folder, source, { memory, disk });
  return openGraph(folder);
}

/** Numbered in an order different from that of the names. */
async function buildNumbered(plan: Plan, memory: number) {
  if (plan.names === undefined) return build(plan, memory);
  const turn = (id: number) => plan.nodes - 1 - id;
  const folder = join(temporaryFolder(), 'graph');
  const numbered = batches(plan.names.toReversed());
  const arcs = idArcs({ ...plan, arcs: plan.arcs.map(([from, to]) => [turn(from), turn(to)]) });
  await buildGraph(folder, { numbered, arcs }, { memory, disk });
  return openGraph(folder);
}

describeGraph('in memory', async ({ nodes, arcs, names }) => memoryGraph(nodes, arcs, names));
describeGraph('in a folder', (plan) => build(plan, 2 ** 20), 15);
describeGraph('in a folder, built in next to no memory', (plan) => build(plan, 1), 12);
describeGraph(
  'in a folder, its nodes numbered by someone else',
  (plan) => buildNumbered(plan, 2 ** 20),
  8,
);
describeGraph(
  'numbered by someone else, in next to no memory',
  (plan) => buildNumbered(plan, 1),
  8,
);

test('a graph in memory refuses impossible arcs and names', () => {
  expect(() => memoryGraph(2, [[0, 2]])).toThrow(RangeError);
  expect(() => memoryGraph(2, [[2, 0]])).toThrow(RangeError);
  expect(() => memoryGraph(2, [], ['a'])).toThrow(RangeError);
  expect(() => memoryGraph(2, [], ['b', 'a'])).toThrow(RangeError);
  expect(() => memoryGraph(2, [], ['a', 'a'])).toThrow(RangeError);
});
