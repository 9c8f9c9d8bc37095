/**
 * Reads a range of a file from front to back, one chunk ahead of its user.
 *
 * Idea      one chunk is always being read. The bytes are in one window: a user that does not know
 *           how many bytes it needs peeks at more than enough, then skips what it used.
 * Ensures   `peek(n)` gives the next n bytes, fewer only where the range ends: a view that is valid
 *           until the next call. Windows begin at multiples of 8 as long as only multiples of 8 are
 *           skipped, so that they can be viewed as numbers.
 * Costs     two chunks of memory, and a copy of each byte unless whole chunks are peeked and
 *           skipped; a longer `peek` enlarges the window.
 */
import type { StateFile } from './block-file.ts';

const CHUNK_BYTES = 256 * 1024;

export class ReadAhead {
  readonly #file: Pick<StateFile, 'readUpTo'>;
  readonly #end: number;
  #position: number;
  #window: Uint8Array;
  #from = 0;
  #to = 0;
  #chunk: Uint8Array;
  #coming: Promise<number> | undefined;

  /** Reads the bytes `start .. end` of the file. */
  constructor(
    file: Pick<StateFile, 'readUpTo'>,
    start: number,
    end: number,
    chunkBytes = CHUNK_BYTES,
  ) {
    this.#file = file;
    this.#position = start;
    this.#end = end;
    this.#chunk = new Uint8Array(Math.max(8, Math.min(chunkBytes, end - start)));
    this.#window = new Uint8Array(this.#chunk.length);
    this.#order();
  }

  async peek(n: number): Promise<Uint8Array> {
    while (this.#to - this.#from < n && this.#coming !== undefined) await this.#take(n);
    return this.#window.subarray(this.#from, Math.min(this.#to, this.#from + n));
  }

  /** Requires that the last `peek` gave at least n bytes. */
  skip(n: number): void {
    this.#from += n;
  }

  /** Waits for the read under way: the file may be closed afterwards. */
  async end(): Promise<void> {
    await this.#coming?.catch(() => {}); // these bytes were not asked for
    this.#coming = undefined;
  }

  /** Moves the chunk that was read into the window, and starts reading the next. */
  async #take(wanted: number): Promise<void> {
    const read = (await this.#coming) ?? 0;
    const held = this.#to - this.#from;
    if (held === 0 && this.#window.length === this.#chunk.length) {
      [this.#window, this.#chunk] = [this.#chunk, this.#window]; // whole chunks need no copy
      this.#have(read);
      return;
    }
    if (held + read > this.#window.length) {
      const larger = new Uint8Array(Math.ceil((Math.max(held, wanted) + read) / 8) * 8);
      larger.set(this.#window.subarray(this.#from, this.#to));
      this.#window = larger;
    } else {
      this.#window.copyWithin(0, this.#from, this.#to);
    }
    this.#window.set(this.#chunk.subarray(0, read), held);
    this.#have(held + read, read);
  }

  #have(bytes: number, read = bytes): void {
    this.#from = 0;
    this.#to = bytes;
    this.#position = read === 0 ? this.#end : this.#position + read;
    this.#order();
  }

  #order(): void {
    const n = Math.min(this.#chunk.length, this.#end - this.#position);
    this.#coming =
      n > 0 ? this.#file.readUpTo(this.#chunk.subarray(0, n), this.#position) : undefined;
    this.#coming?.catch(() => {}); // thrown by the peek that needs the bytes
  }
}
