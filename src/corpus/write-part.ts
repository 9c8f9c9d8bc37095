/**
 * A file of the corpus: the rows of some segments, with what was learned of them since.
 *
 * Ensures   The file has its name only when it is complete. The same segments give the same bytes.
 * Cost      Parquet: the memory of a row group, compressed. JSON: that of a megabyte of lines.
 */
import { dirname, join } from 'node:path';
import { type Compressor, compressorFor } from '../archive/compress/compression.ts';
import type { Bytes } from '../base/units.ts';
import { VERSION } from '../base/version.ts';
import type { Disk } from '../disk/disk.ts';
import { type TextFile, writeText } from '../disk/text-file.ts';
import { COLUMNS } from './columns.ts';
import { type LateFacts, readLateFacts } from './late-facts.ts';
import type { Cell } from './parquet/column.ts';
import { ParquetFile } from './parquet/parquet-file.ts';
import type { CorpusFormat, CorpusPlan } from './plan.ts';
import { readRows } from './rows-file.ts';
import type { WorkFolder } from './work-folder.ts';

export interface PartResult {
  readonly name: string;
  readonly rows: number;
  readonly bytes: Bytes;
}

const ENDINGS: Readonly<Record<CorpusFormat, string>> = {
  parquet: 'parquet',
  'jsonl.gz': 'jsonl.gz',
  'jsonl.zst': 'jsonl.zst',
};

const partName = (index: number, format: CorpusFormat): string =>
  `part-${String(index).padStart(5, '0')}.${ENDINGS[format]}`;

/** Writes the rows of segments `from` to `to`, the last not included. */
export async function writePart(
  work: WorkFolder,
  plan: CorpusPlan,
  out: string,
  index: number,
  [from, to]: readonly [number, number],
): Promise<PartResult> {
  const { format, sizes } = plan.settings;
  const name = partName(index, format);
  const rows = rowsOf(work, plan, from, to);
  const path = join(out, name);
  const written =
    format === 'parquet'
      ? await writeParquet(work.disk, path, rows, sizes.rowGroup)
      : await writeLines(work.disk, path, rows, format === 'jsonl.gz' ? 'gzip' : 'zstd');
  return { name, ...written };
}

async function* rowsOf(
  work: WorkFolder,
  plan: CorpusPlan,
  from: number,
  to: number,
): AsyncGenerator<Cell[]> {
  const drops = plan.settings.duplicates === 'drop';
  for (let segment = from; segment < to; segment++) {
    const facts = readLateFacts(work, segment);
    let next = await facts.next();
    let row = 0;
    for await (const cells of readRows(work.disk, work.file('read', segment, 'rows'))) {
      const known = !next.done && next.value.row === row ? next.value : undefined;
      if (known) next = await facts.next();
      row++;
      if (drops && known?.isLater) continue;
      addLate(cells, known);
      yield cells;
    }
    await facts.return(undefined);
  }
}

function addLate(cells: Cell[], known: LateFacts | undefined): void {
  const cluster = known?.cluster === undefined ? null : Buffer.from(known.cluster, 'latin1');
  cells.push(known?.isLater ? cluster : null, cluster, known?.revisits ?? 0);
}

async function writeParquet(
  disk: Disk,
  path: string,
  rows: AsyncGenerator<Cell[]>,
  rowGroupBytes: Bytes,
): Promise<{ rows: number; bytes: Bytes }> {
  const about = { drumlin: VERSION };
  const file = await ParquetFile.create(disk, path, COLUMNS, { rowGroupBytes, about });
  try {
    for await (const row of rows) {
      const full = file.add(row);
      if (full) await full;
    }
    const bytes = await file.finish();
    return { rows: file.rows, bytes };
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

const BATCH_BYTES = 2 ** 20;
const GZIP_LEVEL = 6;

async function writeLines(
  disk: Disk,
  path: string,
  rows: AsyncGenerator<Cell[]>,
  compress: 'gzip' | 'zstd',
): Promise<{ rows: number; bytes: Bytes }> {
  const compressor = await compressorFor({ compress, gzipLevel: GZIP_LEVEL });
  let [count, bytes, lines] = [0, 0, ''];
  const flush = async (file: TextFile) => {
    const member = await memberOf(compressor, lines);
    await file.write(member);
    bytes += member.length;
    lines = '';
  };
  // The name must not end in .gz, or the lines would be compressed twice.
  await writeText(disk, `${path}.part`, async (file) => {
    for await (const row of rows) {
      count++;
      lines += `${JSON.stringify(asObject(row))}\n`;
      if (lines.length >= BATCH_BYTES) await flush(file);
    }
    if (lines !== '' || count === 0) await flush(file);
  });
  await disk.rename(`${path}.part`, path);
  await disk.syncFolder(dirname(path));
  return { rows: count, bytes };
}

async function memberOf(compressor: Compressor, lines: string): Promise<Uint8Array> {
  return compressor.member(Buffer.from(lines), (member) => Buffer.from(member));
}

function asObject(row: readonly Cell[]): Record<string, unknown> {
  return Object.fromEntries(
    COLUMNS.map(({ name, kind }, i) => {
      const value = row[i];
      if (value instanceof Uint8Array) return [name, Buffer.from(value).toString('utf8')];
      if (kind === 'time' && value !== null) return [name, new Date(value as number).toISOString()];
      return [name, value];
    }),
  );
}
