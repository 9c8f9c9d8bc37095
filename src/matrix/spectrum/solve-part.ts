/**
 * The eigenvalues of a part of the nodes that is too large to be solved whole, or small enough:
 * densely, by Arnoldi, or by Krylov-Schur.
 */
import { DrumlinError } from '../../base/errors.ts';
import { type Bytes, formatBytes, formatCount } from '../../base/units.ts';
import { MOST_BYTES } from '../../rank/engine/memory.ts';
import { type Eigenpair, type Solution, solveDense } from '../dense/solve.ts';
import { type Expansion, expand } from '../krylov/arnoldi.ts';
import { Basis, basisRoom } from '../krylov/basis.ts';
import { krylovSchur } from '../krylov/krylov-schur.ts';
import type { Part } from '../krylov/part-lists.ts';
import { PartMatrix } from '../krylov/part-matrix.ts';
import { type RitzForm, ritzCondition, ritzForm, ritzVector } from '../krylov/ritz.ts';
import { DENSE, requireDenseRoom } from './blocks.ts';

export interface PartOptions {
  /** Columns of the basis; or `values`. */
  readonly dimension: number;
  /** The number of values of greatest modulus, with restarts. */
  readonly values: number | undefined;
  /** How many vectors are wanted. */
  readonly vectors: number;
  readonly tolerance: number;
  readonly seed: number;
  readonly threads: number;
  readonly memory: Bytes;
  readonly onProgress: (done: number) => void;
}

export interface PartFacts {
  readonly method: 'dense' | 'arnoldi' | 'krylov-schur';
  /** Nodes with different rows: the length of a vector. */
  readonly classes: number;
  readonly dimension: number;
  readonly restarts?: number;
  /** Krylov-Schur: whether all values converged and no further copies are left. */
  readonly settled?: boolean;
  readonly held?: 'memory' | 'stream';
}

export interface PartSolution extends Solution {
  readonly facts: PartFacts;
}

const RESTARTS = 500;
/** Krylov-Schur converges further than asked, because what is missing is then left out. */
const FURTHER = 100;
/** Bytes a node beside the basis when arcs are streamed: vectors of the kernel, factors, places. */
const BESIDE = 52;
/** Columns beside the wanted values, at least. */
const SPARE = 12;

/** `degrees` are the numbers of links of all nodes of the graph. */
export async function solvePart(
  part: Part,
  degrees: Uint32Array,
  options: PartOptions,
): Promise<PartSolution> {
  const { classes, nodes } = part;
  const { values, dimension } = options;
  const asked = values === undefined ? dimension : 2 * values + SPARE;
  if (classes <= Math.min(asked, DENSE)) {
    requireDenseRoom(options.memory, classes);
    return solveWhole(part, degrees, values);
  }
  const most = columnsOf(part, options);
  const matrix = await PartMatrix.open(part, degrees, basisRoom(classes, most), {
    threads: options.threads,
    memory: options.memory,
  });
  try {
    const basis = new Basis(matrix.arcs.kernel, classes, most);
    await matrix.start(options.seed, basis.column(0));
    const started = (await basis.orthogonalise(0)).left > 0;
    const extraZeros = nodes.length - classes;
    if (!started) {
      const facts: PartFacts = { method: 'arnoldi', classes, dimension: 0 };
      return { pairs: [], zeros: nodes.length, facts };
    }
    const solved =
      values === undefined
        ? await byArnoldi(matrix, basis, most, options)
        : await byKrylovSchur(matrix, basis, most, values, options);
    const held = matrix.arcs.held;
    return { pairs: solved.pairs, zeros: extraZeros, facts: { ...solved.facts, classes, held } };
  } finally {
    await matrix.close();
  }
}

/** How many columns the basis has, given what fits. */
function columnsOf({ classes, nodes }: Part, { dimension, values, memory }: PartOptions): number {
  const spent = BESIDE * nodes.length;
  const room = Math.min(memory, MOST_BYTES) - spent;
  const wanted = Math.min(
    classes,
    values === undefined ? dimension : Math.max(2 * values + SPARE, values + 60),
  );
  let fits = Math.min(wanted, Math.max(0, Math.floor(room / (8 * classes))));
  while (fits > 0 && basisRoom(classes, fits) > room) fits--;
  const least = values === undefined ? wanted : values + SPARE;
  if (fits >= Math.min(classes, least)) return fits;
  const need = basisRoom(classes, Math.min(classes, least)) + spent;
  throw new DrumlinError(
    'MEMORY',
    `A basis of ${formatCount(Math.min(classes, least))} vectors of ${formatCount(classes)} numbers takes ${formatBytes(need)}; ${formatBytes(memory)} are given.`,
    remedyOf(need, fits, values),
  );
}

function remedyOf(need: Bytes, fits: number, values: number | undefined): string {
  const more = need <= MOST_BYTES ? [`--memory ${Math.ceil(need / 1e6)}M`] : [];
  if (values !== undefined && fits > SPARE) more.push(`--values ${fits - SPARE}`);
  if (values === undefined && fits > 1) more.push(`--dimension ${fits}`);
  if (values === undefined && fits > SPARE) more.push(`--values ${fits - SPARE}, which restarts`);
  return more.length > 0 ? `Give ${more.join(', or ')}.` : 'The graph is too large for this.';
}

async function solveWhole(
  part: Part,
  degrees: Uint32Array,
  values: number | undefined,
): Promise<PartSolution> {
  const { nodes, classOf, classes, lists } = part;
  const sizes = new Uint32Array(classes);
  for (const one of classOf) sizes[one]++;
  const matrix = new Float64Array(classes * classes);
  const { offsets, targets } = await lists.load();
  for (let i = 0; i < nodes.length; i++) {
    const row = classOf[i] * classes;
    for (let at = offsets[i]; at < offsets[i + 1]; at++)
      matrix[row + classOf[targets[at]]] += 1 / degrees[nodes[targets[at]]];
  }
  for (let i = 0; i < nodes.length; i++) {
    if (degrees[nodes[i]] > 0) continue;
    for (let c = 0; c < classes; c++) matrix[c * classes + classOf[i]] += 1 / degrees.length;
  }
  for (let c = 0; c < classes; c++)
    for (let d = 0; d < classes; d++) matrix[c * classes + d] *= Math.sqrt(sizes[c] / sizes[d]);
  const { pairs, zeros } = solveDense(matrix, classes);
  const whole = pairs.map((pair) => ({
    ...pair,
    vector: () => {
      const { re, im } = pair.vector();
      const byNode = (vector: Float64Array) =>
        Float64Array.from(classOf, (one) => vector[one] / Math.sqrt(sizes[one]));
      return { re: byNode(re), im: byNode(im) };
    },
  }));
  const facts: PartFacts = { method: 'dense', classes, dimension: classes };
  return {
    pairs: greatest(whole, values),
    zeros: zeros + nodes.length - classes,
    facts,
  };
}

function greatest(pairs: readonly Eigenpair[], values: number | undefined): Eigenpair[] {
  const sorted = [...pairs].sort((a, b) => Math.hypot(b.re, b.im) - Math.hypot(a.re, a.im));
  return values === undefined ? sorted : sorted.slice(0, wholePairs(sorted, values));
}

/** At least `count`, and both values of a complex pair or none. */
function wholePairs(sorted: readonly { readonly im: number }[], count: number): number {
  return count < sorted.length && sorted[count].im < 0 ? count + 1 : Math.min(count, sorted.length);
}

async function byArnoldi(
  matrix: PartMatrix,
  basis: Basis,
  most: number,
  { seed, vectors, onProgress }: PartOptions,
): Promise<Omit<PartSolution, 'zeros'>> {
  const b = new Float64Array(most * most);
  const state: Expansion = { b, columns: 0, beta: 0, complete: false };
  await expand(matrix, basis, state, most, seed, (columns) =>
    onProgress(0.9 * (columns / most) ** 2),
  );
  const form = ritzForm(b, most, state.columns, state.beta);
  const pairs = await pairsOf(matrix, basis, form, form.values.length, vectors, vectors);
  return { pairs, facts: { method: 'arnoldi', classes: 0, dimension: state.columns } };
}

async function byKrylovSchur(
  matrix: PartMatrix,
  basis: Basis,
  most: number,
  wanted: number,
  { seed, vectors, tolerance, onProgress }: PartOptions,
): Promise<Omit<PartSolution, 'zeros'>> {
  const { form, restarts, settled } = await krylovSchur(matrix, basis, {
    wanted,
    most,
    tolerance: Math.max(1e-13, tolerance / FURTHER),
    restarts: RESTARTS,
    seed,
    onProgress: (done) => onProgress(0.95 * done),
  });
  let taken = 0;
  let count = 0;
  for (; taken < form.values.length && count < wanted; taken++)
    count += form.values[taken].im === 0 ? 1 : 2;
  const pairs = await pairsOf(matrix, basis, form, taken, taken, vectors);
  const facts = { method: 'krylov-schur', classes: 0, dimension: most, restarts, settled } as const;
  return { pairs, facts };
}

/**
 * The first `count` values with their conjugates. The residuals of the first `measured` are
 * computed from the vectors and S; the others follow from the basis. The first `kept` vectors are
 * kept.
 */
async function pairsOf(
  matrix: PartMatrix,
  basis: Basis,
  form: RitzForm,
  count: number,
  measured: number,
  kept: number,
): Promise<Eigenpair[]> {
  const pairs: Eigenpair[] = [];
  const taken = form.values.slice(0, count);
  const conditions = ritzCondition(
    form,
    taken.map(({ row }) => row),
  );
  const product = new Float64Array(basis.length);
  for (const [i, { re, im, residual: estimate, row }] of taken.entries()) {
    let residual = estimate;
    let vector: Eigenpair['vector'] = notKept;
    if (i < measured) {
      const small = ritzVector(form, row);
      const [x, y] = [basis.sum(small.re), basis.sum(small.im)];
      residual = await residualOf(matrix, re, im, x, y, product);
      if (i < kept) {
        const whole = { re: matrix.byNode(x), im: matrix.byNode(y) };
        vector = () => whole;
      }
    }
    pairs.push({ re, im, residual, condition: conditions[i], vector });
    if (im !== 0) pairs.push({ re, im: -im, residual, condition: conditions[i], vector });
  }
  return pairs;
}

export function notKept(): never {
  throw new RangeError('only the vectors that were asked for are kept');
}

async function residualOf(
  matrix: PartMatrix,
  lambda: number,
  width: number,
  x: Float64Array,
  y: Float64Array,
  product: Float64Array,
): Promise<number> {
  let [off, all] = [0, 0];
  await matrix.apply(x, product);
  for (let i = 0; i < x.length; i++) off += (product[i] - lambda * x[i] + width * y[i]) ** 2;
  if (width !== 0) await matrix.apply(y, product);
  else product.fill(0);
  for (let i = 0; i < x.length; i++) {
    off += (product[i] - lambda * y[i] - width * x[i]) ** 2;
    all += x[i] * x[i] + y[i] * y[i];
  }
  return Math.sqrt(off / all);
}
