/** `drumlin refresh`: find what is left of an old collection. */
import type { Command } from 'commander';
import { examples } from '../input/example.ts';
import { registerCompare } from './refresh/compare.ts';

export function register(program: Command): void {
  const refresh = program
    .command('refresh')
    .description('find what is left of an old collection with the fewest requests')
    .addHelpText(
      'after',
      examples('refresh compare my-graph --alive alive.txt --report costs.html'),
    );
  registerCompare(refresh);
}
