/** Documents for other search engines. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { indexArchives } from '../../src/search/build/build-index.ts';
import { documentsOf } from '../../src/search/export/documents.ts';
import { exportIndex } from '../../src/search/export/export-index.ts';
import { SearchIndex } from '../../src/search/query/search-index.ts';
import { type ArchivedPage, writeCrawl } from '../corpus/lab-archive.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { disk } from './collection.ts';

const DAY = 86_400_000;
const OCTOBER = Date.UTC(2011, 9, 1);
const page = (url: string, title: string, text: string): ArchivedPage => ({
  url,
  body: Buffer.from(`<title>${title}</title><main><p>${text}</p></main>`),
});
const OLD =
  'The old government of the coast said that it would not speak about the price of bread.';
const NEW =
  'The new government of the coast said that it would speak about the price of bread soon.';

async function exported(format: 'bulk' | 'jsonl', fileBytes = 1e6, isGone = false) {
  const folder = temporaryFolder();
  for (const [i, text] of [OLD, NEW, OLD].entries())
    await writeCrawl(
      join(folder, `${i}`),
      [page('http://www.a.example.co.uk/', `${i % 2}`, text)],
      {
        from: OCTOBER + i * DAY,
      },
    );
  const [index, out] = [join(folder, 'index'), join(folder, 'out')];
  await indexArchives(
    [0, 1, 2].map((i) => join(folder, `${i}`)),
    index,
    { disk },
  );
  const opened = await SearchIndex.open([index], disk);
  if (isGone) rmSync(join(folder, '0'), { recursive: true });
  const counts = await exportIndex(opened, out, { format, disk, fileBytes });
  const lines = readdirSync(out)
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .flatMap((name) => readFileSync(join(out, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line));
  return { counts, lines, out, opened };
}

test('a version is a document with the times in which it was the page', async () => {
  const { counts, lines, out, opened } = await exported('jsonl');
  expect(counts).toEqual({ documents: 2, files: 1, withoutText: 0 });
  const [first] = lines.sort((a, b) => (a.first < b.first ? -1 : 1));
  expect(first).toMatchObject({
    ...{ url: 'http://www.a.example.co.uk/', host: 'www.a.example.co.uk', domain: 'example.co.uk' },
    ...{ title: '0', text: OLD, language: 'en', captures: 2 },
    ...{ first: '2011-10-01T00:00:00.000Z', last: '2011-10-03T00:00:00.000Z' },
    valid: [
      { gte: '2011-10-01T00:00:00.000Z', lt: '2011-10-02T00:00:00.000Z' },
      { gte: '2011-10-03T00:00:00.000Z' },
    ],
  });
  const mapped = JSON.parse(readFileSync(join(out, 'opensearch.json'), 'utf8')).mappings.properties;
  expect(Object.keys(mapped).sort()).toEqual(Object.keys(first).sort());
  const { field_mappings: fields } = JSON.parse(
    readFileSync(join(out, 'quickwit.json'), 'utf8'),
  ).doc_mapping;
  expect(fields.map(({ name }: { name: string }) => name).sort()).toEqual(
    Object.keys(first).sort(),
  );
  await opened.close();
});

test('two texts of the same millisecond are two documents, named alike in every index', async () => {
  const folder = temporaryFolder();
  const idsOf = async (names: readonly string[], index: string) => {
    await indexArchives(
      names.map((name) => join(folder, name)),
      join(folder, index),
      { disk },
    );
    const opened = await SearchIndex.open([join(folder, index)], disk);
    const ids: string[] = [];
    for await (const { document } of documentsOf(opened, disk)) ids.push(document.id);
    await opened.close();
    return ids.sort();
  };
  for (const [i, text] of [OLD, NEW].entries())
    await writeCrawl(join(folder, `${i}`), [page('http://a.example/', 'Coast', text)], {
      from: OCTOBER,
    });
  const ids = await idsOf(['0', '1'], 'both');
  expect(new Set(ids).size).toBe(2);
  expect(await idsOf(['1', '0'], 'turned')).toEqual(ids);
  expect(ids).toEqual(expect.arrayContaining(await idsOf(['1'], 'one')));
});

test('for _bulk, an action stands before each document', async () => {
  const { lines, counts, opened } = await exported('bulk', 100);
  expect(counts.files).toBe(2);
  expect(lines).toHaveLength(4);
  for (let i = 0; i < 4; i += 2) expect(lines[i]).toEqual({ create: { _id: lines[i + 1].id } });
  expect(lines[1].id).not.toBe(lines[3].id);
  await opened.close();
});

test('a file is as full as it may be, and no fuller', async () => {
  const { lines, opened } = await exported('jsonl');
  const bytes = lines.reduce((sum, line) => sum + JSON.stringify(line).length + 1, 0);
  for (const [fileBytes, files] of [
    [bytes, 1],
    [bytes - 1, 2],
  ]) {
    const out = join(temporaryFolder(), 'out');
    const counts = await exportIndex(opened, out, { format: 'jsonl', disk, fileBytes });
    expect(counts).toMatchObject({ documents: 2, files });
  }
  await opened.close();
});

test('a document whose archive is gone has no text, and is counted', async () => {
  const { counts, opened } = await exported('jsonl', 1e6, true);
  expect(counts).toEqual({ documents: 2, files: 1, withoutText: 1 });
  await opened.close();
});

test('a folder with files is refused', async () => {
  const { opened, out } = await exported('jsonl');
  writeFileSync(join(out, 'mine'), '');
  await expect(exportIndex(opened, out, { format: 'bulk', disk })).rejects.toThrow('not empty');
  await opened.close();
});
