/**
 * The sample of TSE in a crawl: all links of a share p of all domains, the same at every agent.
 *
 * Idea      A hash decides whether a domain is in the sample (rank/supporters/sample.ts). So it
 *           stays in or out while the graph grows, and all agents agree without a message. The
 *           owner of a target is the first to learn of new edges: it keeps those whose source is in
 *           the sample, and sends them to all others. No other part of the graph is sent.
 *
 *           When there are more arcs than there is room for, p is halved and the arcs of sources
 *           that are no longer in the sample are dropped. The sample of a smaller p is part of that
 *           of a greater one. So p depends on the arcs alone and not on their order: agents that
 *           have received the same arcs have the same p.
 *           Where edges age, an arc has the period in which it came last, by the time of this agent
 *           alone; `turn` drops those that are too old.
 * Requires  `offer` gets the new edges of this agent's domains; `receive` of every other agent gets
 *           each parcel that `offer` returns. An arc that comes twice, after a crash, counts once.
 * Ensures   exactly the arcs whose sources `sampler(p, seed)` selects, of all that were offered or
 *           received and that no `turn` dropped; at most `most`.
 * Crash     `freeze` appends new arcs to a file of the sample; opened with what it returned, the
 *           sample is what it was then. Where arcs have periods, the file has a mark, an arc from a
 *           number to itself, before the arcs of the period of this number.
 * Cost      22 to 28 bytes an arc, see arc-set.ts; when p is halved or a period ends, one pass over
 *           all arcs at once, about 40 ns each.
 */

import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { AppendLog } from '../../disk/append-log.ts';
import { openStateFile } from '../../disk/block-file.ts';
import { type Frozen, recoverFolder } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../../disk/format.ts';
import { SequentialReader } from '../../disk/sequential-reader.ts';
import { VersionedFiles } from '../../disk/versioned-files.ts';
import { SingleCaller } from '../../drum/single-caller.ts';
import { type Sampler, sampler } from '../../rank/supporters/sample.ts';
import { ARC_BYTES, ARC_WORDS, ArcSet, type Arcs, arcWords, copyArc } from './arc-set.ts';
import type { NewEdges } from './domain-edges.ts';

export interface SampleState {
  readonly p: number;
  readonly seed: number;
  readonly file: number;
  /** The present period; only where edges age. */
  readonly period?: number;
}

export interface SupporterSampleOptions {
  readonly disk: Disk;
  /** Must exist; only files named `sample.N` in it are touched. */
  readonly folder: string;
  /**
   * Share of the domains that is drawn, as long as there is room; never more than it was before.
   */
  readonly p: number;
  /** Another seed draws another sample; a crawl always keeps its own. */
  readonly seed: number;
  /** The most arcs that there is room for. */
  readonly most: number;
  /** Whether edges age. */
  readonly aged?: boolean;
  /** Called with the new p. */
  readonly onHalved?: ((p: number) => void) | undefined;
  readonly at?: Frozen<SampleState> | undefined;
}

/** What TSE works on: it does not change while the sample grows. */
export interface DrawnArcs extends Arcs {
  readonly p: number;
}

const FORMAT: Format = { type: 'smp', version: 1, summed: true };
const OURS = /^sample\.\d+$/;
const fileName = (number: number): string => `sample.${number}`;
const BUFFER = 64 * 1024;

export class SupporterSample {
  readonly #disk: Disk;
  readonly #files: VersionedFiles;
  readonly #seed: number;
  readonly #onHalved: (p: number) => void;
  readonly #caller = new SingleCaller();
  readonly #isAged: boolean;
  #period: number;
  #p: number;
  #isIn: Sampler;
  #arcs: ArcSet;
  /** The file of the arcs of `of`: it contains the first `length` of them. */
  #written: SampleFile | undefined;
  #lastFile = 0;

  private constructor(options: SupporterSampleOptions) {
    const { disk, folder, p, seed, most, onHalved, aged = false, at } = options;
    this.#disk = disk;
    this.#files = new VersionedFiles(disk, folder, Object.keys(at?.files ?? {}));
    this.#seed = seed;
    this.#onHalved = onHalved ?? (() => {});
    this.#p = Math.min(p, at?.state.p ?? 1);
    this.#isIn = sampler(this.#p, seed);
    this.#isAged = aged || at?.state.period !== undefined;
    this.#period = at?.state.period ?? 0;
    this.#arcs = new ArcSet(most, this.#isAged);
  }

  static async open(options: SupporterSampleOptions): Promise<SupporterSample> {
    const { disk, folder, seed, at } = options;
    if (at && at.state.seed !== seed) throw otherSeed(seed, at.state.seed);
    await recoverFolder(disk, folder, at?.files ?? {}, (name) => OURS.test(name));
    const sample = new SupporterSample(options);
    if (at) await sample.#read(at);
    return sample;
  }

  get p(): number {
    return this.#p;
  }

  get length(): number {
    return this.#arcs.length;
  }

  /**
   * Keeps the edges that are in the sample, and returns them for `receive` of every other agent.
   */
  offer({ length, targets, sources }: NewEdges): Uint8Array | undefined {
    const sourceWords = new Uint32Array(sources.buffer, sources.byteOffset, 2 * length);
    const targetWords = new Uint32Array(targets.buffer, targets.byteOffset, 2 * length);
    const parcel: number[] = [];
    for (let i = 0; i < 2 * length; i += 2) {
      if (!this.#isIn(sourceWords[i + 1])) continue;
      parcel.push(sourceWords[i], sourceWords[i + 1], targetWords[i], targetWords[i + 1]);
    }
    if (parcel.length === 0) return undefined;
    const words = Uint32Array.from(parcel);
    this.#addAll(words);
    return new Uint8Array(words.buffer);
  }

  /** Adds arcs that another agent's `offer` has kept, now or so many periods ago. */
  receive(parcel: Uint8Array, age = 0): void {
    if (parcel.length % ARC_BYTES !== 0) throw new Error('A parcel of sampled arcs is truncated.');
    const aligned = parcel.byteOffset % 4 === 0 ? parcel : parcel.slice();
    const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
    this.#addAll(words, this.#period - age);
  }

  /** `by` periods have passed: drops arcs that came last more than `held` periods ago. */
  turn(by: number, held: number): void {
    this.#period += by;
    this.#keep((_, stamp) => stamp >= this.#period - held);
  }

  /** All arcs for `receive` of another sample, with the age of each parcel. */
  *parcels(): Generator<{ readonly age: number; readonly bytes: Uint8Array }> {
    const arcs = this.#arcs.all();
    for (const stamp of this.#stamps()) {
      const numbers = numbersWith(stamp, this.#arcs);
      const words = new Uint32Array(ARC_WORDS * numbers.length);
      for (const [i, number] of numbers.entries()) copyArc(arcs, number, words, ARC_WORDS * i);
      yield { age: this.#period - stamp, bytes: new Uint8Array(words.buffer) };
    }
  }

  arcs(): DrawnArcs {
    return { p: this.#p, ...this.#arcs.all() };
  }

  /**
   * Makes everything so far durable, except names in the folder, and returns how to find it again.
   */
  freeze(): Promise<Frozen<SampleState>> {
    return this.#caller.run(async () => {
      const [p, of, arcs] = [this.#p, this.#arcs, this.#arcs.all()];
      const period = this.#isAged && { period: this.#period };
      const known = this.#written?.of === of ? this.#written : undefined;
      const unwritten = this.#isAged
        ? [markedArcs(of, known?.length ?? 0)]
        : arcWords(arcs, known?.length ?? 0);
      const written = known ?? (await this.#begin(of));
      for (const words of unwritten) {
        await written.log.append(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
      }
      written.length = arcs.length;
      await written.log.sync();
      const files = { [fileName(written.file)]: written.log.length };
      this.#files.freeze(Object.keys(files));
      return { files, state: { p, seed: this.#seed, file: written.file, ...period } };
    });
  }

  /** Deletes files that no checkpoint needs, now that the frozen state is stored. */
  discardOlder({ files }: Frozen<SampleState>): Promise<void> {
    return this.#caller.run(() => this.#files.discardOlder(Object.keys(files)));
  }

  async close(): Promise<void> {
    await this.#written?.log.abandon();
  }

  #addAll(words: Uint32Array, stamp = this.#period): void {
    for (let at = 0; at < words.length; at += ARC_WORDS) {
      if (this.#isIn(words[at + 1])) this.#add(words, at, stamp);
    }
  }

  #add(words: Uint32Array, at: number, stamp: number): void {
    while (!this.#arcs.add(words, at, stamp)) {
      this.#halve();
      if (!this.#isIn(words[at + 1])) return;
    }
  }

  #halve(): void {
    this.#p /= 2;
    this.#isIn = sampler(this.#p, this.#seed);
    this.#keep((high) => this.#isIn(high));
    this.#onHalved(this.#p);
  }

  /** Keeps the arcs for which `keeps` holds, by the upper half of the source and by the stamp. */
  #keep(keeps: (high: number, stamp: number) => boolean): void {
    const fewer = new ArcSet(this.#arcs.most, this.#isAged);
    let number = 0;
    for (const words of arcWords(this.#arcs.all())) {
      for (let at = 0; at < words.length; at += ARC_WORDS) {
        const stamp = this.#arcs.stampOf(number++);
        if (keeps(words[at + 1], stamp)) fewer.add(words, at, stamp);
      }
    }
    this.#arcs = fewer;
  }

  #stamps(): number[] {
    const stamps = new Set<number>();
    for (let i = 0; i < this.#arcs.length; i++) stamps.add(this.#arcs.stampOf(i));
    return [...stamps];
  }

  /** Adds arcs of a file, with the stamps of their marks. Returns the last stamp. */
  #readArcs(bytes: Uint8Array, before: number): number {
    if (!this.#isAged || bytes.length % ARC_BYTES !== 0) {
      this.receive(bytes);
      return before;
    }
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
    let stamp = before;
    for (let at = 0; at < words.length; at += ARC_WORDS) {
      const mark = markAt(words, at);
      if (mark !== undefined) stamp = mark;
      else if (this.#isIn(words[at + 1])) this.#add(words, at, stamp);
    }
    return stamp;
  }

  /** Begins a new file. The one before is kept as long as a checkpoint names it. */
  async #begin(of: ArcSet): Promise<SampleFile> {
    const old = this.#written;
    const file = ++this.#lastFile;
    const log = await AppendLog.create(
      this.#disk,
      this.#files.path(fileName(file)),
      FORMAT,
      BUFFER,
    );
    const written = { log, of, file, length: 0 };
    this.#written = written;
    await old?.log.abandon();
    if (old) await this.#files.discard(fileName(old.file));
    return written;
  }

  async #read({ files, state }: Frozen<SampleState>): Promise<void> {
    const name = fileName(state.file);
    const file = await openStateFile(this.#disk, this.#files.path(name), FORMAT);
    try {
      const reader = new SequentialReader(file, HEADER_BYTES, files[name], BUFFER);
      let stamp = this.#period;
      for (let left: Bytes = files[name] - HEADER_BYTES; left > 0; left -= BUFFER) {
        const bytes = await reader.take(Math.min(left, BUFFER));
        if (bytes) stamp = this.#readArcs(bytes, stamp);
      }
    } finally {
      await file.close();
    }
    // The next freeze writes a new file: less of this one may be in the sample now.
    this.#lastFile = state.file;
    await this.#files.discard(name);
  }
}

/** A file of the sample: it contains the first `length` arcs of `of`. */
interface SampleFile {
  readonly log: AppendLog;
  readonly of: ArcSet;
  readonly file: number;
  length: number;
}

/** The period of the mark at `words[at ..]`; undefined if it is an arc. */
function markAt(words: Uint32Array, at: number): number | undefined {
  const isMark = words[at] === words[at + 2] && words[at + 1] === words[at + 3];
  return isMark ? words[at] | 0 : undefined;
}

/** The arcs from number `from` on, and older ones that were renewed, with marks. */
function markedArcs(of: ArcSet, from: number): Uint32Array {
  const arcs = of.all();
  const older = of.takeRenewed().filter((number) => number < from);
  const numbers = [...older, ...Array.from({ length: arcs.length - from }, (_, i) => from + i)];
  const words = new Uint32Array(2 * ARC_WORDS * numbers.length);
  let at = 0;
  let last: number | undefined;
  for (const number of numbers) {
    const stamp = of.stampOf(number);
    if (stamp !== last) {
      words.set([stamp, 0, stamp, 0], at);
      at += ARC_WORDS;
      last = stamp;
    }
    copyArc(arcs, number, words, at);
    at += ARC_WORDS;
  }
  return words.subarray(0, at);
}

function numbersWith(stamp: number, arcs: ArcSet): number[] {
  return Array.from({ length: arcs.length }, (_, i) => i).filter((i) => arcs.stampOf(i) === stamp);
}

function otherSeed(seed: number, stored: number): DrumlinError {
  return new DrumlinError(
    'SAMPLE_SEED',
    `The sample of this crawl was drawn with the seed ${stored}, not ${seed}.`,
    `Resume with the seed ${stored}: the links of other domains were not kept.`,
  );
}
