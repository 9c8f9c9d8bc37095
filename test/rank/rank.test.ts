import { expect, test } from 'vitest';
import { findRanker, RANKER_NAMES, type RankedNode, rank } from '../../src/rank/index.ts';
import { graphOf, nameOf } from './methods/naive.ts';

const TRIANGLE = {
  nodes: 3,
  arcs: [
    [0, 1],
    [1, 2],
    [2, 0],
  ],
} as const;

test('every name in the registry is the name of its method', async () => {
  for (const name of RANKER_NAMES) expect((await findRanker(name)).name).toBe(name);
});

test('equal scores are ordered by name', async () => {
  const ranking = await rank(graphOf(TRIANGLE), { by: 'pagerank' });
  expect([...ranking.order()]).toEqual([0, 1, 2]);
});

test('the top comes with places, names and scores, best first', async () => {
  const graph = graphOf({
    nodes: 3,
    arcs: [
      [0, 2],
      [1, 2],
      [2, 1],
    ],
  });
  const ranking = await rank(graph, { by: 'in' });
  const top: RankedNode[] = [];
  for await (const node of ranking.top(2)) top.push(node);
  expect(top).toEqual([
    { rank: 1, name: nameOf(2), score: 2 },
    { rank: 2, name: nameOf(1), score: 1 },
  ]);
});

test('every method ranks a graph without nodes', async () => {
  for (const by of RANKER_NAMES) {
    const { scores, facts } = await rank(graphOf({ nodes: 0, arcs: [] }), { by });
    expect(scores, by).toHaveLength(0);
    expect(Object.values(facts), by).not.toContain(Number.NaN);
  }
});

test('every iterative method reports whether it converged', async () => {
  const path = {
    nodes: 3,
    arcs: [
      [0, 1],
      [1, 2],
      [1, 1],
    ],
  } as const;
  for (const by of ['pagerank', 'cheirank', '2drank', 'hits']) {
    const once = await rank(graphOf(path), { by, iterations: 1 });
    expect(once.facts, by).toMatchObject({ converged: 'no' });
    expect((await rank(graphOf(path), { by })).facts, by).toMatchObject({ converged: 'yes' });
  }
});

test('every method stops on request when it next reports progress', async () => {
  const stopped = AbortSignal.abort();
  for (const by of RANKER_NAMES) {
    const work = rank(graphOf(TRIANGLE), { by, signal: stopped });
    await expect(work, by).rejects.toMatchObject({ code: 'STOPPED', exitCode: 130 });
  }
});

test.each(['in', 'opic'])('%s refuses memory that does not hold its scores', async (by) => {
  await expect(rank(graphOf(TRIANGLE), { by, memory: 23 })).rejects.toMatchObject({
    code: 'MEMORY',
  });
});

test('progress grows to 1', async () => {
  for (const by of RANKER_NAMES) {
    const seen: number[] = [];
    await rank(graphOf(TRIANGLE), { by, onProgress: (done) => seen.push(done) });
    expect(seen, by).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1), by).toBe(1);
  }
});

test.each([
  [{ by: 'pagerang' }, 'There is no ranking method "pagerang".', /Did you mean "pagerank"\?/],
  [{ by: 'toString' }, 'There is no ranking method "toString".', /There are in, opic, /],
  [
    { by: 'pagerank', alhpa: 1 },
    'The method "pagerank" has no parameter "alhpa".',
    'Did you mean "alpha"?',
  ],
  [
    { by: 'in', alpha: 1 },
    'The method "in" has no parameter "alpha".',
    'It has no parameters: leave it out.',
  ],
  [{ by: 'pagerank', alpha: 1 }, 'alpha: 1 is out of range.', 'Take a number from 0 to 0.9999.'],
  [{ by: 'pagerank', alpha: 'much' }, 'alpha: much is out of range.', /Take a number/],
  [{ by: 'pagerank', alpha: '' }, 'alpha:  is out of range.', /Take a number/],
  [{ by: 'pagerank', alpha: Number.NaN }, 'alpha: NaN is out of range.', /Take a number/],
  [
    { by: 'pagerank', iterations: 2.5 },
    'iterations: 2.5 is out of range.',
    /a whole number from 1/,
  ],
  [{ by: 'pagerank', iterations: 'two' }, 'iterations: "two" is not a whole number.', /20k/],
  [
    { by: 'pagerank', dangling: 'stay' },
    'dangling: "stay" is not a choice.',
    'Take one of uniform, teleport, lost.',
  ],
  [
    { by: 'pagerank', teleport: ['x'] },
    /none of the 1 names is a node of this graph/,
    /as the graph has them/,
  ],
  [
    { by: 'pagerank', teleport: new Map([[nameOf(0), 0]]) },
    /with a weight above 0/,
    /as the graph has them/,
  ],
  [
    { by: 'pagerank', teleport: new Map([[nameOf(0), -1]]) },
    /has the weight -1/,
    'Take 0 or more.',
  ],
  [{ by: 'pagerank', teleport: 7 }, 'teleport: a number is no list of nodes.', 'Give names.'],
])('refuses %j', async (request, fact, remedy) => {
  const matching = (text: string | RegExp) =>
    typeof text === 'string' ? text : expect.stringMatching(text);
  await expect(rank(graphOf(TRIANGLE), request)).rejects.toMatchObject({
    fact: matching(fact),
    remedy: matching(remedy),
  });
});

test('reads parameters written as text', async () => {
  const graph = graphOf(TRIANGLE);
  const text = await rank(graph, {
    by: 'pagerank',
    alpha: '0.5',
    iterations: '1k',
    teleport: nameOf(0),
  });
  const plain = await rank(graph, {
    by: 'pagerank',
    alpha: 0.5,
    iterations: 1000,
    teleport: [nameOf(0)],
  });
  expect(text.scores).toEqual(plain.scores);
  expect(text.facts).toMatchObject({ teleportFound: 1, teleportUnknown: 0 });
});
