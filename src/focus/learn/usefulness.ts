/**
 * Is a document useful? Decided by its text, when it is new to the book.
 *
 * Idea      A filter over the text of the document: that of a PDF or PostScript file, read in a
 *           thread of its own with limits, or that of a page.
 * Ensures   A document whose text cannot be read is not useful, whatever the filter says. It is
 *           counted by reason.
 */
import type { Accepts, Subject } from '../../filter/subject.ts';
import { addressesIn } from '../../text/documents/addresses.ts';
import { DocumentReader } from '../../text/documents/document-reader.ts';
import { textOf } from '../../text/main-text.ts';
import { readBlocks } from '../../text/read-blocks.ts';
import { countWords } from '../../text/words.ts';

/** What the text of a document shows. */
interface Judged {
  readonly useful: boolean;
  /** URLs in text and annotations, as written. */
  readonly addresses: readonly string[];
  /** Why there is no text. */
  readonly unread?: string | undefined;
}

export class Usefulness {
  readonly #accepts: Accepts;
  readonly #reader = new DocumentReader();

  constructor(accepts: Accepts) {
    this.#accepts = accepts;
  }

  /** `body` is without content coding. */
  async judge(subject: Subject, body: Uint8Array): Promise<Judged> {
    const { status, text, words, addresses } = await this.#read(subject, body);
    if (status !== 'ok') return { useful: false, addresses: [], unread: status };
    const page = {
      ...{ links: 0, title: () => undefined, charset: '', noindex: false, nofollow: false },
      text: () => text,
      words: () => words,
    };
    return { useful: this.#accepts({ ...subject, page }), addresses };
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async #read({ response }: Subject, body: Uint8Array) {
    const contentType = response?.headers.get('content-type');
    const isText = response?.isHtml() || /^text\//i.test(contentType ?? '');
    if (!isText) return this.#reader.read(body);
    const text = textOf(readBlocks(body, { contentType }).blocks);
    return { status: 'ok', text, words: countWords(text), addresses: addressesIn(text) };
  }
}
