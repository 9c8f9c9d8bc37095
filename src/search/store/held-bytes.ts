/**
 * Bytes that are held until a run is written: values one after the other, in chunks.
 *
 * Idea      Texts of a page may be slices of it, and would keep it in memory. As bytes they do not,
 *           and take a third of what objects take.
 */
import type { Bytes } from '../../base/units.ts';
import { VarintReader, writeVarint } from '../../base/varint.ts';

const CHUNK: Bytes = 2 ** 16;
const VARINT: Bytes = 10;

export class HeldBytes {
  /** How many there are. */
  length: Bytes = 0;
  readonly #chunks: Buffer[] = [];
  #last = Buffer.alloc(0);
  #filled = 0;

  varint(value: number): void {
    const end = writeVarint(this.#room(VARINT), this.#filled, value);
    this.length += end - this.#filled;
    this.#filled = end;
  }

  /** A text in UTF-8 after its length; returns its place, for `textAt`. */
  text(text: string): number {
    const length = Buffer.byteLength(text);
    this.#room(VARINT + length); // both in one chunk
    const place = this.#chunks.length * CHUNK + this.#filled;
    this.varint(length);
    this.#add(this.#room(length).write(text, this.#filled));
    return place;
  }

  /** The bytes of the text at a place. */
  textAt(place: number): Uint8Array {
    const chunk = this.#chunks[Math.floor(place / CHUNK)] ?? this.#last;
    const reader = new VarintReader(chunk, place % CHUNK);
    return reader.take(reader.next());
  }

  clear(): void {
    this.#close();
    this.#chunks.length = 0;
    this.length = 0;
  }

  /** A line of Latin-1. */
  line(line: string): void {
    const chunk = this.#room(line.length + 1);
    this.#add(chunk.write(line, this.#filled, 'latin1'));
    chunk[this.#filled] = 0x0a;
    this.#add(1);
  }

  /** All bytes, in pieces; then there are none. */
  *take(): Generator<Uint8Array> {
    this.#close();
    this.length = 0;
    yield* this.#chunks.splice(0);
  }

  #add(bytes: Bytes): void {
    this.#filled += bytes;
    this.length += bytes;
  }

  #room(bytes: Bytes): Buffer {
    // No value begins behind the size of a chunk: places name a chunk and a byte of it.
    if (this.#last.length - this.#filled < bytes || this.#filled >= CHUNK) {
      this.#close();
      this.#last = Buffer.alloc(Math.max(CHUNK, bytes));
    }
    return this.#last;
  }

  #close(): void {
    if (this.#filled > 0) this.#chunks.push(this.#last.subarray(0, this.#filled));
    this.#last = Buffer.alloc(0);
    this.#filled = 0;
  }
}
