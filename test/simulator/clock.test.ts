import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../src/simulator/clock.ts';

/** Moves from event to event until nothing is due. */
function runDry(clock: VirtualClock): void {
  while (clock.nextAt !== Infinity) clock.moveTo(clock.nextAt);
}

test('callbacks run in the order of their times, at their times', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60, size: 'max' }),
      (delays) => {
        const clock = new VirtualClock();
        const start = clock.now();
        const happened: number[] = [];
        for (const delay of delays)
          clock.after(delay, () => {
            expect(clock.now()).toBe(start + delay);
            happened.push(delay);
          });
        runDry(clock);
        expect(happened).toEqual([...delays].sort((a, b) => a - b));
      },
    ),
  );
});

test('a cancelled callback does not run, and the clock does not wait for it', () => {
  const clock = new VirtualClock();
  const happened: string[] = [];
  clock.after(10, () => happened.push('kept'));
  const cancel = clock.after(5, () => happened.push('cancelled'));
  cancel();
  expect(clock.nextAt - clock.now()).toBe(10);
  runDry(clock);
  expect(happened).toEqual(['kept']);
});

test('one callback runs at a time, and time never goes back', () => {
  const clock = new VirtualClock();
  let count = 0;
  clock.after(3, () => count++);
  clock.after(3, () => count++);
  clock.moveTo(clock.nextAt);
  expect(count).toBe(1);
  const now = clock.now();
  clock.moveTo(now - 1000);
  expect([count, clock.now()]).toEqual([2, now]);
  expect(clock.elapsed).toBe(3);
});

test('a callback may schedule more, also for the same time', () => {
  const clock = new VirtualClock();
  const times: number[] = [];
  const again = (left: number) => {
    times.push(clock.elapsed);
    if (left > 0) clock.after(left % 2, () => again(left - 1));
  };
  clock.after(1, () => again(4));
  runDry(clock);
  expect(times).toEqual([1, 1, 2, 2, 3]);
});
