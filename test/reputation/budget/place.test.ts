import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Allowance, place, repriced, UNUSED } from '../../../src/reputation/budget/place.ts';

/** `round` and `last` advance while URLs arrive. */
const step = fc.record({
  forward: fc.constantFrom(0, 0, 0, 0, 1, 3),
  longer: fc.constantFrom(0, 0, 0, 1, 4),
  budget: fc.nat(4),
});
const life = (steps: number) => fc.array(step, { minLength: steps, maxLength: 200 });

function live(
  steps: readonly { forward: number; longer: number; budget: number }[],
  budget?: number,
) {
  let allowance: Allowance = UNUSED;
  let [round, last] = [1, 4];
  let before = 0;
  const placed: { place: number | undefined; round: number; last: number; budget: number }[] = [];
  for (const each of steps) {
    round += each.forward;
    last = Math.max(last + each.longer, round);
    const own = budget ?? each.budget;
    allowance = repriced(allowance, before, own);
    before = own;
    const next = place(allowance, own, { round, last });
    if (next) allowance = next;
    placed.push({ place: next?.nextRound, round, last, budget: own });
  }
  return placed;
}

/** Round by round, with a counter for each: what the allowance summarises. */
function naive(
  steps: readonly { forward: number; longer: number; budget: number }[],
  budget: number,
) {
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
  expect(place(allowance, 3, { round: 5, last: 8 })).toMatchObject({ nextRound: 8, used: 1 });
});

test('with a constant budget, places are those of a counter for each round', () => {
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

test('no URL goes into the round being read or one before, nor beyond the last', () => {
  fc.assert(
    fc.property(life(40), (steps) => {
      for (const { place, round, last } of live(steps)) {
        if (place === undefined) continue;
        expect(place).toBeGreaterThan(round);
        expect(place).toBeLessThanOrEqual(last);
      }
    }),
  );
});

test('no URL goes before the one that came last unless the budget has doubled since', () => {
  fc.assert(
    fc.property(life(40), (steps) => {
      const placed = live(steps).filter(({ place }) => place !== undefined);
      for (const [i, { place = 0, round, budget }] of placed.entries()) {
        const waiting = placed.slice(0, i).filter((one) => (one.place ?? 0) > round);
        const most = Math.max(0, ...waiting.map((one) => one.budget));
        if (budget < 2 * most && budget === waiting.at(-1)?.budget)
          expect(place).toBeGreaterThanOrEqual(waiting.at(-1)?.place ?? 0);
      }
    }),
  );
});

/** The rounds of `urls` URLs, one after the other. */
function placesOf(allowance: Allowance, budget: number, urls: number) {
  let now = allowance;
  const places = Array.from({ length: urls }, () => {
    const next = place(now, budget, { round: 3, last: 50 });
    now = next ?? now;
    return next?.nextRound;
  });
  return { now, places };
}

test('a domain whose budget has grown a lot fills the rounds that held little of it up to its new budget', () => {
  const { now } = placesOf(UNUSED, 1, 4);
  expect(now.nextRound).toBe(7);
  const risen = placesOf(repriced(now, 1, 4), 4, 17);
  expect(risen.places).toEqual([4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 8, 9]);
});

test('a domain whose budget has grown a little continues where it was', () => {
  const { now } = placesOf(UNUSED, 3, 4);
  expect(placesOf(repriced(now, 3, 5), 5, 6).places).toEqual([5, 5, 5, 5, 6, 6]);
});

test('what a domain placed under a large budget counts under a small one, then a large one again', () => {
  const { now } = placesOf(UNUSED, 6, 12);
  const fallen = repriced(now, 6, 1);
  expect(placesOf(fallen, 1, 2).places).toEqual([6, 7]);
  expect(placesOf(repriced(fallen, 1, 6), 6, 2).places).toEqual([6, 6]);
  expect(placesOf(repriced(fallen, 1, 12), 12, 7).places).toEqual([4, 4, 4, 4, 4, 4, 5]);
});

test('a domain that returned to the next round stays there when its budget falls a little', () => {
  const { now } = placesOf(UNUSED, 1, 20);
  const risen = placesOf(repriced(now, 1, 4), 4, 3);
  expect(placesOf(repriced(risen.now, 4, 3), 3, 4).places).toEqual([5, 5, 6, 6]);
});

test('a budget of zero places nothing and forgets nothing', () => {
  const allowance = { ...UNUSED, nextRound: 9, used: 2 };
  expect(place(allowance, 0, { round: 3, last: 50 })).toBeUndefined();
  expect(place(allowance, 3, { round: 3, last: 50 })).toEqual({ ...allowance, used: 3 });
});

test('a budget that shrinks below what was used moves on to the next round', () => {
  const allowance = { ...UNUSED, nextRound: 9, used: 7 };
  expect(place(allowance, 2, { round: 3, last: 50 })).toMatchObject({ nextRound: 10, used: 1 });
});
