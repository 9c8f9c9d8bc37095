/**
 * A large book: ranking it, and merging a day into it.
 *
 *   npm run bench -- focus [--documents 1M] [--parents 10M] [--domains 50k]
 *                          [--day-documents 100k] [--day-pages 300k] [--dir folder]
 *   npm run bench -- focus --figures docs/focus [--domains 100k]
 *
 * The book is written as a merge would leave it. Ranking and merging run in processes of their own,
 * whose processor time and peak of memory the system reports. Half of the day's documents are new.
 *
 * With --figures it draws Figures 1 and 2 of the paper for a web of so many domains instead.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes, formatCount, parseCount } from '../src/base/units.ts';
import { drawFigures } from './focus/figures.ts';
import { writeLargeBook } from './focus/large-book.ts';

const DRUMLIN = join(import.meta.dirname, '..', 'bin', 'drumlin');
const MERGE = join(import.meta.dirname, 'focus', 'merge-day.ts');

/** Mean number of pages of a domain in the web of the figures. */
const FIGURE_PAGES = 100;

/** Loaded before the program; at its end it prints what the system knows of it. */
const AT_END =
  'data:text/javascript,process.on("exit",()=>{const{maxRSS,userCPUTime,systemCPUTime}=process.resourceUsage();process.stderr.write("%23usage "+JSON.stringify({maxRSS,cpu:userCPUTime+systemCPUTime})+"\\n")})';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      documents: { type: 'string', default: '1M' },
      parents: { type: 'string', default: '10M' },
      domains: { type: 'string', default: '50k' },
      'day-documents': { type: 'string', default: '100k' },
      'day-pages': { type: 'string', default: '300k' },
      dir: { type: 'string', default: tmpdir() },
      figures: { type: 'string' },
    },
  });
  if (values.figures !== undefined) {
    await drawFigures(values.figures, parseCount(values.domains), FIGURE_PAGES);
    return;
  }
  const root = mkdtempSync(join(values.dir, 'drumlin-focus-'));
  const folder = join(root, 'book');
  const [documents, parents, domains] = [values.documents, values.parents, values.domains].map(
    parseCount,
  );
  const sizes = { documents, parents, domains };
  const day = [values['day-documents'], values['day-pages']].map((text) => `${parseCount(text)}`);
  try {
    await writeLargeBook(folder, sizes);
    const bytes = (await readdir(folder)).reduce(
      (sum, name) => sum + statSync(join(folder, name)).size,
      0,
    );
    print(
      `a book of ${formatCount(documents)} documents and ${formatCount(parents)} parents: ${formatBytes(bytes)}`,
    );
    print('| | CPU | peak of memory |');
    print('|---|---|---|');
    print(`| rank | ${await measured([DRUMLIN, 'focus', 'rank', folder, '--json'])} |`);
    const merge = ['--import', 'tsx', MERGE, folder, JSON.stringify(sizes), ...day];
    print(
      `| merge a day of ${day.map(Number).map(formatCount).join(' documents and ')} pages | ${await measured(merge)} |`,
    );
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function measured(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['--import', AT_END, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (piece) => {
    text += piece;
  });
  const [code] = await once(child, 'close');
  const usage = /#usage (\{.*\})/.exec(text)?.[1];
  if (code !== 0 || usage === undefined) throw new Error(text);
  const { maxRSS, cpu } = JSON.parse(usage);
  return `${(cpu / 1e6).toFixed(1)} s | ${formatBytes(maxRSS * 1024)}`;
}

const print = (line: string) => void process.stdout.write(`${line}\n`);
