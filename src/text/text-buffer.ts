/**
 * The text of the block being read, as UTF-8 with collapsed white space.
 *
 * Idea      runs of text are copied into one buffer that is used again for every block; a string is
 *           made once, at the end of the block.
 * Ensures   no white space at the beginning, at the end, or twice in a row. A no-break space is
 *           white space, a soft hyphen is nothing, a NUL is U+FFFD.
 * Cost      one pass over the run.
 */
import { countUtf8Words } from './words.ts';

const SPACE = 0x20;
const NEWLINE = 0x0a;
const FIRST = 4096;
/** A larger buffer is not kept for the next block. */
const KEPT = 2 ** 20;

/**
 * Bytes that need a look: white space and controls, NUL, and the first byte of U+0080 to U+00BF.
 */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte > SPACE && byte !== 0xc2 ? 1 : 0,
);

export class TextBuffer {
  #bytes = Buffer.from(new ArrayBuffer(FIRST));
  /** The bytes by fours. */
  #quads = new Int32Array(this.#bytes.buffer);
  #length = 0;
  /** White space to write before the next character: none, a space, or a line end. */
  #pending = 0;

  /** Whether there is no text yet. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** A line end, unless the text is empty. */
  breakLine(): void {
    if (this.#length > 0) this.#pending = NEWLINE;
  }

  /** White space. */
  space(): void {
    if (this.#length > 0 && this.#pending === 0) this.#pending = SPACE;
  }

  /** Adds bytes of UTF-8. With `lines`, line ends stay. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one hot loop.
  add(source: Uint8Array, start: number, end: number, lines: boolean): void {
    this.#reserve(2 * (end - start) + 4);
    const target = this.#bytes;
    let length = this.#length;
    let pending = this.#pending;
    for (let at = start; at < end; at++) {
      const byte = source[at];
      if (PLAIN[byte] === 0) {
        if (byte === 0xc2) {
          const next = source[at + 1];
          if (next === 0xa0 || next === 0xad) {
            if (next === 0xa0 && length > 0 && pending === 0) pending = SPACE;
            at++;
            continue;
          }
        } else if (byte === 0) {
          if (pending !== 0) target[length++] = pending;
          pending = 0;
          target[length++] = 0xef;
          target[length++] = 0xbf;
          target[length++] = 0xbd;
          continue;
        } else {
          if (length > 0 && pending !== NEWLINE)
            pending = lines && byte === NEWLINE ? NEWLINE : SPACE;
          continue;
        }
      }
      if (pending !== 0) {
        target[length++] = pending;
        pending = 0;
      }
      target[length++] = byte;
    }
    this.#length = length;
    this.#pending = pending;
  }

  /** The number of words in the text. */
  get words(): number {
    return countUtf8Words(this.#bytes, 0, this.#length);
  }

  /** A hash of the text, with its sign: larger numbers would be objects. */
  get hash(): number {
    const [bytes, quads] = [this.#bytes, this.#quads];
    const end = this.#length >>> 2;
    let hash = this.#length ^ 0x811c9dc5;
    for (let at = 0; at < end; at++) {
      hash = Math.imul(hash ^ quads[at], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    for (let at = end << 2; at < this.#length; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return hash ^ (hash >>> 13);
  }

  /** The text, and an empty buffer. */
  take(): string {
    const text = this.#bytes.toString('utf8', 0, this.#length);
    this.#length = 0;
    this.#pending = 0;
    if (this.#bytes.length > KEPT) this.#use(FIRST);
    return text;
  }

  #reserve(more: number): void {
    // A NUL grows to three bytes, and one byte of white space may come before it.
    const wanted = this.#length + 2 * more;
    if (wanted <= this.#bytes.length) return;
    const old = this.#bytes;
    this.#use(Math.max(2 ** Math.ceil(Math.log2(wanted)), 2 * old.length));
    this.#bytes.set(old.subarray(0, this.#length));
  }

  /** Begins to use a new buffer. */
  #use(size: number): void {
    this.#bytes = Buffer.from(new ArrayBuffer(size));
    this.#quads = new Int32Array(this.#bytes.buffer);
  }
}
