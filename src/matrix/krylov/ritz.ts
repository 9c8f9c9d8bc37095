/** Ritz values: the eigenvalues of B in S V = V B + β v eᵀ, with how well each solves S. */
import { eigenvaluesOf, isPair, SchurVectors } from '../dense/eigenvectors.ts';
import { schurForm } from '../dense/francis.ts';
import { reduceToHessenberg } from '../dense/hessenberg.ts';
import { identity, times } from '../dense/solve.ts';

export interface RitzValue {
  readonly re: number;
  /** At least 0: the value below the axis is not listed. */
  readonly im: number;
  /** |S ψ − λ ψ| / |ψ|, from β and the last entry of the vector in B. */
  readonly residual: number;
  /** Its first row in the Schur form. */
  readonly row: number;
}

/** B = Q T Qᵀ, and its values by modulus, the greatest first. */
export interface RitzForm {
  readonly t: Float64Array;
  readonly q: Float64Array;
  readonly n: number;
  readonly values: readonly RitzValue[];
}

/** The first `n` rows of B, which has `width` numbers a row. */
export function ritzForm(b: Float64Array, width: number, n: number, beta: number): RitzForm {
  const t = new Float64Array(n * n);
  for (let i = 0; i < n; i++) t.set(b.subarray(i * width, i * width + n), i * n);
  const q = identity(n);
  reduceToHessenberg(t, n, q);
  schurForm(t, n, q);
  return { t, q, n, values: ritzValues(t, q, n, beta) };
}

function ritzValues(t: Float64Array, q: Float64Array, n: number, beta: number): RitzValue[] {
  const schur = new SchurVectors(t, n);
  const { re, im } = eigenvaluesOf(t, n);
  const last = (n - 1) * n;
  const values: RitzValue[] = [];
  for (let j = 0; j < n; j++) {
    const length = schur.right(j);
    let [x, y] = [0, 0];
    for (let i = 0; i < n; i++) {
      x += q[last + i] * schur.re[i];
      y += q[last + i] * schur.im[i];
    }
    values.push({ re: re[j], im: im[j], residual: (beta * Math.hypot(x, y)) / length, row: j });
    if (isPair(t, n, j)) j++;
  }
  return values.sort(byModulus);
}

/**
 * The greatest modulus first. Moduli that differ by rounding are equal: 1 comes before the others
 * on the circle.
 */
export function byModulus(a: Complex, b: Complex): number {
  const grain = (x: number) => Math.round(x * 1e12);
  const modulus = ({ re, im }: Complex) => grain(Math.hypot(re, im));
  return modulus(b) - modulus(a) || grain(b.re) - grain(a.re) || grain(b.im) - grain(a.im);
}

interface Complex {
  readonly re: number;
  readonly im: number;
}

/** The vector of a value in terms of the basis, of length 1. */
export function ritzVector({ t, q, n }: RitzForm, row: number) {
  const schur = new SchurVectors(t, n);
  const length = schur.right(row);
  return { re: times(q, n, schur.re, length), im: times(q, n, schur.im, length) };
}

export function ritzCondition({ t, n }: RitzForm, rows: readonly number[]): number[] {
  const schur = new SchurVectors(t, n);
  return rows.map((row) => schur.conditioned(row).condition);
}
