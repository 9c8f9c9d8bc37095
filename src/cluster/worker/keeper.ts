/**
 * Decides which checkpoints of an agent leave the machine.
 *
 * Idea      Local checkpoints come every few seconds, uploads every minute. One comes early when
 *           others wait for it: when senders keep too much for this agent, and when nothing has
 *           happened since the last local checkpoint, because the end of the crawl needs the state
 *           of agents that rest.
 * Ensures   `holds` only if the committed checkpoint has all pages, all that was received, and as
 *           many queued URLs as there are now.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type {
  CheckpointKeeper,
  KeptElsewhere,
  SavedCheckpoint,
} from '../../crawl/agent/checkpointer.ts';

interface KeeperParts {
  readonly clock: Clock;
  readonly every: Millis;
  /** Copies the checkpoint that is on disk, so that another can be made. */
  readonly stage: (saved: SavedCheckpoint) => Promise<void>;
  /** Uploads what was staged; true when it is committed, false when the store failed. */
  readonly commit: (saved: SavedCheckpoint) => Promise<boolean>;
  /** Senders are about to wait for this agent. */
  readonly overdue: () => boolean;
}

/** Before a last checkpoint is tried again. */
const AGAIN: Millis = 2000;

/** By what states are compared. */
type Standing = Pick<SavedCheckpoint, 'pages' | 'received' | 'waiting'>;

export class ClusterKeeper implements CheckpointKeeper {
  readonly #parts: KeeperParts;
  #saved: Standing | undefined;
  #committed: Standing | undefined;
  #nextAt: Millis;
  #isSending = false;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#nextAt = parts.clock.now() + parts.every;
  }

  keep(saved: SavedCheckpoint): KeptElsewhere | undefined {
    const { clock, overdue, stage } = this.#parts;
    const isNews = !this.holds(saved);
    const rests = isSame(this.#saved, saved);
    this.#saved = saved;
    const isDue = isNews && (clock.now() >= this.#nextAt || overdue() || rests);
    if (!saved.isLast && (!isDue || this.#isSending)) return undefined;
    this.#isSending = true;
    const staged = stage(saved);
    return { staged, kept: staged.then(() => this.#commit(saved)) };
  }

  /** Whether the committed checkpoint is as good as the present state. */
  holds(now: Standing): boolean {
    return isSame(this.#committed, now);
  }

  async #commit(saved: SavedCheckpoint): Promise<boolean> {
    const { clock, every, commit, stage } = this.#parts;
    let isKept = await commit(saved);
    // There is no later one: the files no longer change, and are copied again.
    for (; !isKept && saved.isLast; isKept = await commit(saved)) {
      await new Promise<void>((later) => clock.after(AGAIN, later));
      await stage(saved);
    }
    this.#isSending = false;
    if (isKept) this.#committed = saved;
    if (isKept) this.#nextAt = clock.now() + every;
    return isKept;
  }
}

function isSame(a: Standing | undefined, b: Standing): boolean {
  return (
    a?.pages === b.pages &&
    a.waiting === b.waiting &&
    a.received.every((sequence, agent) => sequence === b.received[agent])
  );
}
