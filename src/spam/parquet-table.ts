/**
 * Reads the columns of a Parquet file of features.
 *
 * Requires  A file of "drumlin spam features", or of any other writer, with numbers and texts.
 */
import { type AsyncBuffer, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { loadZstd } from '../archive/compress/zstd.ts';
import { measureFrame } from '../archive/compress/zstd-frame.ts';
import { DrumlinError } from '../base/errors.ts';
import type { Disk } from '../disk/disk.ts';
import { openInput } from '../disk/text-input.ts';

/** A cell as the file has it: a number, a text, or null. */
type ParquetCell = unknown;

interface ParquetTable {
  readonly header: readonly string[];
  readonly columns: readonly (readonly ParquetCell[])[];
}

export async function readParquetTable(disk: Disk, path: string): Promise<ParquetTable> {
  const input = await openInput(disk, path);
  try {
    const byteLength = await input.size();
    const file: AsyncBuffer = {
      byteLength,
      slice: async (start, end = byteLength) => {
        const bytes = new Uint8Array(end - start);
        await input.readAll(bytes, start);
        return bytes.buffer;
      },
    };
    return await columnsOf(file);
  } catch (cause) {
    if (cause instanceof DrumlinError) throw cause;
    throw new DrumlinError(
      'FEATURES',
      `${path} is no Parquet file that can be read (${(cause as Error).message}).`,
      'Make it anew with "drumlin spam features".',
      { cause },
    );
  } finally {
    await input.close();
  }
}

async function columnsOf(file: AsyncBuffer): Promise<ParquetTable> {
  const zstd = await loadZstd();
  const ZSTD = (input: Uint8Array, length: number) => {
    const frame = measureFrame(Buffer.from(input));
    const content = frame.kind === 'data' ? zstd.content(input, frame, length + 1) : 'no frame';
    if (typeof content === 'string') throw new Error(content);
    return content;
  };
  const metadata = await parquetMetadataAsync(file);
  const header = metadata.schema.slice(1).map(({ name }) => name);
  const places = new Map(header.map((name, place) => [name, place]));
  const columns: ParquetCell[][] = header.map(() => []);
  await parquetRead({
    ...{ file, metadata, compressors: { ZSTD } },
    onChunk: ({ columnName, columnData, rowStart }) => {
      const column = columns[places.get(columnName) ?? -1];
      for (let i = 0; i < columnData.length; i++) column[rowStart + i] = columnData[i];
    },
  });
  return { header, columns };
}
