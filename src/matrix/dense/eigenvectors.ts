/**
 * Eigenvalues, eigenvectors and condition numbers from a real Schur form T.
 *
 * Idea      A right eigenvector of T follows by substitution upwards from the row of its
 *           eigenvalue, a left one downwards. Two rows with complex eigenvalues are solved
 *           together. The condition number of λ is |x| |y| / |yᴴx|: how far λ moves when the matrix
 *           moves by one unit. As T = QᵀAQ with Q orthogonal, it is that of λ in A.
 * Requires  T in the form that francis.ts makes.
 * Ensures   (T − λ) x = 0 up to rounding, also if T has nearly equal eigenvalues: a divisor below
 *           the rounding of T is replaced by it, so the residual stays that small.
 * Costs     n² operations for a vector, 2 n² for a complex one.
 */
import { dot } from './dot.ts';

const EPSILON = Number.EPSILON;
/** Vectors are scaled down when an entry exceeds it. */
const LARGE = 1e140;

interface Complex {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

export function eigenvaluesOf(t: Float64Array, n: number): Complex {
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    re[i] = t[i * n + i];
    if (!isPair(t, n, i)) continue;
    re[i + 1] = re[i];
    im[i] = pairWidth(t, n, i);
    im[i + 1] = -im[i];
    i++;
  }
  return { re, im };
}

/** Whether rows i and i + 1 are a block with complex eigenvalues. */
export function isPair(t: Float64Array, n: number, i: number): boolean {
  return i + 1 < n && t[(i + 1) * n + i] !== 0;
}

function pairWidth(t: Float64Array, n: number, i: number): number {
  return Math.sqrt(Math.abs(t[i * n + i + 1])) * Math.sqrt(Math.abs(t[(i + 1) * n + i]));
}

/** Solves for eigenvectors of one T, again and again in the same arrays. */
export class SchurVectors {
  readonly re: Float64Array;
  readonly im: Float64Array;
  readonly #t: Float64Array;
  readonly #n: number;
  readonly #least: number;
  readonly #leftRe: Float64Array;
  readonly #leftIm: Float64Array;

  constructor(t: Float64Array, n: number) {
    this.#t = t;
    this.#n = n;
    this.re = new Float64Array(n);
    this.im = new Float64Array(n);
    this.#leftRe = new Float64Array(n);
    this.#leftIm = new Float64Array(n);
    let largest = 0;
    for (let i = 0; i < t.length; i++) largest = Math.max(largest, Math.abs(t[i]));
    this.#least = Math.max(EPSILON * largest, 2 ** -1000);
  }

  /**
   * The right eigenvector of the eigenvalue at row j, in `re` and `im`; for a pair, j is its first
   * row and the imaginary part of the eigenvalue is positive. Entries below the row or pair are 0.
   * Returns its length.
   */
  right(j: number): number {
    const [t, n, re, im] = [this.#t, this.#n, this.re, this.im];
    re.fill(0);
    im.fill(0);
    const at = j * n + j;
    const width = isPair(t, n, j) ? pairWidth(t, n, j) : 0;
    let end = j + 1;
    if (width === 0) re[j] = 1;
    else {
      end = j + 2;
      if (Math.abs(t[at + 1]) >= Math.abs(t[at + n])) {
        re[j] = 1;
        im[j + 1] = width / t[at + 1];
      } else {
        im[j] = width / t[at + n];
        re[j + 1] = 1;
      }
    }
    this.#substituteUp(j - 1, end, t[at], width);
    return lengthOf(re, im, 0, end);
  }

  /** How far the eigenvalue at row j moves when the matrix moves by 1; and what `right` does. */
  conditioned(j: number): { readonly condition: number; readonly length: number } {
    const [t, n] = [this.#t, this.#n];
    const length = this.right(j);
    const [re, im, x, y] = [this.#leftRe, this.#leftIm, this.re, this.im];
    re.fill(0);
    im.fill(0);
    const at = j * n + j;
    const width = isPair(t, n, j) ? pairWidth(t, n, j) : 0;
    if (width === 0) re[j] = 1;
    else if (Math.abs(t[at + 1]) >= Math.abs(t[at + n])) {
      im[j] = width / t[at + 1];
      re[j + 1] = 1;
    } else {
      re[j] = 1;
      im[j + 1] = width / t[at + n];
    }
    this.#substituteDown(j, width === 0 ? j + 1 : j + 2, t[at], width);
    let [dotRe, dotIm] = [0, 0];
    for (let i = j; i < (width === 0 ? j + 1 : j + 2); i++) {
      dotRe += re[i] * x[i] - im[i] * y[i];
      dotIm += re[i] * y[i] + im[i] * x[i];
    }
    const dot = Math.hypot(dotRe, dotIm);
    const left = lengthOf(re, im, j, n);
    return { condition: dot === 0 ? Number.POSITIVE_INFINITY : length * (left / dot), length };
  }

  /** Rows from `row` up to 0; x is known from row + 1 to `end`. */
  #substituteUp(row: number, end: number, lambda: number, width: number): void {
    const [t, n, re, im] = [this.#t, this.#n, this.re, this.im];
    for (let i = row; i >= 0; i--) {
      const pair = i > 0 && t[i * n + i - 1] !== 0;
      const known = end - i - 1;
      const sumRe = dot(t, i * n + i + 1, re, i + 1, known);
      const sumIm = width && dot(t, i * n + i + 1, im, i + 1, known);
      if (pair) {
        const above = (i - 1) * n;
        const aboveRe = dot(t, above + i + 1, re, i + 1, known);
        const aboveIm = width && dot(t, above + i + 1, im, i + 1, known);
        const block = [t[above + i - 1], t[above + i], t[i * n + i - 1], t[i * n + i]] as const;
        const sums = [-aboveRe, -aboveIm, -sumRe, -sumIm] as const;
        solvePair(block, lambda, width, sums, re, im, i - 1, this.#least);
        this.#scale(re, im, Math.max(size(re, im, i), size(re, im, i - 1)));
        i--;
      } else {
        divide(-sumRe, -sumIm, t[i * n + i] - lambda, -width, re, im, i, this.#least);
        this.#scale(re, im, size(re, im, i));
      }
    }
  }

  /** The same for wᵀ T = λ wᵀ: rows from `next` down, w is known from `first` to `next`. */
  #substituteDown(first: number, next: number, lambda: number, width: number): void {
    const [t, n, re, im] = [this.#t, this.#n, this.#leftRe, this.#leftIm];
    // What the known entries add to the equation of each column is kept in place.
    const spread = (k: number) => {
      const row = k * n;
      const [x, y] = [re[k], im[k]];
      const from = Math.max(next, isPair(t, n, k) ? k + 2 : k + 1);
      for (let j = from; j < n; j++) re[j] -= t[row + j] * x;
      if (y !== 0) for (let j = from; j < n; j++) im[j] -= t[row + j] * y;
    };
    for (let k = first; k < next; k++) spread(k);
    for (let i = next; i < n; i++) {
      if (isPair(t, n, i)) {
        const at = i * n + i;
        const transposed = [t[at], t[at + n], t[at + 1], t[at + n + 1]] as const;
        const known = [re[i], im[i], re[i + 1], im[i + 1]] as const;
        solvePair(transposed, lambda, width, known, re, im, i, this.#least);
        this.#scale(re, im, Math.max(size(re, im, i), size(re, im, i + 1)));
        spread(i);
        spread(++i);
      } else {
        divide(re[i], im[i], t[i * n + i] - lambda, -width, re, im, i, this.#least);
        this.#scale(re, im, size(re, im, i));
        spread(i);
      }
    }
  }

  #scale(re: Float64Array, im: Float64Array, largest: number): void {
    if (largest <= LARGE) return;
    for (let i = 0; i < re.length; i++) {
      re[i] /= largest;
      im[i] /= largest;
    }
  }
}

const size = (re: Float64Array, im: Float64Array, i: number) => Math.abs(re[i]) + Math.abs(im[i]);

function lengthOf(re: Float64Array, im: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += re[i] * re[i] + im[i] * im[i];
  return Math.sqrt(sum);
}

/** x[i] = (a + bi) / (c + di), where a divisor below `least` is replaced by it. */
function divide(
  a: number,
  b: number,
  c: number,
  d: number,
  re: Float64Array,
  im: Float64Array,
  i: number,
  least: number,
): void {
  if (Math.abs(c) + Math.abs(d) < least) {
    re[i] = a / least;
    im[i] = b / least;
  } else if (Math.abs(c) >= Math.abs(d)) {
    const ratio = d / c;
    const divisor = c + d * ratio;
    re[i] = (a + b * ratio) / divisor;
    im[i] = (b - a * ratio) / divisor;
  } else {
    const ratio = c / d;
    const divisor = c * ratio + d;
    re[i] = (a * ratio + b) / divisor;
    im[i] = (b * ratio - a) / divisor;
  }
}

/**
 * Solves (block − λ) (x[i], x[i + 1]) = known for a block of two rows with complex eigenvalues, by
 * elimination with the larger pivot.
 */
function solvePair(
  [a, b, c, d]: readonly [number, number, number, number],
  lambda: number,
  width: number,
  [pRe, pIm, qRe, qIm]: readonly [number, number, number, number],
  re: Float64Array,
  im: Float64Array,
  i: number,
  least: number,
): void {
  // Rows: (a − λ) x + b y = p; c x + (d − λ) y = q. Eliminate x with the larger of its factors.
  const swap = Math.abs(c) > Math.abs(a - lambda) + Math.abs(width);
  const scratch = { re: new Float64Array(2), im: new Float64Array(2) };
  const ratio = (xRe: number, xIm: number, yRe: number, yIm: number, at: number) =>
    divide(xRe, xIm, yRe, yIm, scratch.re, scratch.im, at, least);
  if (swap) {
    // x = (q − (d − λ) y) / c; (b − (a − λ)(d − λ)/c) y = p − (a − λ) q / c.
    const [u, v] = [a - lambda, d - lambda];
    const productRe = u * v - width * width;
    const productIm = -width * (u + v);
    const rightRe = pRe - (u * qRe + width * qIm) / c;
    const rightIm = pIm - (u * qIm - width * qRe) / c;
    ratio(rightRe, rightIm, b - productRe / c, -productIm / c, 1);
    const [yRe, yIm] = [scratch.re[1], scratch.im[1]];
    re[i] = (qRe - (v * yRe + width * yIm)) / c;
    im[i] = (qIm - (v * yIm - width * yRe)) / c;
    re[i + 1] = yRe;
    im[i + 1] = yIm;
    return;
  }
  // x = (p − b y) / (a − λ); ((d − λ) − c b / (a − λ)) y = q − c p / (a − λ).
  const u = a - lambda;
  ratio(c, 0, u, -width, 0);
  const [fRe, fIm] = [scratch.re[0], scratch.im[0]];
  ratio(
    qRe - (fRe * pRe - fIm * pIm),
    qIm - (fRe * pIm + fIm * pRe),
    d - lambda - fRe * b,
    -width - fIm * b,
    1,
  );
  const [yRe, yIm] = [scratch.re[1], scratch.im[1]];
  ratio(pRe - b * yRe, pIm - b * yIm, u, -width, 0);
  re[i] = scratch.re[0];
  im[i] = scratch.im[0];
  re[i + 1] = yRe;
  im[i + 1] = yIm;
}
