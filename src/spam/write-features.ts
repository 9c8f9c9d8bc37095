/**
 * Writes a table of features: Parquet, ARFF as Weka reads it, CSV or TSV, by the ending of the
 * name; text also compressed with gzip.
 *
 * Ensures   The file has its name only when it is complete. What is read again (feature-table.ts)
 *           is what was written, to the last bit.
 */
import { DrumlinError } from '../base/errors.ts';
import { type Cell, type Column, ParquetFile } from '../corpus/parquet/parquet-file.ts';
import type { Disk } from '../disk/disk.ts';
import { type TextFile, writeText } from '../disk/text-file.ts';
import { BELONGING, type FeatureTable } from './feature-table.ts';

const ROW_GROUP_BYTES = 64 * 2 ** 20;
const BATCH = 2 ** 20;

export async function writeFeatures(disk: Disk, path: string, table: FeatureTable): Promise<void> {
  const ending = /\.(parquet|arff|csv|tsv)(?:\.gz)?$/i.exec(path)?.[1].toLowerCase();
  if (ending === 'parquet' && !path.endsWith('.gz')) await writeParquet(disk, path, table);
  else if (ending === 'arff') await writeText(disk, path, (file) => writeArff(file, table));
  else if (ending === 'csv' || ending === 'tsv')
    await writeText(disk, path, (file) => writeRows(file, table, ending === 'csv' ? ',' : '\t'));
  else
    throw new DrumlinError(
      'FEATURES',
      `The name "${path}" does not tell the format of the table.`,
      'End it with .parquet, .arff, .csv or .tsv.',
    );
}

/** The values of what sites have in common, as cells; several addresses with spaces between. */
function belongingCells(table: FeatureTable): { names: string[]; rows: string[][] } {
  const names = BELONGING.filter((name) =>
    table.belongings.some((values) => values.some((value) => value.startsWith(`${name} `))),
  );
  const rows = table.belongings.map((values) =>
    names.map((name) =>
      values
        .filter((value) => value.startsWith(`${name} `))
        .map((value) => value.slice(name.length + 1))
        .join(' '),
    ),
  );
  return { names, rows };
}

async function writeParquet(disk: Disk, path: string, table: FeatureTable): Promise<void> {
  const { names, rows } = belongingCells(table);
  const columns: Column[] = [
    ...['site', ...names].map(
      (name): Column => ({ name, kind: 'text', nullable: name !== 'site' }),
    ),
    ...table.names.map((name): Column => ({ name, kind: 'double', nullable: true })),
  ];
  const file = await ParquetFile.create(disk, path, columns, { rowGroupBytes: ROW_GROUP_BYTES });
  try {
    for (const [i, site] of table.sites.entries())
      await file.add([
        Buffer.from(site),
        ...rows[i].map((cell): Cell => (cell === '' ? null : Buffer.from(cell))),
        ...table.columns.map((column) => (Number.isNaN(column[i]) ? null : column[i])),
      ]);
    await file.finish();
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

async function writeArff(file: TextFile, table: FeatureTable): Promise<void> {
  const { names } = belongingCells(table);
  const quoted = (name: string) => `'${name.replace(/'/g, "''")}'`;
  const lines = [
    '@relation spam',
    ...['site', ...names].map((name) => `@attribute ${name} string`),
    ...table.names.map((name) => `@attribute ${quoted(name)} numeric`),
    '@data',
  ];
  await file.write(Buffer.from(`${lines.join('\n')}\n`));
  await writeCells(file, table, ',', '?');
}

async function writeRows(file: TextFile, table: FeatureTable, separator: string): Promise<void> {
  const { names } = belongingCells(table);
  const header = ['site', ...names, ...table.names].map(inQuotes).join(separator);
  await file.write(Buffer.from(`${header}\n`));
  await writeCells(file, table, separator, '');
}

async function writeCells(
  file: TextFile,
  table: FeatureTable,
  separator: string,
  missing: string,
): Promise<void> {
  const { rows } = belongingCells(table);
  let text = '';
  for (const [i, site] of table.sites.entries()) {
    const texts = [site, ...rows[i]].map((cell) => (cell === '' ? missing : inQuotes(cell)));
    const numbers = table.columns.map((column) =>
      Number.isNaN(column[i]) ? missing : String(column[i]),
    );
    text += `${[...texts, ...numbers].join(separator)}\n`;
    if (text.length < BATCH) continue;
    await file.write(Buffer.from(text));
    text = '';
  }
  await file.write(Buffer.from(text));
}

/** Text with a separator or a quote in it. */
const inQuotes = (text: string): string =>
  /[\s,'"]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
