import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  drumGeometry,
  footprint,
  mercatorGeometry,
  valueGeometry,
} from '../../src/drum/geometry.ts';

const plans = { drumGeometry, mercatorGeometry, valueGeometry };
const MIB = 2 ** 20;

test.each(
  Object.entries(plans),
)('%s never uses more memory than given, and uses most of it', (_, plan) => {
  fc.assert(
    fc.property(fc.integer({ min: MIB, max: 2 ** 31 - 1 }), (memory) => {
      const geometry = plan(memory);
      expect(footprint(geometry)).toBeLessThanOrEqual(memory);
      for (const size of Object.values(geometry))
        expect(Number.isInteger(size) && size > 0).toBe(true);
      expect([geometry.keyChunk % 8, geometry.window % 8]).toEqual([0, 0]);
      expect(geometry.buckets).toBeLessThanOrEqual(65_536);
    }),
  );
  expect(footprint(plan(64 * MIB))).toBeGreaterThan(0.9 * 64 * MIB);
});

test('more memory means more keys between two merges', () => {
  for (const plan of Object.values(plans)) {
    const keys = [1, 4, 16, 64, 256]
      .map((mib) => plan(mib * MIB))
      .map((g) => g.buckets * g.bucketKeys);
    expect(keys).toEqual([...keys].sort((a, b) => a - b));
  }
});

test('too little memory is refused with the remedy', () => {
  expect(() => drumGeometry(1000)).toThrow(/at least 1Mi/);
});
