/**
 * The spectrum of the Google matrix: eigenvalues of subspaces and of the core, with residuals.
 *
 * Idea      S = [[S_ss, S_sc], [0, S_cc]], so the eigenvalues of S are those of S_ss and of S_cc.
 *           Subspaces are solved component by component (blocks.ts), the core by Arnoldi or by
 *           Krylov-Schur, or whole if it is small (solve-part.ts). For α < 1, G has the eigenvalue
 *           1 once and α times the others of S (Brauer 1952).
 * Ensures   each eigenvalue has the residual |Sψ − λψ|/|ψ| in its diagonal block, and is called
 *           converged if that is below the tolerance. The same bits on any number of threads.
 * Costs     the links in memory while subspaces are found and solved; then the basis of the core.
 */
import { stopIfAsked } from '../../base/stop.ts';
import type { Graph } from '../../graph/graph.ts';
import { partOf } from '../krylov/part-lists.ts';
import { byModulus } from '../krylov/ritz.ts';
import { findSubspaces, requireLinkMemory, type Subspaces } from '../subspaces/subspaces.ts';
import { type BlockValue, solveBlocks } from './blocks.ts';
import { type Checked, checkedOptions, type SpectrumOptions } from './options.ts';
import { notKept, type PartFacts, type PartSolution, solvePart } from './solve-part.ts';

export interface Eigenvalue {
  readonly re: number;
  readonly im: number;
  readonly modulus: number;
  readonly residual: number;
  /** How far the eigenvalue moves when the matrix moves by 1; of a basis, in the basis. */
  readonly condition: number;
  readonly converged: boolean;
  /** 0 for the core, otherwise the number of its subspace. */
  readonly subspace: number;
}

export interface Eigenvector {
  /** Its place among the eigenvalues. */
  readonly index: number;
  /** Nodes where it may differ from 0, and its values there. */
  readonly nodes: Uint32Array;
  readonly re: Float64Array;
  readonly im: Float64Array;
  /** (Σ|ψ|²)² / Σ|ψ|⁴: on how many nodes it is, about. */
  readonly participation: number;
}

export interface Spectrum {
  readonly subspaces: Subspaces;
  readonly alpha: number;
  readonly tolerance: number;
  /** By modulus, the greatest first. */
  readonly eigenvalues: readonly Eigenvalue[];
  /** Eigenvalues that are 0 because of equal rows or the pattern of links; not in the list. */
  readonly zeros: number;
  /** How the core was solved; absent if there is none. */
  readonly core?: PartFacts & { readonly nodes: number; readonly asked: number };
  /** The first eigenvectors of the core, then of subspaces. */
  readonly vectors: readonly Eigenvector[];
}

interface Found {
  readonly value: Eigenvalue;
  readonly locate: () => Omit<Eigenvector, 'index' | 'participation'>;
}

/** The share of the work that subspaces are taken to be. */
const FIRST = 0.2;
/** What rounding may do to an eigenvalue 1. */
const ROUNDED = 1e-8;

export async function spectrum(graph: Graph, given: SpectrumOptions = {}): Promise<Spectrum> {
  const options = checkedOptions(given);
  const report = (done: number) => {
    stopIfAsked(options.signal);
    options.onProgress(done);
  };
  const blocks = await ofSubspaces(graph, options, report);
  const { subspaces } = blocks;
  const found: Found[] = [...blocks.found];
  let { zeros } = blocks;
  const onProgress = (done: number) => report(FIRST + (1 - FIRST) * done);
  const solve = async (nodes: Uint32Array, subspace: number) => {
    const solved = await ofPart(graph, nodes, { ...options, onProgress });
    zeros += solved.zeros;
    for (const pair of solved.pairs)
      found.push({
        value: eigenvalueOf(pair, options.tolerance, subspace),
        locate: () => ({ nodes, ...pair.vector() }),
      });
    return solved.facts;
  };
  for (const nodes of blocks.large) await solve(nodes, subspaces.subspaceOf[nodes[0]]);
  const core = nodesOfCore(subspaces);
  const facts = core.length > 0 ? await solve(core, 0) : undefined;
  const { alpha, tolerance, dimension, values } = options;
  const sorted = damped(found, alpha).sort(byValue);
  return {
    subspaces,
    alpha,
    tolerance,
    eigenvalues: sorted.map(({ value }) => value),
    zeros,
    ...(facts && { core: { ...facts, nodes: core.length, asked: values ?? dimension } }),
    vectors: firstVectors(sorted, options.vectors),
  };
}

/** Finds the subspaces and solves all but the largest components; then the links are forgotten. */
async function ofSubspaces(
  graph: Graph,
  { reverse, share, memory, tolerance, vectors }: Checked,
  report: (done: number) => void,
) {
  requireLinkMemory(graph, memory);
  const links = await (reverse ? graph.in : graph.out).load();
  report(0.02);
  const { subspaces, condensed } = findSubspaces(graph.nodes, links, share);
  report(0.05);
  const blocks = await solveBlocks(condensed, subspaces.subspaceOf, memory, (done) =>
    report(0.05 + (FIRST - 0.05) * done),
  );
  const found: Found[] = blocks.solved.flatMap((block) => {
    const subspace = subspaces.subspaceOf[block.nodes[0]];
    return block.values.map((pair, place) => ({
      value: eigenvalueOf(pair, tolerance, subspace),
      locate: () => ({ nodes: block.nodes, ...block.vector(place) }),
    }));
  });
  const zeros = blocks.solved.reduce((sum, block) => sum + block.zeros, blocks.zeros);
  found.sort(byValue);
  return { subspaces, found: withFirstVectors(found, vectors), zeros, large: blocks.large };
}

async function ofPart(graph: Graph, nodes: Uint32Array, options: Checked): Promise<PartSolution> {
  const [links, sources] = options.reverse ? [graph.in, graph.out] : [graph.out, graph.in];
  const part = await partOf(graph.nodes, sources, nodes);
  return solvePart(part, await links.degrees(), options);
}

function nodesOfCore({ subspaceOf, nodes, subspaceNodes }: Subspaces): Uint32Array {
  const core = new Uint32Array(nodes - subspaceNodes);
  let at = 0;
  for (let node = 0; node < nodes; node++) if (subspaceOf[node] === 0) core[at++] = node;
  return core;
}

/** Locates the vectors that can be wanted while the links are there; the others no more. */
function withFirstVectors(sorted: readonly Found[], count: number): Found[] {
  let taken = 0;
  return sorted.map(({ value, locate }) => {
    if (value.im < 0 || taken++ >= count) return { value, locate: notKept };
    const vector = locate();
    return { value, locate: () => vector };
  });
}

const byValue = ({ value: a }: Found, { value: b }: Found): number =>
  byModulus(a, b) || a.subspace - b.subspace;

function eigenvalueOf(pair: BlockValue, tolerance: number, subspace: number): Eigenvalue {
  const { re, im, residual, condition } = pair;
  const converged = residual < tolerance;
  return { re, im, modulus: Math.hypot(re, im), residual, condition, converged, subspace };
}

/**
 * G has the eigenvalue 1 of S once, and α times the others. Which one that is, is told by its
 * value: the one nearest to 1 that is 1 as far as it is known. If none is, 1 was not found.
 */
function damped(found: readonly Found[], alpha: number): Found[] {
  if (alpha === 1) return [...found];
  const off = found.map(({ value: { re, im } }) => Math.round(Math.hypot(re - 1, im) * 1e12));
  let one = -1;
  found.forEach(({ value: { residual, condition } }, i) => {
    const known = off[i] <= (ROUNDED + condition * residual) * 1e12;
    if (known && (one < 0 || off[i] < off[one])) one = i;
  });
  return found.map(({ value, locate }, i) => ({
    value: i === one ? value : times(alpha, value),
    locate,
  }));
}

function times(alpha: number, value: Eigenvalue): Eigenvalue {
  const { re, im, modulus, residual } = value;
  const parts = { re: alpha * re, im: alpha * im, modulus: alpha * modulus };
  return { ...value, ...parts, residual: alpha * residual };
}

/** The first vectors of the core and of subspaces; of complex pairs only the one above the axis. */
function firstVectors(found: readonly Found[], count: number): Eigenvector[] {
  const vectors: Eigenvector[] = [];
  for (const ofCore of [true, false]) {
    let taken = 0;
    for (let index = 0; index < found.length && taken < count; index++) {
      const { value, locate } = found[index];
      if ((value.subspace === 0) !== ofCore || value.im < 0) continue;
      const vector = locate();
      vectors.push({ index, ...vector, participation: participationOf(vector) });
      taken++;
    }
  }
  return vectors;
}

function participationOf({ re, im }: Pick<Eigenvector, 're' | 'im'>): number {
  let [second, fourth] = [0, 0];
  for (let i = 0; i < re.length; i++) {
    const square = re[i] * re[i] + im[i] * im[i];
    second += square;
    fourth += square * square;
  }
  return fourth > 0 ? (second * second) / fourth : 0;
}
