/**
 * Balls of nodes, one arc larger with each sweep, in AssemblyScript: as sets of 128 sources for
 * exact distances, and as HyperLogLog counters for estimates. The meaning of each function, and the
 * layout it works on, is stated in supporters-kernel.ts.
 */

// @ts-ignore: decorator
@inline
function word(base: usize, i: u32): usize {
  return base + (<usize>i << 2);
}

// The fields of a sweep.
const NEAR: usize = 0;
const FAR: usize = 4;
const SEEN: usize = 8;
const SCORES: usize = 12;
const GREW: usize = 16;
const REGISTERS: usize = 20;
const CHANGED: usize = 24;
const CHANGES: usize = 28;
const SIZES: usize = 32;
const WEIGHT: usize = 40;
const FULL: usize = 48;

export function reachLists(
  sweep: usize,
  first: u32,
  count: u32,
  offsets: usize,
  targets: usize,
): void {
  const near: usize = load<u32>(sweep, NEAR);
  const far: usize = load<u32>(sweep, FAR);
  const seen: usize = load<u32>(sweep, SEEN);
  const scores: usize = load<u32>(sweep, SCORES);
  const weight = load<f64>(sweep, WEIGHT);
  const full = v128.load(sweep, FULL);
  let grew: u32 = 0;
  let end = word(targets, load<u32>(offsets));
  for (let i: u32 = 0; i < count; i++) {
    let at = end;
    end = word(targets, load<u32>(word(offsets, i), 4));
    const own = <usize>(first + i) << 4;
    const known = v128.load(seen + own);
    let fresh = i64x2.splat(0);
    if (v128.any_true(v128.andnot(full, known))) {
      for (; at < end; at += 4)
        fresh = v128.or(fresh, v128.load(near + (<usize>load<u32>(at) << 4)));
      fresh = v128.andnot(fresh, known);
    }
    v128.store(far + own, fresh);
    const found =
      popcnt(i64x2.extract_lane(fresh, 0)) + popcnt(i64x2.extract_lane(fresh, 1));
    if (found == 0) continue;
    grew = 1;
    v128.store(seen + own, v128.or(known, fresh));
    const score = scores + (<usize>(first + i) << 3);
    store<f64>(score, load<f64>(score) + <f64>found * weight);
  }
  if (grew != 0) store<u32>(sweep, 1, GREW);
}

export function growLists(
  sweep: usize,
  first: u32,
  count: u32,
  offsets: usize,
  targets: usize,
): void {
  const near: usize = load<u32>(sweep, NEAR);
  const far: usize = load<u32>(sweep, FAR);
  const registers: usize = load<u32>(sweep, REGISTERS);
  const changed: usize = load<u32>(sweep, CHANGED);
  const changes: usize = load<u32>(sweep, CHANGES);
  const sizes: usize = load<u32>(sweep, SIZES);
  const scores: usize = load<u32>(sweep, SCORES);
  const weight = load<f64>(sweep, WEIGHT);
  let anyGrew: u32 = 0;
  let end = word(targets, load<u32>(offsets));
  for (let i: u32 = 0; i < count; i++) {
    const x: usize = first + i;
    let at = end;
    end = word(targets, load<u32>(word(offsets, i), 4));
    const mine = far + x * registers;
    const before = near + x * registers;
    for (let byte: usize = 0; byte < registers; byte += 16)
      v128.store(mine + byte, v128.load(before + byte));
    let larger = i64x2.splat(0);
    for (; at < end; at += 4) {
      const y: usize = load<u32>(at);
      if (load<u8>(changed + y) == 0) continue;
      larger = v128.or(larger, raise(mine, near + y * registers, registers));
    }
    const grew: u32 = v128.any_true(larger) ? 1 : 0;
    store<u8>(changes + x, grew);
    if (grew == 0) continue;
    anyGrew = 1;
    const size = sizeOf(mine, registers);
    const last = sizes + (x << 3);
    const score = scores + (x << 3);
    store<f64>(score, load<f64>(score) + (size - load<f64>(last)) * weight);
    store<f64>(last, size);
  }
  if (anyGrew != 0) store<u32>(sweep, 1, GREW);
}

/** The size of the counter of each node from `first` on. */
export function sizesOf(
  counters: usize,
  registers: usize,
  sizes: usize,
  first: u32,
  count: u32,
): void {
  for (let x: usize = first; x < <usize>(first + count); x++)
    store<f64>(sizes + (x << 3), sizeOf(counters + x * registers, registers));
}

/** Raises the registers to those of another counter; not zero where one was lower. */
// @ts-ignore: decorator
@inline
function raise(mine: usize, other: usize, registers: usize): v128 {
  let larger = i64x2.splat(0);
  for (let byte: usize = 0; byte < registers; byte += 16) {
    const before = v128.load(mine + byte);
    const after = i8x16.max_u(before, v128.load(other + byte));
    larger = v128.or(larger, v128.xor(before, after));
    v128.store(mine + byte, after);
  }
  return larger;
}

/**
 * How many nodes a counter has seen, by Ertl's estimator ("New cardinality estimation algorithms
 * for HyperLogLog sketches", 2017, §2): without bias from one node on.
 */
function sizeOf(counter: usize, registers: usize): f64 {
  let zeros: u32 = 0;
  let sum: f64 = 0;
  for (let i: usize = 0; i < registers; i++) {
    const rank = load<u8>(counter + i);
    if (rank == 0) zeros++;
    else sum += reinterpret<f64>((1023 - <u64>rank) << 52);
  }
  const m = <f64>registers;
  if (<usize>zeros == registers) return 0;
  // 1 / (2 ln 2)
  return (0.7213475204444817 * m * m) / (sum + m * sigma(<f64>zeros / m));
}

function sigma(share: f64): f64 {
  let x = share;
  let y: f64 = 1;
  let z = x;
  let before: f64;
  do {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  } while (z != before);
  return z;
}
