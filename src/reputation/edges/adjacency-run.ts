/**
 * A run: domain edges in one file, rows by increasing target, written once and never changed.
 *
 * Ensures   any number of readers can read a run, also while it is being replaced: a reader holds
 *           the run, and a run that is held is not deleted.
 */

import type { Bytes } from '../../base/units.ts';
import { AppendLog, closeOnFailure } from '../../disk/append-log.ts';
import { openStateFile, type StateFile } from '../../disk/block-file.ts';
import { damaged } from '../../disk/damage.ts';
import type { Disk } from '../../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../../disk/format.ts';
import { ReadAhead } from '../../disk/read-ahead.ts';
import type { VersionedFiles } from '../../disk/versioned-files.ts';
import { type EdgeLists, type MoreWords, ROW_WORDS, RowCursor } from './edge-lists.ts';

export const RUN_FORMAT: Format = { type: 'adj', version: 1, summed: true };

export interface RunState {
  readonly id: number;
  /** The most merges that any of its edges went through. */
  readonly level: number;
  readonly edges: number;
  /** The period in which they were seen; 0 if absent. */
  readonly period?: number;
}

/** The folder of the runs, and how they are read and written. */
export interface RunPlace {
  readonly disk: Disk;
  readonly files: VersionedFiles;
  /** Bytes read or written at once, a multiple of 8. */
  readonly window: Bytes;
}

export const runName = (id: number): string => `run.${id}`;

export class AdjacencyRun {
  readonly state: RunState;
  readonly bytes: Bytes;
  readonly #place: RunPlace;
  readonly #file: StateFile;
  readers = 0;

  constructor(place: RunPlace, state: RunState, file: StateFile, bytes: Bytes) {
    this.#place = place;
    this.state = state;
    this.#file = file;
    this.bytes = bytes;
  }

  static async open(place: RunPlace, state: RunState, bytes: Bytes): Promise<AdjacencyRun> {
    const file = await openStateFile(place.disk, place.files.path(runName(state.id)), RUN_FORMAT);
    return new AdjacencyRun(place, state, file, bytes);
  }

  /** Writes a run from lists as `mergeRows` gives them. */
  static async write(
    place: RunPlace,
    id: number,
    { level, period }: { readonly level: number; readonly period: number },
    lists: AsyncIterable<EdgeLists>,
  ): Promise<AdjacencyRun> {
    const log = await AppendLog.create(
      place.disk,
      place.files.path(runName(id)),
      RUN_FORMAT,
      place.window,
    );
    return closeOnFailure([log], async () => {
      let edges = 0;
      let words = new Uint32Array(0);
      for await (const block of lists) {
        const most = ROW_WORDS * block.targets.length + 2 * block.sources.length;
        if (words.length < most) words = new Uint32Array(most);
        await log.append(new Uint8Array(words.buffer, 0, 4 * packRows(block, words)));
        edges += block.ends[block.length - 1];
      }
      const state = { id, level, edges, ...(period !== 0 && { period }) };
      return new AdjacencyRun(place, state, await log.seal(), log.length);
    });
  }

  get period(): number {
    return this.state.period ?? 0;
  }

  /** Begins to read. The cursor is valid until `end`, which must be called. */
  read(): RunReader {
    this.readers++;
    const { window } = this.#place;
    const reader = new ReadAhead(this.#file, HEADER_BYTES, this.bytes, window);
    const more = new FileWords(this.#file.path, reader, window);
    return {
      cursor: new RowCursor(NO_WORDS, more),
      end: async () => {
        this.readers--;
        await reader.end();
      },
    };
  }

  async freeze(files: Record<string, Bytes>): Promise<RunState> {
    const name = runName(this.state.id);
    await this.#place.files.makeDurable(name, this.#file);
    files[name] = this.bytes;
    return this.state;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Deletes the file; only after `close`. */
  discard(): Promise<void> {
    return this.#place.files.discard(runName(this.state.id));
  }
}

interface RunReader {
  readonly cursor: RowCursor;
  end(): Promise<void>;
}

const NO_WORDS = new Uint32Array(0);

class FileWords implements MoreWords {
  readonly #path: string;
  readonly #reader: ReadAhead;
  readonly #window: Bytes;

  constructor(path: string, reader: ReadAhead, window: Bytes) {
    this.#path = path;
    this.#reader = reader;
    this.#window = window;
  }

  async after(used: number): Promise<Uint32Array> {
    this.#reader.skip(4 * used);
    const bytes = await this.#reader.peek(this.#window);
    return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  }

  damaged(): Error {
    return damaged(this.#path, 'does not hold what its checkpoint says');
  }
}

/**
 * Packs the rows of a block. If its first list began in the block before, the target and count are
 * there. Returns the number of words.
 */
function packRows(block: EdgeLists, into: Uint32Array): number {
  const targets = new Uint32Array(block.targets.buffer);
  const sources = new Uint32Array(block.sources.buffer);
  let at = 0;
  let from = 0;
  for (let i = 0; i < block.length; i++) {
    if (i > 0 || block.before === 0) {
      into[at] = targets[2 * i];
      into[at + 1] = targets[2 * i + 1];
      into[at + 2] = block.degrees[i];
      at += ROW_WORDS;
    }
    const to = 2 * block.ends[i];
    if (to - from <= 32) for (let word = from; word < to; word++) into[at++] = sources[word];
    else {
      into.set(sources.subarray(from, to), at);
      at += to - from;
    }
    from = to;
  }
  return at;
}
