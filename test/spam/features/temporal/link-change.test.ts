import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryGraph } from '../../../../src/graph/memory-graph.ts';
import { linkChange } from '../../../../src/spam/features/temporal/link-change.ts';
import {
  clustering,
  type Estimated,
  mean,
  neighboursIn,
  pSimRank,
  rates,
  type Snapshot,
  snapshots,
  variance,
  xJaccard,
} from './naive.ts';

const graphOf = ({ names, arcs }: Snapshot) =>
  memoryGraph(
    names.length,
    arcs.map(([from, to]) => [names.indexOf(from), names.indexOf(to)]),
    names,
  );

const over = (x: number, y: number) => (y === 0 ? (x === 0 ? 1 : 0) : x / y);
const log = (x: number) => (x <= 0 ? -50 : Math.log(x));

/** Values by feature and site. */
async function featuresOf(pair: readonly [Snapshot, Snapshot], permutations: number) {
  const sites = [...new Set([...pair[0].names, ...pair[1].names, 'nowhere.com'])];
  const graphs = [graphOf(pair[0]), graphOf(pair[1])] as const;
  const set = await linkChange(graphs, { sites, permutations, seed: 7 });
  const value = (name: string, site: string) => {
    const column = set.columns.indexOf(name);
    if (column < 0) throw new Error(`there is no feature ${name}`);
    return set.values[column][sites.indexOf(site)];
  };
  const both = sites.filter((site) => pair.every(({ names }) => names.includes(site)));
  return { set, sites, both, value };
}

describe('changes of links', () => {
  test('are 33 rates and 84 similarities, missing for a site that is not in both snapshots', async () => {
    await fc.assert(
      fc.asyncProperty(snapshots, async (pair) => {
        const { set, sites, both } = await featuresOf(pair, 1);
        expect(set.columns.length).toBe(33 + 84);
        expect(new Set(set.columns).size).toBe(set.columns.length);
        const known = sites.map((site) => both.includes(site));
        for (const values of set.values) expect(Array.from(values, Number.isFinite)).toEqual(known);
      }),
      { numRuns: 30 },
    );
  });

  test('have the rates, means and variances of their definitions', async () => {
    await fc.assert(
      fc.asyncProperty(snapshots, async (pair) => {
        const { both, value } = await featuresOf(pair, 1);
        const sides = {
          I: pair.map((s) => neighboursIn(s, 'in')),
          O: pair.map((s) => neighboursIn(s, 'out')),
        };
        const rateOf = (side: 'I' | 'O', site: string) =>
          rates(sides[side][0](site), sides[side][1](site));
        for (const site of both) {
          const near = [...sides.I[1](site)].filter((other) => both.includes(other));
          for (const side of ['I', 'O'] as const) {
            const own = rateOf(side, site);
            const theirs = near.map((other) => rateOf(side, other));
            for (const [letter, kind] of [
              ['D', 'death'],
              ['G', 'growth'],
            ] as const) {
              const name = `${side}${letter}R`;
              const spread = theirs.map((rate) => rate[kind]);
              expect(value(name, site)).toBeCloseTo(own[kind], 12);
              expect(value(`${name}Mean`, site)).toBeCloseTo(mean(spread), 12);
              expect(value(`${name}Var`, site)).toBeCloseTo(variance(spread), 12);
            }
          }
          const [before, after] = sides.O.map((out) => clustering(out, site));
          expect(value('CRCC', site)).toBeCloseTo((after - before) / (before || 1), 12);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('are derived as their names say', async () => {
    await fc.assert(
      fc.asyncProperty(snapshots, async (pair) => {
        const { set, both, value } = await featuresOf(pair, 3);
        for (const name of set.columns) {
          const [, x, sign, y] = /^(\w+)([*/])(\w+)$/.exec(name) ?? [];
          const [, logged] = /^log\((\w+\/\w+)\)$/.exec(name) ?? [];
          const [, how, family] = /^log\((min|max|mean)\((\w+)_i\//.exec(name) ?? [];
          for (const site of both) {
            const own = value(name, site);
            if (sign === '*') expect(own, name).toBeCloseTo(value(x, site) * value(y, site), 12);
            if (sign === '/')
              expect(own, name).toBeCloseTo(over(value(x, site), value(y, site)), 12);
            if (logged) expect(own, name).toBeCloseTo(log(value(logged, site)), 12);
            if (how) {
              const factors = [2, 3, 4].map((i) =>
                over(value(`${family}_${i}`, site), value(`${family}_${i - 1}`, site)),
              );
              const of = how === 'mean' ? mean(factors) : Math[how as 'min' | 'max'](...factors);
              expect(own, name).toBeCloseTo(log(of), 12);
            }
          }
        }
      }),
      { numRuns: 8 },
    );
  });

  test('have similarities within three deviations, and their means and variances', async () => {
    const permutations = 100;
    let [all, far] = [0, 0];
    const expectNear = (found: number, { value, deviation }: Estimated, name: string) => {
      const most = (3 * deviation) / Math.sqrt(permutations);
      if (deviation < 1e-9) expect(found, name).toBeCloseTo(value, 12);
      all++;
      if (Math.abs(found - value) > most + 1e-12) far++;
    };
    await fc.assert(
      fc.asyncProperty(snapshots, async (pair) => {
        const { both, value } = await featuresOf(pair, permutations);
        for (const direction of ['in', 'out'] as const) {
          const [earlier, later] = pair.map((one) => neighboursIn(one, direction));
          for (const site of both) {
            const near = [...later(site)].filter((other) => both.includes(other));
            const exact = {
              xjaccard: xJaccard(earlier, later, site),
              psimrank: pSimRank(earlier, later, site),
            };
            for (const measure of ['xjaccard', 'psimrank'] as const) {
              for (const [i, one] of exact[measure].entries()) {
                const name = `${measure}_${direction}_${i + 1}`;
                expectNear(value(name, site), one, name);
                const theirs = near.map((other) => value(name, other));
                expect(value(`${name}_mean`, site)).toBeCloseTo(mean(theirs), 12);
                expect(value(`${name}_var`, site)).toBeCloseTo(variance(theirs), 12);
              }
            }
          }
        }
      }),
      { numRuns: 40 },
    );
    expect(all).toBeGreaterThan(1000);
    expect(far / all).toBeLessThan(0.01);
  });

  test('are the same for the same seed, and compare by names in byte order only', async () => {
    const pair = [
      {
        names: ['a.com', 'b.com', 'c.com'],
        arcs: [
          ['a.com', 'b.com'],
          ['a.com', 'c.com'],
        ],
      },
      {
        names: ['a.com', 'b.com', 'c.com'],
        arcs: [
          ['a.com', 'b.com'],
          ['b.com', 'c.com'],
        ],
      },
    ] as const satisfies readonly [Snapshot, Snapshot];
    const [one, other] = [await featuresOf(pair, 10), await featuresOf(pair, 10)];
    expect(one.set).toEqual(other.set);
    const unnamed = memoryGraph(12, [[0, 1]]);
    const asked = linkChange([unnamed, unnamed], { sites: ['1'], permutations: 1, seed: 1 });
    await expect(asked).rejects.toThrow(RangeError);
  });
});
