/** The figures of a model by their values: probabilities, intervals, folds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../../../src/base/random-numbers.ts';
import { calibrate, logOdds, probability } from '../../../src/spam/learn/calibrate.ts';
import { examplesOf, pick, rowOf } from '../../../src/spam/learn/examples.ts';
import { foldsOf } from '../../../src/spam/learn/folds.ts';
import { LEARNERS, scoreSite } from '../../../src/spam/learn/learners.ts';
import { auc, aucHalfWidth, calibration } from '../../../src/spam/learn/measures.ts';
import { scoreSites } from '../../../src/spam/model.ts';
import { trainModel } from '../../../src/spam/train.ts';

/** Sites with scores from 0 to 1, of which a share given by the score is spam. */
function drawn(sites: number, seed: number, shareAt: (score: number) => number) {
  const random = randomNumbers(seed);
  const scores = Float64Array.from({ length: sites }, () => random());
  const spam = Uint8Array.from(scores, (score) => (random() < shareAt(score) ? 1 : 0));
  return { scores, spam };
}
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((a, b) => a + b, 0) / values.length;
const variance = (values: readonly number[]): number =>
  (mean(values.map((value) => (value - mean(values)) ** 2)) * values.length) / (values.length - 1);

describe('probabilities', () => {
  test('are found again from labels that were drawn with them', () => {
    const { scores, spam } = drawn(20_000, 5, (score) => sigmoid(6 * score - 4));
    const fitted = calibrate(scores, spam);
    expect(fitted.slope).toBeCloseTo(6, 0);
    expect(fitted.constant).toBeCloseTo(-4, 0);
    const found = Float64Array.from(scores, (score) => probability(fitted, score));
    expect(mean(found)).toBeCloseTo(mean(spam), 3);
    for (const { from, sites, expected, found: share } of calibration(found, spam)) {
      if (sites < 200) continue;
      expect(expected).toBeGreaterThanOrEqual(from);
      expect(expected).toBeLessThanOrEqual(from + 0.1);
      expect(Math.abs(expected - share)).toBeLessThan(2.5 / Math.sqrt(sites));
    }
    expect(sigmoid(logOdds(fitted, 0.3))).toBeCloseTo(probability(fitted, 0.3), 12);
  });

  test('of scores that say nothing, or the contrary, are the share of spam for all sites', () => {
    for (const shareAt of [() => 0.2, (score: number) => 0.4 * (1 - score)]) {
      const { scores, spam } = drawn(5000, 7, shareAt);
      const fitted = calibrate(scores, spam);
      for (const score of [0, 0.5, 1])
        expect(probability(fitted, score)).toBeCloseTo(mean(spam), 1);
      expect(probability(fitted, 1)).toBeGreaterThan(probability(fitted, 0) - 1e-6);
    }
  });

  test('of n sites that the scores divide are Platt’s n + 1 of n + 2, not certain', () => {
    const [scores, spam] = [Float64Array.of(0, 0, 0, 1, 1), Uint8Array.of(0, 0, 0, 1, 1)];
    const fitted = calibrate(scores, spam);
    expect(probability(fitted, 0)).toBeCloseTo(1 / 5, 3);
    expect(probability(fitted, 1)).toBeCloseTo(3 / 4, 3);
  });

  test('fall into ten bins, the last with 1', () => {
    const bins = calibration([0, 0.05, 0.1, 0.95, 1], [0, 1, 1, 0, 1]);
    expect(bins).toHaveLength(10);
    expect(bins[0]).toEqual({ from: 0, sites: 2, expected: 0.025, found: 0.5 });
    expect(bins[1]).toEqual({ from: 0.1, sites: 1, expected: 0.1, found: 1 });
    expect(bins[2]).toEqual({ from: 0.2, sites: 0, expected: 0, found: 0 });
    expect(bins[9]).toMatchObject({ from: 0.9, sites: 2, found: 0.5 });
  });
});

describe('the interval of an AUC', () => {
  const few = fc.integer({ min: 0, max: 5 });
  const sites = fc.array(fc.tuple(few, fc.boolean()), { minLength: 6, maxLength: 40 });

  test('is that of DeLong, from all pairs', () => {
    fc.assert(
      fc.property(sites, (list) => {
        const of = (kind: boolean) => list.filter(([, spam]) => spam === kind).map(([s]) => s);
        const [spam, ham] = [of(true), of(false)];
        fc.pre(spam.length > 1 && ham.length > 1);
        const wins = (a: number, b: number) => (a > b ? 1 : a === b ? 0.5 : 0);
        const bySpam = spam.map((a) => mean(ham.map((b) => wins(a, b))));
        const byHam = ham.map((b) => mean(spam.map((a) => wins(a, b))));
        const error = Math.sqrt(variance(bySpam) / spam.length + variance(byHam) / ham.length);
        const [scores, labels] = [list.map(([s]) => s), list.map(([, is]) => (is ? 1 : 0))];
        expect(aucHalfWidth(scores, labels)).toBeCloseTo(1.959964 * error, 5);
      }),
    );
  });

  test('has the truth 19 times in 20', () => {
    let inside = 0;
    for (let seed = 1; seed <= 400; seed++) {
      // Of two sites drawn so, the spam site has the greater score with 5/6.
      const { scores, spam } = drawn(300, seed, (score) => score);
      if (Math.abs(auc(scores, spam) - 5 / 6) <= aucHalfWidth(scores, spam)) inside++;
    }
    expect(inside / 400).toBeGreaterThan(0.92);
    expect(inside / 400).toBeLessThan(0.98);
  });
});

describe('folds', () => {
  test('differ by one site at most where no sites belong together, and by one of each kind', () => {
    const kinds = fc.array(fc.boolean(), { minLength: 10, maxLength: 120 });
    fc.assert(
      fc.property(kinds, fc.integer({ min: 2, max: 7 }), fc.nat(9), (list, count, seed) => {
        const spam = Uint8Array.from(list, Number);
        const folds = foldsOf(spam, [...list.keys()], count, seed);
        for (const kind of [0, 1]) {
          const sizes = new Array<number>(count).fill(0);
          for (const [i, fold] of folds.entries()) if (spam[i] === kind) sizes[fold]++;
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('differ by the largest group at most, and depend on the seed', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 8, maxLength: 30 });
    fc.assert(
      fc.property(sizes, fc.nat(9), (list, seed) => {
        const groups = list.flatMap((size, group) => Array<number>(size).fill(group));
        const folds = foldsOf(new Uint8Array(groups.length), groups, 4, seed);
        for (const group of list.keys())
          expect(new Set(folds.filter((_, i) => groups[i] === group)).size).toBe(1);
        const held = [0, 1, 2, 3].map((fold) => folds.filter((one) => one === fold).length);
        expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(Math.max(...list));
      }),
    );
    // Small groups fill what the largest leaves.
    const unequal = [...Array(24).keys(), ...Array<number>(8).fill(24)];
    for (const seed of [1, 2, 3]) {
      const folds = foldsOf(new Uint8Array(32), unequal, 4, seed);
      for (const fold of [0, 1, 2, 3]) expect(folds.filter((one) => one === fold)).toHaveLength(8);
    }
    const [spam, groups] = [new Uint8Array(60), [...Array(60).keys()]];
    const orders = [1, 2, 3].map((seed) => foldsOf(spam, groups, 5, seed).join());
    expect(new Set(orders).size).toBe(3);
    expect(foldsOf(spam, groups, 5, 2).join()).toBe(orders[1]);
  });
});

test('a model of one learner prints the figures of its held-out scores, fold by fold', async () => {
  const random = randomNumbers(3);
  const sites = Array.from({ length: 90 }, (_, i) => `s${i}.test`);
  const columns = [0, 1].map(() => Float64Array.from(sites, () => random()));
  // The last sites have no label; those of one address belong together with one of them.
  const belongings = sites.map((_, i) => (i % 10 < 2 ? [`address ${i % 10}`] : []));
  const table = { sites, ids: [], belongings, names: ['a:x', 'a:y'], columns };
  const places = Uint32Array.from({ length: 80 }, (_, i) => 79 - i);
  const spam = Uint8Array.from(places, (place) => (columns[0][place] + random() > 1.2 ? 1 : 0));
  const options = { seed: 4, fast: true, skipConstant: false, learners: ['bayes-normal'] };
  const model = await trainModel(table, { places, spam, unknown: [], undecided: 0 }, options);

  const groups = Array.from(places, (place) => (place % 10 < 2 ? place % 10 : 100 + place));
  const folds = foldsOf(spam, groups, 5, 4);
  const all = pick(examplesOf(table.names, columns, new Uint8Array(90)), places);
  const examples = { ...all, spam };
  const held = Float64Array.from(spam, (_, site) => {
    const others = [...spam.keys()].filter((other) => folds[other] !== folds[site]);
    const fitted = LEARNERS['bayes-normal'](pick(examples, others), 4);
    return scoreSite(fitted, rowOf(examples, site, new Float64Array(2)));
  });
  const bad = spam.filter((label) => label === 1).length;
  expect(model.trained).toEqual({
    ...{ sites: 80, spam: bad, groups: new Set(groups).size, folds: 5, seed: 4 },
    ...{ auc: auc(held, spam), aucHalfWidth: aucHalfWidth(held, spam) },
  });
  const { slope, constant } = calibrate(held, spam);
  expect(model.calibration.slope).toBeCloseTo(slope, 9);
  expect(model.calibration.constant).toBeCloseTo(constant, 9);
  const whole = LEARNERS['bayes-normal'](examples, 4);
  const scores = scoreSites(model, table);
  for (const [i, place] of places.entries()) {
    const score = scoreSite(whole, rowOf(examples, i, new Float64Array(2)));
    expect(scores[place]).toBeCloseTo(probability(model.calibration, score), 12);
  }
});
