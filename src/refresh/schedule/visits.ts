/**
 * How often to visit each page, so that the collection is as fresh as a budget allows.
 *
 * Model     A page changes with rate λ and is visited at equal intervals, f times in a unit of
 *           time. The share of time in which our copy is fresh is F = f/λ · (1 − e^(−λ/f)).
 * Optimum   Σ w·F is greatest, for a given Σ f, if the gain of one more visit is the same for all
 *           visited pages, and not greater for the others (Cho and Garcia-Molina, "Effective page
 *           refresh policies for web crawlers", 2003):
 *
 *             w · ((1 − e^(−λ/f))/λ − e^(−λ/f)/f) = μ
 *
 *           Pages that change too often are not visited at all: a visit would be wasted.
 * `none`    Where no page may starve: f = (−λ + √(λ² + 4wλ/Λ)) / 2, which is above 0 for each
 *           page that changes (Kolobov et al., "Staying up to date with online content changes
 *           using reinforcement learning for scheduling", 2019).
 * Requires  rates and weights ≥ 0, a budget above 0.
 * Ensures   the visits add up to the budget, if any page changes. A page that never changes, or
 *           without weight, is not visited.
 * Cost      60 steps for the multiplier, each with some 60 for a page.
 */

/** The visits of each page in a unit of time. */
export function bestVisits(
  rates: Float64Array,
  weights: Float64Array,
  budget: number,
): Float64Array {
  return withBudget(rates, weights, budget, (rate, weight, multiplier) => {
    const gain = (multiplier * rate) / weight;
    return gain >= 1 ? 0 : rate / rootOf(gain);
  });
}

/** The same, with visits to every page that changes. */
export function fairVisits(
  rates: Float64Array,
  weights: Float64Array,
  budget: number,
): Float64Array {
  return withBudget(rates, weights, budget, (rate, weight, multiplier) => {
    // The same as (−λ + √(λ² + 4wλ/Λ)) / 2, without the difference of nearly equal numbers.
    const part = (4 * weight) / (multiplier * rate);
    return (rate * part) / (2 * (1 + Math.sqrt(1 + part)));
  });
}

/** The share of time in which a page is fresh. */
export function freshness(rate: number, visits: number): number {
  if (rate === 0) return 1;
  if (visits === 0) return 0;
  return (-Math.expm1(-rate / visits) * visits) / rate;
}

/** Finds the multiplier with which the visits of all pages add up to the budget. */
function withBudget(
  rates: Float64Array,
  weights: Float64Array,
  budget: number,
  visitsOf: (rate: number, weight: number, multiplier: number) => number,
): Float64Array {
  const visits = new Float64Array(rates.length);
  const spend = (multiplier: number): number => {
    let sum = 0;
    for (let i = 0; i < rates.length; i++) {
      visits[i] = rates[i] > 0 && weights[i] > 0 ? visitsOf(rates[i], weights[i], multiplier) : 0;
      sum += visits[i];
    }
    return sum;
  };
  let [low, high] = [1, 1];
  if (!rates.some((rate, i) => rate > 0 && weights[i] > 0)) return visits;
  while (spend(low) < budget) low /= 4;
  while (spend(high) > budget) high *= 4;
  // A larger multiplier means fewer visits.
  for (let i = 0; i < 100 && high - low > 1e-14 * high; i++) {
    const middle = Math.sqrt(low * high);
    if (middle <= low || middle >= high) break;
    if (spend(middle) > budget) low = middle;
    else high = middle;
  }
  return between(spend, visits, low, high, budget);
}

/**
 * The visits between those of two neighbouring multipliers. A page whose visits are nearly worth
 * nothing comes in with a jump, since its gain is the same for a few visits and for none: then the
 * budget lies inside the jump.
 */
function between(
  spend: (multiplier: number) => number,
  visits: Float64Array,
  low: number,
  high: number,
  budget: number,
): Float64Array {
  const most = spend(low);
  const many = visits.slice();
  const least = spend(high);
  const share = most > least ? (budget - least) / (most - least) : 0;
  for (let i = 0; i < visits.length; i++) visits[i] += share * (many[i] - visits[i]);
  return visits;
}

/** The root r of 1 − e^(−r) − r·e^(−r) = gain, for 0 < gain < 1. */
function rootOf(gain: number): number {
  // Near 0 the left side is r²/2, near 1 it is 1 − (1 + r)·e^(−r).
  let low = Math.sqrt(2 * gain);
  let high = low + 1;
  const value = (r: number) => -Math.expm1(-r) - r * Math.exp(-r);
  while (value(high) < gain) {
    low = high;
    high *= 2;
    if (high > 800) return high;
  }
  let r = (low + high) / 2;
  for (let i = 0; i < 60; i++) {
    const error = value(r) - gain;
    if (error > 0) high = r;
    else low = r;
    // Newton's step, if it stays inside.
    const next = r - error / (r * Math.exp(-r));
    const inside = next > low && next < high ? next : (low + high) / 2;
    if (Math.abs(inside - r) <= 1e-15 * r) return inside;
    r = inside;
  }
  return r;
}
