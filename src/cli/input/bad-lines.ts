/**
 * Lines of a user's file that were skipped because they are malformed.
 *
 * Ensures   all of them are counted; all are written to the file, if there is one, in order; the
 *           summary quotes the first ones.
 */
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import type { DrumlinError } from '../../base/errors.ts';
import { counted } from '../../base/units.ts';

const QUOTED = 10;

export class BadLines {
  readonly #file: WriteStream | undefined;
  readonly #first: string[] = [];
  #count = 0;

  private constructor(file: WriteStream | undefined) {
    this.#file = file;
  }

  static async open(path: string | undefined): Promise<BadLines> {
    if (path === undefined) return new BadLines(undefined);
    const file = createWriteStream(path);
    await once(file, 'open');
    return new BadLines(file);
  }

  add({ fact }: DrumlinError): void {
    if (++this.#count <= QUOTED) this.#first.push(fact);
    this.#file?.write(`${fact}\n`);
  }

  /** What to print at the end. */
  summary(): string[] {
    const total = `${counted(this.#count, 'line')} skipped`;
    if (this.#count === 0 || this.#file) {
      return [this.#file ? `${total}; ${String(this.#file.path)} lists them.` : `${total}.`];
    }
    const more = this.#count > QUOTED ? ', the first of them' : '';
    return [`${total}${more}:`, ...this.#first.map((line) => `  ${line}`)];
  }

  async close(): Promise<void> {
    if (!this.#file) return;
    this.#file.end();
    await once(this.#file, 'close');
  }
}
