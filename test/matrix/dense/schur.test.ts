import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eigenvaluesOf, isPair, SchurVectors } from '../../../src/matrix/dense/eigenvectors.ts';
import { schurForm } from '../../../src/matrix/dense/francis.ts';
import { reduceToHessenberg } from '../../../src/matrix/dense/hessenberg.ts';
import { identity, solveDense } from '../../../src/matrix/dense/solve.ts';
import { bringToFront } from '../../../src/matrix/dense/swap.ts';

/** Matrices with zeros, equal entries and defective parts, as adjacency has them. */
const matrix = fc.integer({ min: 1, max: 14 }).chain((n) =>
  fc
    .array(
      fc.oneof(
        fc.constant(0),
        fc.integer({ min: -3, max: 3 }),
        fc.integer({ min: -999, max: 999 }).map((x) => x / 1000),
      ),
      {
        minLength: n * n,
        maxLength: n * n,
      },
    )
    .map((entries) => ({ n, a: Float64Array.from(entries, (entry) => entry || 0) })),
);

function schurOf(a: Float64Array, n: number) {
  const t = a.slice();
  const q = identity(n);
  reduceToHessenberg(t, n, q);
  schurForm(t, n, q);
  return { t, q };
}

/** The greatest entry of A Q − Q T and of QᵀQ − 1. */
function errorOf(a: Float64Array, q: Float64Array, t: Float64Array, n: number): number {
  let worst = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let [similar, orthogonal] = [0, i === j ? -1 : 0];
      for (let k = 0; k < n; k++) {
        similar += a[i * n + k] * q[k * n + j] - q[i * n + k] * t[k * n + j];
        orthogonal += q[k * n + i] * q[k * n + j];
      }
      worst = Math.max(worst, Math.abs(similar), Math.abs(orthogonal));
    }
  }
  return worst;
}

const firstRows = (t: Float64Array, n: number) =>
  Array.from({ length: n }, (_, i) => i).filter((i) => i === 0 || !isPair(t, n, i - 1));

describe('the real Schur form', () => {
  test('is similar to the matrix, and triangular but for pairs of complex eigenvalues', () => {
    fc.assert(
      fc.property(matrix, ({ n, a }) => {
        const { t, q } = schurOf(a, n);
        expect(errorOf(a, q, t, n)).toBeLessThan(1e-12 * Math.max(1, n * 3));
        for (let i = 0; i < n; i++)
          for (let j = 0; j < i; j++)
            if (j < i - 1 || !isPair(t, n, j)) expect(t[i * n + j]).toBe(0);
        for (const i of firstRows(t, n)) {
          if (!isPair(t, n, i)) continue;
          expect(t[i * n + i]).toBe(t[(i + 1) * n + i + 1]);
          expect(t[i * n + i + 1] * t[(i + 1) * n + i]).toBeLessThan(0);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('keeps that when chosen eigenvalues are brought to its front', () => {
    fc.assert(
      fc.property(matrix, fc.infiniteStream(fc.nat()), ({ n, a }, weights) => {
        const { t, q } = schurOf(a, n);
        const weighed = firstRows(t, n).map(
          (row) => [weights.next().value as number, row] as const,
        );
        const rows = weighed.sort(([x], [y]) => x - y).map(([, row]) => row);
        const chosen = rows.slice(0, Math.ceil(rows.length / 2));
        const before = eigenvaluesOf(t, n);
        const wanted = chosen.flatMap((row) => (isPair(t, n, row) ? [row, row + 1] : [row]));
        const moved = bringToFront(t, n, q, chosen);
        expect(errorOf(a, q, t, n)).toBeLessThan(1e-9);
        if (moved < wanted.length) return; // eigenvalues that cannot be told apart
        const after = eigenvaluesOf(t, n);
        for (const [i, row] of wanted.entries()) {
          const width = Math.abs(before.re[row]) + Math.abs(before.im[row]);
          expect(Math.abs(after.re[i] - before.re[row])).toBeLessThan(1e-3 * (1 + width));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('gives eigenvectors whose residual is rounding, also of defective matrices', () => {
    fc.assert(
      fc.property(matrix, ({ n, a }) => {
        const { t } = schurOf(a, n);
        const { re, im } = eigenvaluesOf(t, n);
        const vectors = new SchurVectors(t, n);
        for (const j of firstRows(t, n)) {
          const { condition, length } = vectors.conditioned(j);
          expect(condition).toBeGreaterThan(1 - 1e-9);
          let off = 0;
          for (let i = 0; i < n; i++) {
            let [x, y] = [im[j] * vectors.im[i] - re[j] * vectors.re[i], 0];
            y = -im[j] * vectors.re[i] - re[j] * vectors.im[i];
            for (let k = 0; k < n; k++) {
              x += t[i * n + k] * vectors.re[k];
              y += t[i * n + k] * vectors.im[k];
            }
            off += x * x + y * y;
          }
          expect(Math.sqrt(off) / length).toBeLessThan(1e-12);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a condition number', () => {
  test('is that of perturbation theory', () => {
    // [[1, c], [0, 1 + d]]: x = e1, y = (−d, c) / √(c² + d²), so the condition is √(1 + c²/d²).
    const { pairs } = solveDense(Float64Array.of(1, 3, 0, 1.5), 2);
    for (const { condition } of pairs) expect(condition).toBeCloseTo(1, 12); // apart by components
    const { t } = schurOf(Float64Array.of(1, 3, 0, 1.5), 2);
    expect(new SchurVectors(t, 2).conditioned(0).condition).toBeCloseTo(Math.sqrt(1 + 36), 9);
  });
});

test('a nilpotent pattern of 12 rows has twelve exact zeros, not a ring around 0', () => {
  const a = new Float64Array(144);
  for (let i = 0; i < 11; i++) a[i * 12 + i + 1] = 1;
  expect(solveDense(a, 12)).toEqual({ pairs: [], zeros: 12 });
});

test('a Hessenberg matrix of 500 rows takes at most five seconds of processor time', () => {
  const n = 500;
  const h = Float64Array.from({ length: n * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    return i <= j + 1 ? Math.sin(1 + at * 0.37) / n : 0;
  });
  const start = process.cpuUsage();
  schurForm(h, n, new Float64Array(n));
  const { user } = process.cpuUsage(start);
  expect(user / 1e6).toBeLessThan(5);
});
