/**
 * A column of a row group, from its values to the pages that go to the file.
 *
 * Idea      Values are encoded as they come. Whenever they fill a page, it is compressed at once,
 *           so that a row group waits in memory in the form in which it is written. Texts that
 *           repeat are numbers of a dictionary; its page is made last and comes first in the file.
 *           If most texts of the first page differ, or the dictionary outgrows a page, the values
 *           that follow are plain.
 * Requires  Values of the kind of the column, null only where it is allowed.
 * Ensures   A value is copied. The same values give the same bytes.
 * Cost      The compressed pages, and a page and a dictionary of at most a megabyte each (or of one
 *           value, if that is longer).
 */
import type { ColumnChunk, ColumnMetaData, Encoding, OffsetIndex, PageHeader } from 'hyparquet';
import type { ByteWriter } from 'hyparquet-writer';
import type { Bytes } from '../../base/units.ts';
import { type Cell, type Column, PHYSICAL } from './column.ts';
import { PlainValues } from './plain-values.ts';
import { ValueRange } from './value-range.ts';

/** The parts of the library that lay out pages. */
export interface PageLayout {
  newWriter(): ByteWriter;
  writePageHeader(writer: ByteWriter, header: PageHeader): void;
  writeRuns(writer: ByteWriter, values: ArrayLike<number>, bits: number): void;
  compress(bytes: Uint8Array): Uint8Array;
}

const PAGE_BYTES: Bytes = 2 ** 20;
/** Values of a page that has only numbers of a dictionary, or truths. */
const PAGE_VALUES = 2 ** 16;
const DICTIONARY_BYTES: Bytes = 2 ** 20;

/** A page as it is in the file. */
interface Page {
  readonly pieces: readonly Uint8Array[];
  /** In the file. */
  readonly bytes: Bytes;
  /** Before compression. */
  readonly plainBytes: Bytes;
  readonly encoding: Encoding;
  readonly rows: number;
}

/** A finished column of a row group. */
export interface FinishedChunk {
  readonly chunk: ColumnChunk;
  readonly offsetIndex?: OffsetIndex;
  readonly pieces: readonly Uint8Array[];
  readonly bytes: Bytes;
}

export class ChunkWriter {
  readonly #column: Column;
  readonly #layout: PageLayout;
  readonly #range: ValueRange;
  readonly #values = new PlainValues();
  /** Numbers of dictionary entries, or truths. */
  readonly #numbers: number[] = [];
  /** For each row of the page whether it has a value. */
  readonly #levels: number[] = [];
  #dictionary: Dictionary | undefined;
  #rows = 0;
  #pages: Page[] = [];

  constructor(column: Column, layout: PageLayout) {
    this.#column = column;
    this.#layout = layout;
    this.#range = new ValueRange(column.kind);
    this.#begin();
  }

  add(value: Cell): void {
    const { name, nullable } = this.#column;
    if (value === null && !nullable) throw new RangeError(`Column ${name} has no value in a row.`);
    this.#range.add(value);
    this.#rows++;
    if (nullable) this.#levels.push(value === null ? 0 : 1);
    if (value !== null) this.#store(value);
    if (this.#rows >= PAGE_VALUES || this.#values.length >= PAGE_BYTES) this.#endPage();
    else if (this.#dictionary?.isOpen && this.#dictionary.bytes >= DICTIONARY_BYTES)
      this.#endPage();
  }

  /** Ends the column of this row group, which will begin at `offset` of the file. */
  finish(offset: number): FinishedChunk {
    if (this.#rows > 0) this.#endPage();
    const pages = this.#pages;
    const entries = this.#dictionary?.isUsed ? this.#dictionaryPage(this.#dictionary) : undefined;
    const all = entries ? [entries, ...pages] : pages;
    const bytes = sum(all, (page) => page.bytes);
    const plain = sum(all, (page) => page.plainBytes);
    const first = offset + (entries?.bytes ?? 0);
    const meta_data: ColumnMetaData = {
      type: PHYSICAL[this.#column.kind].type,
      encodings: [...new Set(all.map(({ encoding }) => encoding))],
      path_in_schema: [this.#column.name],
      codec: 'ZSTD',
      num_values: BigInt(sum(pages, ({ rows }) => rows)),
      total_uncompressed_size: BigInt(plain),
      total_compressed_size: BigInt(bytes),
      data_page_offset: BigInt(first),
      ...(entries && { dictionary_page_offset: BigInt(offset) }),
      statistics: this.#range.take(),
      encoding_stats: encodingStats(entries, pages),
    };
    this.#begin();
    return {
      chunk: { meta_data, file_offset: BigInt(offset) },
      ...(pages.length > 1 && { offsetIndex: placesOf(pages, first) }),
      pieces: all.flatMap(({ pieces }) => pieces),
      bytes,
    };
  }

  #begin(): void {
    const { kind, repeats } = this.#column;
    this.#dictionary = repeats && kind === 'text' ? new Dictionary() : undefined;
    this.#pages = [];
  }

  #store(value: Uint8Array | number | boolean): void {
    const values = this.#values;
    if (value instanceof Uint8Array) {
      if (this.#dictionary?.isOpen) this.#numbers.push(this.#dictionary.numberOf(value));
      else values.text(value);
      return;
    }
    const { kind } = this.#column;
    if (kind === 'truth') this.#numbers.push(Number(value));
    else if (kind === 'double') values.double(value as number);
    else if (kind === 'long' || kind === 'time') values.long(value as number);
    else values.int(value as number);
  }

  #endPage(): void {
    const { newWriter, writeRuns } = this.#layout;
    const levels = newWriter();
    if (this.#column.nullable) writeRuns(levels, this.#levels, 1);
    const encoding = this.#encode();
    this.#pages.push(this.#page(encoding, levels));
    this.#values.clear();
    this.#numbers.length = 0;
    this.#levels.length = 0;
    this.#rows = 0;
  }

  /** Puts what is not encoded yet among the values of the page. */
  #encode(): Encoding {
    const dictionary = this.#dictionary;
    if (this.#column.kind === 'truth') {
      const runs = this.#runs(1);
      this.#values.int(runs.length);
      this.#values.raw(runs);
      return 'RLE';
    }
    if (!dictionary?.isOpen || this.#numbers.length === 0) return 'PLAIN';
    const pays = dictionary.isUsed || 2 * dictionary.size <= this.#numbers.length;
    if (!pays || dictionary.bytes >= DICTIONARY_BYTES) dictionary.isOpen = false;
    if (!pays) {
      for (const number of this.#numbers) this.#values.text(dictionary.entry(number));
      return 'PLAIN';
    }
    dictionary.isUsed = true;
    const bits = 32 - Math.clz32(dictionary.size - 1);
    this.#values.raw(Uint8Array.of(bits));
    this.#values.raw(this.#runs(bits));
    return 'RLE_DICTIONARY';
  }

  #runs(bits: number): Uint8Array {
    const runs = this.#layout.newWriter();
    this.#layout.writeRuns(runs, this.#numbers, bits);
    return runs.getBytes();
  }

  #page(encoding: Encoding, levels: ByteWriter): Page {
    const { newWriter, writePageHeader, compress } = this.#layout;
    const rows = this.#rows;
    const values = this.#values.bytes;
    const packed = compress(values);
    const header = newWriter();
    writePageHeader(header, {
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: levels.offset + values.length,
      compressed_page_size: levels.offset + packed.length,
      data_page_header_v2: {
        num_values: rows,
        num_nulls: sum(this.#levels, (level) => 1 - level),
        num_rows: rows,
        encoding,
        definition_levels_byte_length: levels.offset,
        repetition_levels_byte_length: 0,
        is_compressed: true,
      },
    });
    const bytes = header.offset + levels.offset + packed.length;
    return {
      pieces: [header.getBytes(), levels.getBytes(), packed],
      bytes,
      plainBytes: header.offset + levels.offset + values.length,
      ...{ encoding, rows },
    };
  }

  #dictionaryPage({ values, size }: Dictionary): Page {
    const { newWriter, writePageHeader, compress } = this.#layout;
    const packed = compress(values);
    const header = newWriter();
    writePageHeader(header, {
      type: 'DICTIONARY_PAGE',
      uncompressed_page_size: values.length,
      compressed_page_size: packed.length,
      dictionary_page_header: { num_values: size, encoding: 'PLAIN' },
    });
    return {
      pieces: [header.getBytes(), packed],
      bytes: header.offset + packed.length,
      plainBytes: header.offset + values.length,
      ...{ encoding: 'PLAIN', rows: 0 },
    };
  }
}

/** The different texts of a column, in the order in which they came. */
class Dictionary {
  readonly #numbers = new Map<string, number>();
  readonly #values = new PlainValues();
  readonly #starts: number[] = [];
  /** Whether values are looked up in it. */
  isOpen = true;
  /** Whether a page refers to it. */
  isUsed = false;

  get size(): number {
    return this.#numbers.size;
  }

  get bytes(): Bytes {
    return this.#values.length;
  }

  get values(): Uint8Array {
    return this.#values.bytes;
  }

  numberOf(value: Uint8Array): number {
    const key = Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(key, number);
    this.#starts.push(this.#values.length);
    this.#values.text(value);
    return number;
  }

  entry(number: number): Uint8Array {
    const { bytes } = this.#values;
    return bytes.subarray(this.#starts[number] + 4, this.#starts[number + 1] ?? bytes.length);
  }
}

function encodingStats(entries: Page | undefined, pages: readonly Page[]) {
  const counts = new Map<Encoding, number>();
  for (const { encoding } of pages) counts.set(encoding, (counts.get(encoding) ?? 0) + 1);
  const stats: NonNullable<ColumnMetaData['encoding_stats']> = [];
  if (entries) stats.push({ page_type: 'DICTIONARY_PAGE', encoding: 'PLAIN', count: 1 });
  for (const [encoding, count] of counts)
    stats.push({ page_type: 'DATA_PAGE_V2', encoding, count });
  return stats;
}

/** Where the pages lie in the file, and which rows they have. */
function placesOf(pages: readonly Page[], first: number): OffsetIndex {
  let [offset, row] = [first, 0];
  return {
    page_locations: pages.map(({ bytes, rows }) => {
      const place = {
        offset: BigInt(offset),
        compressed_page_size: bytes,
        first_row_index: BigInt(row),
      };
      offset += bytes;
      row += rows;
      return place;
    }),
  };
}

const sum = <T>(list: readonly T[], value: (item: T) => number): number =>
  list.reduce((total, item) => total + value(item), 0);
