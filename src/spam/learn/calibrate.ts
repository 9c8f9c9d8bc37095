/**
 * From scores to probabilities (Platt 1999): p = 1 / (1 + exp(-(slope · score + constant))), fitted
 * to scores of sites that the models were not trained on. The order of sites stays the same.
 *
 * As Platt does, a site counts as a little of the other kind: of n spam sites each is spam with
 * (n + 1) / (n + 2). Otherwise scores that divide the sites would give probabilities of 0 and 1,
 * which a few hundred labels cannot support.
 */
import { examplesOf } from './examples.ts';
import { fitLogistic, sigmoid } from './logistic.ts';

export interface Calibration {
  readonly slope: number;
  readonly constant: number;
}

const RIDGE = 1e-6;
/** The least slope: a calibration may not turn the order around. */
const LEAST_SLOPE = 1e-6;

export function calibrate(scores: Float64Array, spam: Uint8Array): Calibration {
  const bad = spam.reduce((sum, label) => sum + label, 0);
  const sure = [spam.length - bad, bad].map((count) => (count + 1) / (count + 2));
  const twice = Float64Array.from([...scores, ...scores]);
  const kinds = Uint8Array.from([...spam, ...spam.map((label) => 1 - label)]);
  const shares = Float64Array.from([
    ...Array.from(spam, (label) => sure[label]),
    ...Array.from(spam, (label) => 1 - sure[label]),
  ]);
  const examples = { ...examplesOf(['score'], [twice], kinds), weights: shares };
  const { constant, weights, means } = fitLogistic(examples, RIDGE);
  const slope = Math.max(weights[0], LEAST_SLOPE);
  return { slope, constant: constant - slope * means[0] };
}

/** The logarithm of spam : ham. */
export const logOdds = ({ slope, constant }: Calibration, score: number): number =>
  slope * score + constant;

export const probability = ({ slope, constant }: Calibration, score: number): number =>
  sigmoid(slope * score + constant);
