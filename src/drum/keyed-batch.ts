/**
 * Packs keys and the bytes that belong to them into one batch, which can be reused.
 *
 * Ensures   entries in the order they were added. Arrays grow by doubling and `clear` keeps them,
 *           so that a reused batch stops allocating once it has held its largest content.
 * Cost      a copy of the bytes; no object per entry.
 */

export class BatchBuilder implements KeyedBatch {
  length = 0;
  keys: BigUint64Array;
  ends: Uint32Array;
  bytes: Uint8Array;
  /** The same memory as `bytes`: a Buffer writes a string without an object per call. */
  #writer: Buffer;

  constructor(entries = 1024, bytes = 64 * 1024) {
    this.keys = new BigUint64Array(Math.max(1, entries));
    this.ends = new Uint32Array(Math.max(1, entries));
    this.bytes = new Uint8Array(Math.max(16, bytes));
    this.#writer = Buffer.from(this.bytes.buffer);
  }

  /** Bytes held so far. */
  get byteLength(): number {
    return this.length === 0 ? 0 : this.ends[this.length - 1];
  }

  add(key: bigint, bytes: Uint8Array): void {
    this.addRange(key, bytes, 0, bytes.length);
  }

  /** Adds `bytes[from .. to)`: the range needs no view of its own. */
  addRange(key: bigint, bytes: Uint8Array, from: number, to: number): void {
    const start = this.byteLength;
    const end = start + to - from;
    this.#reserve(end);
    // For short ranges a loop is faster than `set`, which needs a view.
    if (to - from <= 32) for (let i = from, at = start; i < to; i++) this.bytes[at++] = bytes[i];
    else this.bytes.set(bytes.subarray(from, to), start);
    this.#push(key, end);
  }

  /** Adds two bytes, then `bytes[from .. to)`, which are so few that a loop copies them best. */
  addShort(
    key: bigint,
    first: number,
    second: number,
    bytes: Uint8Array,
    from: number,
    to: number,
  ): void {
    let at = this.byteLength;
    this.#reserve(at + 2 + to - from);
    const into = this.bytes;
    into[at++] = first;
    into[at++] = second;
    for (let i = from; i < to; i++) into[at++] = bytes[i];
    this.#push(key, at);
  }

  addText(key: bigint, text: string): void {
    const start = this.byteLength;
    this.#reserve(start + text.length * 3); // a UTF-16 unit is at most three bytes of UTF-8
    this.#push(key, start + this.#writer.write(text, start, 'utf8'));
  }

  /** Adds every entry of `batch`, in its order, with one copy of the bytes. */
  addAll({ length, keys, ends, bytes }: KeyedBatch): void {
    if (length === 0) return;
    const start = this.byteLength;
    this.#reserve(start + ends[length - 1]);
    this.bytes.set(bytes.subarray(0, ends[length - 1]), start);
    for (let i = 0; i < length; i++) this.#push(keys[i], start + ends[i]);
  }

  clear(): void {
    this.length = 0;
  }

  #push(key: bigint, end: number): void {
    if (this.length === this.keys.length) this.#growEntries();
    this.keys[this.length] = key;
    this.ends[this.length++] = end;
  }

  #growEntries(): void {
    const keys = new BigUint64Array(this.keys.length * 2);
    keys.set(this.keys);
    this.keys = keys;
    const ends = new Uint32Array(this.ends.length * 2);
    ends.set(this.ends);
    this.ends = ends;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(bytes, this.bytes.length * 2));
    grown.set(this.bytes);
    this.bytes = grown;
    this.#writer = Buffer.from(grown.buffer);
  }
}

/** The bytes of entry `i`: a view, valid as long as the batch is. */
export function entryBytes(batch: KeyedBatch, i: number): Uint8Array {
  return batch.bytes.subarray(i === 0 ? 0 : batch.ends[i - 1], batch.ends[i]);
}
/**
 * Keys with the bytes that belong to them, packed: entry i has key `keys[i]` and the bytes
 * `bytes[ends[i-1] .. ends[i])`, the first beginning at 0. Only the first `length` entries count.
 */
export interface KeyedBatch {
  readonly length: number;
  readonly keys: BigUint64Array;
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}
