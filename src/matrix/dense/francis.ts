/**
 * The real Schur form of a Hessenberg matrix by Francis' double-shift QR: Qᵀ H Q = T, where T is
 * upper triangular but for blocks of two rows, one for each pair of complex eigenvalues.
 *
 * Idea      Each sweep chases a bulge of three rows down the active part. The last subdiagonal
 *           entry converges quadratically; the part is cut where an entry is negligible. After ten
 *           sweeps without a cut, an exceptional shift breaks a cycle.
 * Requires  `h` in Hessenberg form, row by row.
 * Ensures   blocks in standard form (standard-block.ts); `z`, where given, holds Z Q.
 * Costs     about 10 n³ operations, and 10 n² for each row of Z.
 */
import { kernel, take } from './room.ts';
import { rotateRows } from './rotation.ts';
import { standardiseBlock } from './standard-block.ts';

const EPSILON = Number.EPSILON;
/** Entries below this share of the greatest are 0: their squares could underflow. */
const TINY = 1e-140;
const SWEEPS = 30;

/** H, and Z with its rows as columns, in the memory of the kernel. */
interface Work {
  readonly h: Float64Array;
  readonly n: number;
  readonly zt: Float64Array;
  /** Rows of Z. */
  readonly width: number;
}

export function schurForm(given: Float64Array, n: number, z?: Float64Array): void {
  const width = z ? z.length / n : 0;
  const [h, zt] = take(n * n, n * width);
  h.set(given);
  if (z) transpose(z, width, n, zt);
  iterate({ h, n, zt, width });
  given.set(h);
  if (z) transpose(zt, n, width, z);
}

function transpose(from: Float64Array, rows: number, columns: number, to: Float64Array): void {
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}

function iterate(work: Work): void {
  const { h, n, zt, width } = work;
  const allowed = SWEEPS * Math.max(10, n);
  const tiny = TINY * h.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  let last = n - 1;
  let sweep = 0;
  for (let sweeps = 0; last > 0; sweeps++) {
    const first = firstOfActive(h, n, last, tiny);
    if (first > 0) h[first * n + first - 1] = 0;
    if (first >= last - 1) {
      if (first === last - 1) {
        const { cos, sin } = standardiseBlock(h, n, first);
        rotateRows(zt, width, first, 0, cos, sin);
      }
      last = first - 1;
      sweep = 0;
      continue;
    }
    if (sweeps > allowed) throw new RangeError('the QR iteration does not converge');
    chase(work, first, last, shiftsOf(h, n, first, last, ++sweep));
  }
}

/** The first row of the last part that no negligible subdiagonal entry cuts. */
function firstOfActive(h: Float64Array, n: number, last: number, tiny: number): number {
  for (let k = last; k > 0; k--) {
    const at = k * n + k;
    const below = Math.abs(h[at - 1]);
    if (below <= tiny) return k;
    const [before, own] = [h[at - n - 1], h[at]];
    let size = Math.abs(before) + Math.abs(own);
    if (size === 0) {
      if (k >= 2) size += Math.abs(h[at - n - 2]);
      if (k + 1 < n) size += Math.abs(h[at + n]);
    }
    if (below > EPSILON * size) continue;
    // Ahues and Tisseur: negligible also beside what the entry does to the eigenvalues.
    const above = Math.abs(h[at - n]);
    const [ab, ba] = [Math.max(below, above), Math.min(below, above)];
    const gap = Math.abs(before - own);
    const [aa, bb] = [Math.max(Math.abs(own), gap), Math.min(Math.abs(own), gap)];
    const sum = aa + ab;
    if (ba * (ab / sum) <= Math.max(tiny, EPSILON * (bb * (aa / sum)))) return k;
  }
  return 0;
}

interface Shifts {
  readonly r1: number;
  readonly i1: number;
  readonly r2: number;
  readonly i2: number;
}

/** The eigenvalues of the last two rows; the nearer one twice if they are real. */
function shiftsOf(h: Float64Array, n: number, first: number, last: number, sweep: number): Shifts {
  let [a, b, c, d] = [0, 0, 0, 0];
  if (sweep % 20 === 10) {
    const s = Math.abs(h[(first + 1) * n + first]) + Math.abs(h[(first + 2) * n + first + 1]);
    a = d = 0.75 * s + h[first * n + first];
    [b, c] = [-0.4375 * s, s];
  } else if (sweep % 20 === 0) {
    const s = Math.abs(h[last * n + last - 1]) + Math.abs(h[(last - 1) * n + last - 2]);
    a = d = 0.75 * s + h[last * n + last];
    [b, c] = [-0.4375 * s, s];
  } else {
    const at = (last - 1) * n + last - 1;
    [a, b, c, d] = [h[at], h[at + 1], h[at + n], h[at + n + 1]];
  }
  const s = Math.abs(a) + Math.abs(b) + Math.abs(c) + Math.abs(d);
  if (s === 0) return { r1: 0, i1: 0, r2: 0, i2: 0 };
  const middle = (a + d) / s / 2;
  const det = (a / s - middle) * (d / s - middle) - (b / s) * (c / s);
  const root = Math.sqrt(Math.abs(det));
  if (det >= 0) return { r1: middle * s, i1: root * s, r2: middle * s, i2: -root * s };
  const [plus, minus] = [middle + root, middle - root];
  const near = Math.abs(plus - d / s) <= Math.abs(minus - d / s) ? plus : minus;
  return { r1: near * s, i1: 0, r2: near * s, i2: 0 };
}

/** One sweep over the rows first .. last. */
function chase(work: Work, first: number, last: number, shifts: Shifts): void {
  const { h, n } = work;
  const v = new Float64Array(3);
  const start = startOfSweep(h, n, first, last, shifts, v);
  for (let k = start; k < last; k++) {
    const three = k < last - 1;
    const at = k * n + k - 1;
    if (k > start) {
      v[0] = h[at];
      v[1] = h[at + n];
      v[2] = three ? h[at + 2 * n] : 0;
    }
    const tail = v[1] * v[1] + v[2] * v[2];
    if (tail === 0 && k > start) continue;
    const length = Math.sqrt(v[0] * v[0] + tail);
    const beta = v[0] > 0 ? -length : length;
    const tau = tail === 0 ? 0 : (beta - v[0]) / beta;
    if (k > start) {
      h[at] = beta;
      h[at + n] = 0;
      if (three) h[at + 2 * n] = 0;
    } else if (start > first) h[at] *= 1 - tau;
    if (tau === 0) continue;
    const v1 = v[1] / (v[0] - beta);
    const v2 = v[2] / (v[0] - beta);
    if (three) reflectThree(work, k, Math.min(k + 3, last) + 1, v1, v2, tau);
    else reflectTwo(work, k, last + 1, v1, tau);
  }
}

/** H ← P H P and Z ← Z P for a reflector P of rows k to k + 2; columns are 0 below `rows`. */
function reflectThree(
  { h, n, zt, width }: Work,
  k: number,
  rows: number,
  v1: number,
  v2: number,
  tau: number,
): void {
  const at = h.byteOffset;
  kernel.reflectRows(at + 8 * (k * n + k), 8 * n, n - k, v1, v2, tau);
  kernel.reflectColumns(at + 8 * k, 8 * n, rows, v1, v2, tau);
  kernel.reflectRows(zt.byteOffset + 8 * k * width, 8 * width, width, v1, v2, tau);
}

function reflectTwo(
  { h, n, zt, width }: Work,
  k: number,
  rows: number,
  v1: number,
  tau: number,
): void {
  const at = h.byteOffset;
  kernel.reflectTwoRows(at + 8 * (k * n + k), 8 * n, n - k, v1, tau);
  kernel.reflectTwoColumns(at + 8 * k, 8 * n, rows, v1, tau);
  kernel.reflectTwoRows(zt.byteOffset + 8 * k * width, 8 * width, width, v1, tau);
}

/**
 * The row at which the sweep may begin, because two subdiagonal entries before it are small
 * together; `v` is the first column of (H − shift 1)(H − shift 2) from there.
 */
function startOfSweep(
  h: Float64Array,
  n: number,
  first: number,
  last: number,
  { r1, i1, r2, i2 }: Shifts,
  v: Float64Array,
): number {
  let m = last - 2;
  for (; ; m--) {
    const at = m * n + m;
    const [own, below] = [h[at], h[at + n]];
    const s = Math.abs(own - r2) + Math.abs(i2) + Math.abs(below);
    const ratio = below / s;
    v[0] = ratio * h[at + 1] + (own - r1) * ((own - r2) / s) - i1 * (i2 / s);
    v[1] = ratio * (own + h[at + n + 1] - r1 - r2);
    v[2] = ratio * h[at + 2 * n + 1];
    const size = Math.abs(v[0]) + Math.abs(v[1]) + Math.abs(v[2]);
    for (let i = 0; i < 3; i++) v[i] /= size;
    if (m === first) return m;
    const near = Math.abs(h[at - n - 1]) + Math.abs(own) + Math.abs(h[at + n + 1]);
    const left = Math.abs(h[at - 1]) * (Math.abs(v[1]) + Math.abs(v[2]));
    if (left <= EPSILON * Math.abs(v[0]) * near) return m;
  }
}
