import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../src/graph/memory-graph.ts';
import {
  countUpTo,
  errorByRank,
  kendallTau,
  overlap,
  placesOf,
  ranksUpTo,
} from '../../../src/rank/compare/compare.ts';
import { type CompareRequest, compareRankings } from '../../../src/rank/compare/compare-run.ts';
import { peakMemory } from '../../../src/rank/compare/peak-memory.ts';
import { reportPage } from '../../../src/rank/compare/report.ts';
import { rank } from '../../../src/rank/index.ts';
import { plot } from '../../../src/report/plot.ts';
import { range } from '../methods/naive.ts';

const list = fc
  .uniqueArray(fc.nat(12), { maxLength: 13, size: 'max' })
  .map((nodes) => Uint32Array.from(nodes));

describe('measures of lists', () => {
  test('places of members give the curve u(r)', () => {
    fc.assert(
      fc.property(
        list,
        fc.uniqueArray(fc.nat(12), { maxLength: 13, size: 'max' }),
        fc.nat(15),
        (nodes, bad, r) => {
          const places = placesOf(nodes, (node) => bad.includes(node));
          expect(countUpTo(places, r)).toBe(
            [...nodes].slice(0, r).filter((node) => bad.includes(node)).length,
          );
        },
      ),
    );
  });

  test('overlap is the share that both have', () => {
    expect(overlap(Uint32Array.of(1, 2, 3, 4), Uint32Array.of(4, 9, 1, 8))).toBe(0.5);
    expect(overlap(Uint32Array.of(), Uint32Array.of())).toBe(1);
    expect(overlap(Uint32Array.of(1), Uint32Array.of())).toBe(0);
  });

  test("Kendall's tau equals its definition, pair by pair", () => {
    fc.assert(
      fc.property(list, list, (a, b) => {
        const union = [...new Set([...a, ...b])];
        const place = (nodes: Uint32Array, node: number) =>
          nodes.includes(node) ? nodes.indexOf(node) : nodes.length;
        let [sum, untiedA, untiedB] = [0, 0, 0];
        for (const x of union) {
          for (const y of union) {
            if (x >= y) continue;
            const byA = Math.sign(place(a, x) - place(a, y));
            const byB = Math.sign(place(b, x) - place(b, y));
            sum += byA * byB;
            untiedA += Math.abs(byA);
            untiedB += Math.abs(byB);
          }
        }
        const expected = untiedA === 0 || untiedB === 0 ? 1 : sum / Math.sqrt(untiedA * untiedB);
        expect(kendallTau(a, b)).toBeCloseTo(expected, 12);
      }),
      { numRuns: 200 },
    );
  });

  test('errors are relative, averaged around a rank, without nodes that have no supporters', () => {
    const exact = Float64Array.of(100, 50, 10, 0);
    const { mean, worst, curve } = errorByRank(exact, Float64Array.of(110, 50, 5, 7));
    expect(mean).toBeCloseTo((0.1 + 0 + 0.5) / 3);
    expect(worst).toBeCloseTo(0.5);
    expect(curve.map(([rank]) => rank)).toEqual([1, 2, 3]);
    // All of these few ranks are within the smallest window.
    expect(curve[0][1]).toBeCloseTo(mean);
    const wide = Float64Array.from(range(2000), () => 1);
    const step = wide.map((_, i) => (i < 1000 ? 1 : 1.5));
    const far = errorByRank(wide, step).curve;
    expect([far[0][1], far.at(-1)?.[1]]).toEqual([0, 0.5]);
    expect(far.find(([rank]) => rank > 990)?.[1]).toBeCloseTo(0.28, 1);
    expect(errorByRank(new Float64Array(3), new Float64Array(3))).toEqual({
      mean: 0,
      worst: 0,
      curve: [],
    });
  });

  test('ranks for a curve grow by a factor from the first to the last', () => {
    for (const last of [1, 2, 50, 12_345]) {
      const ranks = ranksUpTo(last);
      expect([ranks[0], ranks.at(-1)]).toEqual([1, last]);
      expect(ranks).toEqual([...new Set(ranks)].sort((a, b) => a - b));
      expect(ranks.length).toBeLessThanOrEqual(120);
    }
  });
});

/** 0 and 1 are linked by all of 10 .. 39, which form a ring; 2 .. 9 link to each other. */
const names = range(40).map((i) => `n${String(i).padStart(2, '0')}`);
const graph = memoryGraph(
  40,
  range(40).flatMap((i): [number, number][] => {
    if (i >= 10)
      return [
        [i, 0],
        [i, 1],
        [i, 10 + ((i - 9) % 30)],
      ];
    return i >= 2
      ? range(8).map((k) => [i, 2 + k] as [number, number])
      : [
          [0, 10],
          [1, 20],
        ];
  }),
  names,
);
const contestant = (label: string, by = label, given = {}) => ({ label, by, given });
const request: CompareRequest = {
  contestants: [
    contestant('in'),
    contestant('tse', 'tse', { p: 1 }),
    contestant('tse:p=0.5', 'tse', { p: 0.5, seed: 5 }),
    contestant('supp'),
    contestant('supp:depth=3', 'supp', { depth: 3 }),
  ],
  top: 12,
  threads: 1,
  memory: 1e9,
};

describe('comparing rankings', () => {
  test('compares estimates with SUPP, wherever it is in the list of methods', async () => {
    const { methods, top, leftOut } = await compareRankings(graph, request);
    expect(methods.map(({ label }) => label)).toEqual(
      request.contestants.map(({ label }) => label),
    );
    expect([top, leftOut]).toEqual([12, 0]);
    expect(methods.map(({ error }) => error !== undefined)).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    expect(methods[1].error).toMatchObject({ mean: 0, worst: 0 });
    expect(methods[2].error?.mean).toBeGreaterThan(0);
  });

  test('finds bad and good nodes at their places, and counts names that are not there', async () => {
    const { scores } = await rank(graph, { by: 'in' });
    const { bad, good, methods } = await compareRankings(graph, {
      ...request,
      contestants: [contestant('in')],
      bad: new Map([
        ['n00', 1],
        ['n02', 1],
        ['elsewhere', 1],
      ]),
      good: new Map([['n01', 1]]),
    });
    expect([bad, good]).toEqual([
      { given: 3, found: 2 },
      { given: 1, found: 1 },
    ]);
    expect([scores[0], scores[1]]).toEqual([30, 30]);
    expect(methods[0].badPlaces).toEqual([1, 3]);
    expect(methods[0].goodPlaces).toEqual([2]);
    expect(methods[0].first.slice(0, 3)).toEqual([
      { name: 'n00', score: 30, bad: true },
      { name: 'n01', score: 30, bad: false },
      { name: 'n02', score: 7, bad: true },
    ]);
  });

  test('leaves the nodes that TrustRank trusts, by default the first good name, out of every ranking', async () => {
    const { leftOut, methods } = await compareRankings(graph, {
      ...request,
      contestants: [contestant('in'), contestant('trustrank')],
      good: new Map([
        ['gone', 1],
        ['n00', 1],
        ['n01', 1],
      ]),
    });
    expect(leftOut).toBe(1);
    for (const { first } of methods) expect(first.map(({ name }) => name)).not.toContain('n00');
    expect(methods[0].goodPlaces).toEqual([1]);
  });

  test('fills the place of a node that was left out with the next one', async () => {
    const { top, methods } = await compareRankings(graph, {
      ...request,
      contestants: [contestant('in'), contestant('trustrank', 'trustrank', { good: ['n00'] })],
      bad: new Map([
        ['n01', 1],
        ['n02', 1],
      ]),
      top: 2,
    });
    expect([top, methods[0].badPlaces]).toEqual([2, [1, 2]]);
  });

  test('agreement of a ranking with itself is 1, and agreement is symmetric', async () => {
    const comparison = await compareRankings(graph, request);
    comparison.kendallTau.forEach((row, i) => {
      expect(row[i]).toBe(1);
      expect(comparison.overlap[i][i]).toBe(1);
      row.forEach((tau, j) => {
        expect(tau).toBeCloseTo(comparison.kendallTau[j][i], 12);
      });
    });
  });

  test('works on a graph without nodes', async () => {
    const { methods } = await compareRankings(memoryGraph(0, []), {
      ...request,
      contestants: [contestant('supp'), contestant('tse'), contestant('trustrank')],
    });
    expect(methods.map(({ first }) => first)).toEqual([[], [], []]);
  });

  test('reports the progress of each method, and takes the bytes read from the caller', async () => {
    let read = 0;
    const seen = new Set<string>();
    const { methods } = await compareRankings(graph, {
      ...request,
      bytesRead: () => (read += 5e6),
      onProgress: (label) => seen.add(label),
    });
    expect(methods.every(({ bytesRead }) => bytesRead === 5e6)).toBe(true);
    expect(seen).toContain('supp');
  });
});

test('the peak memory is what the process grew by, even if it is released before the end', async () => {
  const { bytes, result } = await peakMemory(async (sample) => {
    const large = new Uint8Array(200e6).fill(1);
    await sample();
    return large[7];
  });
  expect(result).toBe(1);
  expect(bytes).toBeGreaterThan(150e6);
  expect(bytes).toBeLessThan(400e6);
  await expect(peakMemory(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

describe('the report', () => {
  test('is one file that loads nothing, and no part of a name is read as markup', async () => {
    const strange = ['<script>alert(1)</script>', '"quoted" & \'more\''];
    const tiny = memoryGraph(2, [[0, 1]], [...strange].sort());
    const comparison = await compareRankings(tiny, {
      ...request,
      contestants: [contestant('in'), contestant('<b>', 'supp')],
      bad: new Map([[strange[0], 1]]),
    });
    const page = reportPage(comparison, 'Rankings of <i>this</i>');
    expect(page).not.toMatch(/<script|<i>|<b>|https?:|url\(|@import|src=|href=/);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('prefers-color-scheme: dark');
  });

  test('shows only what was asked for', async () => {
    const bare = reportPage(
      await compareRankings(graph, { ...request, contestants: [contestant('in')] }),
      't',
    );
    expect(bare).not.toContain('Bad nodes');
    expect(bare).not.toContain('Relative error');
    const full = reportPage(
      await compareRankings(graph, {
        ...request,
        bad: new Map([['n02', 1]]),
        good: new Map([['n01', 1]]),
      }),
      't',
    );
    for (const heading of [
      'Bad nodes among',
      'Good nodes among',
      'Relative error',
      'Agreement',
      'The first of',
    ])
      expect(full).toContain(heading);
    expect(full.match(/<svg viewBox="0 0 760 400"/g)).toHaveLength(3);
  });

  test('a plot places every point within its axes, for any numbers', () => {
    const numbers = fc.array(
      fc.tuple(
        fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
        fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
      ),
      { minLength: 1, maxLength: 60, size: 'max' },
    );
    fc.assert(
      fc.property(numbers, fc.constantFrom('log', 'linear'), (points, scale) => {
        const axis = { label: 'a', scale: scale as 'log' | 'linear', format: String };
        const svg = plot({
          title: 't',
          x: axis,
          y: axis,
          series: [{ label: 's', colour: 0, points }],
        });
        const path = /class="line"[^>]* d="([^"]+)"/.exec(svg)?.[1] ?? '';
        const places = [...path.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)].map(([, x, y]) => [
          Number(x),
          Number(y),
        ]);
        expect(places).toHaveLength(points.length);
        for (const [x, y] of places) {
          expect(x).toBeGreaterThanOrEqual(63.9);
          expect(x).toBeLessThanOrEqual(744.1);
          expect(y).toBeGreaterThanOrEqual(15.9);
          expect(y).toBeLessThanOrEqual(348.1);
        }
      }),
    );
    expect(
      plot({
        title: '',
        x: { label: '', scale: 'log', format: String },
        y: { label: '', scale: 'log', format: String },
        series: [],
      }),
    ).toBe('');
  });
});
