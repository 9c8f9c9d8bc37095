/**
 * LogitBoost (Friedman, Hastie and Tibshirani 2000) with stumps, as Weka's.
 *
 * Each step fits a stump to the working response by weighted least squares and adds half of it to
 * the score F; p = 1 / (1 + exp(-2F)). The response is clipped at 3. A stump has three values: at
 * most the threshold, above it, and missing.
 */
import type { Examples } from './examples.ts';
import {
  type CodedColumn,
  CodeSums,
  codeColumn,
  type NodeSites,
  thresholdAfter,
} from './splits.ts';

export interface Stump {
  readonly feature: number;
  readonly threshold: number;
  readonly below: number;
  readonly above: number;
  readonly missing: number;
}

const MOST_RESPONSE = 3;

export function fitLogitBoost(examples: Examples, steps: number): Stump[] {
  const { columns, spam, weights } = examples;
  const coded = columns.map((column) => codeColumn(column));
  const sums = new CodeSums();
  const score = new Float64Array(spam.length);
  const response = new Float64Array(spam.length);
  const sites = Uint32Array.from(spam.keys());
  const node = { sites, weights: new Float64Array(spam.length) };
  const stumps: Stump[] = [];
  for (let step = 0; step < steps; step++) {
    for (let i = 0; i < spam.length; i++) {
      const p = probabilityOf(score[i]);
      const z = spam[i] ? Math.min(1 / p, MOST_RESPONSE) : Math.max(-1 / (1 - p), -MOST_RESPONSE);
      response[i] = z;
      node.weights[i] = weights[i] * Math.max(p * (1 - p), 1e-10);
    }
    const stump = bestStump(coded, node, response, sums);
    stumps.push(stump);
    for (let i = 0; i < spam.length; i++)
      score[i] += 0.5 * stumpValue(stump, columns[stump.feature][i]);
  }
  return stumps;
}

export const scoreStumps = (stumps: readonly Stump[], row: ArrayLike<number>): number =>
  probabilityOf(
    stumps.reduce((sum, stump) => sum + 0.5 * stumpValue(stump, row[stump.feature]), 0),
  );

const probabilityOf = (score: number): number => 1 / (1 + Math.exp(-2 * score));

function stumpValue({ threshold, below, above, missing }: Stump, value: number): number {
  if (Number.isNaN(value)) return missing;
  return value <= threshold ? below : above;
}

/** The stump with the least squared error. */
function bestStump(
  columns: readonly CodedColumn[],
  node: NodeSites,
  response: Float64Array,
  sums: CodeSums,
): Stump {
  let best: Stump = { feature: 0, threshold: 0, below: 0, above: 0, missing: 0 };
  let bestGain = -1;
  for (let feature = 0; feature < columns.length; feature++) {
    sums.add(columns[feature], node, response);
    let all = 0;
    let sum = 0;
    for (let k = 0; k < sums.count; k++) {
      all += sums.weight[k];
      sum += sums.sum[k];
    }
    const mean = (sum + sums.missingSum) / (all + sums.missingWeight);
    const missing = sums.missingWeight > 0 ? sums.missingSum / sums.missingWeight : mean;
    const ofMissing = sums.missingWeight > 0 ? sums.missingSum ** 2 / sums.missingWeight : 0;
    let left = 0;
    let sumLeft = 0;
    for (let k = 0; k < sums.count; k++) {
      left += sums.weight[k];
      sumLeft += sums.sum[k];
      const last = k + 1 === sums.count;
      const right = last ? 0 : (sum - sumLeft) ** 2 / (all - left);
      const gain = sumLeft ** 2 / left + right + ofMissing;
      // A constant column cannot be divided; with missing values it still tells something.
      if (gain <= bestGain || (last && sums.count > 1)) continue;
      bestGain = gain;
      best = {
        ...{ feature, missing, below: sumLeft / left },
        threshold: last
          ? Number.MAX_VALUE
          : thresholdAfter(columns[feature], sums.code[k], sums.code[k + 1]),
        above: last ? mean : (sum - sumLeft) / (all - left),
      };
    }
  }
  return best;
}
