/**
 * Rows of a corpus on their way to its files: read once, written later, when all are known.
 *
 * Format    Blocks of about a megabyte: the length of a zstd frame and the number of its rows (u32
 *           each), then the frame. A row has the early columns in order: a text as its length plus
 *           one (u32) and its UTF-8 bytes, 0 for none; everything else as f64, NaN for none.
 * Ensures   What is read is what was written; a truth comes back as such.
 * Cost      A copy of the text and one pass of zstd, level 1.
 */

import { loadZstd, type Zstd } from '../archive/compress/zstd.ts';
import { measureFrame } from '../archive/compress/zstd-frame.ts';
import type { Bytes } from '../base/units.ts';
import type { Disk, DiskFile } from '../disk/disk.ts';
import { SequentialReader } from '../disk/sequential-reader.ts';
import { EARLY, type Row } from './columns.ts';
import type { Cell } from './parquet/parquet-file.ts';

const BLOCK_BYTES: Bytes = 2 ** 20;
const LEVEL = 1;
const KINDS = EARLY.map(({ kind }) => kind);

export class RowsWriter {
  readonly #file: DiskFile;
  readonly #zstd: Zstd;
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES + 2 ** 16);
  #held = 0;
  #rowsHeld = 0;
  #position = 0;

  private constructor(file: DiskFile, zstd: Zstd) {
    this.#file = file;
    this.#zstd = zstd;
  }

  static async create(file: DiskFile): Promise<RowsWriter> {
    return new RowsWriter(file, await loadZstd());
  }

  /** Bytes written so far, compressed. */
  get bytes(): Bytes {
    return this.#position;
  }

  async add(row: Row): Promise<void> {
    for (let i = 0; i < KINDS.length; i++) {
      const value = row[i];
      if (typeof value === 'string') this.#text(value);
      else {
        this.#reserve(8);
        if (KINDS[i] === 'text') this.#held = this.#block.writeUInt32LE(0, this.#held);
        else this.#held = this.#block.writeDoubleLE(asNumber(value), this.#held);
      }
    }
    this.#rowsHeld++;
    if (this.#held >= BLOCK_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#rowsHeld === 0) return;
    const frame = this.#zstd.frame(this.#block.subarray(0, this.#held), LEVEL);
    const head = new Uint8Array(Uint32Array.of(frame.length, this.#rowsHeld).buffer);
    await this.#file.writeAll(head, this.#position);
    await this.#file.writeAll(frame, this.#position + head.length);
    this.#position += head.length + frame.length;
    this.#held = 0;
    this.#rowsHeld = 0;
  }

  #text(value: string): void {
    this.#reserve(4 + 3 * value.length);
    const length = this.#block.write(value, this.#held + 4, 'utf8');
    this.#block.writeUInt32LE(length + 1, this.#held);
    this.#held += 4 + length;
  }

  #reserve(more: number): void {
    if (this.#held + more <= this.#block.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * (this.#held + more));
    grown.set(this.#block.subarray(0, this.#held));
    this.#block = grown;
  }
}

const asNumber = (value: Row[number]): number =>
  value === null ? Number.NaN : typeof value === 'boolean' ? Number(value) : (value as number);

/** The rows of a file, as cells; texts are views of memory that is not used again. */
export async function* readRows(disk: Disk, path: string): AsyncGenerator<Cell[]> {
  const zstd = await loadZstd();
  const file = await disk.open(path, 'read');
  try {
    const reader = new SequentialReader(file, 0, await file.size());
    for (;;) {
      const head = await reader.take(8);
      if (head === undefined) return;
      const [length, rows] = new Uint32Array(head.slice().buffer);
      const bytes = await reader.take(length);
      const block = bytes === undefined ? undefined : contentOf(zstd, bytes);
      if (block === undefined) throw new Error(`${path} is damaged`);
      let at = 0;
      for (let row = 0; row < rows; row++) {
        const cells: Cell[] = [];
        at = readRow(block, at, cells);
        yield cells;
      }
    }
  } finally {
    await file.close();
  }
}

function contentOf(zstd: Zstd, bytes: Uint8Array): Buffer | undefined {
  const frame = measureFrame(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const content = frame.kind === 'data' ? zstd.content(bytes, frame, 2 ** 31) : undefined;
  if (content === undefined || typeof content === 'string') return undefined;
  return Buffer.from(content.buffer, content.byteOffset, content.length);
}

function readRow(block: Buffer, from: number, cells: Cell[]): number {
  let at = from;
  for (const kind of KINDS) {
    if (kind === 'text') {
      const length = block.readUInt32LE(at);
      at += 4;
      cells.push(length === 0 ? null : block.subarray(at, at + length - 1));
      at += Math.max(0, length - 1);
    } else {
      const value = block.readDoubleLE(at);
      at += 8;
      cells.push(Number.isNaN(value) ? null : kind === 'truth' ? value !== 0 : value);
    }
  }
  return at;
}
