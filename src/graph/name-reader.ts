/**
 * Reads names in the format of name-format.ts.
 *
 * Costs     a name by its id: one read of a kilobyte or two, none if its block was used lately. An
 *           id by its name: as many reads as the number of blocks has bits; the first of these
 *           blocks are soon cached. All names in order: less than a microsecond each. Memory: an
 *           eighth of a byte per name, after the first request, and 1,024 blocks.
 */
import type { Disk, DiskFile } from '../disk/disk.ts';
import { HEADER_BYTES, requireFormat } from '../disk/format.ts';
import { ReadAhead } from '../disk/read-ahead.ts';
import { damaged } from './damage.ts';
import type { Names } from './graph.ts';
import { requireNode } from './memory-names.ts';
import {
  BLOCK_NAMES,
  compareBytes,
  NAME_INDEX_FORMAT,
  NAMES_FORMAT,
  nameIndexPath,
  namesPath,
} from './name-format.ts';

const REMEMBERED_BLOCKS = 1024;

export class DiskNames implements Names {
  readonly bytes: number;
  readonly #nodes: number;
  readonly #names: DiskFile;
  readonly #index: DiskFile;
  readonly #end: number;
  #starts: Promise<Float64Array> | undefined;
  /** Cached blocks, the least recently used first. */
  readonly #blocks = new Map<number, Uint8Array>();

  private constructor(
    nodes: number,
    names: DiskFile,
    index: DiskFile,
    sizes: readonly [number, number],
  ) {
    this.#nodes = nodes;
    this.#names = names;
    this.#index = index;
    this.#end = sizes[0];
    this.bytes = sizes[0] + sizes[1];
  }

  static async open(disk: Disk, folder: string, nodes: number): Promise<DiskNames> {
    const names = await disk.open(namesPath(folder), 'read');
    let index: DiskFile | undefined;
    try {
      await requireFormat(names, NAMES_FORMAT);
      index = await disk.open(nameIndexPath(folder), 'read');
      await requireFormat(index, NAME_INDEX_FORMAT);
      return new DiskNames(nodes, names, index, [await names.size(), await index.size()]);
    } catch (error) {
      await names.close();
      await index?.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#names.close();
    await this.#index.close();
  }

  async name(id: number): Promise<string> {
    requireNode(id, this.#nodes);
    const names = new BlockReader(
      await this.#block(Math.floor(id / BLOCK_NAMES)),
      this.#names.path,
    );
    for (let left = id % BLOCK_NAMES; left >= 0; left--) names.next();
    return names.text();
  }

  async id(name: string): Promise<number | undefined> {
    const wanted = Buffer.from(name);
    // Finds the last block whose first name is not after the wanted one.
    let low = 0;
    let high = Math.ceil(this.#nodes / BLOCK_NAMES) - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const first = new BlockReader(await this.#block(middle), this.#names.path);
      first.next();
      if (first.compare(wanted) <= 0) low = middle;
      else high = middle - 1;
    }
    if (high < 0) return undefined;
    const names = new BlockReader(await this.#block(low), this.#names.path);
    const end = Math.min(this.#nodes, (low + 1) * BLOCK_NAMES);
    for (let id = low * BLOCK_NAMES; id < end; id++) {
      names.next();
      const order = names.compare(wanted);
      if (order === 0) return id;
      if (order > 0) break;
    }
    return undefined;
  }

  async *all(): AsyncGenerator<string> {
    const starts = await this.#loadStarts();
    const reader = new ReadAhead(this.#names, HEADER_BYTES, this.#end);
    try {
      for (let block = 0; block < starts.length; block++) {
        const bytes = await reader.peek((starts[block + 1] ?? this.#end) - starts[block]);
        const names = new BlockReader(bytes, this.#names.path);
        const count = Math.min(BLOCK_NAMES, this.#nodes - block * BLOCK_NAMES);
        const texts: string[] = [];
        for (let i = 0; i < count; i++) {
          names.next();
          texts.push(names.text());
        }
        reader.skip(bytes.length);
        yield* texts; // decoded before, because the consumer may read elsewhere in between
      }
    } finally {
      await reader.end();
    }
  }

  async #block(number: number): Promise<Uint8Array> {
    let block = this.#blocks.get(number);
    this.#blocks.delete(number);
    if (block === undefined) {
      const starts = await this.#loadStarts();
      block = new Uint8Array((starts[number + 1] ?? this.#end) - starts[number]);
      await this.#names.readAll(block, starts[number]);
      const oldest = this.#blocks.keys().next();
      if (this.#blocks.size >= REMEMBERED_BLOCKS && !oldest.done) this.#blocks.delete(oldest.value);
    }
    this.#blocks.set(number, block);
    return block;
  }

  #loadStarts(): Promise<Float64Array> {
    this.#starts ??= this.#readStarts();
    return this.#starts;
  }

  async #readStarts(): Promise<Float64Array> {
    const starts = new Float64Array(Math.ceil(this.#nodes / BLOCK_NAMES));
    await this.#index.readAll(new Uint8Array(starts.buffer), HEADER_BYTES);
    for (let i = 0; i < starts.length; i++) {
      const end = starts[i + 1] ?? this.#end;
      if (!(starts[i] >= HEADER_BYTES && starts[i] < end && end <= this.#end))
        throw damaged(this.#index.path, `does not fit ${this.#names.path}`);
    }
    return starts;
  }
}

/** The names of a block, one after the other. */
class BlockReader {
  readonly #block: Uint8Array;
  readonly #path: string;
  #at = 0;
  #name = new Uint8Array(256);
  #length = 0;
  #isFirst = true;

  constructor(block: Uint8Array, path: string) {
    this.#block = block;
    this.#path = path;
  }

  next(): void {
    const shared = this.#isFirst ? 0 : this.#varint();
    const length = shared + this.#varint();
    const end = this.#at + length - shared;
    if (shared > this.#length || end > this.#block.length)
      throw damaged(this.#path, 'holds bytes that are no name');
    if (length > this.#name.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#name.subarray(0, shared));
      this.#name = larger;
    }
    for (let i = shared; i < length; i++) this.#name[i] = this.#block[this.#at++];
    this.#length = length;
    this.#isFirst = false;
  }

  text(): string {
    return Buffer.from(this.#name.buffer, 0, this.#length).toString('utf8');
  }

  compare(name: Uint8Array): number {
    return compareBytes(this.#name, 0, this.#length, name, 0, name.length);
  }

  #varint(): number {
    let value = 0;
    for (let unit = 1; this.#at < this.#block.length; unit *= 128) {
      const byte = this.#block[this.#at++];
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
    return value;
  }
}
