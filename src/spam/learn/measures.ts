/** How well scores separate spam from ham. */

/**
 * The area under the ROC curve: how often a spam site has a greater score than a ham site; equal
 * scores count half. NaN if one class is empty.
 */
export function auc(scores: ArrayLike<number>, spam: ArrayLike<number>): number {
  const order = orderOf(scores);
  let ranks = 0;
  let bad = 0;
  for (let i = 0; i < order.length; ) {
    let end = i + 1;
    while (end < order.length && scores[order[end]] === scores[order[i]]) end++;
    for (let k = i; k < end; k++) {
      if (!spam[order[k]]) continue;
      bad++;
      ranks += (i + 1 + end) / 2;
    }
    i = end;
  }
  const good = order.length - bad;
  return (ranks - (bad * (bad + 1)) / 2) / (bad * good);
}

/** Places of the scores, the least first. */
function orderOf(scores: ArrayLike<number>): Uint32Array {
  return Uint32Array.from({ length: scores.length }, (_, i) => i).sort(
    (a, b) => scores[a] - scores[b],
  );
}

/**
 * The half width of the 95 % interval of the AUC (DeLong, DeLong and Clarke-Pearson 1988): from the
 * spread of how often each site is on the right side of the sites of the other class.
 */
export function aucHalfWidth(scores: ArrayLike<number>, spam: ArrayLike<number>): number {
  const order = orderOf(scores);
  const placements: [ham: number[], spam: number[]] = [[], []];
  const total = [0, 0];
  for (let i = 0; i < scores.length; i++) total[spam[i] ? 1 : 0]++;
  const below = [0, 0];
  for (let i = 0; i < order.length; ) {
    let end = i;
    const here = [0, 0];
    while (end < order.length && scores[order[end]] === scores[order[i]])
      here[spam[order[end++]] ? 1 : 0]++;
    const spamAt = (below[0] + here[0] / 2) / total[0];
    const hamAt = (total[1] - below[1] - here[1] / 2) / total[1];
    for (let k = 0; k < here[1]; k++) placements[1].push(spamAt);
    for (let k = 0; k < here[0]; k++) placements[0].push(hamAt);
    below[0] += here[0];
    below[1] += here[1];
    i = end;
  }
  const [ham, bad] = placements.map((values) => varianceOf(values) / values.length);
  return 1.959963984540054 * Math.sqrt(ham + bad);
}

function varianceOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

/**
 * Average precision: the mean, over spam sites, of the share of spam among the sites with a score
 * at least theirs.
 */
export function averagePrecision(scores: ArrayLike<number>, spam: ArrayLike<number>): number {
  const order = orderOf(scores).reverse();
  let bad = 0;
  let sum = 0;
  for (let i = 0; i < order.length; ) {
    let end = i;
    let here = 0;
    while (end < order.length && scores[order[end]] === scores[order[i]])
      if (spam[order[end++]]) here++;
    bad += here;
    sum += (here * bad) / end;
    i = end;
  }
  return sum / bad;
}

/** A tenth of the scores: what was expected, and what was found. */
interface CalibrationBin {
  readonly from: number;
  readonly sites: number;
  readonly expected: number;
  readonly found: number;
}

export function calibration(scores: ArrayLike<number>, spam: ArrayLike<number>): CalibrationBin[] {
  const bins = Array.from({ length: 10 }, () => ({ sites: 0, expected: 0, found: 0 }));
  for (let i = 0; i < scores.length; i++) {
    const bin = bins[Math.min(9, Math.floor(10 * scores[i]))];
    bin.sites++;
    bin.expected += scores[i];
    bin.found += spam[i] ? 1 : 0;
  }
  return bins.map(({ sites, expected, found }, i) => ({
    from: i / 10,
    sites,
    expected: sites === 0 ? 0 : expected / sites,
    found: sites === 0 ? 0 : found / sites,
  }));
}
