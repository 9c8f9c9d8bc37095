/**
 * All eigenvalues of a small matrix, with vectors, residuals and condition numbers.
 *
 * Idea      The matrix is block triangular by the strongly connected components of its entries. So
 *           its eigenvalues are those of the diagonal blocks, and a component of one node without a
 *           loop is an exact 0: no rounding spreads a multiple 0 over the plane.
 * Ensures   as many eigenvalues as rows, `zeros` included. A residual and a condition number are of
 *           the eigenvalue in its block.
 * Costs     about 25 n³ operations for a block of n rows, and 48 n² bytes.
 */
import { strongComponents } from '../../graph/components.ts';
import { dot } from './dot.ts';
import { eigenvaluesOf, isPair, SchurVectors } from './eigenvectors.ts';
import { schurForm } from './francis.ts';
import { reduceToHessenberg } from './hessenberg.ts';
import { kernel, take } from './room.ts';

export interface Eigenpair {
  readonly re: number;
  readonly im: number;
  /** |Aψ − λψ| / |ψ|. */
  readonly residual: number;
  readonly condition: number;
  /** ψ; of a pair of complex values only the one above the axis is computed. */
  vector(): { readonly re: Float64Array; readonly im: Float64Array };
}

export interface Solution {
  readonly pairs: readonly Eigenpair[];
  /** Eigenvalues that are 0 by the pattern of the matrix; they are not among the pairs. */
  readonly zeros: number;
}

/** `a` has n rows of n numbers. */
export function solveDense(a: Float64Array, n: number): Solution {
  const componentOf = new Uint32Array(n);
  const { count } = strongComponents(n, patternOf(a, n), componentOf);
  const members = Array.from({ length: count }, () => [] as number[]);
  for (let i = 0; i < n; i++) members[componentOf[i]].push(i);
  const pairs: Eigenpair[] = [];
  let zeros = 0;
  for (const rows of members) {
    if (rows.length === 1 && a[rows[0] * n + rows[0]] === 0) zeros++;
    else pairs.push(...solveBlock(a, n, rows));
  }
  return { pairs, zeros };
}

/** An arc from j to i for each entry of row i and column j. */
function patternOf(a: Float64Array, n: number) {
  const offsets = new Uint32Array(n + 1);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) if (a[i * n + j] !== 0) offsets[i + 1]++;
  for (let i = 0; i < n; i++) offsets[i + 1] += offsets[i];
  const targets = new Uint32Array(offsets[n]);
  for (let i = 0, at = 0; i < n; i++)
    for (let j = 0; j < n; j++) if (a[i * n + j] !== 0) targets[at++] = j;
  // Components do not depend on the direction of all arcs.
  return { offsets, targets };
}

function solveBlock(a: Float64Array, n: number, rows: readonly number[]): Eigenpair[] {
  const size = rows.length;
  const t = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) t[i * size + j] = a[rows[i] * n + rows[j]];
  const block = patternOf(t, size);
  const values = Float64Array.from(t.filter((entry) => entry !== 0));
  const q = identity(size);
  reduceToHessenberg(t, size, q);
  schurForm(t, size, q);
  const { re, im } = eigenvaluesOf(t, size);
  const schur = new SchurVectors(t, size);
  const whole = multiplier(q, size);
  const pairs: Eigenpair[] = [];
  for (let j = 0; j < size; j++) {
    const { condition, length } = schur.conditioned(j);
    const residual = residualOf(block, values, [re[j], im[j]], whole(schur, length));
    const row = j;
    const vector = () => {
      const length = schur.right(row);
      const local = { re: times(q, size, schur.re, length), im: times(q, size, schur.im, length) };
      const spread = { re: new Float64Array(n), im: new Float64Array(n) };
      rows.forEach((place, i) => {
        spread.re[place] = local.re[i];
        spread.im[place] = local.im[i];
      });
      return spread;
    };
    pairs.push({ re: re[j], im: im[j], residual, condition, vector });
    if (!isPair(t, size, j)) continue;
    pairs.push({ re: re[j], im: -im[j], residual, condition, vector });
    j++;
  }
  return pairs;
}

/** Multiplies vectors with Q in the kernel; a result holds until the next. */
function multiplier(q: Float64Array, n: number) {
  const [held, x, re, im] = take(n * n, n, n, n);
  held.set(q);
  const multiply = (from: Float64Array, length: number, to: Float64Array) => {
    x.set(from);
    kernel.times(held.byteOffset, n, endOf(from), x.byteOffset, length, to.byteOffset);
  };
  return (vector: Pick<SchurVectors, 're' | 'im'>, length: number) => {
    multiply(vector.re, length, re);
    multiply(vector.im, length, im);
    return { re, im };
  };
}

/** Entries from here on are 0. */
function endOf(x: Float64Array): number {
  let end = x.length;
  while (end > 0 && x[end - 1] === 0) end--;
  return end;
}

export function identity(n: number): Float64Array {
  const q = new Float64Array(n * n);
  for (let i = 0; i < n; i++) q[i * n + i] = 1;
  return q;
}

/** Q x / length; x may have entries only in its first rows. */
export function times(q: Float64Array, n: number, x: Float64Array, length: number): Float64Array {
  const end = endOf(x);
  const result = new Float64Array(n);
  for (let i = 0; i < n; i++) result[i] = dot(q, i * n, x, 0, end) / length;
  return result;
}

function residualOf(
  { offsets, targets }: ReturnType<typeof patternOf>,
  values: Float64Array,
  [lambda, width]: readonly [number, number],
  { re, im }: { readonly re: Float64Array; readonly im: Float64Array },
): number {
  let [off, all] = [0, 0];
  for (let i = 0; i < re.length; i++) {
    let x = width * im[i] - lambda * re[i];
    let y = -width * re[i] - lambda * im[i];
    for (let at = offsets[i]; at < offsets[i + 1]; at++) {
      x += values[at] * re[targets[at]];
      y += values[at] * im[targets[at]];
    }
    off += x * x + y * y;
    all += re[i] * re[i] + im[i] * im[i];
  }
  return Math.sqrt(off / all);
}
