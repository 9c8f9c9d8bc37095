/** The errors of estimates that are printed, against samples that are drawn. */
import { expect, test } from 'vitest';
import { randomNumbers } from '../../../src/base/random-numbers.ts';
import {
  shareFor,
  standardErrorOf,
  supportersBetween,
} from '../../../src/rank/supporters/sampling-error.ts';

const RUNS = 2000;

/** Estimates of a number of supporters, each drawn with a share of all. */
function estimates(supporters: number, share: number): number[] {
  const random = randomNumbers(17);
  return Array.from({ length: RUNS }, () => {
    let drawn = 0;
    for (let i = 0; i < supporters; i++) if (random() < share) drawn++;
    return drawn / share;
  });
}

test.each([
  [40, 0.5],
  [200, 0.1],
  [500, 0.05],
])('of %i supporters, drawn with %d', (supporters, share) => {
  const all = estimates(supporters, share);
  const spread = Math.sqrt(all.reduce((sum, one) => sum + (one - supporters) ** 2, 0) / RUNS);
  const error = standardErrorOf(supporters, share);
  expect(spread / supporters / error).toBeCloseTo(1, 1);
  expect(shareFor(supporters, error)).toBeCloseTo(share, 12);
  const inside = all.filter((one) => {
    const [least, most] = supportersBetween(one, share);
    expect(least).toBeGreaterThanOrEqual(one * share);
    return least <= supporters && supporters <= most;
  });
  expect(inside.length / RUNS).toBeGreaterThan(0.95);
  expect(inside.length / RUNS).toBeLessThan(0.99);
});

test('the limits of an interval are 2.2 deviations from what was drawn', () => {
  for (const [estimate, share] of [
    [0, 0.2],
    [7, 0.3],
    [900, 0.01],
    [10 / 0.99, 0.99],
  ]) {
    const drawn = estimate * share;
    const [least, most] = supportersBetween(estimate, share);
    expect(least).toBeGreaterThanOrEqual(drawn);
    for (const limit of [least, most]) {
      if (limit === drawn || limit === 0) continue;
      const deviations = (drawn - limit * share) / Math.sqrt(limit * share * (1 - share));
      expect(Math.abs(deviations)).toBeCloseTo(2.2, 9);
    }
    expect(most).toBeGreaterThan(estimate);
  }
});

test('all supporters are no sample: there is no error', () => {
  expect(standardErrorOf(12, 1)).toBe(0);
  expect(supportersBetween(12, 1)).toEqual([12, 12]);
  expect(standardErrorOf(0, 0.5)).toBe(Number.POSITIVE_INFINITY);
});
