/**
 * Loops over a basis of vectors: products with another vector, subtraction, recombination.
 *
 * A chunk is a range of rows of all columns; each is worked on in tiles that stay in the cache, so
 * that `subtract` reads the basis once although it passes over it twice. Rows are even in number:
 * two are one SIMD word. The layout is stated once, in kernel.ts.
 */

const BASIS: usize = 84;
const STRIDE: usize = 88;
const COLUMNS: usize = 92;
const LENGTH: usize = 96;
const VECTOR: usize = 100;
const FACTORS: usize = 104;
const PARTIALS: usize = 108;
const KEPT: usize = 112;

/** Rows of a chunk and of a tile, in bytes. */
const CHUNK: usize = 8 * 8192;
const TILE: usize = 8 * 256;
const NARROW: usize = 8 * 64;

// @ts-ignore: decorator
@inline
function least(a: usize, b: usize): usize {
  return a < b ? a : b;
}

// @ts-ignore: decorator
@inline
function total(sum: v128): f64 {
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** Adds the products of eight columns at a time with the vector, over the rows from .. to. */
function addProducts(from: usize, to: usize, partials: usize): void {
  const basis: usize = load<u32>(BASIS);
  const stride: usize = load<u32>(STRIDE);
  const columns: usize = load<u32>(COLUMNS);
  const vector: usize = load<u32>(VECTOR);
  let j: usize = 0;
  for (; j + 8 <= columns; j += 8) {
    let a = f64x2.splat(0);
    let b = a;
    let c = a;
    let d = a;
    let e = a;
    let f = a;
    let g = a;
    let h = a;
    let p = basis + j * stride + from;
    const end = basis + j * stride + to;
    let q = vector + from;
    const s2 = stride << 1;
    const s4 = stride << 2;
    for (; p < end; p += 16) {
      const w = v128.load(q);
      a = f64x2.add(a, f64x2.mul(w, v128.load(p)));
      b = f64x2.add(b, f64x2.mul(w, v128.load(p + stride)));
      c = f64x2.add(c, f64x2.mul(w, v128.load(p + s2)));
      d = f64x2.add(d, f64x2.mul(w, v128.load(p + s2 + stride)));
      const r = p + s4;
      e = f64x2.add(e, f64x2.mul(w, v128.load(r)));
      f = f64x2.add(f, f64x2.mul(w, v128.load(r + stride)));
      g = f64x2.add(g, f64x2.mul(w, v128.load(r + s2)));
      h = f64x2.add(h, f64x2.mul(w, v128.load(r + s2 + stride)));
      q += 16;
    }
    const at = partials + (j << 3);
    store<f64>(at, load<f64>(at) + total(a));
    store<f64>(at, load<f64>(at, 8) + total(b), 8);
    store<f64>(at, load<f64>(at, 16) + total(c), 16);
    store<f64>(at, load<f64>(at, 24) + total(d), 24);
    store<f64>(at, load<f64>(at, 32) + total(e), 32);
    store<f64>(at, load<f64>(at, 40) + total(f), 40);
    store<f64>(at, load<f64>(at, 48) + total(g), 48);
    store<f64>(at, load<f64>(at, 56) + total(h), 56);
  }
  for (; j < columns; j++) {
    let a = f64x2.splat(0);
    const p = basis + j * stride;
    for (let r = from; r < to; r += 16)
      a = f64x2.add(a, f64x2.mul(v128.load(vector + r), v128.load(p + r)));
    const at = partials + (j << 3);
    store<f64>(at, load<f64>(at) + total(a));
  }
}

/** Adds factor · column to `into`, for eight columns at a time, over the rows from .. to. */
function addColumns(from: usize, to: usize, into: usize, factors: usize): void {
  const basis: usize = load<u32>(BASIS);
  const stride: usize = load<u32>(STRIDE);
  const columns: usize = load<u32>(COLUMNS);
  let j: usize = 0;
  for (; j + 8 <= columns; j += 8) {
    const at = factors + (j << 3);
    const a = f64x2.splat(load<f64>(at));
    const b = f64x2.splat(load<f64>(at, 8));
    const c = f64x2.splat(load<f64>(at, 16));
    const d = f64x2.splat(load<f64>(at, 24));
    const e = f64x2.splat(load<f64>(at, 32));
    const f = f64x2.splat(load<f64>(at, 40));
    const g = f64x2.splat(load<f64>(at, 48));
    const h = f64x2.splat(load<f64>(at, 56));
    let p = basis + j * stride + from;
    const end = basis + j * stride + to;
    let q = into;
    const s2 = stride << 1;
    const s4 = stride << 2;
    for (; p < end; p += 16) {
      const r = p + s4;
      const one = f64x2.add(
        f64x2.add(f64x2.mul(a, v128.load(p)), f64x2.mul(b, v128.load(p + stride))),
        f64x2.add(f64x2.mul(c, v128.load(p + s2)), f64x2.mul(d, v128.load(p + s2 + stride))),
      );
      const two = f64x2.add(
        f64x2.add(f64x2.mul(e, v128.load(r)), f64x2.mul(f, v128.load(r + stride))),
        f64x2.add(f64x2.mul(g, v128.load(r + s2)), f64x2.mul(h, v128.load(r + s2 + stride))),
      );
      v128.store(q, f64x2.add(v128.load(q), f64x2.add(one, two)));
      q += 16;
    }
  }
  for (; j < columns; j++) {
    const a = f64x2.splat(load<f64>(factors + (j << 3)));
    const p = basis + j * stride;
    let q = into;
    for (let r = from; r < to; r += 16) {
      v128.store(q, f64x2.add(v128.load(q), f64x2.mul(a, v128.load(p + r))));
      q += 16;
    }
  }
}

/** The products of all columns with the vector, and of the vector with itself. */
export function project(chunk: u32): void {
  const columns: usize = load<u32>(COLUMNS);
  const vector: usize = load<u32>(VECTOR);
  const partials = <usize>load<u32>(PARTIALS) + ((<usize>chunk * (columns + 1)) << 3);
  const first = <usize>chunk * CHUNK;
  const end = least(first + CHUNK, <usize>load<u32>(LENGTH) << 3);
  memory.fill(partials, 0, (columns + 1) << 3);
  for (let from = first; from < end; from += TILE)
    addProducts(from, least(from + TILE, end), partials);
  storeLength(vector + first, vector + end, partials + (columns << 3));
}

/** Adds factor · column for all columns to the vector, then does what `project` does. */
export function subtract(chunk: u32): void {
  const columns: usize = load<u32>(COLUMNS);
  const vector: usize = load<u32>(VECTOR);
  const factors: usize = load<u32>(FACTORS);
  const partials = <usize>load<u32>(PARTIALS) + ((<usize>chunk * (columns + 1)) << 3);
  const first = <usize>chunk * CHUNK;
  const end = least(first + CHUNK, <usize>load<u32>(LENGTH) << 3);
  const again = load<u32>(KEPT) != 0;
  memory.fill(partials, 0, (columns + 1) << 3);
  for (let from = first; from < end; from += TILE) {
    const to = least(from + TILE, end);
    addColumns(from, to, vector + from, factors);
    if (again) addProducts(from, to, partials);
  }
  storeLength(vector + first, vector + end, partials + (columns << 3));
}

function storeLength(from: usize, to: usize, at: usize): void {
  let a = f64x2.splat(0);
  for (let p = from; p < to; p += 16) {
    const w = v128.load(p);
    a = f64x2.add(a, f64x2.mul(w, w));
  }
  store<f64>(at, total(a));
}

/** The first KEPT columns become the basis times a matrix, given column by column. */
export function combine(chunk: u32): void {
  const basis: usize = load<u32>(BASIS);
  const stride: usize = load<u32>(STRIDE);
  const columns: usize = load<u32>(COLUMNS);
  const kept: usize = load<u32>(KEPT);
  const factors: usize = load<u32>(FACTORS);
  const scratch = <usize>load<u32>(PARTIALS) + <usize>chunk * kept * NARROW;
  const first = <usize>chunk * CHUNK;
  const end = least(first + CHUNK, <usize>load<u32>(LENGTH) << 3);
  for (let from = first; from < end; from += NARROW) {
    const to = least(from + NARROW, end);
    memory.fill(scratch, 0, kept * NARROW);
    for (let k: usize = 0; k < kept; k++)
      addColumns(from, to, scratch + k * NARROW, factors + ((k * columns) << 3));
    for (let k: usize = 0; k < kept; k++)
      memory.copy(basis + k * stride + from, scratch + k * NARROW, to - from);
  }
}
