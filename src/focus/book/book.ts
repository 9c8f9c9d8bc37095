/**
 * The book of a focused crawl: what its crawls have harvested, in sorted files.
 *
 *   book.json       rules, crawls, days, and which files count
 *   documents.N     by payload digest: URL, first and last seen, useful, crawl
 *   addresses.N     by URL: the document that it leads to, last seen; redirects resolved
 *   references.N    by URL: useful documents that name it in their text
 *   parents.N       by URL: documents and useful ones that the page links to, last crawled
 *   domains.N       by name: counts of all of these, requests and what they found
 *
 * Idea      Learning a crawl merges it into each file in order and writes the next generation
 *           beside the old one. book.json, replaced at once, names the files that count.
 * Ensures   A kill leaves the book as it was before, or as it is after. One process writes at a
 *           time; reading needs no lock. A book of another format is refused.
 * Cost      Memory does not grow with the book. A day costs one read and one write of all files.
 */
import { isAbsolute, join, relative } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import {
  type CheckpointFormat,
  loadCheckpoint,
  recoverFolder,
  saveCheckpoint,
} from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Held } from '../../disk/file-system.ts';
import type { Day } from './day.ts';
import { RecordReader } from './record-file.ts';
import { RecordPass } from './record-pass.ts';

const FORMAT: CheckpointFormat = { name: 'book.json', kind: 'focus-book', version: 1 };
const SCRATCH = 'scratch';
/** What the book's folder holds, apart from the folders of crawls. */
const OURS = /^(?:documents|addresses|references|parents|domains)\.\d+$/;

export type BookFile = 'documents' | 'addresses' | 'references' | 'parents' | 'domains';

/** What counts as a document, and which are useful, as filters. */
export interface Rules {
  readonly wanted: string;
  readonly useful: string;
}

/** A crawl that was learned. */
interface Source {
  /** The identifier of the first record of its archive. */
  readonly identity: string;
  /** In book.json relative to the book, if the crawl is in its folder: so a book can be moved. */
  readonly folder: string;
}

interface State {
  readonly rules: Rules;
  /** Documents and addresses refer to them by position. */
  readonly sources: readonly Source[];
  readonly days: readonly Day[];
  /** When the current round through the parents began, in seconds. */
  readonly round: number;
  readonly records: Readonly<Record<BookFile, number>>;
  readonly current: Readonly<Record<BookFile, string>>;
}

/** A book as it was when it was opened. */
export class Book {
  readonly folder: string;
  readonly #disk: Disk;
  readonly #state: State;
  readonly #sequence: number;
  readonly #bytes: Readonly<Record<string, number>>;

  private constructor(
    disk: Disk,
    folder: string,
    state: State,
    sequence: number,
    bytes: Readonly<Record<string, number>>,
  ) {
    this.#disk = disk;
    this.folder = folder;
    this.#state = state;
    this.#sequence = sequence;
    this.#bytes = bytes;
  }

  /** Undefined where there is no book. */
  static async find(disk: Disk, folder: string): Promise<Book | undefined> {
    const stored = await loadCheckpoint<State>(disk, folder, FORMAT).catch((error) => {
      throw asBookError(error, folder);
    });
    return stored && new Book(disk, folder, stored.state, stored.sequence, stored.files);
  }

  static async open(disk: Disk, folder: string): Promise<Book> {
    const book = await Book.find(disk, folder);
    if (book) return book;
    throw new DrumlinError(
      'BOOK_MISSING',
      `${folder} holds no book.`,
      `Learn a crawl first: drumlin focus learn ${folder} CRAWL.`,
      { exitCode: EXIT.folder },
    );
  }

  get rules(): Rules {
    return this.#state.rules;
  }

  get sources(): readonly Source[] {
    return this.#state.sources.map(({ identity, folder }) => ({
      identity,
      folder: isAbsolute(folder) ? folder : join(this.folder, folder),
    }));
  }

  get days(): readonly Day[] {
    return this.#state.days;
  }

  get round(): number {
    return this.#state.round;
  }

  /** How many records each file holds. */
  get records(): Readonly<Record<BookFile, number>> {
    return this.#state.records;
  }

  /** The whole size on disk. */
  get bytes(): number {
    return Object.values(this.#bytes).reduce((sum, bytes) => sum + bytes, 0);
  }

  path(file: BookFile): string {
    return join(this.folder, this.#state.current[file]);
  }

  read(file: BookFile): Promise<RecordReader> {
    return RecordReader.open(this.#disk, this.path(file));
  }

  /** A pass that looks keys up. */
  look(file: BookFile): Promise<RecordPass> {
    return RecordPass.open(this.#disk, this.path(file));
  }

  /** The number of the next generation of files. */
  get next(): number {
    return this.#sequence + 1;
  }

  /** Files of this book with their lengths, by name. */
  get lengths(): Readonly<Record<string, number>> {
    return this.#bytes;
  }
}

/** The folder of a book, held by this process. */
export class BookFolder {
  readonly #disk: Disk;
  readonly folder: string;
  readonly #lock: Held;
  #book: Book | undefined;

  private constructor(disk: Disk, folder: string, lock: Held, book: Book | undefined) {
    this.#disk = disk;
    this.folder = folder;
    this.#lock = lock;
    this.#book = book;
  }

  /** Takes the lock and deletes what a killed process left. Makes the folder if it is missing. */
  static async open(disk: Disk, folder: string): Promise<BookFolder> {
    await disk.makeFolder(folder);
    const lock = disk.lock(folder);
    try {
      const book = await Book.find(disk, folder);
      if (!book) await refuseOther(disk, folder);
      await disk.removeFolder(join(folder, SCRATCH));
      await recoverFolder(disk, folder, book?.lengths ?? {}, (name) => OURS.test(name)).catch(
        (error) => {
          throw asBookError(error, folder);
        },
      );
      return new BookFolder(disk, folder, lock, book);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** The book; undefined before the first crawl is learned. */
  get book(): Book | undefined {
    return this.#book;
  }

  /** Runs `work` with a folder for its temporary files. */
  async withScratch<T>(work: (scratch: string) => Promise<T>): Promise<T> {
    const scratch = join(this.folder, SCRATCH);
    await this.#disk.makeFolder(scratch);
    try {
      return await work(scratch);
    } finally {
      await this.#disk.removeFolder(scratch);
    }
  }

  /** Begins to write the next generation of a file. */
  rewrite(file: BookFile): Promise<RecordPass> {
    return RecordPass.open(this.#disk, this.#book?.path(file), this.pathOfNext(file));
  }

  pathOfNext(file: BookFile): string {
    return join(this.folder, `${file}.${this.#book?.next ?? 1}`);
  }

  /**
   * The step after which the changes count. Files that are not in `written` stay as they are.
   */
  async commit(
    changes: Partial<Pick<State, 'rules' | 'sources' | 'days' | 'round'>>,
    written: Readonly<Partial<Record<BookFile, { records: number; bytes: number }>>> = {},
  ): Promise<void> {
    const old = this.#book;
    const sequence = old?.next ?? 1;
    const names = Object.keys(written) as BookFile[];
    const current = { ...(old && currentOf(old)) } as Record<BookFile, string>;
    const records = { ...old?.records } as Record<BookFile, number>;
    const files: Record<string, number> = {};
    for (const name of names) {
      current[name] = `${name}.${sequence}`;
      records[name] = written[name]!.records;
      files[current[name]] = written[name]!.bytes;
    }
    for (const name of Object.values(current)) files[name] ??= old!.lengths[name];
    const state: State = {
      rules: changes.rules ?? old!.rules,
      sources: (changes.sources ?? old?.sources ?? []).map(({ identity, folder }) => ({
        identity,
        folder: folder.startsWith(`${this.folder}/`) ? relative(this.folder, folder) : folder,
      })),
      days: changes.days ?? old?.days ?? [],
      round: changes.round ?? old?.round ?? 0,
      records,
      current,
    };
    await saveCheckpoint(this.#disk, this.folder, FORMAT, { files, state, sequence });
    this.#book = await Book.find(this.#disk, this.folder);
    for (const name of Object.keys(old?.lengths ?? {}))
      if (!(name in files)) await this.#disk.remove(join(this.folder, name));
  }

  close(): void {
    this.#lock.release();
  }
}

function currentOf(book: Book): Record<string, string> {
  return Object.fromEntries(
    Object.keys(book.records).map((file) => [file, nameIn(book.path(file as BookFile))]),
  );
}

const nameIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** A folder with other files is not made a book. */
async function refuseOther(disk: Disk, folder: string): Promise<void> {
  const others = (await disk.list(folder)).filter(
    (name) => !OURS.test(name) && name !== SCRATCH && !/^(?:LOCK|book\.json\.tmp|days)/.test(name),
  );
  if (others.length === 0) return;
  throw new DrumlinError(
    'BOOK_FOLDER',
    `${folder} holds other files (${others[0]}) and no book.`,
    'Name the folder of a book, or a new one.',
    { exitCode: EXIT.folder },
  );
}

const REMEDIES: Readonly<Record<string, string>> = {
  CHECKPOINT_FORMAT: 'Name the folder of a book, or a new one.',
  FILE_VERSION: 'Use the release of drumlin that wrote it, or learn the crawls into a new book.',
  FILE_DAMAGED: 'Learn the crawls into a new book.',
};

/** Errors of files with the remedy that fits a book. */
function asBookError(error: unknown, folder: string): unknown {
  if (!(error instanceof DrumlinError)) return error;
  const remedy = REMEDIES[error.code];
  if (remedy === undefined) return error;
  const fact = error.fact.includes(folder) ? error.fact : `${folder}: ${error.fact}`;
  return new DrumlinError('BOOK_FORMAT', fact, remedy, { exitCode: EXIT.folder, cause: error });
}
