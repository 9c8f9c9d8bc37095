/**
 * Rows of a corpus on their way to its files: read once, written later, when all are known.
 *
 * Format    Blocks of about a megabyte: their length and the number of their rows (u32 each), then
 *           the rows. A row has the early columns in order: a text as its length plus one (u32) and
 *           its UTF-8 bytes, 0 for none; everything else as f64, NaN for none.
 * Ensures   What is read is what was written; a truth comes back as such.
 * Cost      The bytes of the rows, uncompressed: they are written once and read once. One block in
 *           sixteen is compressed to tell how large the rows will be in a file.
 */

import { loadZstd, type Zstd } from '../archive/compress/zstd.ts';
import type { Bytes } from '../base/units.ts';
import type { Disk, DiskFile } from '../disk/disk.ts';
import { EARLY, type Row } from './columns.ts';
import type { Cell } from './parquet/column.ts';

const BLOCK_BYTES: Bytes = 2 ** 20;
const LEVEL = 1;
/** Of so many blocks, the first is compressed. */
const MEASURED = 16;
const KINDS = EARLY.map(({ kind }) => kind);

export class RowsWriter {
  readonly #file: DiskFile;
  readonly #zstd: Zstd;
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES + 2 ** 16);
  #held = 0;
  #rowsHeld = 0;
  #position = 0;
  #blocks = 0;
  #measured = 0;
  #compressed = 0;

  private constructor(file: DiskFile, zstd: Zstd) {
    this.#file = file;
    this.#zstd = zstd;
  }

  static async create(file: DiskFile): Promise<RowsWriter> {
    return new RowsWriter(file, await loadZstd());
  }

  /** About how many bytes the rows so far take when they are compressed. */
  get bytes(): Bytes {
    if (this.#measured === 0) return 0;
    return Math.round((this.#position * this.#compressed) / this.#measured);
  }

  /** Only a call that fills a block has something to wait for. */
  add(row: Row): Promise<void> | undefined {
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
    return this.#held >= BLOCK_BYTES ? this.flush() : undefined;
  }

  async flush(): Promise<void> {
    if (this.#rowsHeld === 0) return;
    const block = this.#block.subarray(0, this.#held);
    if (this.#blocks++ % MEASURED === 0) {
      this.#measured += block.length;
      this.#compressed += this.#zstd.frame(block, LEVEL).length;
    }
    const head = new Uint8Array(Uint32Array.of(block.length, this.#rowsHeld).buffer);
    await this.#file.writeAll(head, this.#position);
    await this.#file.writeAll(block, this.#position + head.length);
    this.#position += head.length + block.length;
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

/** The rows of a file, as cells; texts are valid until the next row. */
export async function* readRows(disk: Disk, path: string): AsyncGenerator<Cell[]> {
  const file = await disk.open(path, 'read');
  try {
    const size = await file.size();
    const head = new Uint32Array(2);
    let held = Buffer.alloc(0);
    for (let position = 0; position < size; ) {
      await file.readAll(new Uint8Array(head.buffer), position);
      const [length, rows] = head;
      // One piece of memory for all blocks: as garbage they would pile up until the next
      // collection.
      if (held.length < length) held = Buffer.allocUnsafeSlow(2 * length);
      const block = held.subarray(0, length);
      await file.readAll(block, position + head.byteLength);
      position += head.byteLength + length;
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
