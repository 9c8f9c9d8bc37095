/**
 * The kernels and the memory they work on: sums over arcs at about a nanosecond an arc, on a given
 * number of threads.
 *
 * Idea      Lists of neighbours and vectors are in one shared WebAssembly memory. A task is a few
 *           numbers at its beginning. Its rows are split into chunks, and threads, this one
 *           included, draw chunks until none is left.
 * Requires  the capacity planned by the caller (`allocate` never grows it), at most `MOST_BYTES`
 *           (memory.ts).
 * Ensures   the same result, bit by bit, for any number of threads. The event loop gets a turn
 *           every few milliseconds.
 * Costs     three times faster than the same loop in JavaScript; docs/ranking.md has the figures.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { WebAssembly } from '../../base/web-assembly.ts';
import { KERNEL_WASM } from './kernel-wasm.ts';
import { type Helpers, startHelpers } from './threads.ts';

const PAGE = 65_536;
/**
 * Arcs and rows of a chunk: small enough to share evenly, large enough that the cost of drawing one
 * does not matter.
 */
const CHUNK = 65_536;
/** Chunks after which this thread gives the event loop a turn: a few milliseconds. */
const CHUNKS_A_TURN = 64;
/** Milliseconds to sleep for busy threads before the event loop gets a turn. */
const PATIENCE = 20;

const COMPILED = new WebAssembly.Module(KERNEL_WASM);

interface Functions {
  /** Works on at most `most` chunks of the task. Returns 1 if none was left. */
  work(most: number): 0 | 1;
}

/**
 * Positions in the memory, in u32, except for three f64 from SCALE_AT on; kernel.as.ts has the same
 * table in bytes.
 */
const AT = {
  round: 0,
  nextChunk: 1,
  busy: 2,
  kind: 3,
  chunks: 4,
  bounds: 5,
  offsets: 6,
  targets: 7,
  given: 8,
  result: 9,
  values: 10,
  shares: 11,
  jump: 12,
  totals: 13,
  first: 20,
  basis: 21,
  stride: 22,
  columns: 23,
  length: 24,
  vector: 25,
  factors: 26,
  partials: 27,
  kept: 28,
} as const;
const SCALE_AT = 7;
const TASK_BYTES = 128;
const KIND = {
  stop: 0,
  sums: 1,
  walk: 2,
  share: 3,
  walks: 4,
  project: 5,
  subtract: 6,
  combine: 7,
} as const;
/** Rows of a basis in a chunk, and in a tile of `combine`. */
const BASIS_CHUNK = 8192;
const BASIS_TILE = 64;

/**
 * Lists of neighbours in a kernel's memory, row by row, and their chunks. All fields are addresses.
 */
export interface Rows {
  readonly offsets: number;
  readonly targets: number;
  readonly chunks: number;
  /** Chunk i is the rows bounds[i] .. bounds[i + 1). */
  readonly bounds: number;
  /** Three f64 for each chunk. */
  readonly totals: number;
}

/** Vectors of one f64 a node; `given` is read by target, the others by row. */
interface WalkVectors {
  readonly given: Float64Array;
  readonly result: Float64Array;
  readonly values: Float64Array;
  readonly shares: Float64Array;
  readonly jump: Float64Array | undefined;
}

export interface WalkWeights {
  readonly scale: number;
  readonly base: number;
  readonly jumpWeight: number;
}

interface WalkTotals {
  /** The sum of the absolute changes of values. */
  readonly moved: number;
  /** The sum of the new values of rows whose share is 0. */
  readonly stuck: number;
}

/** Walks that `walks` does in one pass. */
export const LANES = 3;

/** Vectors of `LANES` f64 a node, side by side; `given` is read by target, the others by row. */
interface LaneVectors {
  readonly given: Float64Array;
  readonly result: Float64Array;
  /** One f64 a node; absent in the last step, which computes values instead of what nodes give. */
  readonly shares: Float64Array | undefined;
  /** One byte a node: bit i says that walk i jumps to it. */
  readonly jumps: Uint8Array;
  /** `LANES` f64 for each value of such a byte: what it adds to the node in each walk. */
  readonly additions: Float64Array;
}

/**
 * Columns of f64 in a kernel's memory. All fields but `length`, `columns` and `stride` are
 * addresses.
 */
export interface BasisColumns {
  readonly address: number;
  /** Rows; even. */
  readonly length: number;
  /** Bytes from one column to the next. */
  readonly stride: number;
  /** The number of columns to work on. */
  readonly columns: number;
  /** Room for as many f64 as a task has factors. */
  readonly factors: number;
  /** Room for `basisScratch` bytes. */
  readonly scratch: number;
}

/** The room that tasks on a basis of this length need when at most `columns` take part. */
export function basisScratch(length: number, columns: number): number {
  return 8 * Math.ceil(length / BASIS_CHUNK) * (columns + 1) * BASIS_TILE;
}

export class Kernel {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #functions: Functions;
  readonly #helpers: Helpers;
  #allocated = TASK_BYTES;

  /** `capacity` is in bytes; memory that is not touched is not resident. */
  constructor(capacity: number, threads: number) {
    const pages = Math.ceil((capacity + TASK_BYTES) / PAGE);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    const instance = new WebAssembly.Instance(COMPILED, { env: { memory } });
    this.#functions = instance.exports as unknown as Functions;
    this.buffer = memory.buffer;
    this.#words = new Int32Array(memory.buffer, 0, TASK_BYTES / 4);
    this.#helpers = startHelpers(threads - 1, COMPILED, memory);
  }

  /**
   * The address of `size` new bytes, which are never freed. To ask for more than the capacity is an
   * error in the caller's plan.
   */
  allocate(size: number): number {
    const address = this.#allocated;
    this.#allocated += Math.ceil(size / 8) * 8;
    if (this.#allocated > this.buffer.byteLength)
      throw new RangeError('the planned kernel memory is too small');
    return address;
  }

  u32(address: number, length: number): Uint32Array {
    return new Uint32Array(this.buffer, address, length);
  }

  f64(address: number, length: number): Float64Array {
    return new Float64Array(this.buffer, address, length);
  }

  /**
   * result[row] = Σ given[target] over the row's list. These rows begin at number `first`. The
   * vectors are in this memory.
   */
  sums(rows: Rows, first: number, given: Float64Array, result: Float64Array): Promise<void> {
    this.#words[AT.given] = given.byteOffset;
    this.#words[AT.result] = result.byteOffset + 8 * first;
    return this.#run(KIND.sums, rows);
  }

  /**
   * values[row] = scale · Σ given[target] + base + jumpWeight · jump[row], and result[row] =
   * values[row] · shares[row], which is what the row gives to each row that lists it in the next
   * step.
   */
  async walk(
    rows: Rows,
    first: number,
    vectors: WalkVectors,
    weights: WalkWeights,
  ): Promise<WalkTotals> {
    this.#words[AT.given] = vectors.given.byteOffset;
    for (const name of ['result', 'values', 'shares', 'jump'] as const) {
      const vector = vectors[name];
      this.#words[AT[name]] = vector ? vector.byteOffset + 8 * first : 0;
    }
    this.f64(0, TASK_BYTES / 8).set([weights.scale, weights.base, weights.jumpWeight], SCALE_AT);
    await this.#run(KIND.walk, rows);
    const totals = this.f64(rows.totals, 3 * rows.chunks);
    let moved = 0;
    let stuck = 0;
    for (let i = 0; i < totals.length; i += 3) {
      moved += totals[i];
      stuck += totals[i + 1];
    }
    return { moved, stuck };
  }

  /**
   * result[row] = shares[row] · (scale · Σ given[target] + additions[jumps[row]]), for each of the
   * walks at once; a row whose share is 0 is left as it is. Returns the greatest change relative
   * to the new value, `given` being what `result` was in the step before.
   */
  async walks(rows: Rows, first: number, vectors: LaneVectors, scale: number): Promise<number> {
    const { given, result, shares, jumps, additions } = vectors;
    this.#words[AT.first] = first;
    this.#words[AT.given] = given.byteOffset;
    this.#words[AT.result] = result.byteOffset + 8 * LANES * first;
    this.#words[AT.shares] = shares ? shares.byteOffset + 8 * first : 0;
    this.#words[AT.jump] = jumps.byteOffset + first;
    this.#words[AT.values] = additions.byteOffset;
    this.f64(0, TASK_BYTES / 8)[SCALE_AT] = scale;
    await this.#run(KIND.walks, rows);
    let most = 0;
    for (const change of this.f64(rows.totals, 3 * rows.chunks)) most = Math.max(most, change);
    return most;
  }

  /**
   * result[target] += 1 / how many others the row lists, for each of them; a row that lists itself
   * gives itself nothing. Rows write to each other's results, so a kernel that does this has no
   * helping threads.
   */
  share(rows: Rows, first: number, result: Float64Array): Promise<void> {
    this.#words[AT.first] = first;
    this.#words[AT.result] = result.byteOffset;
    return this.#run(KIND.share, rows);
  }

  /**
   * The products of all columns with a vector in this memory; the last number is that of the vector
   * with itself.
   */
  async project(basis: BasisColumns, vector: Float64Array): Promise<Float64Array> {
    await this.#runOnBasis(KIND.project, basis, vector, 0);
    return this.#partialSums(basis);
  }

  /**
   * Adds factor · column for all columns to the vector. Returns what `project` would then, or with
   * `again` false only its last number.
   */
  async subtract(
    basis: BasisColumns,
    vector: Float64Array,
    factors: Float64Array,
    again: boolean,
  ): Promise<Float64Array> {
    this.f64(basis.factors, basis.columns).set(factors);
    await this.#runOnBasis(KIND.subtract, basis, vector, again ? 1 : 0);
    return this.#partialSums(basis);
  }

  /** The first `kept` columns become the basis times a matrix, given column by column. */
  combine(basis: BasisColumns, kept: number, factors: Float64Array): Promise<void> {
    this.f64(basis.factors, factors.length).set(factors);
    return this.#runOnBasis(KIND.combine, basis, undefined, kept);
  }

  async #runOnBasis(
    kind: number,
    basis: BasisColumns,
    vector: Float64Array | undefined,
    kept: number,
  ): Promise<void> {
    this.#words[AT.basis] = basis.address;
    for (const name of ['stride', 'columns', 'length', 'factors'] as const)
      this.#words[AT[name]] = basis[name];
    this.#words[AT.partials] = basis.scratch;
    this.#words[AT.vector] = vector?.byteOffset ?? 0;
    this.#words[AT.kept] = kept;
    this.#words[AT.chunks] = Math.ceil(basis.length / BASIS_CHUNK);
    await this.#work(kind);
  }

  /** The sums of the chunks, added in their order whatever thread made them. */
  #partialSums({ scratch, length, columns }: BasisColumns): Float64Array {
    const sums = new Float64Array(columns + 1);
    const chunks = Math.ceil(length / BASIS_CHUNK);
    const partials = this.f64(scratch, chunks * sums.length);
    for (let i = 0; i < partials.length; i++) sums[i % sums.length] += partials[i];
    return sums;
  }

  /** Ends the helping threads. */
  async close(): Promise<void> {
    this.#words[AT.kind] = KIND.stop;
    this.#begin();
    await this.#helpers.ended();
  }

  async #run(kind: number, rows: Rows): Promise<void> {
    for (const name of ['offsets', 'targets', 'chunks', 'bounds', 'totals'] as const)
      this.#words[AT[name]] = rows[name];
    await this.#work(kind);
  }

  async #work(kind: number): Promise<void> {
    this.#words[AT.kind] = kind;
    this.#words[AT.nextChunk] = 0;
    this.#words[AT.busy] = this.#helpers.count;
    this.#begin();
    while (this.#functions.work(CHUNKS_A_TURN) === 0) await turn();
    for (
      let busy = Atomics.load(this.#words, AT.busy);
      busy > 0;
      busy = Atomics.load(this.#words, AT.busy)
    ) {
      if (Atomics.wait(this.#words, AT.busy, busy, PATIENCE) === 'timed-out') await turn();
      this.#helpers.check();
    }
  }

  #begin(): void {
    Atomics.add(this.#words, AT.round, 1);
    Atomics.notify(this.#words, AT.round);
  }
}

/**
 * Splits rows into chunks of about equal work and stores their bounds; the caller fills in the
 * lists.
 */
export function planRows(
  kernel: Kernel,
  nodes: number,
  arcs: number,
  degreeOf: (row: number) => number,
): Rows {
  const offsetsAt = kernel.allocate(4 * (nodes + 1));
  const targets = kernel.allocate(4 * arcs);
  const boundsAt = kernel.allocate(4 * (mostChunks(nodes, arcs) + 1));
  const offsets = kernel.u32(offsetsAt, nodes + 1);
  const bounds = kernel.u32(boundsAt, mostChunks(nodes, arcs) + 1);
  let chunks = 0;
  let weight = 0;
  for (let row = 0; row < nodes; row++) {
    const degree = degreeOf(row);
    offsets[row + 1] = offsets[row] + degree;
    weight += degree + 1;
    if (weight < CHUNK && row + 1 < nodes) continue;
    bounds[++chunks] = row + 1;
    weight = 0;
  }
  const totals = kernel.allocate(24 * mostChunks(nodes, arcs));
  return { offsets: offsetsAt, targets, chunks, bounds: boundsAt, totals };
}

/** What `planRows` allocates. */
export function rowsBytes(nodes: number, arcs: number): number {
  return 4 * (nodes + 1) + 4 * arcs + 28 * (mostChunks(nodes, arcs) + 1) + 32;
}

/** At most one thread per chunk: more would only wait. */
export function usefulThreads(threads: number, nodes: number, arcs: number): number {
  return Math.max(1, Math.min(threads, mostChunks(nodes, arcs)));
}

function mostChunks(nodes: number, arcs: number): number {
  return Math.ceil((nodes + arcs) / CHUNK);
}
