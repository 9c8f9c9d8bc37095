/**
 * How often a page changes, from looks that only show whether it has changed since the last one.
 *
 * Model     Changes are a Poisson process of rate λ. A look after time t shows a change with
 *           probability 1 − e^(−λt), however many changes there were.
 * Estimate  The most likely λ is the root of
 *
 *             Σ over looks that show a change  t / (e^(λt) − 1)  =  Σ over the others  t
 *
 *           (Cho and Garcia-Molina, "Estimating frequency of change", 2003). Two imaginary looks
 *           are added, one of each kind, with the mean time of the real ones: otherwise a page that
 *           changed at every look would change infinitely often, and one that never did would never
 *           be looked at again.
 * Ensures   `changeRate` is above 0 and finite, to twelve digits.
 * Cost      some forty evaluations; none where all looks are equally far apart.
 */

/** A look at a page, `time` after the look before it. */
export interface Look {
  readonly time: number;
  readonly changed: boolean;
}

/** Changes in a unit of time. `usual` is the time between looks where there are none. */
export function changeRate(looks: readonly Look[], usual: number): number {
  const real = looks.filter(({ time }) => time > 0);
  const mean =
    real.length === 0 ? usual : real.reduce((sum, { time }) => sum + time, 0) / real.length;
  const all = [...real, { time: mean, changed: true }, { time: mean, changed: false }];
  const changed = all.filter((look) => look.changed).map(({ time }) => time);
  const still = all.reduce((sum, look) => sum + (look.changed ? 0 : look.time), 0);
  const shortest = changed.reduce((least, time) => Math.min(least, time), Infinity);
  const longest = changed.reduce((most, time) => Math.max(most, time), 0);
  // The root lies between those that it has if all looks with changes are as long as one of these.
  const rootFor = (time: number) => Math.log1p((changed.length * time) / still) / time;
  let [low, high] = [rootFor(longest), rootFor(shortest)];
  if (low > high) [low, high] = [high, low];
  while (high - low > 1e-12 * high) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    const sum = changed.reduce((total, time) => total + time / Math.expm1(middle * time), 0);
    if (sum > still) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
