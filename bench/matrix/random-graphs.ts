/**
 * Random graphs of 1,000 nodes with subspaces, cycles, self-links and dangling nodes: every
 * eigenvalue of modulus above 0.1 and condition number below 1e6 that LAPACK finds must be found as
 * often, within 1e-8; and the eigenvalues at 1 and on the circle must be as many as counted.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryGraph } from '../../src/graph/memory-graph.ts';
import { spectrum } from '../../src/matrix/spectrum/spectrum.ts';

const PEER = join(import.meta.dirname, '..', 'peers', 'matrix', 'dense_peer.py');
const NODES = 1000;
const NEAR = 1e-8;

type Arc = readonly [from: number, to: number];

export async function compareRandomGraphs(count: number, python: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-matrix-'));
  const file = join(folder, 'matrix.f64');
  let [compared, missed, furthest, miscounted] = [0, 0, 0, 0];
  try {
    for (let seed = 1; seed <= count; seed++) {
      const arcs = randomArcs(seed);
      writeFileSync(file, new Uint8Array(denseS(arcs).buffer));
      const { stdout, status, stderr } = spawnSync(python, [PEER, file], {
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      });
      if (status !== 0) return print(`not compared: ${stderr || 'python did not start'}`);
      const theirs = JSON.parse(stdout) as [number, number, number][];
      const share = [0.05, 0.1, 0.3, 1][seed % 4];
      const found = await spectrum(memoryGraph(NODES, arcs), { share, dimension: NODES });
      const left = found.eigenvalues.map(({ re, im }) => [re, im] as const);
      const at = (test: (re: number, im: number) => boolean) =>
        left.filter(([re, im]) => test(re, im)).length;
      if (at((re, im) => Math.hypot(re - 1, im) < NEAR) !== found.subspaces.ones) miscounted++;
      if (at((re, im) => Math.abs(Math.hypot(re, im) - 1) < NEAR) !== found.subspaces.circle)
        miscounted++;
      for (const [re, im, condition] of theirs) {
        if (Math.hypot(re, im) <= 0.1 || condition >= 1e6) continue;
        compared++;
        const far = left.map(([a, b]) => Math.hypot(a - re, b - im));
        const nearest = Math.min(...far, Number.POSITIVE_INFINITY);
        if (nearest < NEAR) {
          left.splice(far.indexOf(nearest), 1);
          furthest = Math.max(furthest, nearest);
        } else missed++;
      }
      const { subspaces } = found;
      print(
        `graph ${seed}: ${arcs.length} arcs, ${subspaces.subspaces} subspaces, N_1 ${subspaces.ones}, N_circ ${subspaces.circle}, core ${found.core?.method ?? 'none'}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  print(
    `${count} graphs: ${compared} eigenvalues of LAPACK above 0.1, ${missed} of them not found within ${NEAR}; the others within ${furthest.toExponential(1)}; N_1 or N_circ wrong ${miscounted} times`,
  );
}

/** Sparse arcs at random over a part of the nodes, closed rings with chords, loops. */
function randomArcs(seed: number): Arc[] {
  let state = seed * 2_654_435_761;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const arcs: Arc[] = [];
  const open = 300 + below(500);
  for (let i = 0; i < open * (1 + (seed % 3)); i++) arcs.push([below(open), below(NODES)]);
  for (let first = open; first < NODES; ) {
    const size = Math.min(1 + below(60), NODES - first);
    if (below(6) > 0) {
      for (let i = 0; i < size; i++) arcs.push([first + i, first + ((i + 1) % size)]);
      for (let i = below(size); i > 0; i--) arcs.push([first + below(size), first + below(size)]);
    }
    first += size;
  }
  for (let i = 0; i < 20; i++) {
    const node = below(open);
    arcs.push([node, node]);
  }
  return arcs;
}

function denseS(arcs: readonly Arc[]): Float64Array {
  const links = Array.from({ length: NODES }, () => new Set<number>());
  for (const [from, to] of arcs) links[from].add(to);
  const matrix = new Float64Array(NODES * NODES);
  links.forEach((targets, j) => {
    for (let i = 0; i < NODES; i++)
      if (targets.size === 0) matrix[i * NODES + j] = 1 / NODES;
      else if (targets.has(i)) matrix[i * NODES + j] = 1 / targets.size;
  });
  return matrix;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
