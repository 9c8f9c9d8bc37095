/**
 * The k eigenvalues of greatest modulus by Krylov-Schur (Stewart 2001): Arnoldi in a basis that is
 * full, thinned to its best part, and filled again.
 *
 * Idea      With B = Q T Qᵀ and the wanted values first in T, the first p columns of V Q with those
 *           of T satisfy S V = V T + v bᵀ: a shorter basis that keeps what was found.
 *           One start vector finds one copy of a multiple eigenvalue. So, when all are found, a
 *           random vector continues the basis, until one more value than wanted has settled: other
 *           copies would be among them.
 * Ensures   residuals of at most `tolerance`, unless `restarts` ended it before; `settled` tells.
 * Costs     `most` columns; each restart costs most − p products.
 */
import { isPair } from '../dense/eigenvectors.ts';
import { bringToFront } from '../dense/swap.ts';
import { type Expansion, expand } from './arnoldi.ts';
import type { Basis } from './basis.ts';
import type { PartMatrix } from './part-matrix.ts';
import { type RitzForm, type RitzValue, ritzForm } from './ritz.ts';

interface KrylovSchurOptions {
  /** How many values are wanted; a complex pair is not split. */
  readonly wanted: number;
  /** Columns of the basis. */
  readonly most: number;
  readonly tolerance: number;
  readonly restarts: number;
  readonly seed: number;
  readonly onProgress: (done: number) => void;
}

interface KrylovSchurResult {
  readonly form: RitzForm;
  readonly restarts: number;
  /** Whether all wanted values have residuals below the tolerance, and all copies are found. */
  readonly settled: boolean;
}

/** A value that is only checked needs to be known this well. */
const ROUGHLY = 1e-5;

/** The basis must begin with a vector of length 1. */
export async function krylovSchur(
  matrix: PartMatrix,
  basis: Basis,
  { wanted, most, tolerance, restarts, seed, onProgress }: KrylovSchurOptions,
): Promise<KrylovSchurResult> {
  const state: Expansion = {
    b: new Float64Array(most * most),
    columns: 0,
    beta: 0,
    complete: false,
  };
  let checking = false;
  let before = Number.POSITIVE_INFINITY;
  let furthest = 0;
  for (let restart = 0; ; restart++) {
    await expand(matrix, basis, state, most, seed + restart, () => onProgress(furthest));
    const form = ritzForm(state.b, most, state.columns, state.beta);
    const found = countLeading(form.values, wanted, tolerance);
    const last = (step: boolean): KrylovSchurResult => ({ form, restarts: restart, settled: step });
    if (state.complete) return last(true);
    furthest = Math.max(furthest, (0.8 * found + (checking ? 0.1 * wanted : 0)) / wanted);
    onProgress(furthest);
    const all = found >= wanted;
    const least = all ? modulusAt(form.values, wanted) : 0;
    if (all && checking && countLeading(form.values, wanted + 1, ROUGHLY) > wanted) {
      if (least <= before * (1 + tolerance)) return last(true);
      checking = false; // a copy came to light: look for more
    }
    if (restart >= restarts) return last(false);
    const inject = all && !checking;
    if (inject) [checking, before] = [true, least];
    await thin(basis, state, most, form, keptRows(form.values, wanted, most, inject));
    if (!inject) continue;
    // The values found are left as they are: what they lack is below the tolerance.
    state.b.fill(0, state.columns * most, state.columns * most + state.columns);
    state.complete = !(await basis.drawColumn(state.columns, seed + 31 * (restart + 1)));
  }
}

/** How many values, of the first `wanted`, come before the first that is not good enough. */
function countLeading(values: readonly RitzValue[], wanted: number, tolerance: number): number {
  let count = 0;
  for (const { residual, im } of values) {
    if (residual > tolerance || count >= wanted) break;
    count += im === 0 ? 1 : 2;
  }
  return count;
}

/** The modulus of the value at which `wanted` are complete. */
function modulusAt(values: readonly RitzValue[], wanted: number): number {
  let count = 0;
  for (const { re, im } of values) {
    count += im === 0 ? 1 : 2;
    if (count >= wanted) return Math.hypot(re, im);
  }
  return 0;
}

/** Rows of the values to keep: the wanted ones alone, or half of the others too. */
function keptRows(
  values: readonly RitzValue[],
  wanted: number,
  most: number,
  alone: boolean,
): number[] {
  const goal = alone ? wanted : wanted + Math.floor((most - wanted) / 2);
  const rows: number[] = [];
  let count = 0;
  for (const { row, im } of values) {
    if (count >= Math.min(goal, most - 3)) break;
    rows.push(row);
    count += im === 0 ? 1 : 2;
  }
  return rows;
}

/** Keeps these rows of the Schur form and their columns of the basis. */
async function thin(
  basis: Basis,
  state: Expansion,
  most: number,
  { t, q, n }: RitzForm,
  rows: readonly number[],
): Promise<void> {
  let kept = bringToFront(t, n, q, rows);
  if (kept === 0) kept = isPair(t, n, 0) ? 2 : 1;
  await basis.combine(n, kept, q);
  basis.column(kept).set(basis.column(n));
  state.b.fill(0);
  for (let i = 0; i < kept; i++) state.b.set(t.subarray(i * n, i * n + kept), i * most);
  for (let j = 0; j < kept; j++) state.b[kept * most + j] = state.beta * q[(n - 1) * n + j];
  state.columns = kept;
}
