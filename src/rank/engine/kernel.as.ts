/**
 * The kernels of ranking in AssemblyScript: sums over arcs, shared out among threads.
 *
 * A task is at a fixed place in memory, its rows split into chunks. Every thread, the caller's
 * included, draws chunks until none is left. Sums are stored by chunk, so totals do not depend on
 * which thread drew it. Results are written where no thread reads in the same task, so no row waits
 * for another.
 *
 * `npm run kernels` compiles it into kernel-wasm.ts, which is what the build and the
 * tests load. The layout of a task and the meaning of each field are stated once, in kernel.ts.
 */

import { combine, project, subtract } from './basis.as';

const ROUND: usize = 0;
const NEXT_CHUNK: usize = 4;
const BUSY: usize = 8;
const KIND: usize = 12;
const CHUNKS: usize = 16;
const BOUNDS: usize = 20;
const OFFSETS: usize = 24;
const TARGETS: usize = 28;
const GIVEN: usize = 32;
const RESULT: usize = 36;
const VALUES: usize = 40;
const SHARES: usize = 44;
const JUMP: usize = 48;
const TOTALS: usize = 52;
const SCALE: usize = 56;
const BASE: usize = 64;
const JUMP_WEIGHT: usize = 72;
const FIRST: usize = 80;

const STOP: u32 = 0;
const SUMS: u32 = 1;
const SHARE: u32 = 3;
const WALKS: u32 = 4;
const PROJECT: u32 = 5;
const SUBTRACT: u32 = 6;
const COMBINE: u32 = 7;

/** Three f64. */
const LANES_BYTES: usize = 24;

/** Four sums at once: one addition takes as long as four that do not wait for each other. */
// @ts-ignore: decorator
@inline
function sumOf(given: usize, at: usize, end: usize): f64 {
  let a: f64 = 0;
  let b: f64 = 0;
  let c: f64 = 0;
  let d: f64 = 0;
  for (; at + 16 <= end; at += 16) {
    a += load<f64>(given + (<usize>load<u32>(at) << 3));
    b += load<f64>(given + (<usize>load<u32>(at, 4) << 3));
    c += load<f64>(given + (<usize>load<u32>(at, 8) << 3));
    d += load<f64>(given + (<usize>load<u32>(at, 12) << 3));
  }
  for (; at < end; at += 4) a += load<f64>(given + (<usize>load<u32>(at) << 3));
  return a + b + (c + d);
}

function sums(from: u32, to: u32): void {
  const offsets: usize = load<u32>(OFFSETS);
  const targets: usize = load<u32>(TARGETS);
  const given: usize = load<u32>(GIVEN);
  const result: usize = load<u32>(RESULT);
  let at = targets + (<usize>load<u32>(offsets + (<usize>from << 2)) << 2);
  for (let row = from; row < to; row++) {
    const end = targets + (<usize>load<u32>(offsets + (<usize>row << 2), 4) << 2);
    store<f64>(result + (<usize>row << 3), sumOf(given, at, end));
    at = end;
  }
}

function walk(chunk: u32, from: u32, to: u32): void {
  const offsets: usize = load<u32>(OFFSETS);
  const targets: usize = load<u32>(TARGETS);
  const given: usize = load<u32>(GIVEN);
  const result: usize = load<u32>(RESULT);
  const values: usize = load<u32>(VALUES);
  const shares: usize = load<u32>(SHARES);
  const jump: usize = load<u32>(JUMP);
  const scale = load<f64>(SCALE);
  const base = load<f64>(BASE);
  const jumpWeight = load<f64>(JUMP_WEIGHT);
  let moved: f64 = 0;
  let stuck: f64 = 0;
  let at = targets + (<usize>load<u32>(offsets + (<usize>from << 2)) << 2);
  for (let row = from; row < to; row++) {
    const end = targets + (<usize>load<u32>(offsets + (<usize>row << 2), 4) << 2);
    const place = <usize>row << 3;
    let value = scale * sumOf(given, at, end) + base;
    if (jump != 0) value += jumpWeight * load<f64>(jump + place);
    const share = load<f64>(shares + place);
    moved += abs(value - load<f64>(values + place));
    if (share == 0) stuck += value;
    store<f64>(values + place, value);
    store<f64>(result + place, value * share);
    at = end;
  }
  const totals = <usize>load<u32>(TOTALS) + <usize>chunk * 24;
  store<f64>(totals, moved);
  store<f64>(totals, stuck, 8);
}

/**
 * Three walks in one pass. A node has three numbers side by side, so an arc costs one miss of the
 * cache and not three. Nodes that lead nowhere give nothing: their values wait for the last step,
 * which has no shares.
 */
function walks(chunk: u32, from: u32, to: u32): void {
  const offsets: usize = load<u32>(OFFSETS);
  const targets: usize = load<u32>(TARGETS);
  const given: usize = load<u32>(GIVEN);
  const result: usize = load<u32>(RESULT);
  const before = given + <usize>load<u32>(FIRST) * LANES_BYTES;
  const additions: usize = load<u32>(VALUES);
  const shares: usize = load<u32>(SHARES);
  const jump: usize = load<u32>(JUMP);
  const scale = load<f64>(SCALE);
  const scales = f64x2.splat(scale);
  let most = f64x2.splat(0);
  let mostLast: f64 = 0;
  let end = targets + (<usize>load<u32>(offsets + (<usize>from << 2)) << 2);
  for (let row = from; row < to; row++) {
    let at = end;
    end = targets + (<usize>load<u32>(offsets + (<usize>row << 2), 4) << 2);
    const share = shares == 0 ? 1 : load<f64>(shares + (<usize>row << 3));
    if (share == 0) continue;
    let a = f64x2.splat(0);
    let b = f64x2.splat(0);
    let c: f64 = 0;
    let d: f64 = 0;
    for (; at + 8 <= end; at += 8) {
      const one = given + <usize>load<u32>(at) * LANES_BYTES;
      const other = given + <usize>load<u32>(at, 4) * LANES_BYTES;
      a = f64x2.add(a, v128.load(one));
      b = f64x2.add(b, v128.load(other));
      c += load<f64>(one, 16);
      d += load<f64>(other, 16);
    }
    if (at < end) {
      const one = given + <usize>load<u32>(at) * LANES_BYTES;
      a = f64x2.add(a, v128.load(one));
      c += load<f64>(one, 16);
    }
    const addition = additions + <usize>load<u8>(jump + row) * LANES_BYTES;
    const pair = f64x2.mul(
      f64x2.add(f64x2.mul(scales, f64x2.add(a, b)), v128.load(addition)),
      f64x2.splat(share),
    );
    const last = (scale * (c + d) + load<f64>(addition, 16)) * share;
    const place = <usize>row * LANES_BYTES;
    const change = f64x2.abs(f64x2.sub(pair, v128.load(before + place)));
    if (v128.any_true(f64x2.gt(change, f64x2.mul(most, pair)))) {
      // Seldom: a new greatest change. 0 / 0 is no number, and greater than none.
      most = f64x2.pmax(most, f64x2.div(change, pair));
    }
    const changeLast = abs(last - load<f64>(before + place, 16));
    if (changeLast > mostLast * last) mostLast = changeLast / last;
    v128.store(result + place, pair);
    store<f64>(result + place, last, 16);
  }
  const totals = <usize>load<u32>(TOTALS) + <usize>chunk * 24;
  v128.store(totals, most);
  store<f64>(totals, mostLast, 16);
}

/** The one task that writes where others read: never on two threads. */
function share(from: u32, to: u32): void {
  const offsets: usize = load<u32>(OFFSETS);
  const targets: usize = load<u32>(TARGETS);
  const result: usize = load<u32>(RESULT);
  const first = load<u32>(FIRST);
  let at = targets + (<usize>load<u32>(offsets + (<usize>from << 2)) << 2);
  for (let row = from; row < to; row++) {
    const end = targets + (<usize>load<u32>(offsets + (<usize>row << 2), 4) << 2);
    let others: u32 = 0;
    for (let i = at; i < end; i += 4) others += load<u32>(i) != first + row ? 1 : 0;
    const part = 1 / <f64>others;
    for (; at < end; at += 4) {
      const target = load<u32>(at);
      if (target == first + row) continue;
      const score = result + (<usize>target << 3);
      store<f64>(score, load<f64>(score) + part);
    }
  }
}

/** Works on at most `most` chunks; whether it stopped for want of any. */
export function work(most: u32): bool {
  const chunks = load<u32>(CHUNKS);
  const bounds: usize = load<u32>(BOUNDS);
  const kind = load<u32>(KIND);
  for (let i: u32 = 0; i < most; i++) {
    const chunk = atomic.add<u32>(NEXT_CHUNK, 1);
    if (chunk >= chunks) return true;
    if (kind >= PROJECT) {
      if (kind == PROJECT) project(chunk);
      else if (kind == SUBTRACT) subtract(chunk);
      else if (kind == COMBINE) combine(chunk);
      continue;
    }
    const from = load<u32>(bounds + (<usize>chunk << 2));
    const to = load<u32>(bounds + (<usize>chunk << 2), 4);
    if (kind == SUMS) sums(from, to);
    else if (kind == SHARE) share(from, to);
    else if (kind == WALKS) walks(chunk, from, to);
    else walk(chunk, from, to);
  }
  return false;
}

/**
 * What a helping thread does all its life: waits for a task, helps with it, says that it is done.
 */
export function serve(): void {
  let seen: u32 = 0;
  while (true) {
    atomic.wait<i32>(ROUND, seen, -1);
    const round = atomic.load<u32>(ROUND);
    if (round == seen) continue;
    seen = round;
    if (load<u32>(KIND) == STOP) return;
    work(u32.MAX_VALUE);
    if (atomic.sub<u32>(BUSY, 1) == 1) atomic.notify(BUSY, 1);
  }
}
