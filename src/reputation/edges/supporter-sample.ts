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
 * Requires  `offer` gets the new edges of this agent's domains; `receive` of every other agent gets
 *           each parcel that `offer` returns. An arc that comes twice, after a crash, counts once.
 * Ensures   exactly the arcs whose sources `sampler(p, seed)` selects, of all that were offered or
 *           received; at most `most`.
 * Crash     `freeze` appends new arcs to a file of the sample; opened with what it returned, the
 *           sample is what it was then.
 * Cost      22 to 28 bytes an arc, see arc-set.ts; when p is halved, one pass over all arcs at
 *           once, about 40 ns each.
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
import { ARC_BYTES, ARC_WORDS, ArcSet, type Arcs, arcWords } from './arc-set.ts';
import type { NewEdges } from './domain-edges.ts';

export interface SampleState {
  readonly p: number;
  readonly seed: number;
  readonly file: number;
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
  #p: number;
  #isIn: Sampler;
  #arcs: ArcSet;
  /** The file of the arcs of `of`: it contains the first `length` of them. */
  #written:
    | { readonly log: AppendLog; readonly of: ArcSet; readonly file: number; length: number }
    | undefined;
  #lastFile = 0;

  private constructor({ disk, folder, p, seed, most, onHalved, at }: SupporterSampleOptions) {
    this.#disk = disk;
    this.#files = new VersionedFiles(disk, folder, Object.keys(at?.files ?? {}));
    this.#seed = seed;
    this.#onHalved = onHalved ?? (() => {});
    this.#p = Math.min(p, at?.state.p ?? 1);
    this.#isIn = sampler(this.#p, seed);
    this.#arcs = new ArcSet(most);
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

  /** Adds arcs that another agent's `offer` has kept. */
  receive(parcel: Uint8Array): void {
    if (parcel.length % ARC_BYTES !== 0) throw new Error('A parcel of sampled arcs is truncated.');
    const aligned = parcel.byteOffset % 4 === 0 ? parcel : parcel.slice();
    this.#addAll(new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4));
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
      const written = this.#written?.of === of ? this.#written : await this.#begin(of);
      for (const words of arcWords(arcs, written.length)) {
        await written.log.append(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
      }
      written.length = arcs.length;
      await written.log.sync();
      const files = { [fileName(written.file)]: written.log.length };
      this.#files.freeze(Object.keys(files));
      return { files, state: { p, seed: this.#seed, file: written.file } };
    });
  }

  /** Deletes files that no checkpoint needs, now that the frozen state is stored. */
  discardOlder({ files }: Frozen<SampleState>): Promise<void> {
    return this.#caller.run(() => this.#files.discardOlder(Object.keys(files)));
  }

  async close(): Promise<void> {
    await this.#written?.log.abandon();
  }

  #addAll(words: Uint32Array): void {
    for (let at = 0; at < words.length; at += ARC_WORDS) {
      if (this.#isIn(words[at + 1])) this.#add(words, at);
    }
  }

  #add(words: Uint32Array, at: number): void {
    while (!this.#arcs.add(words, at)) {
      this.#halve();
      if (!this.#isIn(words[at + 1])) return;
    }
  }

  #halve(): void {
    this.#p /= 2;
    this.#isIn = sampler(this.#p, this.#seed);
    const fewer = new ArcSet(this.#arcs.most);
    for (const words of arcWords(this.#arcs.all())) {
      for (let at = 0; at < words.length; at += ARC_WORDS)
        if (this.#isIn(words[at + 1])) fewer.add(words, at);
    }
    this.#arcs = fewer;
    this.#onHalved(this.#p);
  }

  /** Begins a new file. The one before is kept as long as a checkpoint names it. */
  async #begin(of: ArcSet) {
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
      for (let left: Bytes = files[name] - HEADER_BYTES; left > 0; left -= BUFFER) {
        const bytes = await reader.take(Math.min(left, BUFFER));
        if (bytes) this.receive(bytes);
      }
    } finally {
      await file.close();
    }
    // The next freeze writes a new file: less of this one may be in the sample now.
    this.#lastFile = state.file;
    await this.#files.discard(name);
  }
}

function otherSeed(seed: number, stored: number): DrumlinError {
  return new DrumlinError(
    'SAMPLE_SEED',
    `The sample of this crawl was drawn with the seed ${stored}, not ${seed}.`,
    `Resume with the seed ${stored}: the links of other domains were not kept.`,
  );
}
