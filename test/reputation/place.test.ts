import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Allowance, place, UNUSED } from '../../src/reputation/place.ts';

/** Rounds go on, and the last one with them, while URLs arrive. */
const step = fc.record({
  forward: fc.constantFrom(0, 0, 0, 0, 1, 3),
  longer: fc.constantFrom(0, 0, 0, 1, 4),
  budget: fc.nat(4),
});
const life = (steps: number) => fc.array(step, { minLength: steps, maxLength: 200 });

function live(steps: readonly { forward: number; longer: number; budget: number }[], budget?: number) {
  let allowance: Allowance = UNUSED;
  let [round, last] = [1, 4];
  const placed: { place: number | undefined; round: number; last: number; budget: number }[] = [];
  for (const each of steps) {
    round += each.forward;
    last = Math.max(last + each.longer, round);
    const own = budget ?? each.budget;
    const next = place(allowance, own, { round, last });
    if (next) allowance = next;
    placed.push({ place: next?.nextRound, round, last, budget: own });
  }
  return placed;
}

/** Round by round, with a counter for each: what the allowance stands for. */
function naive(steps: readonly { forward: number; longer: number; budget: number }[], budget: number) {
  const filled = new Map<number, number>();
  let [round, last] = [1, 4];
  return steps.map(({ forward, longer }) => {
    round += forward;
    last = Math.max(last + longer, round);
    for (let into = round + 1; into <= last; into++) {
      const used = filled.get(into) ?? 0;
      if (used >= budget) continue;
      filled.set(into, used + 1);
      return into;
    }
    return undefined;
  });
}

test('the first URLs fill the next round, the following ones the round after, and the rest is put off', () => {
  let allowance: Allowance = UNUSED;
  const places = Array.from({ length: 8 }, () => {
    const next = place(allowance, 3, { round: 5, last: 7 });
    allowance = next ?? allowance;
    return next?.nextRound;
  });
  expect(places).toEqual([6, 6, 6, 7, 7, 7, undefined, undefined]);
  expect(place(allowance, 3, { round: 5, last: 8 })).toEqual({ nextRound: 8, used: 1 });
});

test('with a budget that stays, places are those of a counter for each round', () => {
  fc.assert(
    fc.property(life(40), fc.nat(5), (steps, budget) => {
      expect(live(steps, budget).map(({ place }) => place)).toEqual(naive(steps, budget));
    }),
  );
});

test('no round gets more of a domain than its largest budget while the round could be filled', () => {
  fc.assert(
    fc.property(life(40), (steps) => {
      const placed = live(steps);
      for (const into of new Set(placed.map(({ place }) => place))) {
        if (into === undefined) continue;
        const open = placed.filter(({ round, last }) => round < into && into <= last);
        const most = Math.max(...open.map(({ budget }) => budget));
        expect(placed.filter(({ place }) => place === into).length).toBeLessThanOrEqual(most);
      }
    }),
  );
});

test('no URL goes into the round being read or one before, nor beyond the last, nor before an earlier URL', () => {
  fc.assert(
    fc.property(life(40), (steps) => {
      let latest = 0;
      for (const { place, round, last } of live(steps)) {
        if (place === undefined) continue;
        expect(place).toBeGreaterThan(round);
        expect(place).toBeLessThanOrEqual(last);
        expect(place).toBeGreaterThanOrEqual(latest);
        latest = place;
      }
    }),
  );
});

test('a budget of zero places nothing and forgets nothing', () => {
  const allowance = { nextRound: 9, used: 2 };
  expect(place(allowance, 0, { round: 3, last: 50 })).toBeUndefined();
  expect(place(allowance, 3, { round: 3, last: 50 })).toEqual({ nextRound: 9, used: 3 });
});

test('a budget that shrinks below what was used moves on to the next round', () => {
  expect(place({ nextRound: 9, used: 7 }, 2, { round: 3, last: 50 })).toEqual({ nextRound: 10, used: 1 });
});
