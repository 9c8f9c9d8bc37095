/**
 * BEAST: URLs are queued on disk until the round in which their domain has budget for them (IRLbot,
 * section 6.2).
 *
 * Idea      Reading all queued URLs in each round, to find the few that have budget now, costs more
 *           and more. So the caller puts an entry once into one of the next j rounds; only what
 *           does not fit there goes to `later` (the paper's QF). At the end of a cycle of j rounds,
 *           `later` is read once and spread over twice as many rounds: each rescan is twice as far
 *           from the last one.
 *
 *   put(round + 1 … last) ─► round + 1 │ round + 2 │ … │ last ─► advance ─► take: the next round
 *   put('later') ─────────► later ─► advance: 'rescan' ─► takeLater: put again by the caller
 *
 *           `rounds.ts` has a picture of the rounds and of `last`.
 * Requires  one call at a time of those that return a promise; `put` at any time. The caller keeps
 *           what `take` and `takeLater` hand out. Of each rescan at least one entry is put into a
 *           round: else the next rescan begins at once.
 * Ensures   entries of a round, and those for later, come in the order they were put. None is lost,
 *           none comes twice: counts are exact at any time. Opened at a frozen state, it is exactly
 *           what it was then, also in the middle of a round or of a rescan. After a failure of the
 *           disk every call is refused. Nothing is written before memory is full or a checkpoint
 *           needs it.
 * Cost      memory: the bytes given, what comes while they are written out, and about 400 KB,
 *           whatever j. Disk: an entry is written once and read once each time it is put (Theorem
 *           5), and at most once more for a checkpoint.
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

/**
 * Keeps the numbers of rounds within what files can store; no cost grows with the number of queues.
 */
const MOST_QUEUES = 2 ** 30;

export interface BeastState {
  readonly rounds: RoundsState;
  readonly nextFile: number;
  /** Number of rescans so far. */
  readonly rescan: number;
  readonly inRounds: number;
  readonly later: number;
  /** Entries of `later` that the rescan under way has not handed out yet. */
  readonly old: number;
  readonly disk: DiskQueuesState;
  readonly journal?: JournalState | undefined;
}

interface BeastOptions {
  readonly disk: Disk;
  /** Must exist; only files named `rounds.*`, `later.*` and `journal.*` in it are touched. */
  readonly folder: string;
  /** For recent entries that are not on disk yet. */
  readonly memory: Bytes;
  /** j at the start. */
  readonly queues?: number;
  /** The largest value that j may reach. */
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
  /** Entries in memory: those of a round by its number, those of the n-th rescan by -n. */
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

  /** A Beast that never writes anything, for a crawl without a folder. */
  static inMemory(): Beast {
    return new Beast({ disk: new Disk(), folder: '', memory: Infinity });
  }

  /** The round being read, or read last; 0 before the first. */
  get round(): number {
    return this.#rounds.round;
  }

  /** The last round that entries may be put into. */
  get last(): number {
    return this.#rounds.last;
  }

  /** j, the number of queues. */
  get queues(): number {
    return this.#rounds.queues;
  }

  /** All queued entries. */
  get entries(): number {
    return this.#inRounds + this.#later;
  }

  /** Entries that have a round, including what is left of the present one. */
  get inRounds(): number {
    return this.#inRounds;
  }

  /** Entries that have no round. */
  get later(): number {
    return this.#later;
  }

  /** Entries for later that the rescan under way has not handed out yet. */
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
      throw new Error(
        `An entry cannot be put into round ${place}, only into ${round + 1} to ${last}.`,
      );
    }
    this.#held.put(place, entry);
    this.#inRounds++;
  }

  /** Memory holds more than it should: call `makeRoom`. */
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
   * Call it when the round has no more: moves to the next round with entries. At the end of a
   * cycle, if there are entries for later, returns 'rescan' instead: call `takeLater`, best until
   * its end before the next round is read.
   */
  advance(): Promise<'round' | 'rescan' | 'empty'> {
    return this.#caller.run(async () => this.#advance());
  }

  /**
   * Entries that were queued for later when the rescan began, to be put again; undefined when there
   * are no more.
   */
  takeLater(): Promise<Entries | undefined> {
    return this.#caller.run(async () => {
      const entries = (await this.#disk.takeOld()) ?? this.#held.take(-this.#rescan);
      this.#old -= entries?.count ?? 0;
      this.#later -= entries?.count ?? 0;
      return entries;
    });
  }

  /** Makes everything put before the call durable, except what was taken before. */
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

  /** The frozen state is safely stored: deletes files that only older ones name. */
  discardOlder({ files }: Frozen<BeastState>): Promise<void> {
    return this.#caller.run(() => this.#folder.files.discardOlder(Object.keys(files)));
  }

  close(): Promise<void> {
    return this.#disk.close();
  }

  #advance(): 'round' | 'rescan' | 'empty' {
    const rounds = this.#rounds;
    if (rounds.isReading && this.#has(rounds.round))
      throw new Error(`Round ${rounds.round} has more entries.`);
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
      // Everything fits: no need for more queues.
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

  /** The next round of the cycle that has entries; empty rounds are skipped without reading. */
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

  /** Writes memory to disk; entries put from now on go to new memory. */
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

  /** Stores what is in memory in a file. */
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
