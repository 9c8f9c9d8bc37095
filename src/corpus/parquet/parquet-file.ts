/**
 * A Parquet file, written row group by row group.
 *
 * Idea      The values of a row go to the columns, which make compressed pages of them
 *           (column-chunk.ts). When a row group is full, the pages of its columns are written one
 *           column after the other. Headers and the footer are laid out by the library, which is
 *           loaded when the first file is created. The compressor is that of the archive.
 * Requires  `add` gets one value for each column, in their order; null only where it is allowed. A
 *           text is given as its UTF-8 bytes, so that no string is made of it.
 * Ensures   The file has its name only when it is complete and durable; nothing is left of one that
 *           failed. The same rows and sizes give the same bytes.
 * Cost      Memory of the pages of one row group, compressed, and of one page for each column. The
 *           footer is held as well: some hundred bytes for each column of a row group, and 24 bytes
 *           for each page.
 */
import { dirname } from 'node:path';
import type { RowGroup } from 'hyparquet';
import { loadZstd } from '../../archive/compress/zstd.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import { type Cell, type Column, schemaOf } from './column.ts';
import { ChunkWriter, type FinishedChunk, type PageLayout } from './column-chunk.ts';

interface ParquetOptions {
  /** Bytes of values, before compression, after which a row group ends. */
  readonly rowGroupBytes: Bytes;
  /** 1 is fastest, 19 smallest. */
  readonly level?: number;
  /** Facts about the file, by name. */
  readonly about?: Readonly<Record<string, string>>;
}

const LEVEL = 3;
/** Bytes that a value other than text takes, on average. */
const VALUE_BYTES = 8;
const MAGIC = Buffer.from('PAR1');
/** Pages are written together up to so many bytes. */
const BATCH_BYTES: Bytes = 2 ** 20;

type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** The parts of hyparquet-writer that are used: its own writer holds the values of a row group. */
async function loadLibrary() {
  const [{ ByteWriter }, { writePageHeader }, { writeRleBitPackedHybrid }] = await Promise.all([
    import('hyparquet-writer/src/bytewriter.js'),
    import('hyparquet-writer/src/datapage.js'),
    import('hyparquet-writer/src/encoding.js'),
  ]);
  const [{ writeIndexes }, { writeMetadata }] = await Promise.all([
    import('hyparquet-writer/src/indexes.js'),
    import('hyparquet-writer/src/metadata.js'),
  ]);
  return { ByteWriter, writePageHeader, writeRleBitPackedHybrid, writeIndexes, writeMetadata };
}

export class ParquetFile {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #file: DiskFile;
  readonly #library: Library;
  readonly #schema: ReturnType<typeof schemaOf>;
  readonly #rowGroupBytes: Bytes;
  readonly #about: Readonly<Record<string, string>>;
  readonly #columns: readonly ChunkWriter[];
  readonly #groups: RowGroup[] = [];
  readonly #indexed: Pick<FinishedChunk, 'chunk' | 'offsetIndex'>[] = [];
  #position = 0;
  #held: Bytes = 0;
  #heldRows = 0;
  #rows = 0;

  private constructor(
    disk: Disk,
    path: string,
    file: DiskFile,
    columns: readonly Column[],
    { rowGroupBytes, about = {} }: ParquetOptions,
    library: Library,
    layout: PageLayout,
  ) {
    this.#disk = disk;
    this.#path = path;
    this.#file = file;
    this.#library = library;
    this.#schema = schemaOf(columns);
    this.#rowGroupBytes = rowGroupBytes;
    this.#about = about;
    this.#columns = columns.map((column) => new ChunkWriter(column, layout));
  }

  static async create(
    disk: Disk,
    path: string,
    columns: readonly Column[],
    options: ParquetOptions,
  ): Promise<ParquetFile> {
    const [library, zstd] = await Promise.all([loadLibrary(), loadZstd()]);
    const { level = LEVEL } = options;
    const layout: PageLayout = {
      newWriter: () => new library.ByteWriter(64),
      writePageHeader: library.writePageHeader,
      writeRuns: (writer, values, bits) =>
        library.writeRleBitPackedHybrid(writer, values as number[], bits),
      compress: (bytes) => zstd.frame(bytes, level),
    };
    const file = await disk.open(`${path}.tmp`, 'create');
    const written = new ParquetFile(disk, path, file, columns, options, library, layout);
    await written.#write([MAGIC]);
    return written;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Only a call that fills a row group has something to wait for. */
  add(row: readonly Cell[]): Promise<void> | undefined {
    for (let i = 0; i < this.#columns.length; i++) {
      const value = row[i];
      this.#columns[i].add(value);
      this.#held += value instanceof Uint8Array ? value.length + 4 : VALUE_BYTES;
    }
    this.#rows++;
    this.#heldRows++;
    return this.#held >= this.#rowGroupBytes ? this.#endGroup() : undefined;
  }

  /** Writes the last row group and the footer, and gives the file its name. */
  async finish(): Promise<Bytes> {
    await this.#endGroup();
    await this.#writeFooter();
    await this.#file.sync();
    await this.#file.close();
    await this.#disk.rename(`${this.#path}.tmp`, this.#path);
    await this.#disk.syncFolder(dirname(this.#path));
    return this.#position;
  }

  /** Deletes the file that will not be finished. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {}); // the first failure is the one to report
    await this.#disk.remove(`${this.#path}.tmp`).catch(() => {});
  }

  async #endGroup(): Promise<void> {
    if (this.#heldRows === 0) return;
    const group: RowGroup = { columns: [], total_byte_size: 0n, num_rows: BigInt(this.#heldRows) };
    for (const column of this.#columns) {
      const { chunk, offsetIndex, pieces } = column.finish(this.#position);
      group.columns.push(chunk);
      group.total_byte_size += chunk.meta_data?.total_uncompressed_size ?? 0n;
      this.#indexed.push({ chunk, ...(offsetIndex && { offsetIndex }) });
      await this.#write(pieces);
    }
    this.#groups.push(group);
    this.#held = 0;
    this.#heldRows = 0;
  }

  async #writeFooter(): Promise<void> {
    const { ByteWriter, writeIndexes, writeMetadata } = this.#library;
    const writer = new ByteWriter();
    // The library states places in the file.
    writer.offset = this.#position;
    writeIndexes(writer, this.#indexed);
    writeMetadata(writer, {
      version: 2,
      created_by: 'hyparquet',
      schema: this.#schema,
      num_rows: BigInt(this.#rows),
      row_groups: this.#groups,
      key_value_metadata: Object.entries(this.#about).map(([key, value]) => ({ key, value })),
      metadata_length: 0,
    });
    await this.#write([writer.getBytes(), MAGIC]);
  }

  async #write(pieces: readonly Uint8Array[]): Promise<void> {
    let [batch, held]: [Uint8Array[], number] = [[], 0];
    for (const [i, piece] of pieces.entries()) {
      batch.push(piece);
      held += piece.length;
      if (held < BATCH_BYTES && i < pieces.length - 1) continue;
      await this.#file.writeAll(batch.length === 1 ? piece : Buffer.concat(batch), this.#position);
      this.#position += held;
      [batch, held] = [[], 0];
    }
  }
}
