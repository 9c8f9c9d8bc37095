/** What is said when a file of a graph does not hold what it must. */
import { DrumlinError, EXIT } from '../base/errors.ts';

export function damaged(path: string, what: string): DrumlinError {
  return new DrumlinError(
    'GRAPH_DAMAGED',
    `${path} ${what}.`,
    'It was damaged by something else than this program; build the graph again.',
    { exitCode: EXIT.folder },
  );
}
