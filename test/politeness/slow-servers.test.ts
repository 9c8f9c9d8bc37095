import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patientDelay, SLOW_DOWN, smoothedTime } from '../../src/politeness/slow-servers.ts';

const smoothedAfter = (times: readonly number[]) =>
  times.reduce<number | undefined>(smoothedTime, undefined);
const millis = fc.integer({ min: 0, max: 200_000 });

describe('a host', () => {
  test.each([
    [0, 500, 0],
    [0, 800, 3000],
    [0, 1000, 5000],
    [0, 2000, 15_000],
    [0, 3500, 30_000],
    [0, 120_000, 30_000],
    [4000, 900, 4000],
    [4000, 1000, 5000],
    [60_000, 10_000, 60_000],
  ])('with a delay of %d ms that answers in %d ms is paused for %d ms', (delay, smoothed, pause) => {
    expect(patientDelay(delay, smoothed)).toBe(pause);
  });

  test('that has not answered yet keeps its own delay', () => {
    expect(patientDelay(4000, undefined)).toBe(4000);
  });

  test('that answers in time is never slowed down', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(SLOW_DOWN.allowance)), millis, (times, delay) => {
        expect(patientDelay(delay, smoothedAfter(times))).toBe(delay);
      }),
    );
  });

  test('is never paused less for being slower, nor less than its delay, nor without end', () => {
    fc.assert(
      fc.property(fc.array(millis, { minLength: 1 }), millis, millis, (times, more, delay) => {
        const [fast, slow] = [
          smoothedAfter([...times, times[0]]),
          smoothedAfter([...times, times[0] + more]),
        ];
        expect(patientDelay(delay, slow)).toBeGreaterThanOrEqual(patientDelay(delay, fast));
        expect(patientDelay(delay, slow)).toBeGreaterThanOrEqual(delay);
        expect(patientDelay(delay, slow)).toBeLessThanOrEqual(Math.max(delay, SLOW_DOWN.longest));
      }),
    );
  });

  test('slows down at the first slow answer, and recovers when fast answers last', () => {
    const fast = new Array(20).fill(100);
    expect(patientDelay(1000, smoothedAfter([...fast, 4000]))).toBe(15_500);
    const recovering = (answers: number) =>
      patientDelay(1000, smoothedAfter([4000, ...new Array(answers).fill(100)]));
    expect(recovering(1)).toBeGreaterThan(25_000);
    expect(recovering(20)).toBe(1000);
  });
});

test('the smoothed time lies between the old average and the new time, whatever the clock does', () => {
  fc.assert(
    fc.property(millis, fc.integer({ min: -5000, max: 200_000 }), (before, elapsed) => {
      const now = smoothedTime(before, elapsed);
      expect(now).toBeGreaterThanOrEqual(Math.min(before, Math.max(0, elapsed)));
      expect(now).toBeLessThanOrEqual(Math.max(before, elapsed));
    }),
  );
});
