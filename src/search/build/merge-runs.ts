/**
 * Sorted runs to the dictionary and postings of a part, or to one longer run.
 *
 * Idea      A run that was written later holds later versions. So the postings of a term are those
 *           of the first run, then those of the next: nothing is compared but terms.
 * Cost      Each posting is read and written once for every sixteen-fold of runs.
 */

import type { Bytes } from '../../base/units.ts';
import { VarintReader } from '../../base/varint.ts';
import { openStateFile, type StateFile } from '../../disk/block-file.ts';
import type { Disk } from '../../disk/disk.ts';
import { HEADER_BYTES } from '../../disk/format.ts';
import { ReadAhead } from '../../disk/read-ahead.ts';
import { FORMATS, hasPositions } from '../store/formats.ts';
import { writeOutputs } from '../store/output.ts';
import type { PostingWriter } from '../store/posting-writer.ts';

/** The head of a record is shorter than this: a term may be a host, of up to 2,048 characters. */
const HEAD_BYTES = 4096;
const BUFFER: Bytes = 128 * 1024;

/** Reads the records of a run in order. */
class RunReader {
  term = '';
  count = 0;
  readonly #file: StateFile;
  readonly #ahead: ReadAhead;
  #bytes = 0;

  private constructor(file: StateFile, ahead: ReadAhead) {
    this.#file = file;
    this.#ahead = ahead;
  }

  static async open(disk: Disk, path: string): Promise<RunReader> {
    const file = await openStateFile(disk, path, FORMATS.run);
    return new RunReader(file, new ReadAhead(file, HEADER_BYTES, await file.size(), BUFFER));
  }

  /** Moves to the next record; false after the last. */
  async next(): Promise<boolean> {
    const head = await this.#ahead.peek(HEAD_BYTES);
    if (head.length === 0) return false;
    const reader = new VarintReader(head);
    const length = reader.next();
    const { buffer, byteOffset } = reader.take(length);
    this.term = Buffer.from(buffer, byteOffset, length).toString('utf8');
    this.count = reader.next();
    this.#bytes = reader.next();
    this.#ahead.skip(reader.at);
    return true;
  }

  /** The postings of the record: valid until the next call. */
  async postings(): Promise<Uint8Array> {
    const bytes = await this.#ahead.peek(this.#bytes);
    this.#ahead.skip(this.#bytes);
    return bytes;
  }

  async close(): Promise<void> {
    await this.#ahead.end();
    await this.#file.close();
  }
}

interface RecordSink {
  begin(term: string): void;
  record(count: number, bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Gives the records of all runs to `sink`, by term, then by run. */
async function merge(disk: Disk, paths: readonly string[], sink: RecordSink): Promise<void> {
  const runs: RunReader[] = [];
  try {
    for (const path of paths) runs.push(await RunReader.open(disk, path));
    const open: RunReader[] = [];
    for (const run of runs) if (await run.next()) open.push(run);
    while (open.length > 0) {
      let { term } = open[0];
      for (const run of open) if (run.term < term) term = run.term;
      sink.begin(term);
      for (let i = 0; i < open.length; ) {
        if (await drain(open[i], term, sink)) i++;
        else open.splice(i, 1);
      }
      await sink.end();
    }
  } finally {
    for (const run of runs) await run.close();
  }
}

/** Takes the records of a term; false if the run has ended. */
async function drain(run: RunReader, term: string, sink: RecordSink): Promise<boolean> {
  while (run.term === term) {
    await sink.record(run.count, await run.postings());
    if (!(await run.next())) return false;
  }
  return true;
}

/** Merges runs into a longer one. */
export function joinRuns(disk: Disk, paths: readonly string[], to: string): Promise<void> {
  return writeOutputs(disk, [[to, FORMATS.run]], async ([out]) => {
    let current = '';
    await merge(disk, paths, {
      begin: (term) => {
        current = term;
      },
      record: async (count, bytes) => {
        out.text(current);
        out.varint(count);
        out.varint(bytes.length);
        out.bytes(bytes);
        await out.settle();
      },
      end: async () => {},
    });
  });
}

/** What the last merge needs to know of versions. */
interface VersionNumbers {
  /** The number of each version in the part by its number in the runs; `NONE` if it has none. */
  readonly renumbered: Uint32Array;
  /** Words of a field by version of the part. */
  lengths(term: string): Uint32Array | undefined;
}

export const NONE = 0xffffffff;

/** Merges runs into the postings of a part. */
export async function mergeRuns(
  disk: Disk,
  paths: readonly string[],
  writer: PostingWriter,
  versions: VersionNumbers,
  withPositions: boolean,
): Promise<void> {
  let hasThem = false;
  let positions: Uint32Array = new Uint32Array(1024);
  await merge(disk, paths, {
    begin: (term) => {
      hasThem = withPositions && hasPositions(term[0]);
      writer.begin(term, versions.lengths(term));
    },
    record: async (count, bytes) => {
      const reader = new VarintReader(bytes);
      let version = -1;
      for (let i = 0; i < count; i++) {
        version += reader.next() + 1;
        const frequency = reader.next();
        if (hasThem) positions = readPositions(reader, frequency, positions);
        const id = versions.renumbered[version];
        if (id !== NONE) writer.add(id, frequency, positions, 0);
      }
      await writer.settle();
    },
    end: () => writer.end(),
  });
}

function readPositions(reader: VarintReader, count: number, room: Uint32Array): Uint32Array {
  const into = room.length < count ? new Uint32Array(2 * count) : room;
  let position = -1;
  for (let i = 0; i < count; i++) {
    position += reader.next() + 1;
    into[i] = position;
  }
  return into;
}
