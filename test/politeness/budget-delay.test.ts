import fc from 'fast-check';
import { expect, test } from 'vitest';
import { delayFor } from '../../src/politeness/budget-delay.ts';

const HOSTS = { slowest: 40_000, floor: 500, least: 10 };

test('a domain with the least budget, or none, has the longest delay', () => {
  expect(delayFor(10, HOSTS)).toBe(40_000);
  expect(delayFor(0, HOSTS)).toBe(40_000);
});

test('the delay shrinks as the budget grows, down to the floor', () => {
  expect(delayFor(100, HOSTS)).toBe(4000);
  expect(delayFor(800, HOSTS)).toBe(500);
  expect(delayFor(10_000, HOSTS)).toBe(500);
});

test('every domain needs the same time for a round, unless the floor makes it longer', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 100_000 }), (budget) => {
      const delay = delayFor(budget, HOSTS);
      if (delay > HOSTS.floor) expect(budget * delay).toBeCloseTo(HOSTS.least * HOSTS.slowest, 3);
      expect(delay).toBeGreaterThanOrEqual(HOSTS.floor);
      expect(delay).toBeLessThanOrEqual(HOSTS.slowest);
    }),
  );
});

test('no delay is longer than the slowest, whatever the floor', () => {
  expect(delayFor(1000, { slowest: 100, floor: 500, least: 10 })).toBe(100);
  expect(delayFor(1000, { slowest: 0, floor: 500, least: 10 })).toBe(0);
});
