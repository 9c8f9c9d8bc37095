/** The files of a spectrum: tables, JSON and the report, in a folder that appears whole. */
import { join } from 'node:path';
import type { Disk } from '../../disk/disk.ts';
import { makeWhole } from '../../disk/whole-folder.ts';
import type { Graph } from '../../graph/graph.ts';
import { spectrumReport } from './report.ts';
import type { Eigenvalue, Eigenvector, Spectrum } from './spectrum.ts';

/** Nodes listed for each eigenvector. */
const LISTED = 100;

export interface NamedVector extends Pick<Eigenvector, 'index' | 'participation'> {
  readonly value: Eigenvalue;
  /** The nodes of greatest |ψ|, with |ψ| = 1 in all. */
  readonly nodes: readonly {
    readonly name: string;
    readonly modulus: number;
    readonly re: number;
    readonly im: number;
  }[];
}

/** Computes a spectrum and writes its files; nothing is left if that fails. */
export async function writeSpectrum(
  disk: Disk,
  folder: string,
  graph: Graph,
  title: string,
  compute: () => Promise<Spectrum>,
): Promise<Spectrum> {
  return makeWhole(disk, folder, async (building) => {
    const found = await compute();
    const vectors = await nameVectors(graph, found);
    await write(disk, join(building, 'spectrum.tsv'), eigenvalueTable(found));
    await write(disk, join(building, 'spectrum.json'), json(found, vectors));
    await write(disk, join(building, 'report.html'), spectrumReport(title, found, vectors));
    const folder = join(building, 'vectors');
    await disk.makeFolder(folder);
    for (const vector of vectors)
      await write(disk, join(folder, fileOf(vector)), vectorTable(vector));
    await disk.syncFolder(folder);
    return found;
  });
}

async function write(disk: Disk, path: string, text: string): Promise<void> {
  const file = await disk.open(path, 'create');
  try {
    await file.writeAll(Buffer.from(text), 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

const partOf = ({ subspace }: Eigenvalue): string => (subspace === 0 ? 'core' : String(subspace));

/** `core-1.tsv`: the place in spectrum.tsv, from 1, after what it belongs to. */
function fileOf({ index, value }: NamedVector): string {
  return `${value.subspace === 0 ? 'core' : 'subspace'}-${index + 1}.tsv`;
}

function eigenvalueTable({ eigenvalues }: Spectrum): string {
  const rows = eigenvalues.map((value) => {
    const { re, im, modulus, residual, condition, converged } = value;
    const numbers = [re, im, modulus, residual.toExponential(3), condition.toExponential(3)];
    return [...numbers, converged ? 'yes' : 'no', partOf(value)].join('\t');
  });
  const head = ['re', 'im', 'modulus', 'residual', 'condition', 'converged', 'part'].join('\t');
  return `${[head, ...rows].join('\n')}\n`;
}

function vectorTable({ value, participation, nodes }: NamedVector): string {
  const rows = nodes.map(({ name, modulus, re, im }) => [modulus, re, im, name].join('\t'));
  const facts = [
    `# eigenvalue ${value.re} ${value.im}, residual ${value.residual.toExponential(3)}, of ${value.subspace === 0 ? 'the core' : `subspace ${value.subspace}`}`,
    `# participation ratio ${participation.toFixed(3)}`,
  ];
  return `${[...facts, 'modulus\tre\tim\tnode', ...rows].join('\n')}\n`;
}

function json(found: Spectrum, vectors: readonly NamedVector[]): string {
  const { subspaceOf: _, sizes, ...facts } = found.subspaces;
  const { alpha, tolerance, zeros, core, eigenvalues } = found;
  const summary = { ...facts, sizes, alpha, tolerance, zeros, core };
  const shown = vectors.map(({ index, participation, nodes }) => ({
    index,
    participation,
    nodes: nodes.slice(0, 10),
  }));
  return `${JSON.stringify({ ...summary, vectors: shown, eigenvalues }, undefined, 1)}\n`;
}

async function nameVectors(graph: Graph, found: Spectrum): Promise<NamedVector[]> {
  const named: NamedVector[] = [];
  for (const vector of found.vectors) {
    const { index, participation, nodes, re, im } = vector;
    const moduli = re.map((x, i) => Math.hypot(x, im[i]));
    const length = Math.hypot(Math.sqrt(moduli.reduce((sum, x) => sum + x * x, 0)));
    const best = Uint32Array.from(moduli.keys())
      .sort((a, b) => moduli[b] - moduli[a] || a - b)
      .subarray(0, LISTED);
    const listed = [];
    for (const i of best) {
      if (moduli[i] === 0) break;
      const name = await graph.names.name(nodes[i]);
      const [x, y] = [re[i] / length, im[i] / length];
      listed.push({ name, modulus: moduli[i] / length, re: x, im: y });
    }
    named.push({ index, participation, value: found.eigenvalues[index], nodes: listed });
  }
  return named;
}
