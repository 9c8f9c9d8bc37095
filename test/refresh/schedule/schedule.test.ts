import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../../../src/base/random-numbers.ts';
import { changeRate } from '../../../src/refresh/schedule/change-rate.ts';
import { bestVisits, fairVisits, freshness } from '../../../src/refresh/schedule/visits.ts';

const positive = fc.double({ min: 1e-3, max: 1e3, noNaN: true });
const look = fc.record({ time: positive, changed: fc.boolean() });

describe('the change rate', () => {
  test('is the root of its equation, with an imaginary look of each kind', () => {
    fc.assert(
      fc.property(fc.array(look, { maxLength: 20 }), positive, (looks, usual) => {
        const rate = changeRate(looks, usual);
        const mean =
          looks.length === 0
            ? usual
            : looks.reduce((sum, { time }) => sum + time, 0) / looks.length;
        const all = [...looks, { time: mean, changed: true }, { time: mean, changed: false }];
        let [left, right] = [0, 0];
        for (const { time, changed } of all) {
          if (changed) left += time / Math.expm1(rate * time);
          else right += time;
        }
        expect(left / right).toBeCloseTo(1, 9);
      }),
    );
  });

  test('is found from many looks at a page that changes like that', () => {
    const random = randomNumbers(3);
    for (const rate of [0.02, 0.3, 2]) {
      const looks = Array.from({ length: 20_000 }, () => {
        const time = 0.5 + random();
        return { time, changed: random() < 1 - Math.exp(-rate * time) };
      });
      expect(changeRate(looks, 1) / rate).toBeCloseTo(1, 1);
    }
  });

  test('is found however often a page was looked at', () => {
    const looks = Array.from({ length: 300_000 }, (_, i) => ({ time: 1, changed: i % 2 === 0 }));
    expect(changeRate(looks, 1)).toBeCloseTo(Math.log(2), 3);
  });
});

const pages = fc.array(fc.tuple(positive, fc.double({ min: 0.1, max: 10, noNaN: true })), {
  minLength: 1,
  maxLength: 12,
});

describe('the best visits', () => {
  test('spend the budget, with equal gain at all visited pages and no more at others', () => {
    fc.assert(
      fc.property(pages, positive, (list, budget) => {
        const rates = Float64Array.from(list, ([rate]) => rate);
        const weights = Float64Array.from(list, ([, weight]) => weight);
        const visits = bestVisits(rates, weights, budget);
        expect(visits.reduce((sum, f) => sum + f, 0) / budget).toBeCloseTo(1, 9);
        const gains = list.map(([rate, weight], i) => {
          const f = visits[i];
          if (f === 0) return weight / rate;
          return weight * (-Math.expm1(-rate / f) / rate - Math.exp(-rate / f) / f);
        });
        const visited = gains.filter((_, i) => visits[i] > 0);
        const [least, most] = [Math.min(...visited), Math.max(...visited)];
        // Where visits are rare, the gain hardly depends on their number.
        expect(most - least).toBeLessThanOrEqual(1e-6 * most);
        for (const [i, gain] of gains.entries())
          if (visits[i] === 0) expect(gain).toBeLessThanOrEqual(least * (1 + 1e-6));
      }),
      { numRuns: 500 },
    );
  });

  test('are not beaten by moving visits from page to page', () => {
    fc.assert(
      fc.property(pages, fc.double({ min: 0.1, max: 20, noNaN: true }), (list, budget) => {
        const rates = Float64Array.from(list, ([rate]) => rate);
        const weights = Float64Array.from(list, ([, weight]) => weight);
        const value = (visits: ArrayLike<number>) =>
          list.reduce((sum, [rate, weight], i) => sum + weight * freshness(rate, visits[i]), 0);
        const best = value(bestVisits(rates, weights, budget));
        expect(best).toBeGreaterThanOrEqual(value(climb(list, budget, value)) - 1e-9);
      }),
      { numRuns: 60 },
    );
  });

  test('leave no changing page alone where none may starve', () => {
    fc.assert(
      fc.property(pages, positive, (list, budget) => {
        const rates = Float64Array.from(list, ([rate]) => rate);
        const weights = Float64Array.from(list, ([, weight]) => weight);
        const visits = fairVisits(rates, weights, budget);
        expect(visits.reduce((sum, f) => sum + f, 0) / budget).toBeCloseTo(1, 9);
        const multipliers = list.map(([rate, weight], i) => {
          const f = visits[i];
          expect(f).toBeGreaterThan(0);
          return (weight * rate) / (f * (f + rate));
        });
        expect(Math.max(...multipliers) / Math.min(...multipliers)).toBeCloseTo(1, 6);
      }),
    );
  });

  test('never go to pages that do not change', () => {
    expect([...bestVisits(Float64Array.of(0, 1), Float64Array.of(1, 1), 2)]).toEqual([0, 2]);
    expect([...bestVisits(Float64Array.of(0), Float64Array.of(1), 2)]).toEqual([0]);
  });
});

/** A naive optimiser: moves ever smaller shares of the budget to where they gain most. */
function climb(
  list: readonly unknown[],
  budget: number,
  value: (visits: ArrayLike<number>) => number,
): number[] {
  const visits = list.map(() => budget / list.length);
  for (let step = budget / 4; step > budget / 1000; ) {
    let [best, from, to] = [value(visits), -1, -1];
    for (let i = 0; i < visits.length; i++) {
      for (let j = 0; j < visits.length; j++) {
        if (i === j || visits[i] < step) continue;
        const moved = visits.map((f, k) => f + (k === j ? step : 0) - (k === i ? step : 0));
        if (value(moved) > best + 1e-15) [best, from, to] = [value(moved), i, j];
      }
    }
    if (from < 0) step /= 2;
    else {
      visits[from] -= step;
      visits[to] += step;
    }
  }
  return visits;
}

describe('on the change rates of the lab, at half a look a page and month', () => {
  // Shares of pages that change within a month (src/lab/time.ts).
  const SHARES = [0, 0, 0.02, 0.02, 0.05, 0.1, 0.1, 0.3, 0.6, 0.9];
  const copies = 200;
  const rates = Float64Array.from(
    { length: SHARES.length * copies },
    (_, i) => -Math.log1p(-SHARES[i % SHARES.length]),
  );
  const even = new Float64Array(rates.length).fill(1);
  const budget = rates.length / 2;
  const fresh = (visits: Float64Array) =>
    rates.reduce((sum, rate, i) => sum + freshness(rate, visits[i]), 0) / rates.length;

  test('the schedule beats visits in proportion and in equal number', () => {
    const total = rates.reduce((sum, rate) => sum + rate, 0);
    const proportional = rates.map((rate) => (rate / total) * budget);
    expect(fresh(bestVisits(rates, even, budget))).toBeCloseTo(0.86, 2);
    expect(fresh(fairVisits(rates, even, budget))).toBeCloseTo(0.86, 2);
    expect(fresh(even.map(() => 0.5))).toBeCloseTo(0.81, 2);
    expect(fresh(proportional)).toBeCloseTo(0.76, 2);
  });

  test('24 looks are nearly as good as to know the rates', () => {
    const random = randomNumbers(11);
    const learned = rates.map((rate) => {
      const looks = Array.from({ length: 24 }, () => ({
        time: 1,
        changed: random() < -Math.expm1(-rate),
      }));
      return changeRate(looks, 1);
    });
    expect(fresh(bestVisits(learned, even, budget))).toBeCloseTo(0.84, 2);
  });
});
