/**
 * Which payloads an archive holds already: what a page is compared with before it is stored.
 *
 * Idea      The parts of the index name every page that was stored, with digest, date and identifier. A table in memory says in which
 *           line a digest stands, so memory is 16 bytes a payload, and a line is read only when its digest comes again. Nothing is
 *           stored for it: a crawl that goes on reads the parts, which are cut to its checkpoint like the archive.
 * Requires  files in the order in which they were written, each begun with `beginFile`.
 * Ensures   never a false hit: the whole digest is compared. A payload that was forgotten, or that another agent stored, is missed, and
 *           stored again.
 * Cost      A hash and a look into the table for a payload that is new. One read for one that is not; two, if it is of an earlier crawl.
 */
import { join } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import { readLines } from '../../disk/lines.ts';
import { originalDigest, originalIn } from '../index/cdxj.ts';
import { type IndexPart, partName } from '../index/index-part.ts';
import type { Original } from '../warc/warc-record.ts';
import { DigestTable } from './digest-table.ts';
import type { EarlierPayloads } from './earlier-payloads.ts';

/** Places are a file's number and a byte of its part. */
const PART_ROOM = 2 ** 36;
const MOST_OPEN = 16;
/** The longest URL makes a shorter line. */
const LINE_BYTES: Bytes = 8192;

export interface StoredPayloadsOptions {
  readonly disk: Disk;
  /** Where the parts lie. */
  readonly folder: string;
  /** WARC files of the agent so far, in their order. */
  readonly files: readonly string[];
  readonly memory: Bytes;
  readonly earlier?: EarlierPayloads | undefined;
}

export class StoredPayloads {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #files: string[];
  readonly #table: DigestTable;
  readonly #earlier: EarlierPayloads | undefined;
  readonly #open = new Map<number, DiskFile>();
  #part: IndexPart | undefined;

  private constructor({ disk, folder, files, memory, earlier }: StoredPayloadsOptions) {
    this.#disk = disk;
    this.#folder = folder;
    this.#files = [...files];
    this.#table = new DigestTable(memory);
    this.#earlier = earlier;
  }

  static async open(options: StoredPayloadsOptions): Promise<StoredPayloads> {
    const payloads = new StoredPayloads(options);
    await payloads.#remember();
    return payloads;
  }

  /** Digests that had to make room for others. */
  get forgotten(): number {
    return this.#table.forgotten;
  }

  /** From here on, what is noted stands in this part. */
  beginFile(warc: string, part: IndexPart): void {
    this.#files.push(warc);
    this.#part = part;
  }

  /** A payload was stored, and its line stands at a byte of the current part. */
  note(digest: string, offset: number): void {
    this.#table.put(xxh64(digest), (this.#files.length - 1) * PART_ROOM + offset);
  }

  /** Who had this payload first, as far as is known; undefined at once where nobody can have. */
  find(digest: string): Promise<Original | undefined> | undefined {
    const key = xxh64(digest);
    const place = this.#table.find(key);
    if (place >= 0) return this.#read(place, digest);
    return this.#earlier?.find(digest, key);
  }

  async close(): Promise<void> {
    for (const file of this.#open.values()) await file.close();
    await this.#earlier?.close();
  }

  async #read(place: number, digest: string): Promise<Original | undefined> {
    const number = Math.floor(place / PART_ROOM);
    const offset = place - number * PART_ROOM;
    const line =
      this.#part && number === this.#files.length - 1
        ? await this.#part.lineAt(offset, LINE_BYTES)
        : await this.#lineOf(number, offset);
    return line !== undefined && originalDigest(line) === digest ? originalIn(line) : undefined;
  }

  async #lineOf(number: number, offset: number): Promise<string | undefined> {
    const file = await this.#opened(number);
    const bytes = Buffer.allocUnsafe(LINE_BYTES);
    const length = await file.readUpTo(bytes, offset);
    const end = bytes.subarray(0, length).indexOf(10);
    return end < 0 ? undefined : bytes.toString('latin1', 0, end);
  }

  async #opened(number: number): Promise<DiskFile> {
    const open = this.#open.get(number);
    if (open) return open;
    for (const [oldest, file] of this.#open) {
      if (this.#open.size < MOST_OPEN) break;
      this.#open.delete(oldest);
      await file.close();
    }
    const file = await this.#disk.open(join(this.#folder, partName(this.#files[number])), 'read');
    this.#open.set(number, file);
    return file;
  }

  /** Reads the parts, the newest first, until the table is full. A part that is not there is not remembered. */
  async #remember(): Promise<void> {
    let known = 0;
    for (
      let number = this.#files.length - 1;
      number >= 0 && known < this.#table.capacity;
      number--
    ) {
      let offset = 0;
      const path = join(this.#folder, partName(this.#files[number]));
      try {
        for await (const lines of readLines(this.#disk, path)) {
          for (const line of lines) {
            const digest = originalDigest(line);
            if (digest !== undefined) {
              this.#table.put(xxh64(digest), number * PART_ROOM + offset);
              known++;
            }
            offset += line.length + 1;
          }
        }
      } catch (error) {
        if (!(error instanceof DrumlinError && error.code === 'FILE_MISSING')) throw error;
      }
    }
    this.#table.forgotten = 0;
  }
}
