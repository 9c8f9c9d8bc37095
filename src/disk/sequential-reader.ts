/**
 * Reads a file from front to back through one buffer.
 *
 * Ensures   `take(n)` returns the next n bytes, a view that is valid until the next call, or
 *           undefined when the range ends exactly here; a range that ends inside the n bytes is an
 *           error.
 * Costs     one read per buffer; a request larger than the buffer enlarges it.
 */
import { DrumlinError, EXIT } from '../base/errors.ts';
import type { StateFile } from './block-file.ts';

export class SequentialReader {
  readonly #file: Pick<StateFile, 'path' | 'readUpTo'>;
  readonly #end: number;
  #position: number;
  #buffer: Uint8Array;
  #from = 0;
  #to = 0;

  /** Reads the bytes `start .. end` of the file. */
  constructor(
    file: Pick<StateFile, 'path' | 'readUpTo'>,
    start: number,
    end: number,
    bufferBytes = 256 * 1024,
  ) {
    this.#file = file;
    this.#position = start;
    this.#end = end;
    this.#buffer = new Uint8Array(bufferBytes);
  }

  /** Where the next `take` begins. */
  get position(): number {
    return this.#position - (this.#to - this.#from);
  }

  async take(n: number): Promise<Uint8Array | undefined> {
    if (this.#to - this.#from < n) await this.#fill(n);
    const available = this.#to - this.#from;
    if (available < n) {
      if (available === 0) return undefined;
      throw new DrumlinError(
        'FILE_SHORT',
        `${this.#file.path} ends inside a record, at byte ${this.#end}.`,
        'Another program damaged it. Restore the folder from a copy.',
        { exitCode: EXIT.folder },
      );
    }
    this.#from += n;
    return this.#buffer.subarray(this.#from - n, this.#from);
  }

  async skip(n: number): Promise<void> {
    const inBuffer = Math.min(n, this.#to - this.#from);
    this.#from += inBuffer;
    this.#position += n - inBuffer;
  }

  async #fill(n: number): Promise<void> {
    const rest = this.#buffer.subarray(this.#from, this.#to);
    if (n > this.#buffer.length)
      this.#buffer = new Uint8Array(Math.max(n, this.#buffer.length * 2));
    this.#buffer.set(rest);
    this.#to -= this.#from;
    this.#from = 0;
    const room = Math.min(this.#buffer.length - this.#to, this.#end - this.#position);
    if (room <= 0) return;
    const read = await this.#file.readUpTo(
      this.#buffer.subarray(this.#to, this.#to + room),
      this.#position,
    );
    this.#to += read;
    this.#position += read;
  }
}
