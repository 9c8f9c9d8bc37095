/**
 * The stationary distribution of a small stochastic matrix, by elimination without subtraction
 * (Grassmann, Taksar, Heyman 1985): each entry is accurate, however small the gap.
 *
 * Requires  `from[j · n + i]`, the probability from j to i: all positive.
 * Costs     n³ multiplications, a copy of the matrix.
 */
export function stationary(from: Float64Array, n: number): Float64Array {
  const p = from.slice();
  for (let k = n - 1; k > 0; k--) {
    let leaving = 0;
    for (let j = 0; j < k; j++) leaving += p[k * n + j];
    for (let i = 0; i < k; i++) {
      const into = p[i * n + k] / leaving;
      p[i * n + k] = into;
      for (let j = 0; j < k; j++) p[i * n + j] += into * p[k * n + j];
    }
  }
  const scores = new Float64Array(n);
  let sum = 0;
  for (let k = 0; k < n; k++) {
    scores[k] = k === 0 ? 1 : 0;
    for (let i = 0; i < k; i++) scores[k] += scores[i] * p[i * n + k];
    sum += scores[k];
  }
  return scores.map((score) => score / sum);
}
