/**
 * What the default of `--useful` says of real documents, beside the same rule over the text of
 * another reader.
 *
 *   npm run bench -- documents FOLDER… [--peer pdftotext] [--show 10]
 *
 * Each folder in a FOLDER is a row of the table, with all its PDF and PostScript files, also
 * gzipped. `--peer` names Poppler's program; it reads the PDF files. `--show` prints so many files
 * on which the two disagree.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Disk } from '../src/disk/disk.ts';
import { BUILT_IN } from '../src/filter/predicates.ts';
import type { Accepts } from '../src/filter/subject.ts';
import { DEFAULT_USEFUL, readRule } from '../src/focus/learn/rules.ts';
import { DocumentReader } from '../src/text/documents/document-reader.ts';
import { countWords } from '../src/text/words.ts';
import { TYPESCRIPT_THREAD } from '../test/crawl/threads/typescript-threads.ts';

const DOCUMENT = /\.(?:pdf|ps)(?:\.gz)?$/i;
const LONGEST = 10e6;
const HEAD = ['folder', 'documents', 'read', 'unread', 'useful', 'by the peer', 'same', 'slowest'];

interface Row {
  name: string;
  documents: number;
  read: number;
  unread: Record<string, number>;
  useful: number;
  /** Documents that the peer has read, and what it says of them. */
  compared: number;
  peerUseful: number;
  same: number;
  slowest: number;
}

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { peer: { type: 'string' }, show: { type: 'string', default: '0' } },
  });
  const { accepts } = await readRule(new Disk(), DEFAULT_USEFUL, BUILT_IN);
  const reader = new DocumentReader({}, TYPESCRIPT_THREAD);
  const differing: string[] = [];
  const rows: Row[] = [];
  for (const folder of positionals.flatMap(foldersIn)) {
    const row = emptyRow(folder.slice(folder.lastIndexOf('/') + 1));
    for (const path of documentsIn(folder)) {
      const useful = await judge(reader, path, row, accepts);
      const peer = values.peer === undefined ? undefined : await peerText(values.peer, path);
      if (peer === undefined) continue;
      const verdict = isUseful(peer, countWords(peer), accepts);
      row.compared++;
      if (verdict) row.peerUseful++;
      if (verdict === useful) row.same++;
      else differing.push(`${path}: ${useful ? 'useful' : 'not useful'}`);
    }
    if (row.documents > 0) rows.push(row);
  }
  await reader.close();
  for (const line of [HEAD, HEAD.map(() => '---'), ...[...rows, totalOf(rows)].map(cellsOf)])
    console.log(`| ${line.join(' | ')} |`);
  for (const line of differing.slice(0, Number(values.show))) console.log(line);
}

async function judge(
  reader: DocumentReader,
  path: string,
  row: Row,
  accepts: Accepts,
): Promise<boolean> {
  row.documents++;
  const began = performance.now();
  const { status, text, words } = await reader.read(readFileSync(path));
  row.slowest = Math.max(row.slowest, performance.now() - began);
  if (status !== 'ok') {
    row.unread[status] = (row.unread[status] ?? 0) + 1;
    return false;
  }
  row.read++;
  const useful = isUseful(text, words, accepts);
  if (useful) row.useful++;
  return useful;
}

function isUseful(text: string, words: number, accepts: Accepts): boolean {
  return accepts({
    ...{ url: 'http://a.test/a.pdf', depth: 0 },
    ...{ standing: undefined, visit: undefined, response: undefined },
    page: {
      ...{ links: 0, title: () => undefined, charset: '', noindex: false, nofollow: false },
      text: () => text,
      words: () => words,
    },
  });
}

/** Undefined if the peer cannot read the file. */
async function peerText(program: string, path: string): Promise<string | undefined> {
  if (!/\.pdf(?:\.gz)?$/i.test(path)) return undefined;
  const bytes = readFileSync(path);
  const file = /\.gz$/i.test(path) ? gunzipSync(bytes) : bytes;
  const options = { maxBuffer: 1e9, timeout: 60_000 };
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-peer-'));
  try {
    writeFileSync(join(folder, 'a.pdf'), file);
    const ask = promisify(execFile)(program, ['-q', join(folder, 'a.pdf'), '-'], options);
    return await ask.then(
      ({ stdout }) => stdout,
      () => undefined,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const foldersIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => join(folder, name))
    .sort();

function* documentsIn(folder: string): Generator<string> {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    if (!DOCUMENT.test(name)) continue;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() && stat.size < LONGEST) yield path;
  }
}

const emptyRow = (name: string): Row => ({
  ...{ name, documents: 0, read: 0, unread: {}, useful: 0 },
  ...{ compared: 0, peerUseful: 0, same: 0, slowest: 0 },
});

function totalOf(rows: readonly Row[]): Row {
  const total = emptyRow('all');
  for (const row of rows) {
    for (const field of ['documents', 'read', 'useful', 'compared', 'peerUseful', 'same'] as const)
      total[field] += row[field];
    for (const [why, count] of Object.entries(row.unread))
      total.unread[why] = (total.unread[why] ?? 0) + count;
    total.slowest = Math.max(total.slowest, row.slowest);
  }
  return total;
}

function cellsOf({ name, documents, read, unread, useful, ...row }: Row): string[] {
  const why = Object.entries(unread).map(([status, count]) => `${count} ${status}`);
  const share = row.compared > 0 ? `${((100 * row.same) / row.compared).toFixed(1)} %` : '-';
  return [
    ...[name, `${documents}`, `${read}`, why.join(', ') || '0', `${useful}`],
    ...[row.compared > 0 ? `${row.peerUseful}` : '-', share, `${Math.round(row.slowest)} ms`],
  ];
}
