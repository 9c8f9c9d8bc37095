/**
 * The anchors of all runs to the file `anchors` of a part, and to runs of their postings.
 *
 *   sorted records by target ─► equal ones once, each with a number ─► `anchors`; words ─► runs
 *
 * Idea      An anchor is a small text of its own: postings number anchors, not versions. Which
 *           versions an anchor belongs to is known only when all parts are open (query/anchors.ts).
 * Ensures   The files are a function of the records, whatever runs they are in.
 * Cost      One merge of the anchors, and a quarter of the memory given for their words.
 */
import { join } from 'node:path';
import { Merge } from '../../base/merge.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { writeText } from '../../disk/text-file.ts';
import { AnchorCursor, isBefore } from '../links/anchor-records.ts';
import { MOST_ANCHORS, type Target, writeAnchors } from '../store/anchor-file.ts';
import { FORMATS } from '../store/formats.ts';
import { type Output, writeOutputs } from '../store/output.ts';
import { RunBuilder } from './run-builder.ts';
import type { IndexWork } from './work.ts';

/** Bytes of records that are written at once. */
const SLICE: Bytes = 256 * 1024;
const SPACE = 0x20;

interface WrittenAnchors {
  /** How many there are. */
  readonly count: number;
  /** Runs of their postings, in order. */
  readonly runs: readonly string[];
}

/** Merges `mostRuns` runs at once. */
export async function anchorsOf(
  work: IndexWork,
  runs: number,
  folder: string,
  memory: Bytes,
  mostRuns: number,
): Promise<WrittenAnchors> {
  const { disk, path } = work;
  const paths = Array.from({ length: runs }, (_, run) => work.run(run, '.anchors'));
  for (let joined = 0; paths.length > mostRuns; joined++) {
    const to = join(path, `anchors-${joined}.joined`);
    await joinRuns(disk, paths.splice(0, mostRuns), to);
    paths.push(to);
  }
  return writeOutputs(disk, [[join(folder, 'anchors'), FORMATS.anchors]], async ([out]) => {
    const writer = new AnchorWriter(work, out, memory / 4);
    await eachAnchor(disk, paths, (lane) => writer.add(lane));
    return writer.end();
  });
}

/** Calls `visit` with the records of all runs in order; awaits what it returns, if anything. */
async function eachAnchor(
  disk: Disk,
  paths: readonly string[],
  visit: (lane: AnchorCursor) => Promise<void> | undefined,
): Promise<void> {
  const lanes: AnchorCursor[] = [];
  const merge = new Merge(lanes, isBefore);
  try {
    for (const path of paths) lanes.push(await AnchorCursor.open(disk, path));
    await merge.begin();
    for (let lane = merge.top; lane !== undefined; lane = merge.top) {
      const visited = visit(lane);
      if (visited) await visited;
      const wait = merge.next();
      if (wait) await wait;
    }
  } finally {
    await merge.close();
  }
}

/** Merges runs into a longer one. */
function joinRuns(disk: Disk, paths: readonly string[], to: string): Promise<void> {
  return writeText(disk, to, async (file) => {
    let held: Uint8Array[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      const all = Buffer.concat(held);
      [held, bytes] = [[], 0];
      await file.write(all);
    };
    await eachAnchor(disk, paths, ({ record }) => {
      held.push(record.slice());
      bytes += record.length;
      return bytes < SLICE ? undefined : flush();
    });
    await flush();
  });
}

class AnchorWriter {
  readonly #work: IndexWork;
  readonly #out: Output;
  readonly #memory: Bytes;
  readonly #builder = new RunBuilder(false);
  readonly #runs: string[] = [];
  #count = 0;
  #target: Target | undefined;
  /** The hash of the record before. */
  #hashHigh = 0;
  #hashLow = 0;

  constructor(work: IndexWork, out: Output, memory: Bytes) {
    this.#work = work;
    this.#out = out;
    this.#memory = memory;
  }

  /** Await what it returns, if it returns anything. */
  add(lane: AnchorCursor): Promise<void> | undefined {
    const { keyHigh, keyLow, hashHigh, hashLow } = lane;
    const target = this.#target;
    const isSame = target?.keyHigh === keyHigh && target.keyLow === keyLow;
    // Of equal ones the first sighting comes first.
    if (isSame && hashHigh === this.#hashHigh && hashLow === this.#hashLow) return undefined;
    this.#hashHigh = hashHigh;
    this.#hashLow = hashLow;
    if (isSame) return this.#anchor(lane);
    const ended = this.#endTarget();
    return ended ? ended.then(() => this.#begin(lane)) : this.#begin(lane);
  }

  #begin(lane: AnchorCursor): undefined {
    const { keyHigh, keyLow } = lane;
    this.#target = { keyHigh, keyLow, anchors: [] };
    this.#anchor(lane);
  }

  #anchor({ hashHigh, hashLow, time, content }: AnchorCursor): undefined {
    const anchors = this.#target?.anchors;
    if (anchors === undefined || anchors.length >= MOST_ANCHORS) return;
    const space = content.indexOf(SPACE);
    const language = content.toString('latin1', 0, space);
    const text = content.subarray(space + 1);
    const words = this.#builder.addAnchor(this.#count++, text, language === '-' ? '' : language);
    anchors.push({ hashHigh, hashLow, time, words });
  }

  async end(): Promise<WrittenAnchors> {
    await this.#endTarget();
    if (this.#count > 0) await this.#writeRun();
    return { count: this.#count, runs: this.#runs };
  }

  /** Await what it returns, if it returns anything. */
  #endTarget(): Promise<void> | undefined {
    if (this.#target === undefined) return undefined;
    writeAnchors(this.#out, this.#target);
    this.#target = undefined;
    const settled = this.#out.settle();
    if (this.#builder.bytes < this.#memory) return settled;
    return settled ? settled.then(() => this.#writeRun()) : this.#writeRun();
  }

  async #writeRun(): Promise<void> {
    const path = join(this.#work.path, `anchors-${this.#runs.length}.postings`);
    this.#runs.push(path);
    await writeOutputs(this.#work.disk, [[path, FORMATS.run]], async ([run]) => {
      await this.#builder.write(run);
    });
  }
}
