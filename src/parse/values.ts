/**
 * The values of a scanned page as strings.
 *
 * Idea      Almost every value is plain: ASCII without character references. One look at its bytes
 *           decides. A plain value is a piece of the page as Latin-1; any other is decoded from its
 *           own bytes.
 */
import { decode } from './charset.ts';
import { decodeReferences } from './entities.ts';

/** A value in the page: the positions of its first byte and after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What a value needs, as bits: resolve a character reference, replace a NUL, decode bytes. */
const REFERENCE = 1;
const NUL = 2;
const FOREIGN = 4;
const NEEDS = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x80 ? FOREIGN : 0));
NEEDS[0x26] = REFERENCE;
NEEDS[0] = NUL;

export class Values {
  readonly #bytes: Uint8Array;
  readonly #slice: (start: number, end: number) => string;
  readonly #encoding: string;
  readonly #maxLength: number;

  /** `text` is the bytes as Latin-1, if somebody needed it before. */
  constructor(bytes: Uint8Array, text: string | undefined, encoding: string, maxLength: number) {
    this.#bytes = bytes;
    this.#slice = text === undefined ? latin1Of(bytes) : (start, end) => text.slice(start, end);
    this.#encoding = encoding;
    this.#maxLength = maxLength;
  }

  /** Whether it is longer than the limit. */
  isTooLong({ start, end }: Span): boolean {
    return end - start > this.#maxLength;
  }

  /** The value of an attribute; undefined if it is too long. */
  attribute(span: Span): string | undefined {
    if (this.isTooLong(span)) return undefined;
    const needs = this.#needs(span);
    return needs === 0
      ? this.#slice(span.start, span.end)
      : decodeReferences(this.#decode(span, needs), 'attribute');
  }

  /**
   * The text of a title with collapsed white space, truncated at the limit. A copy, so that keeping
   * it does not keep the page in memory.
   */
  title({ start, end }: Span): string {
    const span = { start, end: Math.min(end, start + this.#maxLength) };
    const text = decodeReferences(this.#decode(span, this.#needs(span)), 'text');
    return Buffer.from(text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '')).toString();
  }

  /** The text between two tags, as it is written. */
  text(span: Span): string {
    const needs = this.#needs(span);
    return needs === 0
      ? this.#slice(span.start, span.end)
      : decodeReferences(this.#decode(span, needs), 'text');
  }

  #needs({ start, end }: Span): number {
    const bytes = this.#bytes;
    let needs = 0;
    for (let i = start; i < end; i++) needs |= NEEDS[bytes[i]];
    return needs;
  }

  #decode({ start, end }: Span, needs: number): string {
    const text =
      (needs & FOREIGN) === 0
        ? this.#slice(start, end)
        : decode(this.#bytes.subarray(start, end), this.#encoding);
    return (needs & NUL) === 0 ? text : text.replaceAll('\0', '\ufffd');
  }
}

/** Reads pieces of the bytes as Latin-1. */
export function latin1Of(bytes: Uint8Array): (start: number, end: number) => string {
  let buffer = bytes instanceof Buffer ? bytes : undefined;
  return (start, end) => {
    buffer ??= Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return buffer.toString('latin1', start, end);
  };
}
