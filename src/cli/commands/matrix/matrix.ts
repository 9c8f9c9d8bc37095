/** `drumlin matrix`: the Google matrix of a graph. */
import type { Command } from 'commander';
import { examples } from '../../input/example.ts';
import { registerEvolve } from './evolve.ts';
import { registerPlane } from './plane.ts';
import { registerReduce } from './reduce.ts';
import { registerSpectrum } from './spectrum.ts';
import { registerSubspaces } from './subspaces.ts';

export function register(program: Command): void {
  const matrix = program
    .command('matrix')
    .description(
      'the Google matrix of a graph: invariant subspaces, spectrum, PageRank against CheiRank, reduction, change',
    )
    .addHelpText(
      'after',
      examples(
        'matrix subspaces my-graph',
        'matrix spectrum my-graph --out my-spectrum',
        'matrix plane my-graph --report plane.html',
        'matrix reduce my-graph --nodes set.txt',
        'matrix evolve 2024=graph1 2025=graph2 --report evolve.html',
      ),
    );
  registerSubspaces(matrix);
  registerSpectrum(matrix);
  registerPlane(matrix);
  registerReduce(matrix);
  registerEvolve(matrix);
}
