/**
 * A sorted index of an archive that is still written, made from its parts and kept beside them.
 *
 * Idea      Parts only grow. Each `update` reads what is new in them, sorts it, and writes it as a
 *           run: a sorted file in a temporary folder. A run that is not much longer than the one
 *           after it is merged with it. So there are few runs, and a look-up merges them from its
 *           key on.
 * Requires  The parts of a crawl (index-part.ts), which another process writes; one `update` at a
 *           time. A WARC file without a part has no lines here: see `hasAllParts`.
 * Ensures   `linesFrom` gives the lines that were there at the last `update`, as an index of the
 *           archive has them. If a part has other lines than before (its crawl was killed and
 *           resumed), all are read again. `close` deletes the runs.
 * Cost      About 5 µs a line, once, and again each time that their number doubles; as much disk
 *           space as the parts.
 */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrumlinError } from '../../base/errors.ts';
import { type Pacer, restingPacer } from '../../base/pacer.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import { LineSorter, mergeLines } from '../../disk/line-sort.ts';
import { indexLine } from './cdxj.ts';
import { INDEX_FILES, openIndex, type SortedIndex, writeIndex } from './index-file.ts';
import { archiveDir, partsDir, warcNames } from './index-merge.ts';
import { partName } from './index-part.ts';

const WINDOW: Bytes = 256 * 1024;
/** Little: a sort of as many lines is one piece of work. */
const SORT_MEMORY: Bytes = 8 * 2 ** 20;

/** What was read of a part. */
interface Read {
  readonly bytes: Bytes;
  /** Its last line: still there if the part has only grown. */
  readonly last: string;
}

interface Run {
  readonly folder: string;
  readonly lines: number;
  readonly index: SortedIndex;
}

export class GrowingIndex implements SortedIndex {
  readonly path: string;
  readonly #disk: Disk;
  readonly #dir: string;
  readonly #folder = join(tmpdir(), `drumlin-index-${randomUUID()}`);
  #read = new Map<string, Read>();
  #runs: readonly Run[] = [];
  /** Merged into others; readers may still have them open. */
  #retired: readonly Run[] = [];

  constructor(disk: Disk, dir: string) {
    this.#disk = disk;
    this.#dir = dir;
    this.path = partsDir(dir);
  }

  /** Reads what is new; `onRead` gets the bytes as they are read. */
  async update(onRead: (bytes: Bytes) => void): Promise<void> {
    await this.#discard(this.#retired);
    this.#retired = [];
    const warcs = await warcNames(this.#disk, archiveDir(this.#dir));
    if ([...this.#read.keys()].some((warc) => !warcs.includes(warc))) return this.#anew(onRead);
    if (!(await this.#addAll(warcs, onRead))) await this.#anew(onRead);
  }

  linesFrom(key: string): AsyncGenerator<string[]> {
    return mergeLines(this.#runs.map(({ index }) => index.linesFrom(key)));
  }

  async close(): Promise<void> {
    this.#runs = [];
    this.#retired = [];
    await this.#disk.removeFolder(this.#folder);
  }

  /** Adds the new lines of all parts; false if some have changed. */
  async #addAll(warcs: readonly string[], onRead: (bytes: Bytes) => void): Promise<boolean> {
    const before = new Map(this.#read);
    const sorter = new LineSorter(this.#disk, tmpdir(), `drumlin-${randomUUID()}`, SORT_MEMORY);
    try {
      for (const warc of warcs) if (!(await this.#addNew(warc, sorter, onRead))) return false;
      await this.#append(sorter.sorted());
      return true;
    } catch (error) {
      this.#read = before;
      throw error;
    } finally {
      await sorter.close();
    }
  }

  /** Forgets everything, and reads all. */
  async #anew(onRead: (bytes: Bytes) => void): Promise<void> {
    this.#retired = this.#runs;
    this.#runs = [];
    this.#read = new Map();
    await this.update(onRead);
  }

  /** Adds the new lines of a part; false if those before them have changed. */
  async #addNew(
    warc: string,
    sorter: LineSorter,
    onRead: (bytes: Bytes) => void,
  ): Promise<boolean> {
    const file = await this.#disk.open(join(this.path, partName(warc)), 'read');
    try {
      const { bytes, last } = this.#read.get(warc) ?? NOTHING;
      const again = Buffer.alloc(last.length);
      if ((await file.size()) < bytes) return false;
      await file.readAll(again, bytes - last.length);
      if (again.toString('latin1') !== last) return false;
      this.#read.set(warc, await readOn(file, { bytes, last }, sorter, onRead));
      return true;
    } finally {
      await file.close();
    }
  }

  async #append(lines: AsyncIterable<readonly string[]>): Promise<void> {
    const added = await this.#write(lines);
    if (added.lines === 0) return this.#discard([added]);
    let runs = [...this.#runs, added];
    // The lengths at least double from the last to the first.
    while (runs.length > 1 && runs[runs.length - 2].lines < 2 * runs[runs.length - 1].lines) {
      const two = runs.slice(-2);
      const merged = await this.#write(mergeLines(two.map(({ index }) => index.linesFrom(''))));
      this.#retired = [...this.#retired, ...two];
      runs = [...runs.slice(0, -2), merged];
    }
    this.#runs = runs;
  }

  async #write(lines: AsyncIterable<readonly string[]>): Promise<Run> {
    const folder = join(this.#folder, randomUUID());
    await this.#disk.makeFolder(folder, true);
    const pacer = restingPacer();
    const count = await writeIndex(this.#disk, folder, paced(lines, pacer), false);
    const index = await openIndex(this.#disk, folder);
    if (index) return { folder, lines: count, index };
    throw new DrumlinError(
      'FILE_MISSING',
      `${join(folder, INDEX_FILES.plain)} was deleted while it was in use.`,
      'Ask again.',
    );
  }

  async #discard(runs: readonly Run[]): Promise<void> {
    for (const { folder } of runs) await this.#disk.removeFolder(folder);
  }
}

const NOTHING: Read = { bytes: 0, last: '' };

/** Whether every WARC file of a crawl has its part, and how long the parts are. */
export async function partsOf(
  disk: Disk,
  dir: string,
): Promise<{ readonly isWhole: boolean; readonly sizes: readonly Bytes[] }> {
  const sizes: Bytes[] = [];
  let isWhole = true;
  for (const warc of await warcNames(disk, archiveDir(dir)))
    try {
      const file = await disk.open(join(partsDir(dir), partName(warc)), 'read');
      sizes.push(await file.size().finally(() => file.close()));
    } catch (error) {
      if (!(error instanceof DrumlinError)) throw error;
      isWhole = false;
    }
  return { isWhole, sizes };
}

/** Adds the lines after what was read; a line without its end is left for the next time. */
async function readOn(
  file: DiskFile,
  from: Read,
  sorter: LineSorter,
  onRead: (bytes: Bytes) => void,
): Promise<Read> {
  const window = Buffer.alloc(WINDOW);
  const pacer = restingPacer();
  let { bytes, last } = from;
  let rest = '';
  for (let at = bytes; ; ) {
    const length = await file.readUpTo(window, at);
    at += length;
    onRead(length);
    const lines = (rest + window.toString('latin1', 0, length)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const full = sorter.add(indexLine(line));
      if (full) await full;
      bytes += line.length + 1;
    }
    await pacer.pause();
    last = lines.length > 0 ? `${lines[lines.length - 1]}\n` : last;
    if (length < WINDOW) return { bytes, last };
  }
}

async function* paced(
  batches: AsyncIterable<readonly string[]>,
  pacer: Pacer,
): AsyncGenerator<readonly string[]> {
  for await (const lines of batches) {
    yield lines;
    const wait = pacer.pause();
    if (wait) await wait;
  }
}
