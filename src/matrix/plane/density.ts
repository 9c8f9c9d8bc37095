/**
 * The density of nodes on the plane of K and K*: 100 × 100 cells, equidistant in ln K and ln K*,
 * from place 1 to place N (Eom et al., Figure 2).
 *
 * Idea      Places are whole numbers, so a cell near the top may have room for one pair of places,
 *           or for none, and one at the bottom for millions. The density of a cell is the share of
 *           its pairs (K, K*) that hold a node. Every K and every K* holds one node, so 1/N is the
 *           density that chance would give everywhere.
 * Ensures   each node is in one cell; the last place is in the last cell.
 */

export const CELLS = 100;

export interface Density {
  /** Nodes in a cell: `counts[row · CELLS + column]`, columns by K and rows by K*. */
  readonly counts: Uint32Array;
  /** How many places each column, and each row, has. */
  readonly widths: Uint32Array;
  /** The share of the cell's pairs of places that hold a node; 0 where there are none. */
  readonly density: Float64Array;
  /** The first place of each column and row, and N + 1 at the end; equal ones hold no place. */
  readonly bounds: Uint32Array;
}

export function densityOf(k: Uint32Array, kStar: Uint32Array): Density {
  const nodes = k.length;
  const cellOf = cells(nodes);
  const counts = new Uint32Array(CELLS * CELLS);
  for (let node = 0; node < nodes; node++) counts[cellOf[kStar[node]] * CELLS + cellOf[k[node]]]++;
  const widths = new Uint32Array(CELLS);
  for (let place = 1; place <= nodes; place++) widths[cellOf[place]]++;
  const bounds = new Uint32Array(CELLS + 1).fill(1);
  for (let i = 0; i < CELLS; i++) bounds[i + 1] = bounds[i] + widths[i];
  const density = new Float64Array(CELLS * CELLS);
  for (let at = 0; at < density.length; at++) {
    const pairs = widths[Math.floor(at / CELLS)] * widths[at % CELLS];
    if (pairs > 0) density[at] = counts[at] / pairs;
  }
  return { counts, widths, density, bounds };
}

/** The cell of each place, from 1. */
function cells(nodes: number): Uint8Array {
  const cellOf = new Uint8Array(nodes + 1);
  const span = Math.log(Math.max(2, nodes));
  for (let place = 1; place <= nodes; place++)
    cellOf[place] = Math.min(CELLS - 1, Math.floor((Math.log(place) / span) * CELLS));
  return cellOf;
}
