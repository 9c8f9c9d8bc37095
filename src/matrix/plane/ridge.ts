/**
 * The ridge of the plane: the line ln K* = ln K + c along which most more nodes lie than by chance.
 *
 * Idea      By chance, ln K* − ln K = d has the density e^−|d| / 2. For each c, the nodes with d
 *           within half a unit of c are counted and compared with that, in units of the deviation
 *           that chance would give (the root of the expected number). The ridge is where this is
 *           greatest; c is then the mean of d there.
 *
 * A plain mean of d is 0 for every graph, because K and K* are the same numbers in another order.
 */

export interface Ridge {
  /** c of ln K* = ln K + c. */
  readonly offset: number;
  /** The share of nodes within half a unit of it. */
  readonly share: number;
  /** The share that chance would give. */
  readonly chance: number;
}

/** Half the width of the strip in which nodes are counted. */
const HALF = 0.5;
/** Bins in a unit of d; the strip is a whole number of bins. */
const BINS = 20;

/** From the places of each node; undefined if no strip has more nodes than by chance. */
export function ridgeOf(k: Uint32Array, kStar: Uint32Array): Ridge | undefined {
  const nodes = k.length;
  const reach = Math.ceil(Math.log(Math.max(2, nodes)) * BINS) + 1;
  const counts = new Float64Array(2 * reach + 1);
  const sums = new Float64Array(2 * reach + 1);
  for (let node = 0; node < nodes; node++) {
    const d = Math.log(kStar[node]) - Math.log(k[node]);
    counts[Math.round(d * BINS) + reach]++;
    sums[Math.round(d * BINS) + reach] += d;
  }
  const half = HALF * BINS;
  let best: (Ridge & { readonly excess: number }) | undefined;
  for (const bin of fromTheMiddle(reach)) {
    let [count, sum] = [0, 0];
    for (let i = Math.max(-reach, bin - half); i <= Math.min(reach, bin + half); i++) {
      count += counts[i + reach];
      sum += sums[i + reach];
    }
    const chance = below((bin + half + 0.5) / BINS) - below((bin - half - 0.5) / BINS);
    const excess = (count - nodes * chance) / Math.sqrt(nodes * chance);
    if (count > 0 && excess > (best?.excess ?? 1e-9))
      best = { offset: sum / count, share: count / nodes, chance, excess };
  }
  return best && { offset: best.offset, share: best.share, chance: best.chance };
}

/** 0, 1, −1, 2, −2, …: of equal strips the one nearest to the diagonal counts. */
function* fromTheMiddle(reach: number): Generator<number> {
  yield 0;
  for (let bin = 1; bin <= reach; bin++) yield* [bin, -bin];
}

/** The chance that ln K* − ln K is below d. */
function below(d: number): number {
  return d < 0 ? Math.exp(d) / 2 : 1 - Math.exp(-d) / 2;
}
