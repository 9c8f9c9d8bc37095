/**
 * Logistic regression with a ridge: minimises -log-likelihood + ridge · Σ w², without the constant.
 *
 * Idea      Features are brought to mean 0 and deviation 1, a missing value becomes the mean.
 *           Newton's method, each step halved until the sum falls; the system is solved by
 *           Cholesky.
 * Ensures   a constant column has weight 0. It ends even if a ridge of 0 lets weights grow without
 *           bound: after 50 steps.
 * Cost      a step costs O(sites · features²).
 */
import type { Examples } from './examples.ts';

export interface LogisticModel {
  readonly constant: number;
  /** For a feature minus its mean. */
  readonly weights: number[];
  readonly means: number[];
}

const MOST_STEPS = 50;
const TOLERANCE = 1e-9;

export function fitLogistic(examples: Examples, ridge: number): LogisticModel {
  const { columns } = examples;
  const means = columns.map((column) => meanOf(column, examples.weights));
  const deviations = columns.map((column, j) => deviationOf(column, examples.weights, means[j]));
  const scaled = columns.map((column, j) =>
    column.map((value) =>
      Number.isNaN(value) || deviations[j] === 0 ? 0 : (value - means[j]) / deviations[j],
    ),
  );
  const weights = new Newton(examples, scaled, ridge).solve();
  return {
    constant: weights[columns.length],
    weights: columns.map((_, j) => (deviations[j] === 0 ? 0 : weights[j] / deviations[j])),
    means,
  };
}

export function scoreLogistic(model: LogisticModel, row: ArrayLike<number>): number {
  const { weights, means } = model;
  let sum = model.constant;
  for (let j = 0; j < weights.length; j++)
    if (!Number.isNaN(row[j])) sum += weights[j] * (row[j] - means[j]);
  return sigmoid(sum);
}

export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

export function meanOf(column: Float64Array, weights: Float64Array): number {
  let all = 0;
  let sum = 0;
  for (let i = 0; i < column.length; i++) {
    if (Number.isNaN(column[i])) continue;
    all += weights[i];
    sum += weights[i] * column[i];
  }
  return all === 0 ? 0 : sum / all;
}

export function deviationOf(column: Float64Array, weights: Float64Array, mean: number): number {
  let all = 0;
  let sum = 0;
  for (let i = 0; i < column.length; i++) {
    if (Number.isNaN(column[i])) continue;
    all += weights[i];
    sum += weights[i] * (column[i] - mean) ** 2;
  }
  const deviation = all === 0 ? 0 : Math.sqrt(sum / all);
  // A column of equal values has a deviation of rounding errors.
  return deviation <= 1e-12 * Math.abs(mean) ? 0 : deviation;
}

class Newton {
  readonly #examples: Examples;
  readonly #ridge: number;
  readonly #m: number;
  readonly #rows: Float64Array;

  constructor(examples: Examples, scaled: readonly Float64Array[], ridge: number) {
    this.#examples = examples;
    this.#ridge = ridge;
    const m = scaled.length + 1;
    const n = examples.spam.length;
    this.#m = m;
    this.#rows = new Float64Array(n * m);
    for (let j = 0; j < m; j++)
      for (let i = 0; i < n; i++) this.#rows[i * m + j] = j < m - 1 ? scaled[j][i] : 1;
  }

  solve(): Float64Array {
    const m = this.#m;
    let at = new Float64Array(m);
    let loss = this.#loss(at);
    for (let step = 0; step < MOST_STEPS; step++) {
      const { gradient, hessian } = this.#derivatives(at);
      const direction = solveCholesky(hessian, gradient, m);
      let length = 1;
      let next = at.map((value, j) => value - length * direction[j]);
      let nextLoss = this.#loss(next);
      while (!(nextLoss <= loss) && length > 1e-6) {
        length /= 2;
        next = at.map((value, j) => value - length * direction[j]);
        nextLoss = this.#loss(next);
      }
      if (!(nextLoss <= loss)) break;
      const gain = loss - nextLoss;
      at = next;
      loss = nextLoss;
      if (gain <= TOLERANCE * (Math.abs(loss) + TOLERANCE)) break;
    }
    return at;
  }

  #score(at: Float64Array, site: number): number {
    const m = this.#m;
    let sum = 0;
    for (let j = 0, k = site * m; j < m; j++, k++) sum += at[j] * this.#rows[k];
    return sum;
  }

  #loss(at: Float64Array): number {
    const { spam, weights } = this.#examples;
    let loss = 0;
    for (let i = 0; i < spam.length; i++) {
      const margin = spam[i] ? this.#score(at, i) : -this.#score(at, i);
      loss +=
        weights[i] *
        (margin > 0 ? Math.log1p(Math.exp(-margin)) : Math.log1p(Math.exp(margin)) - margin);
    }
    for (let j = 0; j < this.#m - 1; j++) loss += this.#ridge * at[j] ** 2;
    return loss;
  }

  #derivatives(at: Float64Array): { gradient: Float64Array; hessian: Float64Array } {
    const m = this.#m;
    const { spam, weights } = this.#examples;
    const gradient = new Float64Array(m);
    const hessian = new Float64Array(m * m);
    for (let i = 0; i < spam.length; i++) {
      const p = sigmoid(this.#score(at, i));
      const slope = weights[i] * (p - spam[i]);
      const bend = weights[i] * Math.max(p * (1 - p), 1e-12);
      const row = this.#rows.subarray(i * m, (i + 1) * m);
      for (let j = 0; j < m; j++) {
        gradient[j] += slope * row[j];
        const b = bend * row[j];
        if (b === 0) continue;
        for (let k = 0, to = j * m; k <= j; k++, to++) hessian[to] += b * row[k];
      }
    }
    for (let j = 0; j < m - 1; j++) {
      gradient[j] += 2 * this.#ridge * at[j];
      hessian[j * m + j] += 2 * this.#ridge;
    }
    return { gradient, hessian };
  }
}

/**
 * Solves A x = b for a symmetric A, of which the lower triangle is given, by Cholesky. A pivot that
 * rounding made too small (two equal columns) is raised.
 */
function solveCholesky(a: Float64Array, b: Float64Array, m: number): Float64Array {
  const x = Float64Array.from(b);
  for (let j = 0; j < m; j++) {
    const least = 1e-12 * Math.max(a[j * m + j], 1e-300) + 1e-10;
    for (let k = 0; k < j; k++) a[j * m + j] -= a[j * m + k] ** 2;
    const pivot = Math.sqrt(Math.max(a[j * m + j], least));
    a[j * m + j] = pivot;
    for (let i = j + 1; i < m; i++) {
      let sum = a[i * m + j];
      for (let k = 0, ik = i * m, jk = j * m; k < j; k++, ik++, jk++) sum -= a[ik] * a[jk];
      a[i * m + j] = sum / pivot;
    }
  }
  for (let i = 0; i < m; i++) {
    for (let k = 0; k < i; k++) x[i] -= a[i * m + k] * x[k];
    x[i] /= a[i * m + i];
  }
  for (let i = m - 1; i >= 0; i--) {
    for (let k = i + 1; k < m; k++) x[i] -= a[k * m + i] * x[k];
    x[i] /= a[i * m + i];
  }
  return x;
}
