/**
 * Brings a diagonal block of two rows into standard form: upper triangular if its eigenvalues are
 * real; otherwise with equal diagonal entries and off-diagonal ones of opposite signs.
 *
 * The formulas are those of LAPACK's dlanv2, which neither overflow nor cancel.
 */
import { rotateColumns, rotateRows } from './rotation.ts';

interface Standard {
  readonly block: readonly [a: number, b: number, c: number, d: number];
  readonly cos: number;
  readonly sin: number;
}

/** Standardises the block at rows i and i + 1 of T. Returns the rotation, for the columns of Z. */
export function standardiseBlock(t: Float64Array, n: number, i: number) {
  const at = i * n + i;
  const { block, cos, sin } = standard(t[at], t[at + 1], t[at + n], t[at + n + 1]);
  rotateRows(t, n, i, i + 2, cos, sin);
  rotateColumns(t, n, i, i, cos, sin);
  [t[at], t[at + 1], t[at + n], t[at + n + 1]] = block;
  return { cos, sin };
}

const sign = (x: number) => (x < 0 ? -1 : 1);

function standard(a: number, b: number, c: number, d: number): Standard {
  if (c === 0) return { block: [a, b, 0, d], cos: 1, sin: 0 };
  if (b === 0) return { block: [d, -c, 0, a], cos: 0, sin: 1 };
  if (a === d && sign(b) !== sign(c)) return { block: [a, b, c, d], cos: 1, sin: 0 };
  const p = (a - d) / 2;
  const larger = Math.max(Math.abs(b), Math.abs(c));
  const smaller = Math.min(Math.abs(b), Math.abs(c)) * sign(b) * sign(c);
  const scale = Math.max(Math.abs(p), larger);
  const z = (p / scale) * p + (larger / scale) * smaller;
  if (z >= 4 * Number.EPSILON) {
    const root = p + sign(p) * Math.sqrt(scale) * Math.sqrt(z);
    const tau = Math.hypot(c, root);
    const block = [d + root, b - c, 0, d - (larger / root) * smaller] as const;
    return { block, cos: root / tau, sin: c / tau };
  }
  return withEqualDiagonal(a, b, c, d);
}

/** Complex eigenvalues, or real ones that are nearly equal. */
function withEqualDiagonal(a: number, b: number, c: number, d: number): Standard {
  const sigma = b + c;
  const tau = Math.hypot(sigma, a - d);
  const cos = Math.sqrt(0.5 * (1 + Math.abs(sigma) / tau));
  const sin = -((a - d) / 2 / (tau * cos)) * sign(sigma);
  const [aa, bb] = [a * cos + b * sin, -a * sin + b * cos];
  const [cc, dd] = [c * cos + d * sin, -c * sin + d * cos];
  const [upper, lower] = [bb * cos + dd * sin, -aa * sin + cc * cos];
  const middle = 0.5 * (aa * cos + cc * sin + (-bb * sin + dd * cos));
  if (lower === 0) return { block: [middle, upper, 0, middle], cos, sin };
  if (upper === 0) return { block: [middle, -lower, 0, middle], cos: -sin, sin: cos };
  if (sign(upper) !== sign(lower)) return { block: [middle, upper, lower, middle], cos, sin };
  const [ofUpper, ofLower] = [Math.sqrt(Math.abs(upper)), Math.sqrt(Math.abs(lower))];
  const half = sign(lower) * ofUpper * ofLower;
  const length = 1 / Math.sqrt(Math.abs(upper + lower));
  const [cos1, sin1] = [ofUpper * length, ofLower * length];
  return {
    block: [middle + half, upper - lower, 0, middle - half],
    cos: cos * cos1 - sin * sin1,
    sin: cos * sin1 + sin * cos1,
  };
}
