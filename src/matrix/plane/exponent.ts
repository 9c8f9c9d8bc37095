/**
 * The exponent β of P(K) ~ 1/K^β: least squares of ln P against ln K, at places equidistant in ln
 * K.
 *
 * The first ten places are left out, because they are no statistics; and so is the tail of nodes
 * without links to them, which all have the least value. With less than two different places
 * between, all places count.
 */
import { ranksUpTo } from '../../rank/compare/compare.ts';

export interface Exponent {
  /** β; positive if P falls. */
  readonly exponent: number;
  /** The share of the variance of ln P that the line explains. */
  readonly fit: number;
  /** ln P at K = 1 on the line. */
  readonly intercept: number;
  /** The first and the last place of the fit. */
  readonly from: number;
  readonly to: number;
}

const FIRST = 10;

/** `values` in falling order, all positive; undefined if there are less than two places. */
export function exponentOf(values: Float64Array): Exponent | undefined {
  const n = values.length;
  if (n < 2) return undefined;
  const floor = values[n - 1] * (1 + 1e-6);
  let last = n;
  while (last > 1 && values[last - 1] <= floor) last--;
  const inside = last > 2 * FIRST;
  const [from, to] = inside ? [FIRST, last] : [1, n];
  const places = ranksUpTo(to).filter((place) => place >= from);
  const x = places.map(Math.log);
  const y = places.map((place) => Math.log(values[place - 1]));
  const [mx, my] = [mean(x), mean(y)];
  const sxx = sum(x.map((v) => (v - mx) ** 2));
  const sxy = sum(x.map((v, i) => (v - mx) * (y[i] - my)));
  const syy = sum(y.map((v) => (v - my) ** 2));
  const slope = sxy / sxx;
  const fit = syy === 0 ? 1 : (sxy * sxy) / (sxx * syy);
  return { exponent: 0 - slope, fit, intercept: my - slope * mx, from, to };
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;
