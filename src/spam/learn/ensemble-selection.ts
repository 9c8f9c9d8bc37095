/**
 * Ensemble selection (Caruana et al. 2004), as the paper uses it: from a library of models, those
 * whose mean score has the greatest AUC, chosen one after the other.
 *
 * Idea      Start with the best models as long as each raises the AUC (sorted start). Then, 100
 *           times, add the model that gives the greatest AUC; a model may be added again, so it
 *           may fall too, and the best ensemble on the way counts. This is done for several random
 *           halves of the library (bags), and the counts are added up, so that no model wins by
 *           chance alone.
 * Requires  scores of each model for sites it was not trained on (`scores[model][site]`).
 * Ensures   weights that sum to 1; ties go to the model that comes first.
 */
import { randomNumbers, shuffle } from '../../base/random-numbers.ts';
import { auc } from './measures.ts';

interface SelectionOptions {
  readonly steps: number;
  readonly bags: number;
  readonly seed: number;
}

/** The weight of each model. */
export function selectEnsemble(
  scores: readonly Float64Array[],
  spam: Uint8Array,
  { steps, bags, seed }: SelectionOptions,
): Float64Array {
  const weights = new Float64Array(scores.length);
  const alone = scores.map((score) => auc(score, spam));
  const random = randomNumbers(seed);
  for (let bag = 0; bag < bags; bag++) {
    const library = bagOf(scores.length, random);
    library.sort((a, b) => alone[b] - alone[a] || a - b);
    const counts = climb(scores, spam, library, steps);
    const chosen = counts.reduce((sum, n) => sum + n, 0);
    for (let model = 0; model < weights.length; model++)
      weights[model] += counts[model] / chosen / bags;
  }
  return weights;
}

/** Half of the models, at least one. */
function bagOf(models: number, random: () => number): number[] {
  const order = Uint32Array.from({ length: models }, (_, i) => i);
  shuffle(order, random);
  return [...order.subarray(0, Math.max(1, Math.ceil(models / 2)))];
}

/**
 * How often each model is chosen from a library that is sorted by AUC, the best first: the counts
 * of the best ensemble met.
 */
export function climb(
  scores: readonly Float64Array[],
  spam: Uint8Array,
  library: readonly number[],
  steps: number,
): Uint32Array {
  const counts = new Uint32Array(scores.length);
  const sum = new Float64Array(spam.length);
  const trial = new Float64Array(spam.length);
  const aucWith = (model: number): number => {
    for (let i = 0; i < sum.length; i++) trial[i] = sum[i] + scores[model][i];
    return auc(trial, spam);
  };
  const add = (model: number): void => {
    for (let i = 0; i < sum.length; i++) sum[i] += scores[model][i];
    counts[model]++;
  };
  let now = Number.NEGATIVE_INFINITY;
  for (const model of library) {
    const next = aucWith(model);
    if (next <= now) break;
    now = next;
    add(model);
  }
  let best = { auc: now, counts: counts.slice() };
  for (let step = 0; step < steps; step++) {
    let chosen = { auc: Number.NEGATIVE_INFINITY, model: library[0] };
    for (const model of [...library].sort((a, b) => a - b)) {
      const next = aucWith(model);
      if (next > chosen.auc) chosen = { auc: next, model };
    }
    add(chosen.model);
    if (chosen.auc > best.auc) best = { auc: chosen.auc, counts: counts.slice() };
  }
  return best.counts;
}
