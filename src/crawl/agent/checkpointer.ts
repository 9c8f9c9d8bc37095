/**
 * Writes the checkpoints of an agent: the consistent state on disk from which it resumes.
 *
 * Idea      Everything in memory is copied in one step, in which nothing else runs: the frontier,
 *           what was discovered and not handed on, what the transport has sent and received, the
 *           counters, the lengths of the store's files. The copy is written while the agent
 *           continues. What only grows meanwhile is not copied: links for the sieve.
 * Requires  that `write` is never called twice at once, nor while links are carried to the sieve.
 * Ensures   a checkpoint holds each page entirely or not at all (see `commit.ts`). Other agents may
 *           forget what they sent only after the checkpoint that holds it is on disk.
 */
import type { Clock } from '../../base/clock.ts';
import { FieldWriter } from '../../base/fields.ts';
import { together } from '../../base/together.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import { takeSnapshot } from '../../frontier/snapshot.ts';
import type { Supply } from '../../frontier/supply.ts';
import type { Reputation } from '../../reputation/reputation.ts';
import type { OutcomeLog } from '../planned/outcome-log.ts';
import type { LineFiles } from '../record/line-files.ts';
import type { EventLog } from '../record/log.ts';
import type { SkipLog } from '../skipped/skip-log.ts';
import type { AgentFolder, AgentState } from '../state/agent-folder.ts';
import { encodeImage } from '../state/memory-image.ts';
import type { Store } from '../store/store.ts';
import type { Transport } from '../transport/transport.ts';
import type { ProgressKeeper } from './agent-progress.ts';
import type { DomainDecisions } from './domain-decisions.ts';
import type { Admission } from './link-admission.ts';
import type { MovedSeeds } from './scope.ts';

interface CheckpointerParts {
  readonly clock: Clock;
  /** The clock by which ready times are counted. */
  readonly pace: Clock;
  readonly log: EventLog;
  readonly agent: number;
  /** A checkpoint that takes longer than this is logged. */
  readonly every: Millis;
  /** Undefined for a crawl that keeps nothing. */
  readonly folder: Pick<AgentFolder, 'save'> | undefined;
  readonly decisions: Pick<DomainDecisions, 'obey'>;
  /** Only in the order of budgets. */
  readonly reputation: Pick<Reputation, 'carry' | 'write' | 'collect' | 'standings'> | undefined;
  readonly transport: Pick<Transport, 'state' | 'acknowledge'>;
  readonly frontier: Frontier;
  readonly admission: Pick<Admission, 'snapshot'>;
  /** `taken` counts the URLs taken from the sieve. */
  readonly supply: Pick<Supply, 'queued'> & { readonly taken: number };
  readonly store: Pick<Store, 'lengths' | 'makeDurable'>;
  /** Only in a planned crawl. */
  readonly outcomes: Pick<OutcomeLog, 'length' | 'makeDurable'> | undefined;
  /** Only where skipped URLs are listed. */
  readonly skipLog: Pick<SkipLog, 'makeDurable'> | undefined;
  /** Only where lines are written beside the archive. */
  readonly lines: Pick<LineFiles, 'lengths' | 'makeDurable'> | undefined;
  readonly progress: ProgressKeeper;
  readonly movedSeeds: MovedSeeds;
  /** How many seeds of the crawl the agent knows. */
  readonly seeds: () => number;
  /** Only in a cluster. */
  readonly keeper?: CheckpointKeeper | undefined;
  /** Called when a checkpoint is kept. */
  readonly onKept: () => void;
}

/** What a checkpoint holds, for others. */
export interface SavedCheckpoint {
  /** The last parcel of each agent. */
  readonly received: readonly number[];
  /** Pages in the archive, of all runs. */
  readonly pages: number;
  readonly bytes: Bytes;
  /** Queued URLs. */
  readonly waiting: number;
  /** The last of this process. */
  readonly isLast: boolean;
}

/** In a cluster a checkpoint counts when it is out of reach of this machine's failure. */
export interface CheckpointKeeper {
  /** Takes the checkpoint that was just saved elsewhere; undefined if it is not worth it. */
  keep(saved: SavedCheckpoint): KeptElsewhere | undefined;
}

export interface KeptElsewhere {
  /** Until it has settled, the files of the checkpoint must not change. */
  readonly staged: Promise<void>;
  /** True when the checkpoint counts; false when it could not be kept: a later one will be. */
  readonly kept: Promise<boolean>;
}

export class Checkpointer {
  readonly #parts: CheckpointerParts;
  #staging: Promise<void> | undefined;
  /** The last checkpoint that is on its way. */
  #keeping: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  /** The memory of one checkpoint is used again for the next. */
  readonly #snapshot = new FieldWriter();

  constructor(parts: CheckpointerParts) {
    this.#parts = parts;
  }

  /** The last checkpoint is being copied: another must wait. */
  get busy(): boolean {
    return this.#staging !== undefined;
  }

  /** The last checkpoint, kept wherever it must be. */
  async writeLast(): Promise<void> {
    await this.#keeping;
    await this.write(true);
    await this.#keeping;
    if (this.#failure) throw this.#failure.error;
  }

  async write(isLast = false): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    const { clock, log, agent, every, folder, reputation, transport } = this.#parts;
    const begun = clock.now();
    await this.#obey();
    reputation?.carry(true);
    await reputation?.write();
    // Once more, for what came meanwhile, in the same step as the copies below: the transport
    // counts it as received, the frontier as fetched.
    reputation?.carry(true);
    reputation?.collect();
    const { received } = transport.state();
    if (folder) {
      const [image, state] = [this.#image(), this.#state()];
      await folder.save(image, state, () => this.#makeDurable());
      this.#parts.progress.checkpointed(begun);
      const took = clock.now() - begun;
      if (took > every) log.event('checkpoint-slow', { agent, took });
      const { pages, bytes } = state.counters;
      const { waiting } = state;
      if (this.#parts.keeper) return this.#keep({ received, pages, bytes, waiting, isLast });
    }
    transport.acknowledge(received);
  }

  /** Parcels are acknowledged when the checkpoint that holds them is kept, not before. */
  #keep(saved: SavedCheckpoint): void {
    const { keeper, transport, onKept } = this.#parts;
    const keeping = keeper?.keep(saved);
    if (!keeping) return;
    const failed = (error: unknown) => {
      this.#failure = { error };
    };
    this.#staging = keeping.staged.catch(failed).finally(() => {
      this.#staging = undefined;
      onKept();
    });
    this.#keeping = keeping.kept.then((isKept) => {
      if (isKept) transport.acknowledge(saved.received);
    }, failed);
  }

  async #makeDurable(): Promise<void> {
    const { store, outcomes, skipLog, lines } = this.#parts;
    const others = [outcomes, skipLog, lines].map(async (log) => log?.makeDurable());
    await together([store.makeDurable(), ...others]);
  }

  /** A file that cannot be read changes nothing: the crawl continues with the old decisions. */
  async #obey(): Promise<void> {
    const { decisions, log } = this.#parts;
    await decisions
      .obey()
      .catch((error) => log.event('domains-file-refused', { why: String(error.message) }));
  }

  /** What the agent has in memory. */
  #image(): Uint8Array[] {
    const { frontier, transport, admission } = this.#parts;
    const image = {
      frontier: takeSnapshot(frontier, this.#snapshot),
      transport: transport.state(),
      discovered: admission.snapshot(),
    };
    return encodeImage(image);
  }

  #state(): AgentState {
    const { clock, pace, frontier, supply, seeds, movedSeeds, store, progress } = this.#parts;
    const { outcomes, lines, reputation } = this.#parts;
    return {
      savedAt: clock.now(),
      pace: pace.now(),
      waiting: frontier.queued + frontier.turnsOut + supply.queued,
      frontier: frontier.state,
      taken: supply.taken,
      seeds: seeds(),
      moved: movedSeeds.moves,
      archive: store.lengths(),
      ...(reputation && { standings: reputation.standings }),
      ...(outcomes && { outcomes: outcomes.length }),
      ...(lines && { lines: lines.lengths() }),
      ...progress.state(),
    };
  }
}
