/**
 * The part of BEAST's queues that is on disk.
 *
 * Idea      j files for j queues would mean j open files, j buffers and j fsyncs, and a limit on j.
 *           Instead all of memory is written as one file, sorted by round; a round is the segments
 *           at the head of some of these files, the oldest first. Entries for later are appended to
 *           files of their own, which a rescan reads and deletes one after the other.
 *
 *             rounds.4   ▒▒▒ 7 ▒▒▒│ 8 │ 9 │ 12 │        a file goes when its last segment is read
 *             rounds.9            │ 8 │ 10 │
 *             later.5  later.7    pieces                those of before the rescan: `old`
 *
 * Ensures   a file that a frozen state names is only appended to; a file read to its end is deleted
 *           when no checkpoint needs it. Only the file being read is open, and one more in a
 *           rescan.
 */
import type { Bytes } from '../../base/units.ts';
import type { Entries } from '../queue/path-queue.ts';
import type { BeastFolder } from './beast-folder.ts';
import { type ReadingState, type Segment, SegmentReader, writeSegments } from './segments.ts';

const roundsName = (id: number) => `rounds.${id}`;
const laterName = (id: number) => `later.${id}`;
/** Most files for the entries for later. */
const PIECES = 64;

export interface DiskQueuesState {
  /** The files of rounds, the oldest first. */
  readonly rounds: readonly ReadingState[];
  readonly later: readonly ReadingState[];
  readonly old: readonly ReadingState[];
}

type Lengths = Record<string, Bytes>;

export class DiskQueues {
  readonly #folder: BeastFolder;
  #rounds: SegmentReader[];
  #later: SegmentReader[];
  #old: SegmentReader[];

  constructor(folder: BeastFolder, state: DiskQueuesState, lengths: Readonly<Lengths>) {
    this.#folder = folder;
    const readers = (states: readonly ReadingState[], name: (id: number) => string) =>
      states.map(
        (one) =>
          new SegmentReader(
            folder.disk,
            folder.files.path(name(one.id)),
            lengths[name(one.id)],
            one,
          ),
      );
    this.#rounds = readers(state.rounds, roundsName);
    this.#later = readers(state.later, laterName);
    this.#old = readers(state.old, laterName);
  }

  /** The first round with entries here, or Infinity. */
  get firstRound(): number {
    return this.#rounds.reduce((first, { key }) => Math.min(first, key), Infinity);
  }

  /** The next entries of a round; it must be the first one here. */
  async take(round: number): Promise<Entries | undefined> {
    const reader = this.#rounds.find(({ key }) => key === round);
    if (!reader) return undefined;
    const entries = await reader.take(this.#folder.limits.window);
    if (reader.isAtEnd) {
      this.#rounds = this.#rounds.filter((other) => other !== reader);
      await this.#discard(reader, roundsName);
    } else if (reader.key !== round) await reader.close();
    return entries;
  }

  /** The next entries for later that were there when the rescan began. */
  async takeOld(): Promise<Entries | undefined> {
    const reader = this.#old[0];
    if (!reader) return undefined;
    const entries = await reader.take(this.#folder.limits.window);
    if (reader.isAtEnd) {
      this.#old.shift();
      await this.#discard(reader, laterName);
    }
    return entries;
  }

  /** A rescan begins: all entries for later become old. The last rescan must be over. */
  beginRescan(): void {
    this.#old = this.#later;
    this.#later = [];
  }

  /**
   * Appends segments to their rounds; they come in the order of rounds, and there is at least one.
   */
  async writeRounds(segments: Iterable<Segment>): Promise<void> {
    this.#rounds.push(await this.#write(roundsName, segments));
  }

  async writeLater(segment: Iterable<Segment>): Promise<void> {
    const last = this.#later.at(-1);
    if (!last || last.length > this.#pieceBytes) {
      this.#later.push(await this.#write(laterName, segment));
      return;
    }
    const { disk, files } = this.#folder;
    const name = laterName(last.id);
    last.length = await writeSegments(disk, files.path(name), last.length, segment, last.named);
    files.reopen(name);
  }

  /** Appends to the old entries. */
  async writeOld(segment: Iterable<Segment>): Promise<void> {
    this.#old.push(await this.#write(laterName, segment));
  }

  /** The state for a checkpoint; adds its files to `lengths`. */
  state(lengths: Lengths): DiskQueuesState {
    const states = (readers: readonly SegmentReader[]) => readers.map(({ state }) => state);
    for (const { id, length } of this.#rounds) lengths[roundsName(id)] = length;
    for (const reader of [...this.#later, ...this.#old]) {
      lengths[laterName(reader.id)] = reader.length;
      reader.named = [...reader.named.slice(-1), reader.length];
    }
    return { rounds: states(this.#rounds), later: states(this.#later), old: states(this.#old) };
  }

  async close(): Promise<void> {
    for (const reader of [...this.#rounds, ...this.#old]) await reader.close();
  }

  /**
   * Grows with the bytes for later: so there are few files, and each is deleted soon after it is
   * read.
   */
  get #pieceBytes(): Bytes {
    const all = this.#later.reduce((sum, { length }) => sum + length, 0);
    return Math.max(this.#folder.limits.piece, all / PIECES);
  }

  async #write(
    nameOf: (id: number) => string,
    segments: Iterable<Segment>,
  ): Promise<SegmentReader> {
    const { disk, files } = this.#folder;
    const id = this.#folder.number();
    const path = files.path(nameOf(id));
    const length = await writeSegments(disk, path, undefined, segments);
    const reader = await SegmentReader.begin(disk, path, length, id);
    await reader.close();
    return reader;
  }

  async #discard(reader: SegmentReader, nameOf: (id: number) => string): Promise<void> {
    await reader.close();
    await this.#folder.files.discard(nameOf(reader.id));
  }
}
