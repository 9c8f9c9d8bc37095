/**
 * Naive Bayes: features count as independent of each other within a class. Three ways to estimate
 * the density of a feature in a class:
 *
 *   normal       a normal distribution; variances are raised by 1e-9 of the largest, as in
 *                scikit-learn
 *   kernel       a mixture of normal distributions, one at each value seen, of width range / √n; at
 *                most 256 values, quantiles beyond
 *   discretised  shares of intervals, cut where the classes differ (Fayyad and Irani 1993), with
 *                one site added to each
 *
 * A missing value says nothing.
 */
import { intervalsOf } from './discretise.ts';
import { type Examples, totals } from './examples.ts';
import { deviationOf, meanOf } from './logistic.ts';

/** The log of the density ratio of one feature, spam against ham, in a form for files. */
type Ratio =
  | { readonly normal: readonly [spam: Normal, ham: Normal] }
  | { readonly kernel: readonly [spam: Kernels, ham: Kernels] }
  | { readonly cuts: readonly number[]; readonly ratios: readonly number[] };

interface Normal {
  readonly mean: number;
  readonly deviation: number;
}

interface Kernels {
  readonly at: readonly number[];
  readonly share: readonly number[];
  readonly width: number;
}

export interface BayesModel {
  readonly prior: number;
  /** Undefined (null in a file) for a feature that says nothing. */
  readonly ratios: readonly (Ratio | null)[];
}

export type BayesKind = 'normal' | 'kernel' | 'discretised';

const MOST_KERNELS = 256;
const LEAST_DENSITY = 1e-75;

export function fitBayes(examples: Examples, kind: BayesKind): BayesModel {
  const { all, spam } = totals(examples);
  const parts = [classOf(examples, 1), classOf(examples, 0)] as const;
  const ratioOf = {
    normal: normalRatios,
    kernel: kernelRatios,
    discretised: () => discretisedRatios(examples),
  }[kind];
  return { prior: Math.log(spam + 1) - Math.log(all - spam + 1), ratios: ratioOf(parts) };
}

export function scoreBayes({ prior, ratios }: BayesModel, row: ArrayLike<number>): number {
  let sum = prior;
  for (let j = 0; j < ratios.length; j++) {
    const ratio = ratios[j];
    if (ratio && !Number.isNaN(row[j])) sum += logRatio(ratio, row[j]);
  }
  return 1 / (1 + Math.exp(-sum));
}

function logRatio(ratio: Ratio, value: number): number {
  if ('normal' in ratio)
    return logNormal(ratio.normal[0], value) - logNormal(ratio.normal[1], value);
  if ('kernel' in ratio)
    return logKernel(ratio.kernel[0], value) - logKernel(ratio.kernel[1], value);
  let interval = 0;
  while (interval < ratio.cuts.length && value > ratio.cuts[interval]) interval++;
  return ratio.ratios[interval];
}

const logNormal = ({ mean, deviation }: Normal, value: number): number =>
  -0.5 * ((value - mean) / deviation) ** 2 - Math.log(deviation);

function logKernel({ at, share, width }: Kernels, value: number): number {
  let sum = 0;
  for (let k = 0; k < at.length; k++)
    sum += share[k] * Math.exp(-0.5 * ((value - at[k]) / width) ** 2);
  return Math.log(Math.max(sum / width, LEAST_DENSITY));
}

interface Part {
  readonly columns: readonly Float64Array[];
  readonly weights: Float64Array;
}

function classOf({ columns, spam, weights }: Examples, wanted: number): Part {
  const keep = <T extends Float64Array>(values: T) => values.filter((_, i) => spam[i] === wanted);
  return { columns: columns.map(keep), weights: keep(weights) };
}

const hasValues = (column: Float64Array): boolean => column.some((value) => !Number.isNaN(value));

function normalRatios(parts: readonly [Part, Part]): (Ratio | null)[] {
  const normals = parts.map(({ columns, weights }) =>
    columns.map((column) => {
      const mean = meanOf(column, weights);
      return { mean, variance: deviationOf(column, weights, mean) ** 2 };
    }),
  );
  const largest = normals.flat().reduce((most, { variance }) => Math.max(most, variance), 0);
  const floor = 1e-9 * largest || 1e-9;
  const normal = ({ mean, variance }: { mean: number; variance: number }): Normal => ({
    mean,
    deviation: Math.sqrt(variance + floor),
  });
  return parts[0].columns.map((column, j) =>
    hasValues(column) && hasValues(parts[1].columns[j])
      ? { normal: [normal(normals[0][j]), normal(normals[1][j])] as const }
      : null,
  );
}

function kernelRatios(parts: readonly [Part, Part]): (Ratio | null)[] {
  return parts[0].columns.map((spam, j) => {
    const ham = parts[1].columns[j];
    if (!hasValues(spam) || !hasValues(ham)) return null;
    const least = 1e-6 * rangeOf(spam, ham);
    return {
      kernel: [
        kernels(spam, parts[0].weights, least),
        kernels(ham, parts[1].weights, least),
      ] as const,
    };
  });
}

/** The range of the values of both classes; 1 if all are equal. */
function rangeOf(spam: Float64Array, ham: Float64Array): number {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const column of [spam, ham]) {
    for (const value of column) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return high > low ? high - low : 1;
}

function kernels(column: Float64Array, weights: Float64Array, least: number): Kernels {
  const known = Array.from(column.keys())
    .filter((i) => !Number.isNaN(column[i]))
    .sort((a, b) => column[a] - column[b]);
  const all = known.reduce((sum, i) => sum + weights[i], 0);
  const range = column[known[known.length - 1]] - column[known[0]];
  const per = Math.max(1, known.length / MOST_KERNELS);
  const at: number[] = [];
  const share: number[] = [];
  for (let k = 0; k < known.length; ) {
    const end = Math.max(k + 1, Math.min(known.length, Math.round((at.length + 1) * per)));
    const group = known.slice(k, end);
    const weight = group.reduce((sum, i) => sum + weights[i], 0);
    at.push(group.reduce((sum, i) => sum + column[i], 0) / group.length);
    share.push(weight / all);
    k = end;
  }
  return { at, share, width: Math.max(range / Math.sqrt(known.length), least) };
}

function discretisedRatios(examples: Examples): (Ratio | null)[] {
  const { spam, weights } = examples;
  return examples.columns.map((column) => {
    const cuts = intervalsOf(column, spam, weights);
    if (cuts.length === 0) return null;
    const counts = Array.from({ length: 2 * (cuts.length + 1) }, () => 1);
    for (let i = 0; i < column.length; i++) {
      if (Number.isNaN(column[i])) continue;
      let interval = 0;
      while (interval < cuts.length && column[i] > cuts[interval]) interval++;
      counts[2 * interval + spam[i]] += weights[i];
    }
    const sum = (of: number) => counts.reduce((all, n, k) => all + (k % 2 === of ? n : 0), 0);
    const [ham, bad] = [sum(0), sum(1)];
    return {
      cuts,
      ratios: Array.from(
        { length: cuts.length + 1 },
        (_, k) => Math.log(counts[2 * k + 1] / bad) - Math.log(counts[2 * k] / ham),
      ),
    };
  });
}
