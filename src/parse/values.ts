/**
 * The values of a scanned page as strings.
 *
 * Idea      Almost every value is plain: ASCII without character references. One look at its bytes
 *           decides. A plain value is a slice of the page's Latin-1 text; any other is decoded from
 *           its own bytes.
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
  readonly #text: string;
  readonly #encoding: string;
  readonly #maxLength: number;

  constructor(bytes: Uint8Array, text: string, encoding: string, maxLength: number) {
    this.#bytes = bytes;
    this.#text = text;
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
      ? this.#text.slice(span.start, span.end)
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
      ? this.#text.slice(span.start, span.end)
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
        ? this.#text.slice(start, end)
        : decode(this.#bytes.subarray(start, end), this.#encoding);
    return (needs & NUL) === 0 ? text : text.replaceAll('\0', '\ufffd');
  }
}
