/**
 * What search costs: `npm run bench -- search [--documents 20000] [--pages 1000] [--python python3]`.
 *
 * Prints documents of 600 words per second of processor time with their text in hand, and pages of
 * 25 KB from WARC; the size of the index as a share of the text; the time of queries of two and
 * three words, over all times and at one; and how many blocks were decoded. SQLite FTS5 indexes the
 * same documents and answers the same queries, where Python has it. Words are drawn by Zipf's law.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildIndex, indexArchives } from '../src/search/build/build-index.ts';
import type { Reading } from '../src/search/build/read-archives.ts';
import { SearchIndex } from '../src/search/query/search-index.ts';
import { writeCrawl } from '../test/corpus/lab-archive.ts';
import { labPages, MIDDLE } from './corpus.ts';

const PEER = join(import.meta.dirname, 'peers/search/fts5_peer.py');
const WORDS = 600;
const VOCABULARY = 200_000;
/** By Zipf's law alone, 600 words would be 430 different ones; in English they are about 300. */
const SKEW = 1.6;
const QUERIES = 200;
const START = Date.UTC(2026, 0, 1);

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      documents: { type: 'string', default: '20000' },
      pages: { type: 'string', default: '1000' },
      python: { type: 'string', default: 'python3' },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
  try {
    await fromWarc(folder, Number(values.pages));
    await inHand(folder, Number(values.documents), values.python);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Document {
  readonly title: string;
  readonly text: string;
}

/** Seconds of processor time since the start. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function fromWarc(folder: string, pages: number): Promise<void> {
  const crawl = join(folder, 'crawl');
  await writeCrawl(crawl, labPages(pages, MIDDLE));
  const began = cpu();
  const { versions } = await indexArchives([crawl], join(folder, 'warc-index'));
  const rate = pages / (cpu() - began);
  console.log(`from WARC: ${rate.toFixed(0)} pages a CPU-second (${versions} versions)`);
}

async function inHand(folder: string, count: number, python: string): Promise<void> {
  const random = new Random(1);
  const documents = Array.from({ length: count }, () => documentOf(random));
  const out = join(folder, 'index');
  const began = cpu();
  await indexDocuments(documents, out);
  const seconds = cpu() - began;
  const text = documents.reduce((sum, each) => sum + Buffer.byteLength(each.text), 0);
  const different = documents.slice(0, 100).map((each) => new Set(each.text.split(' ')).size);
  const mean = different.reduce((a, b) => a + b, 0) / different.length;
  console.log(
    `in hand: ${(count / seconds).toFixed(0)} documents of ${mean.toFixed(0)} different words a CPU-second`,
  );
  console.log(`index: ${((100 * sizeOf(out)) / text).toFixed(0)} % of the text`);
  const sizes = sizesIn(join(out, 'parts/00000'));
  console.log(
    `  ${sizes.map(([name, size]) => `${name} ${((100 * size) / text).toFixed(1)} %`).join(', ')}`,
  );
  console.log(
    `peak of memory: ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB (with the documents)`,
  );
  const queries = Array.from({ length: QUERIES }, (_, i) =>
    Array.from({ length: 2 + (i % 2) }, () => wordOf(Math.floor(30 * 100 ** random.next()))),
  );
  await measureQueries(out, queries);
  peer(folder, documents, queries, python);
}

async function measureQueries(out: string, queries: readonly string[][]): Promise<void> {
  const began = cpu();
  const index = await SearchIndex.open([out]);
  console.log(`open: ${(1000 * (cpu() - began)).toFixed(0)} ms`);
  const at = index.pages.first + (index.pages.last - index.pages.first) / 2;
  for (const [name, range] of [
    ['all times', undefined],
    ['at a time', { from: at, to: at }],
  ] as const) {
    for (const any of [false, true]) {
      const times: number[] = [];
      let [blocks, decoded] = [0, 0];
      for (const words of [...queries.slice(0, 20), ...queries]) {
        const start = cpu();
        const { reads } = await index.search(words.join(' '), { range, any });
        times.push(cpu() - start);
        blocks += reads.blocks;
        decoded += reads.decoded;
      }
      const share = ((100 * decoded) / blocks).toFixed(0);
      console.log(
        `queries, ${name}, ${any ? 'any word' : 'all words'}: ${percentiles(times.slice(20))}; ${share} % of blocks decoded`,
      );
    }
  }
  await index.close();
}

function percentiles(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => (1000 * sorted[Math.floor(share * sorted.length)]).toFixed(1);
  return `median ${at(0.5)} ms, 99 % ${at(0.99)} ms`;
}

function peer(
  folder: string,
  documents: readonly Document[],
  queries: readonly string[][],
  python: string,
): void {
  const paths = ['peer.db', 'documents.jsonl', 'queries.jsonl'].map((name) => join(folder, name));
  const lines = (values: readonly unknown[]) =>
    values.map((value) => JSON.stringify(value)).join('\n');
  writeFileSync(paths[1], lines(documents.map(({ title, text }) => [title, text])));
  writeFileSync(paths[2], lines(queries));
  try {
    const { indexing, times, bytes } = JSON.parse(
      execFileSync(python, [PEER, ...paths], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    const rate = (documents.length / indexing).toFixed(0);
    const text = documents.reduce((sum, each) => sum + Buffer.byteLength(each.text), 0);
    console.log(
      `SQLite FTS5: ${rate} documents a CPU-second, ${((100 * bytes) / text).toFixed(0)} % of the text`,
    );
    console.log(`SQLite FTS5, all words: ${percentiles(times)}`);
  } catch {
    console.log('no Python with SQLite FTS5: no peer');
  }
}

function indexDocuments(documents: readonly Document[], out: string) {
  const file = { path: '/documents', bytes: documents.length, place: 'documents', crawl: 'bench' };
  return buildIndex(out, [file], (_, start) => ({
    counts: { ...start.counts, pages: documents.length },
    damage: [],
    *read(): Generator<Reading> {
      for (let offset = start.offset; offset < documents.length; offset++) {
        const url = `http://site${offset % 997}.example/${offset}`;
        const place = { url, time: START + 60_000 * offset, file: 0, offset, language: 'en' };
        yield { file: 0, offset, hasResponses: true, capture: { ...documents[offset], ...place } };
      }
    },
  }));
}

function documentOf(random: Random): Document {
  const word = () => wordOf(Math.floor(VOCABULARY ** (random.next() ** SKEW)));
  const words = (count: number) => Array.from({ length: count }, word).join(' ');
  return { title: words(6), text: words(WORDS) };
}

const ENDINGS = ['', 's', 'ing', 'ed', 'er', 'ly', 'ation'];

/** A word for each rank: frequent ones are short, as in English. */
function wordOf(rank: number): string {
  const stem = Math.floor(rank / ENDINGS.length);
  let word = '';
  for (let rest = stem + 3; rest > 0; rest = Math.floor(rest / 70))
    word += 'bcdfghklmnprst'[rest % 14] + 'aeiou'[Math.floor(rest / 14) % 5];
  return word + ENDINGS[rank % ENDINGS.length];
}

/** xorshift32. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) / 2 ** 32;
  }
}

const sizesIn = (folder: string): [string, number][] =>
  readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]);

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
