/** Stops long work when its signal is aborted. */
import { DrumlinError, EXIT } from './errors.ts';

export function stopIfAsked(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new DrumlinError('STOPPED', 'Stopped: nothing was written.', 'Run it again.', {
    exitCode: EXIT.interrupted,
  });
}
