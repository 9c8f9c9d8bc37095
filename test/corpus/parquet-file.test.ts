import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cell, Column } from '../../src/corpus/parquet/column.ts';
import { ParquetFile } from '../../src/corpus/parquet/parquet-file.ts';
import { Disk } from '../../src/disk/disk.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { metadataOf, type ReadRow, readParquet } from './read-parquet.ts';

const disk = new Disk(new FaultyFileSystem({ skipSync: true }));

async function write(
  path: string,
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
  rowGroupBytes = 64e6,
): Promise<void> {
  const file = await ParquetFile.create(disk, path, columns, { rowGroupBytes });
  for (const row of rows) await file.add(row);
  await file.finish();
}

/** A value as the other reader gives it. */
function read(kind: Column['kind'], value: Cell): unknown {
  if (value === null) return null;
  if (kind === 'text') return Buffer.from(value as Uint8Array).toString();
  if (kind === 'binary') return new Uint8Array(value as Uint8Array);
  if (kind === 'time') return new Date(value as number);
  return kind === 'long' ? BigInt(value as number) : value;
}

const asRead = (columns: readonly Column[], rows: readonly (readonly Cell[])[]): ReadRow[] =>
  rows.map((row) =>
    Object.fromEntries(columns.map(({ name, kind }, i) => [name, read(kind, row[i])])),
  );

const TEXTS = ['', 'a', 'ab', 'é', '…', 'z'.repeat(40)].map((text) => Buffer.from(text));
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'grapheme' }).map(Buffer.from));
const VALUES: Readonly<Record<Column['kind'], fc.Arbitrary<Cell>>> = {
  text,
  binary: fc.uint8Array({ maxLength: 40 }),
  truth: fc.boolean(),
  short: fc.integer({ min: -32_768, max: 32_767 }),
  int: fc.integer(),
  long: fc.maxSafeInteger(),
  double: fc.double({ noNaN: true }),
  time: fc.integer({ min: -1e12, max: 4e12 }),
};
const KINDS = Object.keys(VALUES) as Column['kind'][];

const table = fc
  .array(fc.tuple(fc.constantFrom(...KINDS), fc.boolean(), fc.boolean()), {
    minLength: 1,
    maxLength: 6,
  })
  .chain((list) => {
    const columns = list.map(([kind, nullable, repeats], i): Column => {
      return { name: `c${i}`, kind, nullable, repeats };
    });
    const cells = columns.map(({ kind, nullable }) =>
      nullable ? fc.option(VALUES[kind], { nil: null }) : VALUES[kind],
    );
    const rows = fc.array(fc.tuple(...cells), { maxLength: 40 });
    return fc.record({
      columns: fc.constant(columns),
      rows,
      group: fc.integer({ min: 1, max: 2e3 }),
    });
  });

describe('a Parquet file', () => {
  test('gives another reader what was put in, for any columns, values and row groups', async () => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(table, async ({ columns, rows, group }) => {
        const path = join(folder, 'a.parquet');
        await write(path, columns, rows, group);
        expect(await readParquet(path)).toEqual(asRead(columns, rows));
        checkRanges(path, columns, rows);
      }),
      { numRuns: 150 },
    );
  });

  test('holds a text that repeats once, until there are too many different ones', async () => {
    const folder = temporaryFolder();
    const columns: Column[] = [
      { name: 'few', kind: 'text', nullable: true, repeats: true },
      { name: 'many', kind: 'text', nullable: false, repeats: true },
      { name: 'growing', kind: 'text', nullable: false, repeats: true },
      { name: 'truth', kind: 'truth', nullable: false },
    ];
    // Alike at first, then each another, of 1,000 bytes: the dictionary outgrows a page.
    const growing = (i: number) => `${'g'.repeat(1000)}${i < 3000 ? i % 100 : i}`;
    const row = (i: number): Cell[] => [
      i % 7 === 0 ? null : Buffer.from(`few ${i % 300}`),
      Buffer.from(`many ${i}`),
      Buffer.from(growing(i)),
      i % 1000 < 990,
    ];
    const rows = Array.from({ length: 5000 }, (_, i) => row(i));
    const path = join(folder, 'a.parquet');
    await write(path, columns, rows);
    const back = await readParquet(path);
    const cells = (list: readonly ReadRow[]) => list.flatMap((one) => Object.values(one)).join();
    expect(cells(back) === cells(asRead(columns, rows))).toBe(true);
    const [few, many, grown, truth] = metadataOf(path).row_groups[0].columns.map(({ meta_data }) =>
      meta_data?.encoding_stats?.map(({ encoding, count }) => [encoding, count]),
    );
    expect(few).toEqual([
      ['PLAIN', 1],
      ['RLE_DICTIONARY', 1],
    ]);
    expect(many?.map(([encoding]) => encoding)).toEqual(['PLAIN']);
    expect(grown?.map(([encoding]) => encoding)).toEqual(['PLAIN', 'RLE_DICTIONARY', 'PLAIN']);
    expect(grown?.reduce((pages, [, count]) => pages + Number(count), 0)).toBeLessThan(10);
    expect(truth).toEqual([['RLE', 1]]);
  });

  test('refuses no value in a column that needs one', async () => {
    const columns: Column[] = [{ name: 'url', kind: 'text', nullable: false }];
    const path = join(temporaryFolder(), 'a.parquet');
    await expect(write(path, columns, [[null]])).rejects.toThrow('Column url has no value');
  });

  test('has a page for every megabyte, and an index of them', async () => {
    const path = join(temporaryFolder(), 'a.parquet');
    const columns: Column[] = [{ name: 'text', kind: 'text', nullable: false }];
    const rows = Array.from({ length: 50 }, (_, i) => [Buffer.alloc(100_000, 97 + (i % 26))]);
    await write(path, columns, rows);
    const letters = (await readParquet(path)).map((row) => [row.text.length, row.text[99_999]]);
    expect(letters).toEqual(rows.map(([value]) => [100_000, String.fromCharCode(value[0])]));
    const [{ meta_data: about, offset_index_length }] = metadataOf(path).row_groups[0].columns;
    expect(about?.encoding_stats).toMatchObject([{ encoding: 'PLAIN', count: 5 }]);
    expect(offset_index_length).toBeGreaterThan(0);
  });

  test('copies its values, and gives the same bytes each time', async () => {
    const folder = temporaryFolder();
    const columns: Column[] = [{ name: 'text', kind: 'text', nullable: false }];
    const value = Buffer.alloc(8);
    function* rows() {
      for (let i = 0; i < 20; i++) {
        value.fill(97 + i);
        yield [value];
      }
    }
    const paths = ['a', 'b'].map((name) => join(folder, name));
    for (const path of paths) await write(path, columns, rows(), 100);
    const letters = (await readParquet(paths[0])).map((row) => row.text[0]).join('');
    expect(letters).toBe('abcdefghijklmnopqrst');
    expect(readFileSync(paths[0]).equals(readFileSync(paths[1]))).toBe(true);
  });

  test('that is abandoned leaves nothing', async () => {
    const folder = temporaryFolder();
    const columns: Column[] = [{ name: 'n', kind: 'int', nullable: false }];
    const file = await ParquetFile.create(disk, join(folder, 'a'), columns, { rowGroupBytes: 8 });
    await file.add([1]);
    await file.abandon();
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** The range that the footer states for a column holds all its values, and counts the nulls. */
function checkRanges(path: string, columns: readonly Column[], rows: readonly (readonly Cell[])[]) {
  let first = 0;
  for (const group of metadataOf(path).row_groups) {
    const held = rows.slice(first, first + Number(group.num_rows));
    first += held.length;
    for (const [i, { meta_data: about }] of group.columns.entries()) {
      const values = held.map((row) => row[i]).filter((value) => value !== null);
      const { min_value: least, max_value: most, null_count } = about?.statistics ?? {};
      expect(Number(null_count)).toBe(held.length - values.length);
      if (columns[i].kind === 'text' || columns[i].kind === 'binary') continue;
      const numbers = values.map(Number);
      if (numbers.length === 0) continue;
      expect(Number(least) + 0).toBe(Math.min(...numbers) + 0);
      expect(Number(most) + 0).toBe(Math.max(...numbers) + 0);
    }
  }
}
