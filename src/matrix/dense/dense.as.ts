/**
 * The loops of dense eigenvalue solvers in AssemblyScript: reflections of rows and columns, and
 * Householder's reduction. Two numbers are one SIMD word.
 *
 * `npm run kernels` compiles it into dense-wasm.ts. Who calls it lays out the memory (room.ts):
 * addresses and strides are in bytes, counts in numbers.
 */

/** Three rows become (I − tau v vᵀ) times them, v = (1, v1, v2). */
export function reflectRows(p: usize, stride: usize, count: i32, v1: f64, v2: f64, tau: f64): void {
  const t1 = tau * v1;
  const t2 = tau * v2;
  const end = p + (<usize>count << 3);
  for (; p + 16 <= end; p += 16) {
    const q = p + stride;
    const r = q + stride;
    const x = v128.load(p);
    const y = v128.load(q);
    const w = v128.load(r);
    const sum = f64x2.add(
      x,
      f64x2.add(f64x2.mul(f64x2.splat(v1), y), f64x2.mul(f64x2.splat(v2), w)),
    );
    v128.store(p, f64x2.sub(x, f64x2.mul(sum, f64x2.splat(tau))));
    v128.store(q, f64x2.sub(y, f64x2.mul(sum, f64x2.splat(t1))));
    v128.store(r, f64x2.sub(w, f64x2.mul(sum, f64x2.splat(t2))));
  }
  if (p == end) return;
  const q = p + stride;
  const r = q + stride;
  const sum = load<f64>(p) + (v1 * load<f64>(q) + v2 * load<f64>(r));
  store<f64>(p, load<f64>(p) - sum * tau);
  store<f64>(q, load<f64>(q) - sum * t1);
  store<f64>(r, load<f64>(r) - sum * t2);
}

/** The same for three columns. */
export function reflectColumns(
  p: usize,
  stride: usize,
  count: i32,
  v1: f64,
  v2: f64,
  tau: f64,
): void {
  const t1 = tau * v1;
  const t2 = tau * v2;
  for (const end = p + <usize>count * stride; p < end; p += stride) {
    const x = load<f64>(p);
    const y = load<f64>(p, 8);
    const w = load<f64>(p, 16);
    const sum = x + (v1 * y + v2 * w);
    store<f64>(p, x - sum * tau);
    store<f64>(p, y - sum * t1, 8);
    store<f64>(p, w - sum * t2, 16);
  }
}

/** Two rows become (I − tau v vᵀ) times them, v = (1, v1). */
export function reflectTwoRows(p: usize, stride: usize, count: i32, v1: f64, tau: f64): void {
  const t1 = tau * v1;
  for (const end = p + (<usize>count << 3); p < end; p += 8) {
    const q = p + stride;
    const sum = load<f64>(p) + v1 * load<f64>(q);
    store<f64>(p, load<f64>(p) - sum * tau);
    store<f64>(q, load<f64>(q) - sum * t1);
  }
}

/** The same for two columns. */
export function reflectTwoColumns(p: usize, stride: usize, count: i32, v1: f64, tau: f64): void {
  const t1 = tau * v1;
  for (const end = p + <usize>count * stride; p < end; p += stride) {
    const sum = load<f64>(p) + v1 * load<f64>(p, 8);
    store<f64>(p, load<f64>(p) - sum * tau);
    store<f64>(p, load<f64>(p, 8) - sum * t1, 8);
  }
}

/** result = matrix · x / length for a matrix of n rows of n numbers, of which `count` are used. */
export function times(m: usize, n: i32, count: i32, x: usize, length: f64, result: usize): void {
  for (let i = 0; i < n; i++) {
    store<f64>(result, dot(m, x, count) / length);
    m += <usize>n << 3;
    result += 8;
  }
}

function dot(p: usize, q: usize, count: i32): f64 {
  let a = f64x2.splat(0);
  let b = a;
  let c = a;
  let d = a;
  const end = p + (<usize>count << 3);
  for (; p + 64 <= end; p += 64) {
    a = f64x2.add(a, f64x2.mul(v128.load(p), v128.load(q)));
    b = f64x2.add(b, f64x2.mul(v128.load(p, 16), v128.load(q, 16)));
    c = f64x2.add(c, f64x2.mul(v128.load(p, 32), v128.load(q, 32)));
    d = f64x2.add(d, f64x2.mul(v128.load(p, 48), v128.load(q, 48)));
    q += 64;
  }
  const all = f64x2.add(f64x2.add(a, b), f64x2.add(c, d));
  let sum = f64x2.extract_lane(all, 0) + f64x2.extract_lane(all, 1);
  for (; p < end; p += 8) {
    sum += load<f64>(p) * load<f64>(q);
    q += 8;
  }
  return sum;
}

/** to += factor · from. */
function addTimes(to: usize, from: usize, count: i32, factor: f64): void {
  const splat = f64x2.splat(factor);
  const end = to + (<usize>count << 3);
  for (; to + 32 <= end; to += 32) {
    v128.store(to, f64x2.add(v128.load(to), f64x2.mul(splat, v128.load(from))));
    v128.store(to, f64x2.add(v128.load(to, 16), f64x2.mul(splat, v128.load(from, 16))), 16);
    from += 32;
  }
  for (; to < end; to += 8) {
    store<f64>(to, load<f64>(to) + factor * load<f64>(from));
    from += 8;
  }
}

/** A ← Qᵀ A Q in Hessenberg form, and Z ← Z Q; `v` and `sums` have room for n numbers. */
export function hessenberg(a: usize, n: i32, z: usize, rows: i32, v: usize, sums: usize): void {
  for (let k = 0; k < n - 2; k++) {
    const tau = reflector(a, n, k, v);
    if (tau == 0) continue;
    const from = k + 1;
    applyLeft(a, n, from, v, sums, tau);
    applyRight(a, n, n, from, v, tau);
    applyRight(z, rows, n, from, v, tau);
  }
}

/** The reflector I − tau v vᵀ that clears column k below its subdiagonal; v begins at k + 1. */
function reflector(a: usize, n: i32, k: i32, v: usize): f64 {
  const stride = <usize>n << 3;
  const top = a + <usize>(k + 1) * stride + (<usize>k << 3);
  const end = a + <usize>n * stride + (<usize>k << 3);
  let below: f64 = 0;
  for (let p = top + stride; p < end; p += stride) below += load<f64>(p) * load<f64>(p);
  if (below == 0) {
    for (let p = top + stride; p < end; p += stride) store<f64>(p, 0); // what underflows is 0
    return 0;
  }
  const first = load<f64>(top);
  const length = Math.sqrt(first * first + below);
  const beta = first > 0 ? -length : length;
  let q = v + (<usize>(k + 1) << 3);
  store<f64>(q, 1);
  for (let p = top + stride; p < end; p += stride) {
    q += 8;
    store<f64>(q, load<f64>(p) / (first - beta));
    store<f64>(p, 0);
  }
  store<f64>(top, beta);
  return (beta - first) / beta;
}

/** A ← (I − tau v vᵀ) A, from column `from` on. */
function applyLeft(a: usize, n: i32, from: i32, v: usize, sums: usize, tau: f64): void {
  const stride = <usize>n << 3;
  const skip = <usize>from << 3;
  const count = n - from;
  memory.fill(sums + skip, 0, <usize>count << 3);
  for (let i = from; i < n; i++) {
    const factor = load<f64>(v + (<usize>i << 3));
    if (factor != 0) addTimes(sums + skip, a + <usize>i * stride + skip, count, factor);
  }
  for (let i = from; i < n; i++) {
    const factor = load<f64>(v + (<usize>i << 3));
    if (factor != 0) addTimes(a + <usize>i * stride + skip, sums + skip, count, -tau * factor);
  }
}

/** M ← M (I − tau v vᵀ), where v begins at `from`. */
function applyRight(m: usize, rows: i32, n: i32, from: i32, v: usize, tau: f64): void {
  const stride = <usize>n << 3;
  const skip = <usize>from << 3;
  const count = n - from;
  for (let i = 0; i < rows; i++) {
    const p = m + <usize>i * stride + skip;
    const sum = dot(p, v + skip, count);
    if (sum != 0) addTimes(p, v + skip, count, -tau * sum);
  }
}
