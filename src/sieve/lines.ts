/**
 * Lines of a stream as batches for a sieve: the key of a line is its xxHash64, its text the line
 * with its newline.
 *
 * Ensures   every line once, however the stream is divided; a last line without a newline gets one.
 *           Bytes are not interpreted: a line may hold anything but a newline. A batch is valid
 *           until the next one.
 * Costs     one copy and about 30 ns a line; memory for the longest line.
 */

import { DrumlinError } from '../base/errors.ts';
import { formatBytes } from '../base/units.ts';
import { Kernel, SLACK } from '../drum/kernel.ts';
import type { KeyedBatch } from '../drum/keyed-batch.ts';

const NEWLINE = 10;
const CAPACITY = 1024 * 1024;
const LONGEST = 2 ** 30;
/** A batch holds at most one line for each of these bytes of room: shorter lines are rare. */
const BYTES_PER_LINE = 16;

export async function* lineBatches(
  input: AsyncIterable<Uint8Array>,
  capacity = CAPACITY,
): AsyncGenerator<KeyedBatch> {
  let lines = new LineBuffer(capacity);
  for await (const piece of input) {
    for (let at = 0; at < piece.length; ) {
      at += lines.add(piece, at);
      yield* lines.batches();
      if (lines.isFull) lines = lines.grown();
    }
  }
  lines.endLastLine();
  yield* lines.batches();
}

class LineBuffer {
  readonly #capacity: number;
  readonly #kernel: Kernel;
  readonly #maxLines: number;
  readonly #bytes: number;
  readonly #ends: number;
  readonly #keys: number;
  #filled = 0;
  /** There is no newline before this: a long line in many pieces is searched only once. */
  #scanned = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#maxLines = Math.ceil(capacity / BYTES_PER_LINE);
    this.#kernel = new Kernel(capacity + 1 + 2 * SLACK + this.#maxLines * 12 + 64);
    this.#bytes = this.#kernel.allocate(capacity + 1 + SLACK);
    this.#ends = this.#kernel.allocate(this.#maxLines * 4);
    this.#keys = this.#kernel.allocate(this.#maxLines * 8);
  }

  /** Whether one line fills the buffer and has not ended. */
  get isFull(): boolean {
    return this.#filled === this.#capacity;
  }

  /** Copies what fits of piece[from ..]; returns how much. */
  add(piece: Uint8Array, from: number): number {
    const n = Math.min(piece.length - from, this.#capacity - this.#filled);
    this.#kernel.bytes.set(piece.subarray(from, from + n), this.#bytes + this.#filled);
    this.#filled += n;
    return n;
  }

  /** The whole lines so far; the beginning of an unfinished line stays for later. */
  *batches(): Generator<KeyedBatch> {
    const { run } = this.#kernel;
    while (true) {
      const n = run.lineEnds(this.#bytes, this.#scanned, this.#filled, this.#ends, this.#maxLines);
      if (n === 0) {
        this.#scanned = this.#filled;
        return;
      }
      run.hashAll(this.#bytes, this.#ends, n, this.#keys, 1);
      const ends = this.#kernel.u32(this.#ends, n);
      const used = ends[n - 1];
      const bytes = this.#kernel.view(this.#bytes, used);
      yield { length: n, keys: this.#kernel.u64(this.#keys, n), ends, bytes };
      this.#kernel.bytes.copyWithin(this.#bytes, this.#bytes + used, this.#bytes + this.#filled);
      this.#filled -= used;
      this.#scanned = 0;
    }
  }

  endLastLine(): void {
    if (this.#filled === 0) return;
    this.#kernel.bytes[this.#bytes + this.#filled++] = NEWLINE;
  }

  /** The same content with twice the room. */
  grown(): LineBuffer {
    if (this.#capacity >= LONGEST) {
      throw new DrumlinError(
        'LINE_TOO_LONG',
        `A line is longer than ${formatBytes(LONGEST)}.`,
        'Check that the input is text with lines.',
      );
    }
    const larger = new LineBuffer(this.#capacity * 2);
    larger.add(this.#kernel.view(this.#bytes, this.#filled), 0);
    larger.#scanned = this.#scanned;
    return larger;
  }
}
