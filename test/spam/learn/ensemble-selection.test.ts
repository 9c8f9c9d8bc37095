/** Ensemble selection and its measures against naive versions. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { climb, selectEnsemble } from '../../../src/spam/learn/ensemble-selection.ts';
import { foldsOf } from '../../../src/spam/learn/folds.ts';
import { auc, averagePrecision } from '../../../src/spam/learn/measures.ts';

const labels = fc
  .array(fc.integer({ min: 0, max: 1 }), { minLength: 4, maxLength: 30 })
  .filter((list) => list.includes(0) && list.includes(1));

function naiveAuc(scores: readonly number[], spam: readonly number[]): number {
  let right = 0;
  let pairs = 0;
  for (const [i, a] of scores.entries())
    for (const [j, b] of scores.entries())
      if (spam[i] === 1 && spam[j] === 0) {
        pairs++;
        right += a > b ? 1 : a === b ? 0.5 : 0;
      }
  return right / pairs;
}

/** Few values, so that there are ties. */
const scored = labels.chain((spam) =>
  fc.tuple(
    fc.constant(spam),
    fc.array(
      fc.array(
        fc.integer({ min: 0, max: 8 }).map((n) => n / 8),
        {
          minLength: spam.length,
          maxLength: spam.length,
        },
      ),
      { minLength: 1, maxLength: 6 },
    ),
  ),
);

test('auc is the share of pairs in the right order', () => {
  fc.assert(
    fc.property(scored, ([spam, [scores]]) => {
      expect(auc(scores, spam)).toBeCloseTo(naiveAuc(scores, spam), 12);
    }),
  );
});

test('average precision is the mean precision at each spam site', () => {
  fc.assert(
    fc.property(scored, ([spam, [scores]]) => {
      const at = scores.map((score) => {
        const above = spam.filter((_, j) => scores[j] >= score);
        return above.reduce((sum, label) => sum + label, 0) / above.length;
      });
      const bad = spam.reduce((sum, label) => sum + label, 0);
      const naive = at.reduce((sum, p, i) => sum + (spam[i] ? p : 0), 0) / bad;
      expect(averagePrecision(scores, spam)).toBeCloseTo(naive, 12);
    }),
  );
});

/** Step by step, with sums made anew each time. */
function naiveClimb(models: number[][], spam: number[], library: number[], steps: number) {
  const mean = (chosen: number[]) =>
    spam.map((_, i) => chosen.reduce((sum, model) => sum + models[model][i], 0));
  const chosen: number[] = [];
  let now = -Infinity;
  for (const model of library) {
    const next = naiveAuc(mean([...chosen, model]), spam);
    if (next <= now) break;
    chosen.push(model);
    now = next;
  }
  let best = { auc: now, chosen: [...chosen] };
  for (let step = 0; step < steps; step++) {
    const gains = [...library]
      .sort((a, b) => a - b)
      .map((model) => ({ model, auc: naiveAuc(mean([...chosen, model]), spam) }));
    const top = gains.reduce((a, b) => (b.auc > a.auc + 1e-12 ? b : a));
    chosen.push(top.model);
    if (top.auc > best.auc + 1e-12) best = { auc: top.auc, chosen: [...chosen] };
  }
  return models.map((_, model) => best.chosen.filter((other) => other === model).length);
}

test('the climb chooses what a naive one chooses, step by step', () => {
  fc.assert(
    fc.property(scored, fc.integer({ min: 0, max: 6 }), ([spam, models], steps) => {
      const alone = models.map((scores) => naiveAuc(scores, spam));
      const library = [...models.keys()].sort((a, b) => alone[b] - alone[a] || a - b);
      const columns = models.map((scores) => Float64Array.from(scores));
      const counts = climb(columns, Uint8Array.from(spam), library, steps);
      expect([...counts]).toEqual(naiveClimb(models, spam, library, steps));
    }),
  );
});

test('an ensemble is no worse than its best model, and its weights sum to 1', () => {
  fc.assert(
    fc.property(scored, ([spam, models]) => {
      const columns = models.map((scores) => Float64Array.from(scores));
      const options = { steps: 5, bags: 3, seed: 1 };
      const weights = selectEnsemble(columns, Uint8Array.from(spam), options);
      expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
      expect([...weights].every((weight) => weight >= 0)).toBe(true);
    }),
  );
});

test('folds never divide a group, and each fold has spam and ham', () => {
  const spam = Uint8Array.from({ length: 200 }, (_, i) => (i % 5 === 0 ? 1 : 0));
  const groups = Array.from(spam, (_, i) => `g${Math.floor(i / 4)}`);
  const folds = foldsOf(spam, groups, 5, 1);
  const of = new Map<string, number>();
  for (const [i, group] of groups.entries()) {
    expect(of.get(group) ?? folds[i]).toBe(folds[i]);
    of.set(group, folds[i]);
  }
  for (let fold = 0; fold < 5; fold++) {
    const own = [...spam].filter((_, i) => folds[i] === fold);
    expect(own.length).toBeGreaterThan(30);
    expect(own.filter((label) => label === 1).length).toBeGreaterThan(5);
  }
});
