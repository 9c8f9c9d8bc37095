/**
 * What search costs: `npm run bench -- search [--documents 20000] [--pages 1000] [--python python3]
 * [--words 600] [--links 0] [--folder FOLDER] [--no-peer]`; 0 pages or documents leave that part
 * out. With a folder, its index of documents is kept, and used again if it is there.
 *
 * Prints documents of 600 words per second of processor time with their text in hand, and pages of
 * 25 KB from WARC; the size of the index as a share of the text; the peak of memory; the time of
 * queries of two and three words, over all times and at one; and how many blocks were decoded. With
 * links, a document has so many links to others, with texts of two words; every tenth page is
 * captured again in a second crawl; and the time of `--changed` is printed, too.
 * SQLite FTS5 indexes the same documents and answers the same queries, where Python has it.
 *
 * Words are like those of English: drawn by Zipf's law with a steeper tail, so that 12 million
 * words have about 180,000 different ones and 600 million about 1.2 million; a sixth repeat a word
 * of their document, so that 600 words have about 320 different ones; half of the different words
 * have a stem that differs from them. Documents are made while they are indexed; that time is
 * not counted.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Disk } from '../src/disk/disk.ts';
import { buildIndex, indexArchives } from '../src/search/build/build-index.ts';
import type { Reading } from '../src/search/build/read-archives.ts';
import { whatChanged } from '../src/search/changed/changed.ts';
import { statesOf } from '../src/search/changed/states.ts';
import type { PageLink } from '../src/search/links/anchor-records.ts';
import { LinkGraph } from '../src/search/links/link-graph.ts';
import { SearchIndex } from '../src/search/query/search-index.ts';
import { writeCrawl } from '../test/corpus/lab-archive.ts';
import { labPages, MIDDLE } from './corpus.ts';

const PEER = join(import.meta.dirname, 'peers/search/fts5_peer.py');
/** The frequency of a rank: 1 / (rank + SHIFT)^SLOPE, after BEND falling with TAIL. */
const SHIFT = 2.7;
const SLOPE = 1.1;
const BEND = 10_000;
const TAIL = 1.9;
/** How many words repeat one of their document. */
const REPEATED = 1 / 6;
/** Documents that are made at once. */
const BATCH = 500;
const QUERIES = 200;
/** A query is asked so many times; the least time counts: others use the machine, too. */
const ROUNDS = 5;
const START = Date.UTC(2026, 0, 1);
const MONTH = 30 * 86_400_000;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      documents: { type: 'string', default: '20000' },
      pages: { type: 'string', default: '1000' },
      python: { type: 'string', default: 'python3' },
      words: { type: 'string', default: '600' },
      links: { type: 'string', default: '0' },
      folder: { type: 'string' },
      'no-peer': { type: 'boolean', default: false },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-bench-'));
  try {
    if (Number(values.pages) > 0) await fromWarc(folder, Number(values.pages));
    const python = values['no-peer'] ? undefined : values.python;
    const out = join(values.folder ?? folder, 'index');
    const documents = new Documents(Number(values.documents), {
      words: Number(values.words),
      links: Number(values.links),
    });
    if (documents.count > 0) await inHand(folder, out, documents, python);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Document {
  readonly title: string;
  readonly text: string;
  readonly links?: readonly PageLink[];
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

async function inHand(
  folder: string,
  out: string,
  documents: Documents,
  python: string | undefined,
): Promise<void> {
  if (!existsSync(join(out, 'index.json'))) await measureIndexing(out, documents);
  const random = new Random(7);
  const queries = Array.from({ length: QUERIES }, (_, i) =>
    Array.from({ length: 2 + (i % 2) }, () => wordOf(Math.floor(30 * 100 ** random.next()))),
  );
  await measureQueries(out, queries, documents.links > 0);
  if (python !== undefined) peer(folder, documents, queries, python);
}

async function measureIndexing(out: string, documents: Documents): Promise<void> {
  const began = cpu();
  await indexDocuments(documents, out);
  const seconds = cpu() - began - documents.seconds;
  const { bytes: text, different, count } = documents;
  console.log(
    `in hand: ${(count / seconds).toFixed(0)} documents of ${different.toFixed(0)} different words a CPU-second`,
  );
  console.log(`index: ${((100 * sizeOf(out)) / text).toFixed(1)} % of the text`);
  const sizes = sizesIn(join(out, 'parts/00000'));
  console.log(
    `  ${sizes.map(([name, size]) => `${name} ${((100 * size) / text).toFixed(1)} %`).join(', ')}`,
  );
  console.log(`peak of memory: ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);
}

async function measureQueries(
  out: string,
  queries: readonly string[][],
  withLinks: boolean,
): Promise<void> {
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
      for (let round = 0; round < ROUNDS; round++) {
        for (const [i, words] of queries.entries()) {
          const start = cpu();
          const { reads } = await index.search(words.join(' '), { range, any });
          times[i] = Math.min(times[i] ?? Number.POSITIVE_INFINITY, cpu() - start);
          blocks += reads.blocks;
          decoded += reads.decoded;
        }
      }
      const share = ((100 * decoded) / blocks).toFixed(0);
      console.log(
        `queries, ${name}, ${any ? 'any word' : 'all words'}: ${percentiles(times)}; ${share} % of blocks decoded`,
      );
    }
  }
  if (withLinks) await measureChanged(index, out, queries);
  await index.close();
}

/** What happened between the two crawls, for every fourth query. */
async function measureChanged(
  index: SearchIndex,
  out: string,
  queries: readonly string[][],
): Promise<void> {
  const began = cpu();
  const links = await LinkGraph.open(new Disk(), [out], index.crawls);
  console.log(`links opened: ${(1000 * (cpu() - began)).toFixed(0)} ms`);
  const at = new Date(index.pages.last).toISOString().slice(0, 10);
  const states = statesOf(index, { at });
  const times: number[] = [];
  for (const words of queries.filter((_, i) => i % 4 === 0)) {
    const start = cpu();
    const options = { seeds: 100, expand: 100, alpha: 0.5, by: 'combined', top: 10 } as const;
    await whatChanged(index, links, states, words.join(' '), options);
    times.push(cpu() - start);
  }
  console.log(`--changed: ${percentiles(times)}`);
  console.log(`peak of memory: ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);
  await links.close();
}

function percentiles(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => (1000 * sorted[Math.floor(share * sorted.length)]).toFixed(2);
  return `median ${at(0.5)} ms, 99 % ${at(0.99)} ms`;
}

function peer(
  folder: string,
  { count, words }: Documents,
  queries: readonly string[][],
  python: string,
): void {
  const paths = ['peer.db', 'documents.jsonl', 'queries.jsonl'].map((name) => join(folder, name));
  const file = openSync(paths[1], 'w');
  const documents = new Documents(count, { words, links: 0 });
  for (const { title, text } of documents) writeSync(file, `${JSON.stringify([title, text])}\n`);
  writeFileSync(paths[2], queries.map((query) => JSON.stringify(query)).join('\n'));
  try {
    const { indexing, times, bytes } = JSON.parse(
      execFileSync(python, [PEER, ...paths, String(ROUNDS)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    const rate = (count / indexing).toFixed(0);
    console.log(
      `SQLite FTS5: ${rate} documents a CPU-second, ${((100 * bytes) / documents.bytes).toFixed(0)} % of the text`,
    );
    console.log(`SQLite FTS5, all words: ${percentiles(times)}`);
  } catch {
    console.log('no Python with SQLite FTS5: no peer');
  }
}

function indexDocuments(documents: Documents, out: string) {
  const { count } = documents;
  const files = ['bench', 'again'].map((crawl) => ({
    ...{ path: `/${crawl}`, bytes: count, place: crawl, crawl },
  }));
  const used = documents.links > 0 ? files : files.slice(0, 1);
  return buildIndex(out, used, (_, start) => ({
    counts: { ...start.counts, pages: count },
    damage: [],
    *read(): Generator<Reading> {
      let number = 0;
      // With links, the last tenth are new captures of the first pages.
      const first = used.length > 1 ? Math.ceil(0.9 * count) : count;
      for (const document of documents) {
        if (number < start.offset) {
          number++;
          continue; // a call before this one indexed it
        }
        const file = number < first ? 0 : 1;
        const page = number < first ? number : number - first;
        const time = START + 60_000 * number + file * MONTH;
        const place = { url: urlOf(page), time, file, offset: number, language: 'en' };
        yield { file, offset: number, hasResponses: true, capture: { ...document, ...place } };
        number++;
      }
    },
  }));
}

const urlOf = (page: number): string => `http://site${page % 997}.example/${page}`;

/** The same documents each time, made in batches. */
class Documents {
  readonly count: number;
  /** Words and links of a document. */
  readonly words: number;
  readonly links: number;
  /** What making them took. */
  seconds = 0;
  /** Of all texts. */
  bytes = 0;
  #different = 0;

  constructor(count: number, { words, links }: { words: number; links: number }) {
    this.count = count;
    this.words = words;
    this.links = links;
  }

  /** Different words of a document, on average. */
  get different(): number {
    return this.#different / this.count;
  }

  *[Symbol.iterator](): Generator<Document> {
    const random = new Random(1);
    for (let made = 0; made < this.count; made += BATCH) {
      const began = cpu();
      const length = Math.min(BATCH, this.count - made);
      const batch = Array.from({ length }, () => this.#make(random));
      this.seconds += cpu() - began;
      yield* batch;
    }
  }

  #make(random: Random): Document {
    const words: string[] = [];
    while (words.length < this.words) {
      const repeats = words.length > 0 && random.next() < REPEATED;
      const at = Math.floor(random.next() * words.length);
      words.push(repeats ? words[at] : wordOf(rankOf(random.next())));
    }
    this.#different += new Set(words).size;
    // A flat string, as a text that was read.
    const text = Buffer.from(words.join(' ')).toString('latin1');
    this.bytes += text.length;
    const title = words.slice(0, 6).join(' ');
    if (this.links === 0) return { title, text };
    const links = Array.from({ length: this.links }, (_, i) => {
      const target = Math.floor(random.next() ** 2 * 0.9 * this.count);
      return { url: urlOf(target), text: `${words[2 * i]} ${words[2 * i + 1]}` };
    });
    return { title, text, links };
  }
}

/** The integral of the frequency up to `BEND`, and after it. */
const BEFORE = ((1 + SHIFT) ** (1 - SLOPE) - (BEND + SHIFT) ** (1 - SLOPE)) / (SLOPE - 1);
const AFTER = ((BEND + SHIFT) ** -SLOPE * BEND) / (TAIL - 1);

/** The rank of a word by a number from 0 to 1. */
function rankOf(share: number): number {
  const sum = share * (BEFORE + AFTER);
  if (sum < BEFORE)
    return Math.floor(
      ((1 + SHIFT) ** (1 - SLOPE) - sum * (SLOPE - 1)) ** (1 / (1 - SLOPE)) - SHIFT,
    );
  return Math.floor(BEND * (1 - (sum - BEFORE) / AFTER) ** (1 / (1 - TAIL)));
}

const ENDINGS = ['', 's', 'ing', 'ed', 'ation', '', '', '', ''];
/** Words of a rank below this have no ending. */
const PLAIN = 100;
const made = new Map<number, string>();

/** A word for each rank: frequent ones are short, as in English; of nine, five have one stem. */
function wordOf(rank: number): string {
  const known = made.get(rank);
  if (known !== undefined) return known;
  const place = rank % ENDINGS.length;
  const family = rank - (place < 5 ? place : 0);
  let word = '';
  for (let rest = (rank < PLAIN ? rank : family) + 3; rest > 0; rest = Math.floor(rest / 70))
    word += 'bcdfghklmnprst'[rest % 14] + 'aeiou'[Math.floor(rest / 14) % 5];
  if (rank < 5000) word += 'x';
  if (rank >= PLAIN) word += ENDINGS[place];
  if (made.size < 100_000) made.set(rank, word);
  return word;
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
