/**
 * Reduces a real matrix to Hessenberg form, Qᵀ A Q = H, by Householder's reflections.
 *
 * Requires  a square matrix, row by row, with entries whose squares do not underflow; `z`, where
 *           given, has rows of the same length.
 * Ensures   `a` holds H, with zeros below its first subdiagonal; `z` holds Z Q.
 * Costs     10/3 n³ operations, and 2 n² for each row of Z. All loops run along rows.
 */
import { kernel, take } from './room.ts';

export function reduceToHessenberg(a: Float64Array, n: number, z?: Float64Array): void {
  const [h, q, v, sums] = take(n * n, z?.length ?? 0, n, n);
  h.set(a);
  if (z) q.set(z);
  const rows = n > 0 ? q.length / n : 0;
  kernel.hessenberg(h.byteOffset, n, q.byteOffset, rows, v.byteOffset, sums.byteOffset);
  a.set(h);
  z?.set(q);
}
