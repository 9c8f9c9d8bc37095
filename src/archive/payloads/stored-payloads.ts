/**
 * The payloads that an archive already has. Each page is compared with them before it is stored.
 *
 * Idea      The parts of the index list every stored page with digest, date and identifier. A table
 *           in memory maps a digest to its line, so memory is 16 bytes per payload, and a line is
 *           read only when its digest comes again. The table is not stored: a resumed crawl reads
 *           the parts, which are truncated to its checkpoint like the archive.
 * Requires  Files in the order in which they were written, each started with `beginFile`.
 * Ensures   Never a false hit: the whole digest is compared. A payload that was evicted, or that
 *           another agent stored, is missed and stored again.
 * Cost      A hash and a table look-up for a new payload; one read for a known one, or two if it is
 *           from an earlier crawl.
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

/** A position combines the number of a file and a byte of its part. */
const PART_ROOM = 2 ** 36;
const MOST_OPEN = 16;
/** The line of the longest URL is shorter. */
const LINE_BYTES: Bytes = 8192;

interface StoredPayloadsOptions {
  readonly disk: Disk;
  /** The folder of the parts. */
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

  /** Number of evicted digests. */
  get forgotten(): number {
    return this.#table.forgotten;
  }

  /** Starts a file: later calls of `note` refer to this part. */
  beginFile(warc: string, part: IndexPart): void {
    this.#files.push(warc);
    this.#part = part;
  }

  /** Records a stored payload whose line is at this byte of the current part. */
  note(digest: string, offset: number): void {
    this.#table.put(xxh64(digest), (this.#files.length - 1) * PART_ROOM + offset);
  }

  /** The first known capture of this payload; undefined at once if there cannot be one. */
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

  /** Reads the parts, the newest first, until the table is full. A missing part is skipped. */
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
