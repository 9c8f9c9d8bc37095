import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bisector } from '../../src/focus/rank/figures.ts';
import { leastTop, logF1, whitelist, type Yield } from '../../src/focus/rank/whitelist.ts';

/** Small counts, so that there are ties and zeros. */
const yields = fc
  .array(fc.record({ documents: fc.nat(4), quality: fc.nat(4), parents: fc.nat(3) }), {
    maxLength: 12,
  })
  .map((all) => all.map((each, i): Yield => ({ ...each, name: `d${(i * 7) % 12}` })));

const order = (a: Yield, b: Yield) => b.documents - a.documents || (a.name < b.name ? -1 : 1);

/** Straight from the definition. */
function naive(all: readonly Yield[], top: number) {
  const d = all
    .filter((each) => each.documents > 0)
    .sort(order)
    .slice(0, top);
  const c = all
    .filter((each) => each.quality > 0)
    .sort((a, b) => b.quality - a.quality || order(a, b))
    .slice(0, top);
  const nd = d.reduce((sum, each) => sum + each.documents, 0);
  const nc = c.reduce((sum, each) => sum + each.quality, 0);
  const f1 = (each: Yield) => {
    const [pd, pc] = [nd > 0 ? each.documents / nd : 0, each.quality / nc];
    return (2 * pd * pc) / (pd + pc);
  };
  const sorted = (list: Yield[]) => list.sort((a, b) => f1(b) - f1(a) || order(a, b));
  const names = new Set(d.map((each) => each.name));
  const core = sorted(c.filter((each) => names.has(each.name)));
  const rest = sorted(c.filter((each) => !names.has(each.name)));
  return { core: core.length, list: [...core, ...rest].map((each) => [each.name, f1(each)]) };
}

async function* stream<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

describe('the whitelist', () => {
  test('equals a naive computation, with ties and cuts', async () => {
    await fc.assert(
      fc.asyncProperty(yields, fc.integer({ min: 1, max: 8 }), async (all, top) => {
        const { domains, core } = await whitelist(stream(all), top);
        const model = naive([...all], top);
        expect(domains.map(({ name, f1 }) => [name, f1])).toEqual(model.list);
        expect(core).toBe(model.core);
        expect(domains.map(({ place }) => place)).toEqual(domains.map((_, i) => i + 1));
      }),
    );
  });

  test('keeps the best of a long stream in memory, and no more', async () => {
    const all = Array.from({ length: 20_000 }, (_, i) => {
      const count = ((i * 7919) % 20_000) + 1;
      return { name: `d${i}`, documents: count, quality: count, parents: 1 };
    });
    const { domains } = await whitelist(stream(all), 10);
    expect(domains.map(({ documents }) => documents)).toEqual(
      Array.from({ length: 10 }, (_, i) => 20_000 - i),
    );
  });

  test('gives log10(100 F1) = 0.451 for 8,000 of 300,000 documents and 90,000 of 3,000,000 citations', async () => {
    const one = { name: 'cmu.edu', documents: 8000, quality: 90_000, parents: 12_723 };
    const rest = { name: 'rest.edu', documents: 292_000, quality: 2_910_000, parents: 1 };
    const { domains } = await whitelist(stream([one, rest]), 8000);
    const found = domains.find(({ name }) => name === 'cmu.edu')!;
    expect(logF1(found.f1).toFixed(3)).toBe('0.451');
    expect([found.inD, found.inC]).toEqual([2, 2]);
  });

  test('leaves out domains that only have documents, and says what it covers', async () => {
    const { domains, covered, core } = await whitelist(
      stream([
        { name: 'a', documents: 6, quality: 3, parents: 1 },
        { name: 'b', documents: 2, quality: 0, parents: 1 },
        { name: 'c', documents: 0, quality: 1, parents: 0 },
      ]),
      2,
    );
    expect(domains.map(({ name, inD }) => [name, inD])).toEqual([
      ['a', 1],
      ['c', undefined],
    ]);
    expect(core).toBe(1);
    expect(covered).toEqual({ documents: 0.75, quality: 1 });
  });

  test('knows the least length of the lists that gives a core', async () => {
    await fc.assert(
      fc.asyncProperty(yields, async (all) => {
        const least = await leastTop(stream(all));
        const cores = [];
        for (let top = 1; top <= 12; top++) cores.push((await whitelist(stream(all), top)).core);
        const first = cores.findIndex((core) => core > 0);
        expect(least).toBe(first < 0 ? undefined : first + 1);
      }),
      { numRuns: 50 },
    );
  });
});

test('the bisector of points on a line is that line', () => {
  const line = bisector([0, 1, 2, 5].map((x) => [x, 3 * x - 1]))!;
  expect(line.slope).toBeCloseTo(3);
  expect(line.offset).toBeCloseTo(-1);
});

test('the bisector of scattered points halves the angle of the two regressions', () => {
  const points = [
    [0, 0],
    [1, 3],
    [2, 1],
    [4, 5],
  ];
  const [mx, my] = [7 / 4, 9 / 4];
  const sum = (of: (x: number, y: number) => number) =>
    points.reduce((total, [x, y]) => total + of(x - mx, y - my), 0);
  const [first, second] = [
    sum((x, y) => x * y) / sum((x) => x * x),
    sum((_, y) => y * y) / sum((x, y) => x * y),
  ];
  const line = bisector(points)!;
  expect(Math.atan(line.slope)).toBeCloseTo((Math.atan(first) + Math.atan(second)) / 2, 12);
  expect(line.offset).toBeCloseTo(my - line.slope * mx, 12);
  expect(bisector([[1, 1]])).toBeUndefined();
  expect(
    bisector([
      [1, 1],
      [1, 2],
    ]),
  ).toBeUndefined();
});
