/**
 * The presets of `drumlin corpus export` beside the filters of datatrove: which pages of the lab do
 * both keep?
 *
 *   npm run bench -- filters [--pages 1000] [--python python3]
 *
 * Every other page is given with its main text, the others with all visible text, because main
 * texts of the lab are good ones. Both sides see the same texts. The language filter of FineWeb
 * needs a model that datatrove does not contain: only texts that are English by our measure are
 * compared there. Needs a Python with datatrove, spacy and nltk (with its punkt tables).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AT, COLUMNS, type Row } from '../src/corpus/columns.ts';
import { conditionsOf, PRESETS, type PresetName } from '../src/corpus/condition.ts';
import { SIGNALS } from '../src/text/signals.ts';
import { openTextReader, type PageText } from '../src/text/text-reader.ts';
import { labPages } from './text/pages.ts';

const PEER = join(import.meta.dirname, 'peers/corpus/datatrove_peer.py');
/** Differences that are shown of each preset. */
const SHOWN = 20;

type Decisions = Record<PresetName, string | null>;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '1000' },
      python: { type: 'string', default: 'python3' },
    },
  });
  if (spawnSync(values.python, ['-c', 'import datatrove, spacy, nltk']).status !== 0) {
    console.log(`${values.python} has no datatrove with spacy and nltk: nothing to compare with`);
    return;
  }
  const readers = [await openTextReader(), await openTextReader({ extract: 'all' })];
  const pages = labPages(Number(values.pages)).map(({ body, contentType }, i) =>
    readers[i % 2].read(body, { contentType }),
  );
  const theirs = decisionsOf(
    values.python,
    pages.map(({ text }) => text),
  );
  console.log(`${pages.length} texts: kept by both, dropped by both, otherwise`);
  for (const preset of Object.keys(PRESETS) as PresetName[]) compare(preset, pages, theirs);
}

function decisionsOf(python: string, texts: readonly string[]): Decisions[] {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-filters-'));
  try {
    const path = join(folder, 'texts.jsonl');
    writeFileSync(path, texts.map((text) => `${JSON.stringify(text)}\n`).join(''));
    const printed = execFileSync(python, [PEER, path], { maxBuffer: 2 ** 28 }).toString();
    return printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function rowOf({ signals, language }: PageText): Row {
  const row: Row = COLUMNS.map(() => null);
  for (const [i, { name }] of SIGNALS.entries()) row[AT[name]] = signals[i];
  row[AT.language] = language.code;
  row[AT.language_score] = language.score;
  return row;
}

function compare(preset: PresetName, pages: readonly PageText[], theirs: readonly Decisions[]) {
  const conditions = conditionsOf(PRESETS[preset]);
  const isLanguage = (text: string) => text.startsWith('language');
  const counts = { kept: 0, dropped: 0 };
  const others: string[] = [];
  for (const [i, page] of pages.entries()) {
    const row = rowOf(page);
    if (conditions.some(({ text, holds }) => isLanguage(text) && !holds(row))) continue;
    const failed = conditions.find(({ holds }) => !holds(row))?.text ?? null;
    const reason = theirs[i][preset];
    if (failed === null && reason === null) counts.kept++;
    else if (failed !== null && reason !== null) counts.dropped++;
    else
      others.push(
        `text ${i} (${page.language.code}, ${row[AT.words]} words): drumlin ${failed ?? 'keeps'}, datatrove ${reason ?? 'keeps'}`,
      );
  }
  console.log(`  ${preset}: ${counts.kept}, ${counts.dropped}, ${others.length}`);
  for (const line of others.slice(0, SHOWN)) console.log(`    ${line}`);
}
