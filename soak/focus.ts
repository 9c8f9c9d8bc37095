/**
 * `npm run soak -- focus [kills] [seed]`: `drumlin focus learn` and `drumlin focus crawl`, killed
 * with SIGKILL at random moments, over and over. After each kill the book must be as it was before
 * the command, or as it is after it; the next command completes it. At the end the counts of its
 * domains must be those of its documents and parents.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disk } from '../src/disk/disk.ts';
import { Book } from '../src/focus/book/book.ts';
import { domainIn as domainOfKey } from '../src/focus/book/keys.ts';
import { documentIn, domainIn } from '../src/focus/book/values.ts';
import { startLab } from '../src/lab/server/lab.ts';
import { randomFrom } from '../test/fuzz/mutation.ts';

const DRUMLIN = join(import.meta.dirname, '../bin/drumlin');
const FILES = ['documents', 'addresses', 'references', 'parents', 'domains'] as const;
const disk = new Disk();

export async function run([kills = '40', seed = '1']: string[]): Promise<void> {
  spawnSync(process.execPath, [DRUMLIN, '--version']); // compiles changed sources
  const below = randomFrom(Number(seed));
  const random = () => below(1e6) / 1e6;
  const root = mkdtempSync(join(tmpdir(), 'drumlin-focus-kill-'));
  const mix = { academic: 0.3 };
  const lab = await startLab({ scenario: 'papers', domains: 60, pages: 40, mix });
  const local = ['--dns', lab.dns, '--allow-private', '--delay', '0', '--agents', '2', '--quiet'];
  try {
    const broad = join(root, 'broad');
    await end(start(['crawl', ...lab.seeds, '--dir', broad, '--max-pages', '600', ...local]));
    const learn = new Trial(join(root, 'book'), (book) => ['focus', 'learn', book, broad]);
    await learn.run(Math.floor(Number(kills) / 3), random);
    const crawl = new Trial(learn.book, (book) => [
      ...['focus', 'crawl', book, '--policy', 'adaptive', '--seeds', '20', '--recheck', '0'],
      ...['--max-pages', '200', '--checkpoint', '1s', ...local],
    ]);
    await crawl.run(Number(kills) - learn.kills, random);
    await judge(crawl.book);
    console.log(
      `${learn.kills} kills of learn, ${crawl.kills} of crawl: ${learn.before + crawl.before} left the book as before, ${learn.after + crawl.after} as after`,
    );
  } finally {
    await lab.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** A command that adds a day to a book, killed again and again. */
class Trial {
  readonly book: string;
  readonly #args: (book: string) => string[];
  kills = 0;
  before = 0;
  after = 0;
  /** How long the command takes, in milliseconds, as far as it is known. */
  #takes = 4000;

  constructor(book: string, args: (book: string) => string[]) {
    this.book = book;
    this.#args = args;
  }

  async run(kills: number, random: () => number): Promise<void> {
    while (this.kills < kills) {
      const before = await stateOf(this.book);
      await this.#killAt(random() * this.#takes * 1.2);
      const left = await stateOf(this.book);
      const added = left.days - before.days;
      if (added === 0 && left.sum !== before.sum) throw new Error('A kill changed the book.');
      if (added > 1) throw new Error(`A kill added ${added} days.`);
      if (added === 0) this.before++;
      else this.after++;
      // Now and then the day is completed: then the next kill comes in another one.
      if (random() < 0.25) await this.#complete(left.days);
    }
    await this.#complete((await stateOf(this.book)).days);
  }

  async #killAt(moment: number): Promise<void> {
    const child = start(this.#args(this.book));
    const ended = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), moment);
    await ended;
    clearTimeout(timer);
    if (child.signalCode === 'SIGKILL') this.kills++;
  }

  async #complete(days: number): Promise<void> {
    const began = performance.now();
    await end(start(this.#args(this.book)));
    this.#takes = performance.now() - began;
    const { days: now } = await stateOf(this.book);
    // Learning a crawl again adds no day.
    if (now !== days + 1 && !(this.#args(this.book).includes('learn') && now === 1))
      throw new Error(`${now} days after ${days}.`);
  }
}

/** The days of a book, and a digest of all its records. */
async function stateOf(folder: string): Promise<{ days: number; sum: string }> {
  const book = await Book.find(disk, folder).catch(() => undefined);
  if (!book) return { days: 0, sum: '' };
  const hash = createHash('sha256');
  for (const file of FILES)
    for await (const [key, value] of recordsOf(book, file)) hash.update(`${key}\t${value}\n`);
  return { days: book.days.length, sum: hash.digest('hex') };
}

async function* recordsOf(book: Book, file: (typeof FILES)[number]) {
  const reader = await book.read(file);
  try {
    while (await reader.next()) yield [reader.keyText, reader.value] as const;
  } finally {
    await reader.close();
  }
}

/** The counts of domains must be those of documents and parents. */
async function judge(folder: string): Promise<void> {
  const book = await Book.open(disk, folder);
  const counts = new Map<string, [documents: number, parents: number]>();
  const of = (name: string) => counts.get(name) ?? [0, 0];
  for await (const [, value] of recordsOf(book, 'documents')) {
    const name = domainOfKey(documentIn(value).key);
    counts.set(name, [of(name)[0] + 1, of(name)[1]]);
  }
  for await (const [key] of recordsOf(book, 'parents')) {
    const name = domainOfKey(key);
    counts.set(name, [of(name)[0], of(name)[1] + 1]);
  }
  for await (const [name, value] of recordsOf(book, 'domains')) {
    const { documents, parents } = domainIn(value);
    if (documents !== of(name)[0] || parents !== of(name)[1])
      throw new Error(
        `${name} has ${of(name)} documents and parents, not ${documents},${parents}.`,
      );
  }
  const fresh = book.days.reduce((sum, day) => sum + day.fresh, 0);
  if (fresh !== book.records.documents)
    throw new Error(`Its days found ${fresh} documents; it holds ${book.records.documents}.`);
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [DRUMLIN, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function end(child: ChildProcess): Promise<void> {
  const [code] = await once(child, 'exit');
  // 6: a limit has ended the crawl.
  if (code !== 0 && code !== 6) throw new Error(`The command ended with ${code}.`);
}
