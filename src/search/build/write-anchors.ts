/**
 * The anchors of all runs to the file `anchors` of a part, and to runs of their postings.
 *
 *   lines by target ─► equal ones once, each with a number ─► `anchors`; words ─► runs
 *
 * Idea      An anchor is a small text of its own: postings number anchors, not versions. Which
 *           versions an anchor belongs to is known only when all parts are open (query/anchors.ts).
 * Ensures   The files are a function of the lines, whatever runs they are in.
 * Cost      One external sort of the anchors, and a quarter of the memory given for their words.
 */
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { readLines } from '../../disk/lines.ts';
import { type AnchorLine, anchorOf } from '../links/anchor-lines.ts';
import { MOST_ANCHORS, writeAnchors } from '../store/anchor-file.ts';
import { FORMATS } from '../store/formats.ts';
import { type Output, writeOutputs } from '../store/output.ts';
import { RunBuilder } from './run-builder.ts';
import type { IndexWork } from './work.ts';

interface WrittenAnchors {
  /** How many there are. */
  readonly count: number;
  /** Runs of their postings, in order. */
  readonly runs: readonly string[];
}

export async function anchorsOf(
  work: IndexWork,
  runs: number,
  folder: string,
  memory: Bytes,
): Promise<WrittenAnchors> {
  const { disk, path } = work;
  const sorter = new LineSorter(disk, path, 'anchor', memory / 2);
  for (let run = 0; run < runs; run++)
    await sorter.addAll(readLines(disk, work.run(run, '.anchors')));
  return writeOutputs(disk, [[join(folder, 'anchors'), FORMATS.anchors]], async ([out]) => {
    const writer = new AnchorWriter(work, out, memory / 4);
    for await (const lines of sorter.sorted())
      for (const line of lines) {
        const wait = writer.add(line);
        if (wait) await wait;
      }
    return writer.end();
  });
}

class AnchorWriter {
  readonly #work: IndexWork;
  readonly #out: Output;
  readonly #memory: Bytes;
  readonly #builder = new RunBuilder(false);
  readonly #runs: string[] = [];
  #count = 0;
  /** The key and hash of the line before, and the anchors of its target. */
  #before = '';
  #anchors: (AnchorLine & { words: number })[] = [];

  constructor(work: IndexWork, out: Output, memory: Bytes) {
    this.#work = work;
    this.#out = out;
    this.#memory = memory;
  }

  /** Await what it returns, if it returns anything. */
  add(line: string): Promise<void> | undefined {
    const before = this.#before;
    if (line.startsWith(before) && before !== '') return undefined; // the first sighting came first
    const isSame = line.startsWith(before.slice(0, 16)) && before !== '';
    this.#before = line.slice(0, 33);
    const ended = isSame ? undefined : this.#endTarget();
    return ended ? ended.then(() => this.#anchor(line)) : this.#anchor(line);
  }

  #anchor(line: string): undefined {
    if (this.#anchors.length >= MOST_ANCHORS) return;
    const anchor = anchorOf(line);
    const words = this.#builder.addAnchor(this.#count++, anchor.text, anchor.language);
    this.#anchors.push({ ...anchor, words });
  }

  async end(): Promise<WrittenAnchors> {
    await this.#endTarget();
    if (this.#count > 0) await this.#writeRun();
    return { count: this.#count, runs: this.#runs };
  }

  /** Await what it returns, if it returns anything. */
  #endTarget(): Promise<void> | undefined {
    if (this.#anchors.length === 0) return undefined;
    writeAnchors(this.#out, this.#anchors[0].key, this.#anchors);
    this.#anchors = [];
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
