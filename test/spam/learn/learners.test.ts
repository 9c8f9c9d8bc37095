/** Every learner finds what it can find, the same every time, also with missing values. */
import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../../../src/base/random-numbers.ts';
import { type Examples, examplesOf, rowOf } from '../../../src/spam/learn/examples.ts';
import { LEARNERS, scoreSite } from '../../../src/spam/learn/learners.ts';
import { auc } from '../../../src/spam/learn/measures.ts';

/** Spam has larger values in the first two columns; the third is noise; a tenth is missing. */
function sitesOf(count: number, seed: number): Examples {
  const random = randomNumbers(seed);
  const normal = () => Array.from({ length: 12 }, random).reduce((a, b) => a + b, -6);
  const spam = Uint8Array.from({ length: count }, () => (random() < 0.3 ? 1 : 0));
  const column = (shift: number) =>
    Float64Array.from(spam, (label) => (random() < 0.1 ? Number.NaN : normal() + label * shift));
  return examplesOf(['a', 'b', 'noise'], [column(1.5), column(1), column(0)], spam);
}

const TRAIN = sitesOf(300, 1);
const TEST = sitesOf(300, 2);

function aucOf(name: string): number {
  const fitted = LEARNERS[name](TRAIN, 1);
  const row = new Float64Array(3);
  const scores = Float64Array.from(TEST.spam, (_, site) =>
    scoreSite(fitted, rowOf(TEST, site, row)),
  );
  expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
  return auc(scores, TEST.spam);
}

/** What is possible: the sum of the two columns, weighted by their shifts. */
const BEST = auc(
  Float64Array.from(TEST.spam, (_, i) =>
    [1.5, 1].reduce((sum, w, j) => {
      const value = TEST.columns[j][i];
      return sum + (Number.isNaN(value) ? 0 : w * value - (w * w) / 2);
    }, 0),
  ),
  TEST.spam,
);

describe('learners on two normal features with missing values', () => {
  test.each(
    Object.keys(LEARNERS).filter((name) => !/^(forest-\d|svm|cost-(30|100|300))/.test(name)),
  )('%s comes near to what is possible', (name) => {
    expect(BEST).toBeGreaterThan(0.85);
    // Trees and intervals have few thresholds, or learn the noise too.
    const least = /^(logistic|bayes-normal|bayes-kernel|boost-\d\d)/.test(name) ? 0.04 : 0.2;
    const found = aucOf(name);
    expect(found).toBeGreaterThan(BEST - least);
    expect(found).toBeLessThan(BEST + 0.03);
  });

  test.each(['bagging', 'forest-fast', 'svm-1'])('%s depends on its seed alone', (name) => {
    expect(LEARNERS[name](TRAIN, 3)).toEqual(LEARNERS[name](TRAIN, 3));
    expect(LEARNERS[name](TRAIN, 3)).not.toEqual(LEARNERS[name](TRAIN, 4));
  });

  test('a model read from JSON gives the same scores to the last bit', () => {
    const row = new Float64Array(3);
    for (const name of ['tree', 'boost-8', 'logistic-1', 'bayes-kernel', 'bayes-discretised']) {
      const fitted = LEARNERS[name](TRAIN, 1);
      const again = JSON.parse(JSON.stringify(fitted));
      for (let site = 0; site < 50; site++)
        expect(scoreSite(again, rowOf(TEST, site, row))).toBe(
          scoreSite(fitted, rowOf(TEST, site, row)),
        );
    }
  });
});
