import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFeatures } from '../../src/spam/feature-table.ts';
import { LINK_FEATURES } from '../../src/spam/features/links/formulas.ts';
import { writeFeatures } from '../../src/spam/write-features.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { quickDisk } from '../graph/fixtures.ts';

test.each([
  'csv',
  'tsv',
  'arff',
  'parquet',
  'csv.gz',
])('a table of link features is the same when it is read from .%s', async (ending) => {
  const path = join(temporaryFolder(), `table.${ending}`);
  const table = {
    sites: ['a.test', 'b.test'],
    ids: [],
    belongings: [['domain a.test'], ['domain b.test']],
    names: LINK_FEATURES.map((name) => `links:${name}`),
    columns: LINK_FEATURES.map((_, i) => Float64Array.of(i / 3, Number.NaN)),
  };
  await writeFeatures(quickDisk(), path, table);
  expect(await readFeatures(path)).toEqual(table);
});
