/**
 * Reduces a real matrix to Hessenberg form, Qᵀ A Q = H, by Householder's reflections.
 *
 * Requires  a square matrix, row by row, with entries whose squares do not underflow; `z`, where
 *           given, has rows of the same length.
 * Ensures   `a` holds H, with zeros below its first subdiagonal; `z` holds Z Q.
 * Costs     10/3 n³ operations, and 2 n² for each row of Z. All loops run along rows.
 */
import { dot } from './dot.ts';

export function reduceToHessenberg(a: Float64Array, n: number, z?: Float64Array): void {
  const v = new Float64Array(n);
  const sums = new Float64Array(n);
  for (let k = 0; k < n - 2; k++) {
    const tau = reflectorOf(a, n, k, v);
    if (tau === 0) continue;
    applyLeft(a, n, k, v, sums, tau);
    applyRight(a, n, n, k + 1, v, tau);
    if (z) applyRight(z, z.length / n, n, k + 1, v, tau);
  }
}

/** The reflector I − tau v vᵀ that clears column k below its subdiagonal; v begins at k + 1. */
function reflectorOf(a: Float64Array, n: number, k: number, v: Float64Array): number {
  const first = a[(k + 1) * n + k];
  let below = 0;
  for (let i = k + 2; i < n; i++) below += a[i * n + k] ** 2;
  if (below === 0) {
    for (let i = k + 2; i < n; i++) a[i * n + k] = 0; // what underflows is 0
    return 0;
  }
  const length = Math.sqrt(first * first + below);
  const beta = first > 0 ? -length : length;
  v[k + 1] = 1;
  for (let i = k + 2; i < n; i++) {
    v[i] = a[i * n + k] / (first - beta);
    a[i * n + k] = 0;
  }
  a[(k + 1) * n + k] = beta;
  return (beta - first) / beta;
}

/** A ← (I − tau v vᵀ) A, right of column k. */
function applyLeft(
  a: Float64Array,
  n: number,
  k: number,
  v: Float64Array,
  sums: Float64Array,
  tau: number,
): void {
  sums.fill(0, k + 1, n);
  for (let i = k + 1; i < n; i++) {
    const factor = v[i];
    const row = i * n;
    for (let j = k + 1; j < n; j++) sums[j] += factor * a[row + j];
  }
  for (let i = k + 1; i < n; i++) {
    const factor = tau * v[i];
    const row = i * n;
    for (let j = k + 1; j < n; j++) a[row + j] -= factor * sums[j];
  }
}

/** M ← M (I − tau v vᵀ), where v begins at `from`. */
function applyRight(
  m: Float64Array,
  rows: number,
  n: number,
  from: number,
  v: Float64Array,
  tau: number,
): void {
  for (let i = 0; i < rows; i++) {
    const row = i * n;
    const sum = tau * dot(m, row + from, v, from, n - from);
    for (let j = from; j < n; j++) m[row + j] -= sum * v[j];
  }
}
