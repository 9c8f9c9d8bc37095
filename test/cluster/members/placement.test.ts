/** Agents are spread over workers, and few of them move. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { place } from '../../../src/cluster/members/placement.ts';

const workers = (count: number, weight = 1) =>
  Array.from({ length: count }, (_, i) => ({ name: `w${i}`, weight }));

test('every agent has a worker, and no worker much more than its share', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.nat(100), { minLength: 1, maxLength: 64 }),
      (count, loads) => {
        const placed = place(workers(count), loads);
        const total = loads.reduce((sum, load) => sum + load, 0);
        const least = total === 0 ? 1 : (0.2 * total) / loads.length;
        const counted = loads.map((load) => Math.max(load, least));
        const share = counted.reduce((sum, load) => sum + load, 0) / count;
        const heaviest = Math.max(...counted);
        for (const { name } of workers(count)) {
          const has = counted.filter((_, agent) => placed[agent] === name);
          expect(has.reduce((sum, load) => sum + load, 0)).toBeLessThanOrEqual(
            1.1 * share + heaviest + 1e-6,
          );
        }
        expect(placed.every((name) => name !== '')).toBe(true);
      },
    ),
  );
});

test('a worker that leaves moves its own agents and few others', () => {
  const loads = new Array(64).fill(0);
  const before = place(workers(8), loads);
  const after = place(
    workers(8).filter(({ name }) => name !== 'w3'),
    loads,
  );
  const moved = before.filter((name, agent) => name !== 'w3' && name !== after[agent]).length;
  expect(moved).toBeLessThanOrEqual(10);
});

test('a giant has a worker almost for itself', () => {
  const loads = [1000, ...new Array(31).fill(10)];
  const placed = place(workers(2), loads);
  const beside = placed.filter((name, agent) => agent > 0 && name === placed[0]).length;
  expect(beside).toBeLessThanOrEqual(4);
});

test('a worker with twice the weight has about twice the agents', () => {
  const placed = place(
    [
      { name: 'big', weight: 2 },
      { name: 'small', weight: 1 },
    ],
    new Array(60).fill(0),
  );
  const big = placed.filter((name) => name === 'big').length;
  expect(big).toBeGreaterThanOrEqual(36);
  expect(big).toBeLessThanOrEqual(44);
});

test('without workers no agent has one', () => {
  expect(place([], [1, 2])).toEqual(['', '']);
});
