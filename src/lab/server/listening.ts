/** Waits until a server listens, or throws an error with the reason. */
import { type EventEmitter, once } from 'node:events';
import { DrumlinError, systemCode } from '../../base/errors.ts';

/** Ignores later errors: the system may refuse a single connection; the server continues. */
export async function listening(server: EventEmitter, port: number): Promise<void> {
  try {
    await once(server, 'listening');
  } catch (error) {
    throw portRefused(port, error);
  }
  server.on('error', () => {});
}

export function portRefused(port: number, cause: unknown): DrumlinError {
  return new DrumlinError(
    'LAB_PORT',
    `Port ${port} cannot be listened on (${systemCode(cause)}).`,
    'Choose another port, or 0 for a free one.',
    { cause },
  );
}
