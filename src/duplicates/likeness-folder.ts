/**
 * What an agent knows of similar pages: in memory, and on disk as far as a checkpoint needs it.
 *
 *   likeness/pages.N   fingerprints and URLs of pages in order of arrival; the last two files count
 *   likeness/rules.N   everything learned about hosts, and which domain had which text first
 *
 * Idea      The memory is a function of the last pages. A checkpoint appends those since the one
 *           before, and opening adds them again. When a file has as many pages as the memory,
 *           another is started, and the one before it is deleted.
 * Ensures   Opened at what `freeze` returned, it is in the same state as then, except for pages
 *           that are about to be evicted. `freeze` includes what was added before its call, not
 *           what is added while it writes.
 * Cost      A checkpoint writes 200 bytes per page, and everything learned: some kilobytes, 3 MB at
 *           most, and up to 3 MB of first texts.
 */
import { join } from 'node:path';
import { FieldReader, FieldWriter } from '../base/fields.ts';
import { together } from '../base/together.ts';
import type { Bytes } from '../base/units.ts';
import { AppendLog, closeOnFailure, writeStateFile } from '../disk/append-log.ts';
import { openStateFile } from '../disk/block-file.ts';
import { type Frozen, recoverFolder } from '../disk/checkpoint.ts';
import type { Disk } from '../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../disk/format.ts';
import { BANDS, type Fingerprint, SKETCH_WORDS } from './fingerprint.ts';
import type { FirstTexts } from './first-texts.ts';
import { NumberEnds } from './number-ends.ts';
import { SimilarPages } from './similar-pages.ts';
import { SoftErrors } from './soft-errors.ts';
import { TrapLearner } from './trap-learner.ts';
import { TrapRules } from './trap-rules.ts';

const PAGES: Format = { type: 'lik', version: 1, summed: true };
const RULES: Format = { type: 'rul', version: 2, summed: true };
/** Pages per shape of URLs whose range of numbers is remembered. */
const PAGES_A_SHAPE = 4;
const IS_OURS = /^(?:pages|rules)\.\d+$/;

export interface LikenessState {
  readonly pages: number;
  readonly rules: number;
}

interface LikenessOptions {
  readonly disk: Disk;
  readonly folder: string;
  readonly memory: Bytes;
  /** Which domain had a text first, where copies are to be told from originals. */
  readonly texts?: FirstTexts | undefined;
  readonly at?: Frozen<LikenessState> | undefined;
}

interface PagesFile {
  readonly number: number;
  length: number;
  count: number;
}

/** What is known, without a folder: for crawls that store nothing. */
export class LikenessMemory {
  readonly pages: SimilarPages;
  readonly rules = new TrapRules();
  readonly ends: NumberEnds;
  readonly softErrors = new SoftErrors();
  readonly learner: TrapLearner;
  /** Only where copies are to be told from originals. */
  readonly texts: FirstTexts | undefined;

  constructor(memory: Bytes, texts?: FirstTexts) {
    this.pages = new SimilarPages(memory);
    this.ends = new NumberEnds(this.pages.capacity / PAGES_A_SHAPE);
    this.learner = new TrapLearner(this.pages, this.rules, this.ends);
    this.texts = texts;
  }

  /** Whether nothing was learned about any host. */
  get isInnocent(): boolean {
    return this.rules.isEmpty && this.ends.isEmpty;
  }

  /**
   * The URL that represents all URLs with the same page, as far as learned; most represent
   * themselves. Idempotent.
   */
  rewrite(url: string): string {
    const ruled = this.rules.rewrite(url);
    const within = this.ends.rewrite(ruled);
    return within === ruled ? ruled : this.rules.rewrite(within);
  }

  /** Remembers a page; returns its number. */
  add(fingerprint: Fingerprint, url: string): number {
    return this.pages.add(fingerprint, url);
  }
}

export class LikenessFolder extends LikenessMemory {
  readonly #disk: Disk;
  readonly #folder: string;
  /** Pages since the last checkpoint. */
  readonly #fresh = new FieldWriter();
  #freshCount = 0;
  #before: PagesFile | undefined;
  #current: PagesFile = { number: 1, length: 0, count: 0 };
  #rulesNumber = 0;

  private constructor({ disk, folder, memory, texts }: LikenessOptions) {
    super(memory, texts);
    this.#disk = disk;
    this.#folder = folder;
  }

  static async open(options: LikenessOptions): Promise<LikenessFolder> {
    const { disk, folder, at } = options;
    await disk.makeFolder(folder);
    await recoverFolder(disk, folder, at?.files ?? {}, (name) => IS_OURS.test(name));
    const opened = new LikenessFolder(options);
    if (at) await opened.#restore(at);
    return opened;
  }

  override add(fingerprint: Fingerprint, url: string): number {
    writePage(this.#fresh, fingerprint, url);
    this.#freshCount++;
    return super.add(fingerprint, url);
  }

  /** Makes everything added so far durable. */
  async freeze(): Promise<Frozen<LikenessState>> {
    // Everything to be written is decided here, before other code can run.
    if (this.#current.count >= this.pages.capacity) {
      this.#before = this.#current;
      this.#current = { number: this.#current.number + 1, length: 0, count: 0 };
    }
    const current = this.#current;
    const pages = Buffer.from(this.#fresh.finish()); // a copy: pages are added while it is written
    const position = current.length;
    current.length = Math.max(position, HEADER_BYTES) + pages.length;
    current.count += this.#freshCount;
    this.#fresh.clear();
    this.#freshCount = 0;
    const rules = encodeRules(this);
    const state = { pages: current.number, rules: ++this.#rulesNumber };
    const files = {
      ...(this.#before && { [`pages.${this.#before.number}`]: this.#before.length }),
      [`pages.${current.number}`]: current.length,
      [`rules.${state.rules}`]: HEADER_BYTES + rules.length,
    };
    await together([
      this.#append(`pages.${current.number}`, pages, position),
      writeStateFile(this.#disk, join(this.#folder, `rules.${state.rules}`), RULES, [rules]),
    ]);
    await this.#disk.syncFolder(this.#folder);
    return { files, state };
  }

  /** The checkpoint of `freeze` is stored: deletes the files that it does not name. */
  async discardOlder({ files }: Frozen<LikenessState>): Promise<void> {
    for (const name of await this.#disk.list(this.#folder)) {
      if (IS_OURS.test(name) && !(name in files)) await this.#disk.remove(join(this.#folder, name));
    }
  }

  /** Appends pages to a file of `length` bytes, or creates it. */
  async #append(name: string, pages: Uint8Array, length: Bytes): Promise<void> {
    const path = join(this.#folder, name);
    const log =
      length === 0
        ? await AppendLog.create(this.#disk, path, PAGES)
        : await AppendLog.open(this.#disk, path, PAGES, length);
    await closeOnFailure([log], async () => {
      await log.append(pages);
      await log.sync();
    });
    await log.close();
  }

  async #restore({ files, state }: Frozen<LikenessState>): Promise<void> {
    const read = async (name: string, format: Format) =>
      name in files
        ? readRecords(this.#disk, join(this.#folder, name), format, files[name])
        : new Uint8Array(0);
    const before = await read(`pages.${state.pages - 1}`, PAGES);
    const current = await read(`pages.${state.pages}`, PAGES);
    const [beforeCount, currentCount] = [before, current].map((records) => this.#addAgain(records));
    const lengthOf = (number: number) => files[`pages.${number}`] ?? 0;
    if (before.length > 0) {
      const number = state.pages - 1;
      this.#before = { number, length: lengthOf(number), count: beforeCount };
    }
    this.#current = { number: state.pages, length: lengthOf(state.pages), count: currentCount };
    this.#rulesNumber = state.rules;
    const rules = new FieldReader(await read(`rules.${state.rules}`, RULES));
    this.rules.restore(rules.bytes());
    this.ends.restore(rules.bytes());
    this.softErrors.restore(rules.bytes());
    if (!rules.atEnd) this.texts?.restore(rules.bytes());
  }

  /** Returns the number of pages. */
  #addAgain(records: Uint8Array): number {
    const fields = new FieldReader(records);
    let count = 0;
    for (; !fields.atEnd; count++) {
      const { fingerprint, url } = readPage(fields);
      this.learner.enter(url, fingerprint, this.pages.add(fingerprint, url));
    }
    return count;
  }
}

async function readRecords(
  disk: Disk,
  path: string,
  format: Format,
  length: Bytes,
): Promise<Uint8Array> {
  const file = await openStateFile(disk, path, format);
  try {
    const records = new Uint8Array(length - HEADER_BYTES);
    await file.readAll(records, HEADER_BYTES);
    return records;
  } finally {
    await file.close();
  }
}

function encodeRules({ rules, ends, softErrors, texts }: LikenessMemory): Uint8Array {
  const out = new FieldWriter();
  out.bytes(rules.encode());
  out.bytes(ends.encode());
  out.bytes(softErrors.encode());
  if (texts) out.bytes(texts.encode());
  return out.finish();
}

const asBytes = ({ buffer, byteOffset, byteLength }: Uint32Array | BigUint64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function writePage(out: FieldWriter, fingerprint: Fingerprint, url: string): void {
  out.bytes(asBytes(BigUint64Array.of(fingerprint.signature)));
  out.bytes(asBytes(fingerprint.sketch));
  out.bytes(asBytes(fingerprint.bands));
  out.number(fingerprint.words);
  out.number(fingerprint.distinct);
  out.text(url);
}

function readPage(fields: FieldReader): { fingerprint: Fingerprint; url: string } {
  const signature = new BigUint64Array(1);
  const sketch = new Uint32Array(SKETCH_WORDS);
  const bands = new Uint32Array(BANDS);
  for (const part of [signature, sketch, bands]) asBytes(part).set(fields.bytes());
  const [words, distinct] = [fields.number(), fields.number()];
  return {
    fingerprint: { signature: signature[0], sketch, bands, words, distinct },
    url: fields.text(),
  };
}
