/**
 * The left eigenvector of G_ss, by power iteration over the lists of links.
 *
 *   (Gᵀy)_j = α/out(j) · Σ y over the links of j + (1 − α)/N · Σy,   and + α/N · Σy if j is
 *   dangling,
 *
 * with y = 0 on r. The same sums at the nodes of r are ψ_Lᵀ G_sr, which the split needs.
 */
import { holdArcs } from '../../rank/engine/held-arcs.ts';
import type { RankOptions } from '../../rank/engine/ranker.ts';
import type { GoogleMatrix } from './google-matrix.ts';

const TOLERANCE = 1e-14;
const MOST_STEPS = 1000;

interface LeftVector {
  /** By node, of sum 1; 0 on r. */
  readonly values: Float64Array;
  /** ψ_Lᵀ G_sr for each node of r. */
  readonly entering: Float64Array;
  readonly converged: boolean;
  readonly products: number;
}

export async function leftVector(
  { nodes, arcs, sources, links, alpha }: GoogleMatrix,
  set: readonly number[],
  options: RankOptions,
): Promise<LeftVector> {
  const outside = nodes - set.length;
  if (outside === 0)
    return {
      values: new Float64Array(nodes),
      entering: new Float64Array(set.length),
      converged: true,
      products: 0,
    };
  const [degrees, outDegrees] = [await sources.degrees(), await links.degrees()];
  const wanted = { nodes, arcs, lists: [links], degrees, vectors: 2, others: 2 };
  const held = await holdArcs(wanted, options);
  try {
    const [values, sums] = [held.vector(), held.vector()];
    const shares = new Float64Array(nodes);
    for (let node = 0; node < nodes; node++)
      shares[held.number(node)] = outDegrees[node] > 0 ? alpha / outDegrees[node] : 0;
    const inSet = new Uint8Array(nodes);
    for (const node of set) inSet[held.number(node)] = 1;
    for (let i = 0; i < nodes; i++) values[i] = inSet[i] === 1 ? 0 : 1 / outside;
    let products = 0;
    let moved = Number.POSITIVE_INFINITY;
    const multiply = async () => {
      products++;
      for await (const { rows, first } of held.portions(0))
        await held.kernel.sums(rows, first, values, sums);
    };
    while (moved > TOLERANCE && products < MOST_STEPS) {
      await multiply();
      const before = moved;
      moved = replace(values, sums, shares, inSet, alpha);
      options.onProgress?.(0);
      if (moved < 1e-12 && moved >= before) break; // as near as rounding allows
    }
    await multiply();
    const entering = Float64Array.from(set, (node) => {
      const at = held.number(node);
      return shares[at] * sums[at] + (1 - alpha + (shares[at] === 0 ? alpha : 0)) / nodes;
    });
    return { values: held.byNode(values), entering, converged: moved < 1e-10, products };
  } finally {
    await held.close();
  }
}

/** The next values, of sum 1 like those before. Returns how much they changed in all. */
function replace(
  values: Float64Array,
  sums: Float64Array,
  shares: Float64Array,
  inSet: Uint8Array,
  alpha: number,
): number {
  const nodes = values.length;
  const jump = (1 - alpha) / nodes;
  const anywhere = 1 / nodes;
  let total = 0;
  for (let i = 0; i < nodes; i++) {
    if (inSet[i] === 1) sums[i] = 0;
    else sums[i] = shares[i] === 0 ? anywhere : shares[i] * sums[i] + jump;
    total += sums[i];
  }
  let moved = 0;
  for (let i = 0; i < nodes; i++) {
    const value = sums[i] / total;
    moved += Math.abs(value - values[i]);
    values[i] = value;
  }
  return moved;
}
