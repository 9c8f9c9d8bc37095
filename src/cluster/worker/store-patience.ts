/**
 * What an agent does when the object store fails for a while.
 *
 * Idea      A commit that fails is made later, with the next checkpoint. The start and the end of
 *           an agent have no next one: they are tried until they succeed, or the lease is lost.
 * Ensures   An agent is done only when all its files are in the archive: nobody takes an agent that
 *           is done, so nobody would put its last file there.
 */
import { setTimeout as later } from 'node:timers/promises';
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import type { EventLog } from '../../crawl/record/log.ts';
import { type AgentLease, type Commit, LeaseLost } from '../lease/agent-lease.ts';

interface Patience {
  readonly lease: Pick<AgentLease, 'agent' | 'lost' | 'release' | 'commit'>;
  readonly log: EventLog;
  /** Another worker should run the agent, before it could start here. */
  readonly isUnwanted: () => boolean;
  /** Before what has failed is tried again. */
  readonly again?: Millis;
}

const AGAIN: Millis = 2000;

interface CommitSteps {
  readonly commit: Commit;
  /** The key has it. */
  readonly onCommitted: () => void;
  /** Puts finished files into the archive. */
  readonly tidyUp: () => Promise<void>;
  /** The run that the agent is done with by this commit. */
  readonly done: number | undefined;
}

export async function commitInOrder(
  parts: Patience,
  { commit, onCommitted, tidyUp, done }: CommitSteps,
): Promise<void> {
  await parts.lease.commit(commit);
  onCommitted();
  if (done === undefined) {
    // What fails to be tidied up now is tidied up after the next commit, or by an heir.
    await unlessStoreFails(parts, tidyUp);
    return;
  }
  await whileStoreFails(parts, tidyUp);
  await parts.lease.commit({ ...commit, done });
}

/** The store may fail for a while: then the result is undefined. */
export async function unlessStoreFails<Result>(
  { lease, log }: Pick<Patience, 'lease' | 'log'>,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isPassing(error)) throw error;
    log.event('upload-failed', { agent: lease.agent, why: (error as Error).message });
    return undefined;
  }
}

/**
 * Store and brokers may fail for a while: tries until the lease is lost. An agent that is wanted
 * elsewhere before it could start is released.
 */
export async function whileStoreFails<Result>(
  { lease, log, isUnwanted, again = AGAIN }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      log.event('upload-failed', { agent: lease.agent, why: (error as Error).message });
    }
    await later(again);
    if (isUnwanted()) await lease.release();
    if (lease.lost) throw new LeaseLost(`The lease of agent ${lease.agent} is lost.`);
  }
}

/** A fault of the store or of the way to it, which may be over in a moment. */
function isPassing(error: unknown): boolean {
  return !(error instanceof DrumlinError) || error.code.startsWith('OBJECT');
}
