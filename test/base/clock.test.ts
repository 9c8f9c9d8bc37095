import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aheadOf, steady } from '../../src/base/clock.ts';

test('a steady clock never goes back, and is never ahead of a wall clock that does not, however long its thread pauses between two steps', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { minLength: 40, maxLength: 400, size: 'max' }), (waits) => {
      let [time, step] = [1_000_000, 0];
      const pass = () => {
        time += waits[step++ % waits.length];
        return time;
      };
      const now = steady(pass, () => pass() - 500_000);
      let last = 0;
      for (let i = 0; i < waits.length; i++) {
        const shown = now();
        expect(shown).toBeLessThanOrEqual(time);
        expect(shown).toBeGreaterThanOrEqual(last);
        last = shown;
      }
    }),
  );
});

test('a steady clock continues when the wall clock is set back, and jumps when it is set ahead', () => {
  let [wall, elapsed] = [10_000, 0];
  const now = steady(
    () => wall,
    () => elapsed,
  );
  wall -= 5000;
  elapsed += 100;
  expect(now()).toBe(10_100);
  wall = 50_000;
  expect(now()).toBe(50_000);
});

test('a thread that is interrupted between two looks begins with the same clock as the others', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(50), { minLength: 31, maxLength: 31 }),
      fc.nat(31),
      (waits, calm) => {
        const pauses = waits.toSpliced(calm, 0, 0); // one pair of looks is not interrupted
        let [time, look] = [0, 0];
        const first = () => 7000 + time;
        const second = () => {
          time += pauses[look++];
          return time;
        };
        expect(aheadOf(first, second)).toBe(7000);
      },
    ),
  );
});
