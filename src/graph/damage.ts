/** The error for a file of a graph with wrong contents. */
import { DrumlinError, EXIT } from '../base/errors.ts';

export function damaged(path: string, what: string): DrumlinError {
  return new DrumlinError(
    'GRAPH_DAMAGED',
    `${path} ${what}.`,
    'Another program damaged it; build the graph again.',
    { exitCode: EXIT.folder },
  );
}
