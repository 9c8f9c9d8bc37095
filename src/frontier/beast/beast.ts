/**
 * BEAST: URLs wait on disk for the round in which their domain has budget for them (IRLbot, section 6.2).
 *
 * Idea      Reading everything that waits again and again, to find the little whose turn has come, costs more and more. So the caller
 *           says once in which round an entry will have its turn, j rounds ahead, and only what does not fit even there waits for
 *           `later` (the paper's QF). When a cycle of j rounds is over, that is read once and spread over twice as many: each
 *           rescan is twice as far from the last one.
 *
 *             put(round + 1 … last) ─► round + 1 │ round + 2 │ … │ last ─► advance ─► take: the next round
 *             put('later') ─────────► later ─► advance: 'rescan' ─► takeLater: placed anew by the caller
 *
 *           Which rounds there are, and what `last` is at each moment: `beast-rounds.ts`, with a picture.
 * Requires  one call at a time of those that give a promise; `put` at any time. What `take` and `takeLater` handed out is the
 *           caller's to keep. Of each rescan at least one entry is placed in a round: else the next one begins at once.
 * Ensures   entries of a round, and those that wait for later, come in the order they were put. None is lost, none comes twice: counts
 *           are exact at any time. Opened at a frozen state it is exactly what it was then, also in the middle of a round or of a
 *           rescan. After a failure of the disk every call is refused. Nothing is written before memory is full or a
 *           checkpoint asks for it.
 * Cost      memory: the number given, what comes while it is written out, and about 400 KB, whatever j. Disk: an entry is
 *           written once and read once for each place that it is put in (Theorem 5), and once more for a checkpoint at most.
 */

import type { Bytes } from '../../base/units.ts';
import { type Frozen, recoverFolder } from '../../disk/checkpoint.ts';
import { Disk } from '../../disk/disk.ts';
import { SingleCaller } from '../../drum/single-caller.ts';
import type { Entries } from '../queue/path-queue.ts';
import { BEAST_FILES, BeastFolder, type BeastLimits } from './beast-folder.ts';
import { DiskQueues, type DiskQueuesState } from './disk-queues.ts';
import { Journal, type JournalState } from './journal.ts';
import { MemoryQueues } from './memory-queues.ts';
import { Rounds, type RoundsState } from './rounds.ts';

/** Nothing here grows with the number of queues; it only keeps rounds within what files can store. */
const MOST_QUEUES = 2 ** 30;

export interface BeastState {
  readonly rounds: RoundsState;
  readonly nextFile: number;
  /** Counts rescans. */
  readonly rescan: number;
  readonly inRounds: number;
  readonly later: number;
  /** Of those, as many waited when the rescan began. */
  readonly old: number;
  readonly disk: DiskQueuesState;
  readonly journal?: JournalState | undefined;
}

interface BeastOptions {
  readonly disk: Disk;
  /** Must exist; only files named `rounds.*`, `later.*` and `journal.*` in it are touched. */
  readonly folder: string;
  /** For what came lately and is not on disk yet. */
  readonly memory: Bytes;
  /** j at the beginning, and the most that it may become. */
  readonly queues?: number;
  readonly mostQueues?: number;
  readonly at?: Frozen<BeastState> | undefined;
  readonly limits?: Partial<BeastLimits>;
}

type Place = number | 'later';

export class Beast {
  readonly #memory: Bytes;
  readonly #folder: BeastFolder;
  readonly #caller = new SingleCaller();
  readonly #rounds: Rounds;
  readonly #disk: DiskQueues;
  readonly #journal: Journal;
  /** Rounds by their numbers, and what waits for the n-th rescan as -n. */
  #held = new MemoryQueues();
  #rescan: number;
  #inRounds: number;
  #later: number;
  #old: number;

  private constructor(options: BeastOptions) {
    const { disk, folder, memory, at, queues = 1, mostQueues = MOST_QUEUES, limits = {} } = options;
    const { state, files = {} } = at ?? {};
    this.#memory = memory;
    this.#folder = new BeastFolder(disk, folder, Object.keys(files), state?.nextFile ?? 1, limits);
    this.#rounds = state ? new Rounds(state.rounds, mostQueues) : Rounds.begin(queues, mostQueues);
    this.#disk = new DiskQueues(
      this.#folder,
      state?.disk ?? { rounds: [], later: [], old: [] },
      files,
    );
    this.#journal = new Journal(this.#folder);
    this.#rescan = state?.rescan ?? 0;
    this.#inRounds = state?.inRounds ?? 0;
    this.#later = state?.later ?? 0;
    this.#old = state?.old ?? 0;
  }

  static async open(options: BeastOptions): Promise<Beast> {
    const { disk, folder, at } = options;
    await recoverFolder(disk, folder, at?.files ?? {}, (name) => BEAST_FILES.test(name));
    const beast = new Beast(options);
    if (at?.state.journal) await beast.#restore(at.state.journal, at.files);
    return beast;
  }

  /** One that never writes anything, for a crawl without a folder. */
  static inMemory(): Beast {
    return new Beast({ disk: new Disk(), folder: '', memory: Infinity });
  }

  /** The round that is being read, or was read last; 0 before the first. */
  get round(): number {
    return this.#rounds.round;
  }

  /** The furthest round that may be placed in. */
  get last(): number {
    return this.#rounds.last;
  }

  /** j. */
  get queues(): number {
    return this.#rounds.queues;
  }

  /** All that wait. */
  get entries(): number {
    return this.#inRounds + this.#later;
  }

  /** Those that have a round, what is left of the present one included; */
  get inRounds(): number {
    return this.#inRounds;
  }

  /** and those that have none. */
  get later(): number {
    return this.#later;
  }

  /** Of those that wait for later, as many are still to be handed out in the rescan under way. */
  get leftToRescan(): number {
    return this.#old;
  }

  put(place: Place, entry: Uint8Array): void {
    if (place === 'later') {
      this.#held.put(-(this.#rescan + 1), entry);
      this.#later++;
      return;
    }
    const { round, last } = this.#rounds;
    if (!(place > round && place <= last && Number.isInteger(place))) {
      throw new Error(`round ${place} cannot be placed in: only ${round + 1} to ${last} can`);
    }
    this.#held.put(place, entry);
    this.#inRounds++;
  }

  /** There is more than memory is meant to hold: `makeRoom` is due. */
  get full(): boolean {
    return this.#held.bytes > this.#memory;
  }

  async makeRoom(): Promise<void> {
    if (this.full) await this.#caller.run(() => this.#writeOut());
  }

  /** The next entries of the round; undefined when it has no more. */
  take(): Promise<Entries | undefined> {
    return this.#caller.run(async () => {
      if (!this.#rounds.isReading) return undefined;
      const { round } = this.#rounds;
      const entries = (await this.#disk.take(round)) ?? this.#held.take(round);
      this.#inRounds -= entries?.count ?? 0;
      return entries;
    });
  }

  /**
   * The round has no more: moves to the next one that has something. At the end of a cycle, when something waits for later, says
   * 'rescan' instead: `takeLater` is due. It is best done to its end before the next round is read, but need not be.
   */
  advance(): Promise<'round' | 'rescan' | 'empty'> {
    return this.#caller.run(async () => this.#advance());
  }

  /** Entries that waited when the rescan began, to be placed anew; undefined when there are no more. */
  takeLater(): Promise<Entries | undefined> {
    return this.#caller.run(async () => {
      const entries = (await this.#disk.takeOld()) ?? this.#held.take(-this.#rescan);
      this.#old -= entries?.count ?? 0;
      this.#later -= entries?.count ?? 0;
      return entries;
    });
  }

  /** Everything that was put before the call, durable; what was taken before is not in it. */
  freeze(): Promise<Frozen<BeastState>> {
    return this.#caller.run(async () => {
      const { state: rounds } = this.#rounds;
      const counts = {
        rescan: this.#rescan,
        inRounds: this.#inRounds,
        later: this.#later,
        old: this.#old,
      };
      const files: Record<string, Bytes> = {};
      const journal = await this.#saveMemory(files);
      const disk = this.#disk.state(files);
      await this.#folder.freeze(Object.keys(files));
      const state = { rounds, ...counts, nextFile: this.#folder.nextNumber, disk };
      return { files, state: journal ? { ...state, journal } : state };
    });
  }

  /** The frozen state is safely stored. */
  settle({ files }: Frozen<BeastState>): Promise<void> {
    return this.#caller.run(() => this.#folder.files.settle(Object.keys(files)));
  }

  close(): Promise<void> {
    return this.#disk.close();
  }

  #advance(): 'round' | 'rescan' | 'empty' {
    const rounds = this.#rounds;
    if (rounds.isReading && this.#has(rounds.round))
      throw new Error(`round ${rounds.round} has more`);
    const next = this.#nextInCycle();
    if (next !== undefined) {
      rounds.moveTo(next);
      return 'round';
    }
    if (this.#old > 0) {
      rounds.rest();
      return 'rescan';
    }
    if (this.#later > 0) {
      this.#beginRescan();
      return 'rescan';
    }
    if (this.#inRounds > 0) {
      // Everything fits: there is no reason to look further ahead.
      rounds.endCycle();
      return this.#advance();
    }
    rounds.beginCycle();
    return 'empty';
  }

  #beginRescan(): void {
    this.#rounds.endCycleAndDouble();
    this.#rescan++;
    this.#old = this.#later;
    this.#disk.beginRescan();
  }

  /** A round without entries costs nothing but a look into memory. */
  #nextInCycle(): number | undefined {
    if (this.#inRounds === 0) return undefined;
    const { round, cycleEnd } = this.#rounds;
    const onDisk = this.#disk.firstRound;
    for (let next = round + 1; next <= cycleEnd && next < onDisk; next++) {
      if (this.#held.has(next)) return next;
    }
    return onDisk <= cycleEnd ? onDisk : undefined;
  }

  #has(round: number): boolean {
    return this.#held.has(round) || this.#disk.firstRound === round;
  }

  /** Memory goes to disk; what is put from now on is in another. */
  async #writeOut(): Promise<void> {
    const full = this.#held;
    this.#held = new MemoryQueues();
    const [old, later] = [-this.#rescan, -(this.#rescan + 1)];
    if (full.has(later)) await this.#disk.writeLater(full.drain([later]));
    if (old !== 0 && full.has(old)) await this.#disk.writeOld(full.drain([old]));
    const rounds = full.keys();
    if (rounds.length > 0) await this.#disk.writeRounds(full.drain(rounds));
    await this.#journal.discard();
  }

  /** So that what is in memory is in a file as well. */
  async #saveMemory(files: Record<string, Bytes>): Promise<JournalState | undefined> {
    if (this.#held.bytes > this.#memory / 2) {
      await this.#writeOut();
      return undefined;
    }
    return this.#journal.save(this.#held, [this.#rounds.round, -this.#rescan], files);
  }

  async #restore(journal: JournalState, files: Readonly<Record<string, Bytes>>): Promise<void> {
    const later = -(this.#rescan + 1);
    const { round } = this.#rounds;
    await this.#journal.restore(journal, files, this.#held, (key) => key > round || key === later);
  }
}
