/**
 * Σ a[i + k] · b[j + k] for k below `count`: four sums at once, because one addition takes as long
 * as four that do not wait for each other.
 */
export function dot(a: Float64Array, i: number, b: Float64Array, j: number, count: number): number {
  let [p, q, r, s] = [0, 0, 0, 0];
  let k = 0;
  for (; k + 4 <= count; k += 4) {
    p += a[i + k] * b[j + k];
    q += a[i + k + 1] * b[j + k + 1];
    r += a[i + k + 2] * b[j + k + 2];
    s += a[i + k + 3] * b[j + k + 3];
  }
  for (; k < count; k++) p += a[i + k] * b[j + k];
  return p + q + (r + s);
}
