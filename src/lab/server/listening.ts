/** Waits until a server listens, or throws an error with the reason. */
import { type EventEmitter, once } from 'node:events';
import { DrumlinError, systemCode } from '../../base/errors.ts';

export async function listening(server: EventEmitter, port: number): Promise<void> {
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new DrumlinError(
      'LAB_PORT',
      `Port ${port} cannot be listened on (${systemCode(error)}).`,
      'Choose another port, or 0 for a free one.',
      { cause: error },
    );
  }
}
