/**
 * Arnoldi's method: S V = V B + β v eᵀ, where V is an orthonormal basis of the vectors v, Sv, S²v …
 *
 * Idea      Eigenvalues of the small matrix B approximate those of S, the outer ones first. When
 *           the next vector has nothing new, the basis spans an invariant space; a random vector
 *           continues it, so that other copies of an eigenvalue can be found.
 * Ensures   `b` has the columns of B so far; `beta` is 0 where the whole space is spanned.
 */
import type { Basis } from './basis.ts';
import type { PartMatrix } from './part-matrix.ts';

export interface Expansion {
  /** B, row by row; `most` numbers a row. */
  readonly b: Float64Array;
  /** Columns of the basis, and rows and columns of B that are filled. */
  columns: number;
  /** Length of what S V leaves outside of V. */
  beta: number;
  /** Whether columns + 1 vectors would be more than there are. */
  complete: boolean;
}

/** Adds columns until there are `most`; the vector of number `columns` is made already. */
export async function expand(
  matrix: PartMatrix,
  basis: Basis,
  state: Expansion,
  most: number,
  seed: number,
  onColumn: (columns: number) => void,
): Promise<void> {
  const { b } = state;
  while (state.columns < most && !state.complete) {
    const j = state.columns;
    await matrix.apply(basis.column(j), basis.column(j + 1));
    const { along, left } = await basis.orthogonalise(j + 1);
    for (let i = 0; i <= j; i++) b[i * most + j] = along[i];
    state.columns = j + 1;
    state.beta = left;
    if (left === 0) state.complete = !(await basis.drawColumn(j + 1, seed));
    if (state.columns < most) b[state.columns * most + j] = left;
    onColumn(state.columns);
  }
}
