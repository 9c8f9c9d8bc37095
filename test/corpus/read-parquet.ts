/** A second reader of Parquet files: npm hyparquet. */
import { readFileSync } from 'node:fs';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { loadZstd } from '../../src/archive/compress/zstd.ts';
import { measureFrame } from '../../src/archive/compress/zstd-frame.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows of any table.
export type ReadRow = Record<string, any>;

export async function readParquet(path: string): Promise<ReadRow[]> {
  const zstd = await loadZstd();
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const ZSTD = (input: Uint8Array, length: number) => {
    const frame = measureFrame(Buffer.from(input));
    const content = frame.kind === 'data' ? zstd.content(input, frame, length + 1) : 'no frame';
    if (typeof content === 'string') throw new Error(content);
    return content;
  };
  return (await parquetReadObjects({
    file: file as ArrayBuffer,
    compressors: { ZSTD },
    utf8: false,
  })) as ReadRow[];
}

export function rowGroupsOf(path: string): number {
  return metadataOf(path).row_groups.length;
}

export function metadataOf(path: string) {
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return parquetMetadata(file as ArrayBuffer);
}

/** What the footer states of each column chunk, and of each row group. */
export function sizesIn(path: string) {
  const groups = metadataOf(path).row_groups;
  const chunks = groups.flatMap(({ columns }) =>
    columns.map(({ meta_data }) => ({
      name: meta_data!.path_in_schema[0],
      compressed: Number(meta_data!.total_compressed_size),
      plain: Number(meta_data!.total_uncompressed_size),
    })),
  );
  return { chunks, groups: groups.map((group) => Number(group.total_byte_size)) };
}
