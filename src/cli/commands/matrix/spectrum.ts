/** `drumlin matrix spectrum`: eigenvalues and eigenvectors of a graph's matrix, into a folder. */
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { DrumlinError } from '../../../base/errors.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  parseBytes,
  parseCount,
} from '../../../base/units.ts';
import type { SpectrumOptions } from '../../../matrix/spectrum/options.ts';
import type { Spectrum } from '../../../matrix/spectrum/spectrum.ts';
import { examples } from '../../input/example.ts';
import { interruptible } from '../../input/interrupt.ts';
import { atLeastOne, type Streams } from '../../input/rank-words.ts';
import { shareOf } from './share.ts';

interface SpectrumFlags {
  readonly out: string;
  readonly reverse?: boolean;
  readonly share: string;
  readonly alpha: string;
  readonly dimension?: string;
  readonly values?: string;
  readonly vectors: string;
  readonly tolerance: string;
  readonly seed: string;
  readonly threads: string;
  readonly memory: string;
}

export function registerSpectrum(matrix: Command): void {
  matrix
    .command('spectrum')
    .description('compute eigenvalues and eigenvectors of the Google matrix')
    .addHelpText(
      'after',
      examples(
        'matrix spectrum my-graph --out my-spectrum',
        'matrix spectrum my-graph --values 100 --reverse --out my-spectrum',
      ),
    )
    .argument('<graph>', 'the folder of a graph')
    .requiredOption(
      '--out <folder>',
      'folder for spectrum.tsv, spectrum.json, vectors and report.html',
    )
    .option('--reverse', 'use the matrix with all arcs reversed')
    .option(
      '--share <share>',
      'a node that reaches more than this share of all nodes is core',
      '0.1',
    )
    .option('--alpha <number>', 'probability to follow a link', '1')
    .option('--dimension <count>', 'vectors in the basis of the core (default: 500)')
    .option('--values <count>', 'find so many eigenvalues of the core, with restarts')
    .option('--vectors <count>', 'eigenvectors of the core and of subspaces to write', '5')
    .option('--tolerance <number>', 'residual below which an eigenvalue has converged', '1e-10')
    .option('--seed <number>', 'draws the start vector', '1')
    .option('--threads <count>', 'threads', String(availableParallelism()))
    .option('--memory <size>', 'memory for data that grows with the graph', '2Gi')
    .action((graph: string, flags: SpectrumFlags) =>
      spectrumCommand(graph, flags, { output: process.stdout, screen: process.stderr }),
    );
}

async function spectrumCommand(
  folder: string,
  flags: SpectrumFlags,
  { output, screen }: Streams,
): Promise<void> {
  const [{ openGraph }, { spectrum }, { writeSpectrum }, { showEta }, { Disk }] = await Promise.all(
    [
      import('../../../graph/open-graph.ts'),
      import('../../../matrix/spectrum/spectrum.ts'),
      import('../../../matrix/spectrum/output.ts'),
      import('../../screen/eta.ts'),
      import('../../../disk/disk.ts'),
    ],
  );
  const options = optionsOf(flags);
  const graph = await openGraph(folder);
  const eta = showEta('computing the spectrum', screen);
  const start = performance.now();
  try {
    const title = `Spectrum of ${basename(resolve(folder))}${flags.reverse ? ', reversed' : ''}`;
    const found = await interruptible((signal) =>
      writeSpectrum(new Disk(), flags.out, graph, title, () =>
        spectrum(graph, { ...options, signal, onProgress: eta.update }),
      ),
    );
    eta.end();
    output.write(summaryOf(found, performance.now() - start));
    screen.write(`report: ${join(flags.out, 'report.html')}\n`);
  } finally {
    eta.end();
    await graph.close();
  }
}

function optionsOf(flags: SpectrumFlags): SpectrumOptions {
  return {
    reverse: flags.reverse === true,
    share: shareOf('--share', flags.share),
    alpha: numberOf('--alpha', flags.alpha),
    ...(flags.dimension !== undefined && { dimension: atLeastOne('--dimension', flags.dimension) }),
    ...(flags.values !== undefined && { values: atLeastOne('--values', flags.values) }),
    vectors: parseCount(flags.vectors),
    tolerance: numberOf('--tolerance', flags.tolerance),
    seed: parseCount(flags.seed),
    threads: atLeastOne('--threads', flags.threads),
    memory: parseBytes(flags.memory),
  };
}

function numberOf(flag: string, text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw new DrumlinError('VALUE', `${flag}: "${text}" is not a number.`, 'Write it like 0.85.');
}

function summaryOf(
  { subspaces, eigenvalues, zeros, core, tolerance }: Spectrum,
  millis: number,
): string {
  const ofCore = eigenvalues.filter(({ subspace }) => subspace === 0);
  const converged = ofCore.filter((value) => value.converged);
  const lines = [
    `  nodes       ${formatCount(subspaces.nodes)}, ${formatCount(subspaces.subspaceNodes)} of them in ${formatCount(subspaces.subspaces)} subspaces`,
    `  subspaces   ${formatCount(eigenvalues.length - ofCore.length)} eigenvalues; N_1 ${formatCount(subspaces.ones)}, N_circ ${formatCount(subspaces.circle)}`,
    ...(core ? [`  core        ${coreLine(core)}`] : ['  core        none']),
    `  converged   ${formatCount(converged.length)} of ${formatCount(ofCore.length)} of the core have a residual below ${tolerance}`,
    `  zeros       ${formatCount(zeros)} eigenvalues are 0 by the pattern of links, and not listed`,
    `  time        ${formatDuration(millis)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function coreLine(core: NonNullable<Spectrum['core']>): string {
  const { nodes, classes, method, dimension, asked, restarts, settled, held } = core;
  const basis = `${formatCount(dimension)} vectors of ${formatCount(classes)} numbers (${formatBytes(8 * classes * dimension)})`;
  const facts = [
    `${formatCount(nodes)} nodes`,
    method === 'dense' ? `solved whole: ${formatCount(classes)} rows` : `${method}: ${basis}`,
    ...(held === 'stream' ? ['arcs read from disk for each product'] : []),
    ...(restarts === undefined ? [] : [`${formatCount(restarts)} restarts`]),
    ...(settled === false ? ['NOT all values asked for converged'] : []),
    ...(restarts === undefined && dimension < asked
      ? [
          `--dimension cut from ${formatCount(asked)} to ${formatCount(dimension)}: there are no more`,
        ]
      : []),
  ];
  return facts.join('; ');
}
