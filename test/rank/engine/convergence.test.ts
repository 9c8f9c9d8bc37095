import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Convergence } from '../../../src/rank/engine/convergence.ts';

test('if the error falls by a constant factor, the share that is done is exact after two steps', () => {
  const factor = fc.double({ min: 0.1, max: 0.95, noNaN: true });
  fc.assert(
    fc.property(factor, fc.integer({ min: 3, max: 200 }), (factor, steps) => {
      const convergence = new Convergence(factor ** steps * 1.000001, 1000, 0.5);
      const done = Array.from({ length: steps }, (_, i) => convergence.update(factor ** (i + 1)));
      done.slice(1).forEach((part, i) => {
        expect(part).toBeCloseTo((i + 2) / steps, 3);
      });
      expect(done.at(-1)).toBe(1);
      expect(done.indexOf(1)).toBe(steps - 1);
    }),
  );
});

test('the largest number of steps ends it, however large the error', () => {
  const convergence = new Convergence(1e-9, 4, 0.5);
  expect([1, 1, 2, 1].map((error) => convergence.update(error))).toEqual([0.25, 0.5, 0.75, 1]);
});

test('before the first step the expected factor counts', () => {
  expect(new Convergence(1 / 1024, 1000, 0.5).update(1)).toBeCloseTo(1 / 11, 12);
});
