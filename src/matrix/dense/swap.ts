/**
 * Reorders a real Schur form: brings chosen eigenvalues to its first rows.
 *
 * Idea      Two neighbouring blocks A and B, joined by C, are swapped by an orthogonal matrix of up
 *           to four rows, whose first columns span [−X; 1] with A X − X B = C (Bai and Demmel).
 * Requires  T in the form that francis.ts makes; `z` with rows of the same length.
 * Ensures   T remains such a form, up to rounding, and `z` holds Z Q.
 * Costs     12 n operations a swap, and 4 for each row of Z.
 */
import { isPair } from './eigenvectors.ts';
import { rotateColumns } from './rotation.ts';
import { standardiseBlock } from './standard-block.ts';

/** Swapping stops where it would disturb T by more than this, relative to its entries. */
const DISTURBED = 1e-11;

/**
 * Moves the blocks at these rows (the first row of each) to the front, in this order. Returns how
 * many rows they have: fewer than asked for if two blocks cannot be told apart.
 */
export function bringToFront(
  t: Float64Array,
  n: number,
  z: Float64Array,
  rows: readonly number[],
): number {
  const moved = [...rows];
  let front = 0;
  for (let i = 0; i < moved.length; i++) {
    let at = moved[i];
    const width = isPair(t, n, at) ? 2 : 1;
    while (at > front) {
      const before = at >= 2 && t[(at - 1) * n + at - 2] !== 0 ? 2 : 1;
      if (!swapBlocks(t, n, z, at - before, before, isPair(t, n, at) ? 2 : 1)) return front;
      // What was before has moved down by the width.
      for (let j = i + 1; j < moved.length; j++) if (moved[j] === at - before) moved[j] += width;
      at -= before;
    }
    front += width;
  }
  return front;
}

function swapBlocks(
  t: Float64Array,
  n: number,
  z: Float64Array,
  at: number,
  p: number,
  q: number,
): boolean {
  const x = solveSylvester(t, n, at, p, q);
  if (!x) return true; // equal eigenvalues: either order is right
  const size = p + q;
  const turn = orthogonalOf(x, p, q);
  const before = t.slice(at * n, (at + size) * n);
  multiplyRows(t, n, at, size, turn);
  multiplyColumns(t, n, at, size, turn, at + size);
  let largest = 0;
  let left = 0;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      const entry = Math.abs(t[(at + i) * n + at + j]);
      largest = Math.max(largest, entry);
      if (i >= q && j < q) left = Math.max(left, entry);
    }
  }
  if (left > DISTURBED * largest) {
    undoColumns(t, n, at, size, turn);
    t.set(before, at * n);
    return false;
  }
  multiplyColumns(z, n, at, size, turn, z.length / n);
  for (let i = q; i < size; i++) t.fill(0, (at + i) * n + at, (at + i) * n + at + q);
  if (q === 2) standardise(t, n, at, z);
  if (p === 2) standardise(t, n, at + q, z);
  return true;
}

function standardise(t: Float64Array, n: number, at: number, z: Float64Array): void {
  const { cos, sin } = standardiseBlock(t, n, at);
  rotateColumns(z, n, at, z.length / n, cos, sin);
}

/** X of A X − X B = C, row by row; undefined if A and B share an eigenvalue. */
function solveSylvester(
  t: Float64Array,
  n: number,
  at: number,
  p: number,
  q: number,
): number[] | undefined {
  const entry = (i: number, j: number) => t[(at + i) * n + at + j];
  const unknowns = p * q;
  const rows = Array.from({ length: unknowns }, (_, r) => {
    const [i, j] = [Math.floor(r / q), r % q];
    const row = new Array<number>(unknowns + 1).fill(0);
    for (let k = 0; k < p; k++) row[k * q + j] += entry(i, k);
    for (let k = 0; k < q; k++) row[i * q + k] -= entry(p + k, p + j);
    row[unknowns] = entry(i, p + j);
    return row;
  });
  return eliminate(rows);
}

/** Gauss with row pivots. */
function eliminate(rows: number[][]): number[] | undefined {
  const n = rows.length;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[pivot][k])) pivot = i;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    if (Math.abs(rows[k][k]) < 2 ** -1000) return undefined;
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    let sum = rows[i][n];
    for (let j = i + 1; j < n; j++) sum -= rows[i][j] * x[j];
    x[i] = sum / rows[i][i];
  }
  return x.every(Number.isFinite) ? x : undefined;
}

/** An orthogonal matrix whose first q columns span [−X; 1]: Gram-Schmidt twice, then completed. */
function orthogonalOf(x: readonly number[], p: number, q: number): number[][] {
  const size = p + q;
  const columns: number[][] = [];
  const candidates = [
    ...Array.from({ length: q }, (_, j) =>
      Array.from({ length: size }, (_, i) => (i < p ? -x[i * q + j] : i - p === j ? 1 : 0)),
    ),
    ...Array.from({ length: size }, (_, j) =>
      Array.from({ length: size }, (_, i) => (i === j ? 1 : 0)),
    ),
  ];
  for (const candidate of candidates) {
    if (columns.length === size) break;
    const length = Math.hypot(...candidate);
    let column = candidate.map((entry) => entry / length);
    for (let pass = 0; pass < 3; pass++) {
      for (const other of columns) {
        const along = other.reduce((sum, entry, i) => sum + entry * column[i], 0);
        column = column.map((entry, i) => entry - along * other[i]);
      }
      const left = Math.hypot(...column);
      if (columns.length >= q && pass === 0 && left < 0.3) {
        column = [];
        break;
      }
      column = column.map((entry) => entry / left);
    }
    if (column.length > 0) columns.push(column);
  }
  return columns;
}

/** Rows at .. at + size of T become turnᵀ times them. */
function multiplyRows(
  t: Float64Array,
  n: number,
  at: number,
  size: number,
  turn: number[][],
): void {
  const old = new Float64Array(size);
  for (let j = at; j < n; j++) {
    for (let i = 0; i < size; i++) old[i] = t[(at + i) * n + j];
    for (let k = 0; k < size; k++) {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += turn[k][i] * old[i];
      t[(at + k) * n + j] = sum;
    }
  }
}

function multiplyColumns(
  m: Float64Array,
  n: number,
  at: number,
  size: number,
  turn: number[][],
  rows: number,
): void {
  const old = new Float64Array(size);
  for (let r = 0; r < rows; r++) {
    const row = r * n + at;
    for (let i = 0; i < size; i++) old[i] = m[row + i];
    for (let k = 0; k < size; k++) {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += turn[k][i] * old[i];
      m[row + k] = sum;
    }
  }
}

/** The rows above the blocks as they were before `multiplyColumns`. */
function undoColumns(t: Float64Array, n: number, at: number, size: number, turn: number[][]): void {
  const back = turn.map((_, i) => turn.map((column) => column[i]));
  multiplyColumns(t, n, at, size, back, at);
}
