/**
 * The outcomes of an agent on disk: one line of JSON each, `agents/<n>/outcomes.jsonl`.
 *
 * Ensures   After opening, exactly the outcomes of the last checkpoint: `length` belongs to it, and
 *           later lines are truncated. Lines are written in batches; `makeDurable` writes and syncs
 *           everything added before.
 */
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import { BatchFile } from '../../disk/batch-file.ts';
import type { Disk } from '../../disk/disk.ts';
import { readLines } from '../../disk/lines.ts';
import type { Outcome } from './ask.ts';

const FILE = 'outcomes.jsonl';

export class OutcomeLog {
  readonly #file: BatchFile;
  #lines = '';
  #writing: Promise<void> = Promise.resolve();
  /** The outcomes of earlier runs. */
  readonly known: readonly Outcome[];

  private constructor(file: BatchFile, known: readonly Outcome[]) {
    this.#file = file;
    this.known = known;
  }

  /** `length`: that of the last checkpoint, if there is one. */
  static async open(disk: Disk, dir: string, length: Bytes | undefined): Promise<OutcomeLog> {
    const path = join(dir, FILE);
    if (length === undefined) {
      await disk.remove(path).catch(() => {}); // an earlier run came to no checkpoint
      return new OutcomeLog(await BatchFile.create(disk, path), []);
    }
    const file = await BatchFile.open(disk, path, length);
    const known: Outcome[] = [];
    for await (const outcome of outcomesIn(disk, dir, length)) known.push(outcome);
    return new OutcomeLog(file, known);
  }

  /** With what is not written yet. */
  get length(): Bytes {
    return this.#file.length + Buffer.byteLength(this.#lines);
  }

  add(outcome: Outcome): void {
    this.#lines += `${JSON.stringify(outcome)}\n`;
  }

  /** Lines that cannot be written stay first. */
  makeDurable(): Promise<void> {
    const work = this.#writing.then(async () => {
      const letters = this.#lines.length;
      if (letters > 0) await this.#file.append([Buffer.from(this.#lines)]);
      this.#lines = this.#lines.slice(letters);
      await this.#file.sync();
    });
    this.#writing = work.catch(() => {}); // reported to the caller
    return work;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
  }
}

/**
 * The outcomes in an agent's folder up to the length of its last checkpoint; nothing is changed.
 */
export async function* outcomesIn(disk: Disk, dir: string, length: Bytes): AsyncGenerator<Outcome> {
  let read = 0;
  for await (const lines of readLines(disk, join(dir, FILE))) {
    for (const line of lines) {
      read += line.length + 1; // readLines gives a character for each byte
      if (read > length) return;
      yield JSON.parse(Buffer.from(line, 'latin1').toString());
    }
  }
}
