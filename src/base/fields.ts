/**
 * Fields of a small record, one after the other: numbers (whole, not negative) as varints, times as
 * f64 (milliseconds), texts in latin1 and bytes with their length before them. Writer and reader
 * must agree on the order; the file that holds the records states the version.
 */
import { VarintReader, varintSize, writeVarint } from './varint.ts';

export class FieldWriter {
  #buffer = Buffer.allocUnsafe(256);
  #length = 0;

  number(value: number): void {
    this.#reserve(varintSize(value));
    this.#length = writeVarint(this.#buffer, this.#length, value);
  }

  time(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  text(value: string): void {
    this.bytes(Buffer.from(value, 'latin1'));
  }

  bytes(...pieces: readonly Uint8Array[]): void {
    this.number(pieces.reduce((sum, { length }) => sum + length, 0));
    for (const piece of pieces) {
      this.#reserve(piece.length);
      this.#buffer.set(piece, this.#length);
      this.#length += piece.length;
    }
  }

  /** Starts a new record in the same memory: for large records that are written often. */
  clear(): void {
    this.#length = 0;
  }

  /** The record: a view, valid until the next write. */
  finish(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#length + more));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
  }
}

/** Shared by all readers: a view of its own for each time would cost more than the rest. */
const timeBytes = new Uint8Array(8);
const timeView = new DataView(timeBytes.buffer);

export class FieldReader {
  readonly #reader: VarintReader;

  constructor(record: Uint8Array) {
    this.#reader = new VarintReader(record);
  }

  get atEnd(): boolean {
    return this.#reader.at >= this.#reader.bytes.length;
  }

  number(): number {
    return this.#reader.next();
  }

  time(): number {
    const { bytes, at } = this.#reader;
    if (at + 8 > bytes.length) throw new RangeError('A time continues past the end of its record.');
    for (let i = 0; i < 8; i++) timeBytes[i] = bytes[at + i];
    this.#reader.skip(8);
    return timeView.getFloat64(0, true);
  }

  text(): string {
    const bytes = this.bytes();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  }

  bytes(): Uint8Array {
    return this.#reader.take(this.#reader.next());
  }
}
