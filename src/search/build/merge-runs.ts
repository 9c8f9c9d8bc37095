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
import { FORMATS } from '../store/formats.ts';
import { writeOutputs } from '../store/output.ts';
import type { PostingWriter } from '../store/posting-writer.ts';

/** The head of a record is shorter than this: a term may be a host, of up to 4,096 units. */
const HEAD_BYTES: Bytes = 16 * 1024;
const BUFFER: Bytes = 128 * 1024;

/** Reads the records of a run in order. */
class RunReader {
  term = '';
  count = 0;
  readonly path: string;
  readonly #file: StateFile;
  readonly #ahead: ReadAhead;
  /** What was read ahead, and where reading is in it. */
  #held = new VarintReader(new Uint8Array(0));
  #bytes = 0;
  #isLast = false;

  private constructor(path: string, file: StateFile, ahead: ReadAhead) {
    this.path = path;
    this.#file = file;
    this.#ahead = ahead;
  }

  static async open(disk: Disk, path: string): Promise<RunReader> {
    const file = await openStateFile(disk, path, FORMATS.run);
    const ahead = new ReadAhead(file, HEADER_BYTES, await file.size(), BUFFER);
    return new RunReader(path, file, ahead);
  }

  /** Await what it returns before `next`, if it returns anything. */
  beforeNext(): Promise<void> | undefined {
    return this.#hold(HEAD_BYTES);
  }

  /** Moves to the next record; false after the last. */
  next(): boolean {
    const held = this.#held;
    if (held.at >= held.bytes.length) return false;
    const length = held.next();
    const { buffer, byteOffset } = held.take(length);
    this.term = Buffer.from(buffer, byteOffset, length).toString('utf8');
    this.count = held.next();
    this.#bytes = held.next();
    return true;
  }

  /** Await what it returns before `postings`, if it returns anything. */
  beforePostings(): Promise<void> | undefined {
    return this.#hold(this.#bytes);
  }

  /** The postings of the record: valid until the next call. */
  postings(): Uint8Array {
    return this.#held.take(this.#bytes);
  }

  async close(): Promise<void> {
    await this.#ahead.end();
    await this.#file.close();
  }

  #hold(bytes: Bytes): Promise<void> | undefined {
    const { at, bytes: held } = this.#held;
    return held.length - at >= bytes || this.#isLast ? undefined : this.#fill(bytes);
  }

  async #fill(bytes: Bytes): Promise<void> {
    const wanted = Math.max(bytes, BUFFER / 2);
    this.#ahead.skip(this.#held.at);
    const held = await this.#ahead.peek(wanted);
    this.#held = new VarintReader(held);
    this.#isLast = held.length < wanted;
  }
}

interface RecordSink {
  begin(term: string): void;
  record(count: number, bytes: Uint8Array, path: string): void;
  end(): void;
  settle(): Promise<void> | undefined;
}

/** Gives the records of all runs to `sink`, by term, then by run. */
async function merge(disk: Disk, paths: readonly string[], sink: RecordSink): Promise<void> {
  const runs: RunReader[] = [];
  try {
    for (const path of paths) runs.push(await RunReader.open(disk, path));
    const open: RunReader[] = [];
    for (const run of runs) {
      await run.beforeNext();
      if (run.next()) open.push(run);
    }
    while (open.length > 0) {
      let { term } = open[0];
      for (const run of open) if (run.term < term) term = run.term;
      sink.begin(term);
      for (let i = 0; i < open.length; ) {
        const drained = drain(open[i], term, sink);
        const isOpen = typeof drained === 'boolean' ? drained : await drained;
        if (isOpen) i++;
        else open.splice(i, 1);
      }
      sink.end();
      const settled = sink.settle();
      if (settled) await settled;
    }
  } finally {
    for (const run of runs) await run.close();
  }
}

/** Takes the records of a term; false if the run has ended. Waits only for files. */
function drain(run: RunReader, term: string, sink: RecordSink): boolean | Promise<boolean> {
  while (run.term === term) {
    const wait = run.beforePostings();
    if (wait) return wait.then(() => drain(run, term, sink));
    sink.record(run.count, run.postings(), run.path);
    const more = sink.settle() ?? run.beforeNext();
    if (more) return more.then(() => drainNext(run, term, sink));
    if (!run.next()) return false;
  }
  return true;
}

async function drainNext(run: RunReader, term: string, sink: RecordSink): Promise<boolean> {
  await run.beforeNext();
  return run.next() ? drain(run, term, sink) : false;
}

/** Merges runs into a longer one. */
export function joinRuns(disk: Disk, paths: readonly string[], to: string): Promise<void> {
  return writeOutputs(disk, [[to, FORMATS.run]], async ([out]) => {
    let current = '';
    await merge(disk, paths, {
      begin: (term) => {
        current = term;
      },
      record: (count, bytes) => {
        out.text(current);
        out.varint(count);
        out.varint(bytes.length);
        out.bytes(bytes);
      },
      end: () => {},
      settle: () => out.settle(),
    });
  });
}

/** Merges runs into the postings of a part. */
export const mergeRuns = (
  disk: Disk,
  paths: readonly string[],
  writer: PostingWriter,
): Promise<void> => merge(disk, paths, writer);
