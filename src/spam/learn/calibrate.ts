/**
 * From scores to probabilities (Platt 1999): p = 1 / (1 + exp(-(slope · score + constant))), fitted
 * to scores of sites that the models were not trained on. The order of sites stays the same.
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
  const { constant, weights, means } = fitLogistic(examplesOf(['score'], [scores], spam), RIDGE);
  const slope = Math.max(weights[0], LEAST_SLOPE);
  return { slope, constant: constant - slope * means[0] };
}

export const probability = ({ slope, constant }: Calibration, score: number): number =>
  sigmoid(slope * score + constant);
