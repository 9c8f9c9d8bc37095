/**
 * Lines that an agent writes beside the archive, one file for each kind: the crawl log, the rows of
 * extracted fields.
 *
 *   lines/<kind>-<agent>    ─── at the end of a run ───►    one file for all agents
 *
 * Idea      A line is added in the step in which its page is committed, and the length of its file
 *           is part of the checkpoint. So a line is there if and only if its page is.
 * Ensures   After opening, exactly the lines of the last checkpoint. Lines are written in batches;
 *           `makeDurable` writes and syncs everything added before. Files of agents that no longer
 *           exist belong to agent 0.
 * Cost      nothing where no kind is asked for.
 */
import { join } from 'node:path';
import { together } from '../../base/together.ts';
import type { Bytes } from '../../base/units.ts';
import { BatchFile } from '../../disk/batch-file.ts';
import type { Disk } from '../../disk/disk.ts';

/** A file and how much of it counts. */
export interface LineLength {
  readonly file: string;
  readonly length: Bytes;
}

export type LineKind = 'crawl-log' | 'extracted';

/** Lines in memory before they are written without being asked to. */
const BATCH: Bytes = 64 * 1024;

export const linesDir = (dir: string): string => join(dir, 'lines');

export class LineFiles {
  readonly #files: ReadonlyMap<LineKind, LineFile>;
  /** Files of other agents, or of kinds that are not asked for now: they stay as they are. */
  readonly #others: readonly LineLength[];

  private constructor(files: ReadonlyMap<LineKind, LineFile>, others: readonly LineLength[]) {
    this.#files = files;
    this.#others = others;
  }

  /** `earlier` are the files of the last checkpoint. */
  static async open(
    disk: Disk,
    folder: string,
    agent: number,
    kinds: readonly LineKind[],
    earlier: readonly LineLength[] = [],
  ): Promise<LineFiles> {
    if (kinds.length > 0) await disk.makeFolder(folder);
    const files = new Map<LineKind, LineFile>();
    for (const kind of kinds) {
      const file = `${kind}-${agent}`;
      const length = earlier.find((one) => one.file === file)?.length;
      files.set(kind, await LineFile.open(disk, join(folder, file), file, length));
    }
    const mine = new Set([...files.values()].map(({ name }) => name));
    const others = earlier.filter(({ file }) => !mine.has(file));
    // Their agents may have written more after the last checkpoint.
    for (const { file, length } of others)
      await (await BatchFile.open(disk, join(folder, file), length)).close();
    return new LineFiles(files, others);
  }

  /** The line has no line end. A kind that is not asked for is ignored. */
  add(kind: LineKind, line: string): void {
    this.#files.get(kind)?.add(line);
  }

  /** All files, with the lengths that cover every line added up to now. */
  lengths(): readonly LineLength[] {
    const own = [...this.#files.values()].map(({ name, length }) => ({ file: name, length }));
    return [...this.#others, ...own];
  }

  async makeDurable(): Promise<void> {
    await together([...this.#files.values()].map((file) => file.makeDurable()));
  }

  async close(): Promise<void> {
    await together([...this.#files.values()].map((file) => file.close()));
  }
}

class LineFile {
  readonly name: string;
  readonly #file: BatchFile;
  #lines = '';
  #writing: Promise<void> = Promise.resolve();

  private constructor(name: string, file: BatchFile) {
    this.name = name;
    this.#file = file;
  }

  static async open(
    disk: Disk,
    path: string,
    name: string,
    length: Bytes | undefined,
  ): Promise<LineFile> {
    if (length !== undefined) return new LineFile(name, await BatchFile.open(disk, path, length));
    await disk.remove(path).catch(() => {}); // an earlier run came to no checkpoint
    return new LineFile(name, await BatchFile.create(disk, path));
  }

  /** With what is not written yet. */
  get length(): Bytes {
    return this.#file.length + Buffer.byteLength(this.#lines);
  }

  add(line: string): void {
    this.#lines += `${line}\n`;
    // The next checkpoint reports what goes wrong: lines that cannot be written stay in memory.
    if (this.#lines.length >= BATCH) this.#write().catch(() => {});
  }

  async makeDurable(): Promise<void> {
    await this.#write();
    await this.#file.sync();
  }

  async close(): Promise<void> {
    try {
      await this.#write();
    } finally {
      await this.#file.close();
    }
  }

  /** Writes one batch after the other; lines that could not be written stay first. */
  #write(): Promise<void> {
    const work = this.#writing.then(async () => {
      const letters = this.#lines.length;
      if (letters === 0) return;
      await this.#file.append([Buffer.from(this.#lines)]);
      this.#lines = this.#lines.slice(letters);
    });
    this.#writing = work.catch(() => {}); // reported to the caller
    return work;
  }
}
