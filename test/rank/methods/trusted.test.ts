/** Supporters that resist attacks: limited by links and trust, or counted once a group. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rank } from '../../../src/rank/index.ts';
import { graphOf, mediumGraph, nameOf, returningGraph, supporters } from '../supporters/naive.ts';
import { range, type SmallGraph } from './naive.ts';

const RUNS = { numRuns: 40 };
const anySeeds = fc.uniqueArray(fc.nat(130), { maxLength: 30 });

const inOf = ({ arcs }: SmallGraph, node: number): number[] =>
  arcs.filter(([from, to]) => to === node && from !== node).map(([from]) => from);

/** Where a walker is after twelve steps by links, and what a node gives with each of its links. */
function walk(graph: SmallGraph, trusted: readonly number[]) {
  const arcs = graph.arcs.filter(([from, to]) => from !== to);
  const degree = range(graph.nodes).map((node) => arcs.filter(([from]) => from === node).length);
  const given = range(graph.nodes).map(() => 0);
  let at = range(graph.nodes).map(() => 0);
  let jumps = 1;
  for (let step = 0; step < 12; step++) {
    for (const node of trusted) at[node] += jumps / trusted.length;
    const next = range(graph.nodes).map(() => 0);
    // Walkers at nodes without links end, and the others count for them.
    const going = at.reduce((sum, part, node) => sum + (degree[node] > 0 ? part : 0), 0);
    for (const node of range(graph.nodes))
      given[node] = going === 0 || degree[node] === 0 ? 0 : (0.7 * at[node]) / going / degree[node];
    for (const [from, to] of arcs) next[to] += given[from];
    jumps = 1 - next.reduce((sum, part) => sum + part, 0);
    at = next;
  }
  return { at, given, degree, arcs: arcs.length };
}

/** The definition in words, with fractions where the method has whole numbers. */
function trustedSupporters(
  graph: SmallGraph,
  seeds: readonly number[],
  cap: number,
  worth: number,
) {
  const linked = new Set(graph.arcs.filter(([from, to]) => from !== to).flat());
  const known = seeds.filter((node) => linked.has(node));
  const { at } = walk(graph, known);
  const best = [...known].sort((a, b) => at[b] - at[a]).slice(0, 10);
  const { given, degree, arcs } = walk(graph, best);
  const mean = arcs / degree.filter((links) => links > 0).length;
  // Of a domain with k times the mean number of links each counts a k-th.
  const passedUpTo = (most: number) => (y: number) =>
    Math.min(most, inOf(graph, y).length) * Math.min(1, mean / degree[y]);
  const passedBy = passedUpTo(cap);
  const weighed = passedUpTo(cap || 30);
  const all = supporters(graph, 2);
  return range(graph.nodes).map((x) => {
    const neighbours = inOf(graph, x);
    const sum = (of: readonly number[], value: (y: number) => number) =>
      of.reduce((total, y) => total + value(y), 0);
    const returned = neighbours.filter((y) => inOf(graph, y).includes(x));
    const others = neighbours.filter((y) => !returned.includes(y));
    // With no cap, links are weighed by the default one.
    const share = sum(returned, weighed) / Math.max(1e-9, sum(neighbours, weighed));
    const part = share * (neighbours.length / (neighbours.length + 3));
    const counted = Math.min(1, 2 - 2 * part) ** 2;
    const counting = (value: (y: number) => number) =>
      ((1 + 2 * counted) / 3) * sum(others, value) + counted * sum(returned, value);
    const links = counting(passedBy);
    const trust = counting((y) => given[y]) * arcs;
    const isKnown = worth > 0 && neighbours.length > 0;
    const isLimited = cap > 0 && neighbours.length > 0;
    return Math.min(all[x], isLimited ? links : Infinity, isKnown ? worth * trust : Infinity);
  });
}

describe('trusted supporters', () => {
  test('are the least of supporters, of links that pass on a few each, and of trust', async () => {
    const limits = fc.record({ cap: fc.constantFrom(0, 1, 3), worth: fc.constantFrom(0, 0.5, 5) });
    await fc.assert(
      fc.asyncProperty(returningGraph, anySeeds, limits, async (graph, nodes, { cap, worth }) => {
        const seeds = nodes.filter((node) => node < graph.nodes);
        const names = new Map(seeds.map((node) => [nameOf(node), 1]));
        const { scores } = await rank(graphOf(graph), { by: 'trusted', seeds: names, cap, worth });
        const expected = trustedSupporters(graph, seeds, cap, worth);
        // Ties among the seeds may be broken by rounding here: then other ten are trusted.
        fc.pre(seeds.length <= 10 || worth === 0);
        for (const [x, score] of scores.entries()) expect(score).toBeCloseTo(expected[x], 5);
      }),
      RUNS,
    );
  });

  test('begin at the ten seeds that links from the seeds lead to most, whatever the others do', async () => {
    // Everybody links to ten good domains, and these to each other; six bad seeds link to bad ones.
    const good = range(10);
    const others = range(40).map((i) => 10 + i);
    const bad = range(30).map((i) => 50 + i);
    const arcs = [
      ...good.flatMap((a) => good.filter((b) => a !== b).map((b) => [a, b] as const)),
      ...others.flatMap((a) => good.map((b) => [a, b] as const)),
      ...good.flatMap((a) => [0, 1, 2, 3].map((i) => [a, others[4 * a + i]] as const)),
      ...bad.flatMap((a, i) => [1, 2, 5].map((step) => [a, bad[(i + step) % 30]] as const)),
    ];
    const names = [...others.slice(0, 6), ...good, ...bad.slice(0, 6)].map(nameOf);
    const graph = graphOf({ nodes: 80, arcs });
    const { scores } = await rank(graph, { by: 'trusted', seeds: names });
    for (const node of bad) expect(scores[node]).toBe(0);
    for (const node of others) expect(scores[node]).toBeGreaterThan(0);
    const { scores: all } = await rank(graph, { by: 'supp' });
    for (const node of bad) expect(all[node]).toBeGreaterThan(0);
  });

  test('are few where links are returned, and many where as many links are not', async () => {
    // Two groups of 100 with 20 links each; a trusted giant links to the first five of both.
    const [seed, giant, returning, others] = [0, 1, 2, 102];
    const members = range(100);
    const linked = (first: number, steps: readonly number[]) =>
      members.flatMap((i) =>
        steps.map((step) => [first + i, first + ((i + step + 100) % 100)] as const),
      );
    const ahead = range(10).map((i) => i + 1);
    const arcs = [
      [seed, giant] as const,
      ...range(5).flatMap((i) => [returning, others].map((first) => [giant, first + i] as const)),
      ...linked(returning, [...ahead, ...ahead.map((step) => -step)]),
      ...linked(others, [...ahead, ...ahead.map((step) => step + 10)]),
    ];
    const { scores } = await rank(graphOf({ nodes: 202, arcs }), {
      by: 'trusted',
      seeds: [nameOf(seed)],
      cap: 2,
      worth: 1000,
    });
    const scoreOf = (first: number) => members.reduce((sum, i) => sum + scores[first + i], 0);
    expect(scoreOf(returning)).toBeGreaterThan(0);
    expect(scoreOf(returning)).toBeLessThan(scoreOf(others) / 2);
  });

  test('cannot be taken from a domain by those who link to it, except for two thirds', async () => {
    // Honest domains with fans link to the victim. It links to many rivals, who all link back.
    const [victim, honest, fan, rival] = [0, 1, 21, 121];
    const arcs = (rivals: number) => [
      ...range(20).map((i) => [honest + i, victim] as const),
      ...range(100).map((i) => [fan + i, honest + (i % 20)] as const),
      ...range(rivals).flatMap((i) => [[victim, rival + i] as const, [rival + i, victim] as const]),
    ];
    const scoreWith = async (rivals: number) => {
      const graph = graphOf({ nodes: 721, arcs: arcs(rivals) });
      return (await rank(graph, { by: 'trusted', cap: 1, worth: 0 })).scores[victim];
    };
    const [alone, attacked] = [await scoreWith(0), await scoreWith(600)];
    expect(attacked).toBeGreaterThan(alone / 3);
  });

  test('are all supporters, as by TSE, if less than a fifth of the sources is drawn', async () => {
    await fc.assert(
      fc.asyncProperty(mediumGraph, fc.nat(9), async (graph, seed) => {
        const sampled = { p: 0.19, seed };
        const { scores } = await rank(graphOf(graph), {
          by: 'trusted',
          seeds: [nameOf(0)],
          ...sampled,
        });
        expect(scores).toEqual((await rank(graphOf(graph), { by: 'tse', ...sampled })).scores);
      }),
      RUNS,
    );
  });

  test('of a graph without nodes, links or seeds are none', async () => {
    const none = { by: 'trusted', seeds: new Map<string, number>() };
    expect((await rank(graphOf({ nodes: 0, arcs: [] }), { by: 'trusted' })).scores.length).toBe(0);
    expect([...(await rank(graphOf({ nodes: 2, arcs: [] }), none)).scores]).toEqual([0, 0]);
    const chain = graphOf({ nodes: 3, arcs: [[0, 1], [1, 2]] }); // biome-ignore format: short
    expect([...(await rank(chain, none)).scores]).toEqual([0, 0, 0]);
    expect([...(await rank(chain, { by: 'trusted' })).scores][2]).toBe(1);
  });

  test('need memory for the sampled links, and the error says how to need less', async () => {
    const graph = graphOf({ nodes: 3, arcs: [[0, 1]] });
    await expect(rank(graph, { by: 'trusted', memory: 100 })).rejects.toThrow(/smaller --p/);
  });
});

describe('supporting groups', () => {
  test('count each group of supporters once, and never that of the node itself', async () => {
    await fc.assert(
      fc.asyncProperty(mediumGraph, fc.integer({ min: 1, max: 30 }), async (graph, groups) => {
        const groupOf = (node: number) => (node % 3 === 0 ? -1 - node : node % groups);
        const named = range(graph.nodes).filter((node) => node % 3 !== 0);
        const given = new Map(named.map((node) => [nameOf(node), groupOf(node)]));
        const { scores } = await rank(graphOf(graph), { by: 'grouped', groups: given });
        const expected = range(graph.nodes).map((x) => {
          const near = new Set([x, ...inOf(graph, x)]);
          const far = inOf(graph, x).flatMap((y) => inOf(graph, y));
          const found = new Set(far.filter((z) => !near.has(z)).map(groupOf));
          found.delete(groupOf(x));
          return found.size;
        });
        expect([...scores]).toEqual(expected);
      }),
      RUNS,
    );
  });

  test('are supporters if every node is alone', async () => {
    // biome-ignore format: short
    const graph: SmallGraph = { nodes: 4, arcs: [[0, 1], [1, 2], [3, 1]] };
    const { scores } = await rank(graphOf(graph), { by: 'grouped' });
    expect([...scores]).toEqual(supporters(graph, 2));
  });
});
