/**
 * A linear support vector machine for term weights: the squared hinge loss with a ridge, by dual
 * coordinate descent (Hsieh et al. 2008).
 *
 * Rows are scaled to length 1, so that a site of many pages has no more say than one of few. Zeros
 * and missing values cost nothing.
 */
import { randomNumbers, shuffle } from '../../base/random-numbers.ts';
import type { Examples } from './examples.ts';

export interface SvmModel {
  readonly weights: number[];
  readonly constant: number;
}

const MOST_PASSES = 200;
const TOLERANCE = 0.01;

export function fitSvm(examples: Examples, cost: number, seed: number): SvmModel {
  const { columns, spam, weights: siteWeights } = examples;
  const m = columns.length;
  const rows = Array.from(spam, (_, site) => sparseRow(columns, site));
  const w = new Float64Array(m + 1);
  const alpha = new Float64Array(spam.length);
  const order = Uint32Array.from(spam.keys());
  const random = randomNumbers(seed);
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    shuffle(order, random);
    let worst = 0;
    for (const site of order) {
      if (siteWeights[site] === 0) continue;
      const y = spam[site] ? 1 : -1;
      const diagonal = 1 / (2 * cost * siteWeights[site]);
      const { places, values } = rows[site];
      let margin = w[m];
      for (let k = 0; k < places.length; k++) margin += w[places[k]] * values[k];
      const gradient = y * margin - 1 + diagonal * alpha[site];
      const projected = alpha[site] === 0 ? Math.min(gradient, 0) : gradient;
      worst = Math.max(worst, Math.abs(projected));
      if (projected === 0) continue;
      // A row has length 1 and the constant adds 1 (or 0 for an empty row).
      const curve = (places.length > 0 ? 2 : 1) + diagonal;
      const before = alpha[site];
      alpha[site] = Math.max(before - gradient / curve, 0);
      const step = (alpha[site] - before) * y;
      for (let k = 0; k < places.length; k++) w[places[k]] += step * values[k];
      w[m] += step;
    }
    if (worst < TOLERANCE) break;
  }
  return { weights: Array.from(w.subarray(0, m)), constant: w[m] };
}

export function scoreSvm({ weights, constant }: SvmModel, row: ArrayLike<number>): number {
  let sum = 0;
  let square = 0;
  for (let j = 0; j < weights.length; j++) {
    const value = row[j];
    if (value === 0 || Number.isNaN(value)) continue;
    sum += weights[j] * value;
    square += value * value;
  }
  const margin = constant + (square === 0 ? 0 : sum / Math.sqrt(square));
  return 1 / (1 + Math.exp(-2 * margin));
}

function sparseRow(columns: readonly Float64Array[], site: number) {
  const places: number[] = [];
  const values: number[] = [];
  let square = 0;
  for (let j = 0; j < columns.length; j++) {
    const value = columns[j][site];
    if (value === 0 || Number.isNaN(value)) continue;
    places.push(j);
    values.push(value);
    square += value * value;
  }
  const length = Math.sqrt(square);
  return { places: Uint32Array.from(places), values: Float64Array.from(values, (v) => v / length) };
}
