/**
 * What is made of the files of all agents when a run ends: one crawl log, one table, one folder.
 */
import { join } from 'node:path';
import type { CrawlConfig } from '../config/settings.ts';
import type { Disk } from '../disk/disk.ts';
import { readLines } from '../disk/lines.ts';
import { type TextFile, writeText } from '../disk/text-file.ts';
import { csvLine } from '../extract/csv.ts';
import { type Field, OWN_COLUMNS } from '../extract/fields.ts';
import { type LineKind, linesDir } from './record/line-files.ts';
import { lineLengths } from './state/agent-folder.ts';
import { convertLinks } from './store/convert-links.ts';

/** Text that is written at once. */
const BATCH = 64 * 1024;

export async function finishFiles(
  disk: Disk,
  { dir, crawlLog, store, convertLinks: converts }: CrawlConfig,
  extracts: readonly Field[],
  agents: number,
): Promise<void> {
  const isAsked = crawlLog || extracts.length > 0;
  const files = isAsked ? await lineLengths(disk, dir, agents) : [];
  const partsOf = (kind: LineKind) =>
    files
      .map(({ file }) => file)
      .filter((name) => name.startsWith(`${kind}-`))
      .sort()
      .map((name) => join(linesDir(dir), name));
  if (crawlLog) {
    const parts = partsOf('crawl-log');
    await writeLines(disk, join(dir, 'crawl.log'), inOrder(disk, parts));
  }
  if (extracts.length > 0) {
    const parts = partsOf('extracted');
    const names = [...OWN_COLUMNS, ...extracts.map(({ name }) => name)];
    await writeLines(disk, join(dir, 'extracted.jsonl'), oneByOne(disk, parts));
    await writeLines(disk, join(dir, 'extracted.csv'), asCsv(names, oneByOne(disk, parts)));
  }
  if (converts && store === 'files') await convertLinks(disk, dir);
}

async function* oneByOne(disk: Disk, paths: readonly string[]): AsyncGenerator<string> {
  for (const path of paths)
    for await (const lines of readLines(disk, path)) for (const line of lines) yield `${line}\n`;
}

async function* asCsv(
  names: readonly string[],
  lines: AsyncIterable<string>,
): AsyncGenerator<string> {
  const latin1 = (text: string) => Buffer.from(text).toString('latin1');
  yield latin1(csvLine(names));
  for await (const line of lines) {
    const row = JSON.parse(Buffer.from(line, 'latin1').toString());
    yield latin1(csvLine(names.map((name) => row[name])));
  }
}

/** The time at the beginning of a line. */
const TIME = '2026-01-01T00:00:00.000Z'.length;

/** Lines of all files in the order of their times; each file is in order. */
async function* inOrder(disk: Disk, paths: readonly string[]): AsyncGenerator<string> {
  const heads: { line: string; rest: AsyncGenerator<string> }[] = [];
  for (const path of paths) {
    const rest = oneByOne(disk, [path]);
    const { value, done } = await rest.next();
    if (!done) heads.push({ line: value, rest });
  }
  while (heads.length > 0) {
    let first = 0;
    const timeOf = (i: number) => heads[i].line.slice(0, TIME);
    for (let i = 1; i < heads.length; i++) if (timeOf(i) < timeOf(first)) first = i;
    const head = heads[first];
    yield head.line;
    const { value, done } = await head.rest.next();
    if (done) heads.splice(first, 1);
    else head.line = value;
  }
}

/** A character is a byte, as `readLines` gives it. */
async function writeLines(disk: Disk, path: string, lines: AsyncIterable<string>): Promise<void> {
  await writeText(disk, path, async (file: TextFile) => {
    let text = '';
    for await (const line of lines) {
      text += line;
      if (text.length < BATCH) continue;
      await file.write(Buffer.from(text, 'latin1'));
      text = '';
    }
    await file.write(Buffer.from(text, 'latin1'));
  });
}
