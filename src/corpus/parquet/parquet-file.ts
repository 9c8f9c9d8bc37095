/**
 * A Parquet file, written row group by row group.
 *
 * Idea      Rows are collected by column until they fill a row group, which is then encoded,
 *           compressed and written. Only the library that lays out the pages comes from elsewhere;
 *           it is loaded when the first file is created. The compressor is that of the archive.
 * Requires  `add` gets one value for each column, in their order; null only where it is allowed. A
 *           text is given as its UTF-8 bytes, so that no string is made of it, and its bytes must
 *           not change before the row group is written.
 * Ensures   The file has its name only when it is complete and durable; nothing is left of one that
 *           failed. The same rows and sizes give the same bytes.
 * Cost      Memory of one row group: its values, and its pages compressed.
 */
import { dirname } from 'node:path';
import type { RowGroup, SchemaElement } from 'hyparquet';
import type { ColumnSource } from 'hyparquet-writer';
import { loadZstd } from '../../archive/compress/zstd.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';

type CellKind = 'text' | 'binary' | 'truth' | 'short' | 'int' | 'long' | 'double' | 'time';

/**
 * `text` and `binary` are bytes, `truth` is a boolean, the others are numbers; a time is in
 * milliseconds.
 */
export type Cell = Uint8Array | number | boolean | null;

export interface Column {
  readonly name: string;
  readonly kind: CellKind;
  readonly nullable: boolean;
  /** Whether many rows have the same value: the file then holds each once per row group. */
  readonly repeats?: boolean;
}

interface ParquetOptions {
  /** Bytes of values, before compression, after which a row group ends. */
  readonly rowGroupBytes: Bytes;
  /** 1 is fastest, 19 smallest. */
  readonly level?: number;
  /** Facts about the file, by name. */
  readonly about?: Readonly<Record<string, string>>;
}

type Library = typeof import('hyparquet-writer');
type PageWriter = InstanceType<Library['ParquetWriter']>;

const LEVEL = 3;
const PAGE_BYTES: Bytes = 2 ** 20;
/** Bytes that a value other than text takes, on average. */
const VALUE_BYTES = 8;

export class ParquetFile {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #file: DiskFile;
  readonly #columns: readonly Column[];
  readonly #rowGroupBytes: Bytes;
  readonly #writer: PageWriter;
  readonly #saved: SavedBytes[];
  #values: unknown[][];
  #held: Bytes = 0;
  #rows = 0;

  private constructor(
    disk: Disk,
    path: string,
    file: DiskFile,
    columns: readonly Column[],
    rowGroupBytes: Bytes,
    writer: PageWriter,
    saved: SavedBytes[],
  ) {
    this.#disk = disk;
    this.#path = path;
    this.#file = file;
    this.#columns = columns;
    this.#rowGroupBytes = rowGroupBytes;
    this.#writer = writer;
    this.#saved = saved;
    this.#values = columns.map(() => []);
  }

  static async create(
    disk: Disk,
    path: string,
    columns: readonly Column[],
    { rowGroupBytes, level = LEVEL, about = {} }: ParquetOptions,
  ): Promise<ParquetFile> {
    const [library, zstd] = await Promise.all([import('hyparquet-writer'), loadZstd()]);
    const file = await disk.open(`${path}.tmp`, 'create');
    const writer = new library.ParquetWriter({
      writer: diskWriter(library, file),
      schema: schemaOf(columns),
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => compress(bytes) },
      kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    });
    const saved: SavedBytes[] = [];
    const compress = (bytes: Uint8Array) => {
      const frame = zstd.frame(bytes, level);
      saved.push({ offset: writer.writer.offset, bytes: bytes.length - frame.length });
      return frame;
    };
    return new ParquetFile(disk, path, file, columns, rowGroupBytes, writer, saved);
  }

  get rows(): number {
    return this.#rows;
  }

  async add(row: readonly Cell[]): Promise<void> {
    for (let i = 0; i < this.#columns.length; i++) {
      const value = row[i];
      this.#values[i].push(stored(this.#columns[i].kind, value));
      this.#held += value instanceof Uint8Array ? value.length + 4 : VALUE_BYTES;
    }
    this.#rows++;
    if (this.#held >= this.#rowGroupBytes) await this.#endGroup();
  }

  /** Writes the last row group and the footer, and gives the file its name. */
  async finish(): Promise<Bytes> {
    await this.#endGroup();
    await this.#writer.finish();
    const bytes = this.#writer.writer.offset;
    await this.#file.sync();
    await this.#file.close();
    await this.#disk.rename(`${this.#path}.tmp`, this.#path);
    await this.#disk.syncFolder(dirname(this.#path));
    return bytes;
  }

  /** Deletes the file that will not be finished. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {}); // the first failure is the one to report
    await this.#disk.remove(`${this.#path}.tmp`).catch(() => {});
  }

  async #endGroup(): Promise<void> {
    if (this.#held === 0) return;
    const columnData = this.#columns.map(
      (column, i): ColumnSource => ({
        name: column.name,
        data: this.#values[i] as never,
        ...(encodingOf(column) && { encoding: 'PLAIN' }),
      }),
    );
    await this.#writer.write({
      columnData,
      rowGroupSize: Math.max(1, this.#values[0].length),
      pageSize: PAGE_BYTES,
    });
    stateSizes(this.#writer.row_groups.at(-1), this.#saved.splice(0));
    this.#values = this.#columns.map(() => []);
    this.#held = 0;
  }
}

/** Whether a column is written value by value: a dictionary is tried only where it may help. */
const encodingOf = ({ kind, repeats }: Column): boolean => !repeats && kind !== 'truth';

/** What compression saved in a page, and where the page begins in the file. */
interface SavedBytes {
  readonly offset: number;
  readonly bytes: Bytes;
}

/** Corrects the uncompressed sizes of a row group: the library states compressed ones. */
function stateSizes(group: RowGroup | undefined, saved: readonly SavedBytes[]): void {
  if (group === undefined) return;
  let [next, total] = [0, 0n];
  for (const { meta_data: about, file_offset: start } of group.columns) {
    if (about === undefined) continue;
    const end = Number(start + about.total_compressed_size);
    let bytes = 0;
    for (; next < saved.length && saved[next].offset < end; next++) bytes += saved[next].bytes;
    about.total_uncompressed_size = about.total_compressed_size + BigInt(bytes);
    total += about.total_uncompressed_size;
  }
  group.total_byte_size = total;
}

function stored(kind: CellKind, value: Cell): unknown {
  if (value === null || typeof value !== 'number') return value;
  return kind === 'long' || kind === 'time' ? BigInt(value) : value;
}

/** Collects bytes as the library wants, and writes them to the file after each row group. */
function diskWriter(library: Library, file: DiskFile): InstanceType<Library['ByteWriter']> {
  const writer = new library.ByteWriter(2 ** 20);
  let position = 0;
  const flush = async () => {
    const bytes = writer.getBytes();
    await file.writeAll(bytes, position);
    position += bytes.length;
    writer.index = 0;
  };
  return Object.assign(writer, { flush, finish: flush });
}

const PHYSICAL: Readonly<Record<CellKind, Partial<SchemaElement>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  binary: { type: 'BYTE_ARRAY' },
  truth: { type: 'BOOLEAN' },
  // Without a logical type: the library writes its width as four bytes, which others refuse.
  short: { type: 'INT32', converted_type: 'INT_16' },
  int: { type: 'INT32' },
  long: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  const root: SchemaElement = { name: 'schema', num_children: columns.length };
  return [
    root,
    ...columns.map(({ name, kind, nullable }): SchemaElement => {
      const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED';
      return { name, repetition_type, ...PHYSICAL[kind] };
    }),
  ];
}
