/**
 * Errors that should not happen. One in the handling of a host or a page concerns only that host or
 * page: it is logged, and the crawl continues. One of the agent's own state (disk, sieve,
 * checkpoint, transport, store), or one that the user's `onPage` or `onError` throws, ends the
 * agent.
 *
 * Requires  work on the agent's own state, and calls of the user's functions, go through
 *           `endsAgent`. An error with a remedy (`DrumlinError`) ends the agent without that.
 * Ensures   `note` returns for every other error, whatever was thrown.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { EventLog } from './log.ts';

/** Carries an error that ends the agent past those who handle errors of hosts and pages. */
class AgentFailure extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super('The agent fails.');
    this.error = error;
  }
}

/** Does work whose failure ends the agent. */
export async function endsAgent<Result>(
  work: () => Result | Promise<Result>,
): Promise<Awaited<Result>> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AgentFailure ? error : new AgentFailure(error);
  }
}

/** The error with which an agent ends. */
export const failureOf = (error: unknown): unknown =>
  error instanceof AgentFailure ? error.error : error;

/** What an error is about. */
interface Concerned {
  readonly host: string;
  /** Absent when the error is not about one URL. */
  readonly url?: string | undefined;
}

export class InternalErrors {
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Logs the error and returns its message. Throws it again if it ends the agent. */
  note(error: unknown, { host, url }: Concerned): string {
    if (error instanceof AgentFailure || error instanceof DrumlinError) throw error;
    const message = messageOf(error);
    const stack = error instanceof Error ? error.stack : undefined;
    this.#log.event('internal-error', { host, url, message, stack });
    return message;
  }
}

/** Anything can be thrown, also what has no text. */
function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'An error without a message.';
  }
}
