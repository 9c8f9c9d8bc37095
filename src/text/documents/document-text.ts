/**
 * The text of a document: a PDF or PostScript file, plain or zipped.
 *
 * The text has one line of the document a line, so that a heading stands alone on its line.
 */
import { countWords } from '../words.ts';
import { addressesIn } from './addresses.ts';

/**
 * What came of reading a document:
 *
 *   ok          it was read, up to the limit of pages
 *   broken      it is no document, or damaged so that nothing could be read
 *   encrypted   it needs a password
 *   too-large   it is larger than the limits, packed or unpacked
 *   timed-out   it was not read in time
 */
type DocumentStatus = 'ok' | 'broken' | 'encrypted' | 'too-large' | 'timed-out';

export type DocumentFormat = 'pdf' | 'postscript';

export interface DocumentText {
  readonly status: DocumentStatus;
  /** Undefined if the bytes are neither. */
  readonly format: DocumentFormat | undefined;
  /** Empty unless the status is `ok`. */
  readonly text: string;
  readonly words: number;
  /** Pages of the document, read or not. */
  readonly pages: number;
  /** URLs in the text and in link annotations, each once, as written. */
  readonly addresses: readonly string[];
}

/** Limits of the work on one document. */
export interface DocumentLimits {
  /** Bytes of a document, and of what it unpacks to. Default: 32 MiB. */
  readonly bytes: number;
  /** Pages to read. Of a longer document the first half and the last half of them. Default: 200. */
  readonly pages: number;
  /** Characters of text. Default: 4 million. */
  readonly characters: number;
  /** Milliseconds for one document. Default: 20,000. */
  readonly time: number;
  /** Megabytes of heap of the thread, and of buffers beside it. Default: 256. */
  readonly memory: number;
}

export const DOCUMENT_LIMITS: DocumentLimits = {
  bytes: 32 * 1024 * 1024,
  pages: 200,
  characters: 4_000_000,
  time: 20_000,
  memory: 256,
};

/** A document without text, and why. */
export function unread(
  status: Exclude<DocumentStatus, 'ok'>,
  format?: DocumentFormat,
): DocumentText {
  return { status, format, text: '', words: 0, pages: 0, addresses: [] };
}

/** What a reader of a format finds. */
export interface FoundText {
  readonly text: string;
  readonly pages: number;
  /** Addresses beside the text: link annotations. */
  readonly addresses: readonly string[];
}

export function readText(
  format: DocumentFormat,
  found: FoundText,
  { characters }: Pick<DocumentLimits, 'characters'>,
): DocumentText {
  const text = found.text.slice(0, characters);
  const addresses = addressesIn(text, found.addresses);
  return { status: 'ok', format, text, words: countWords(text), pages: found.pages, addresses };
}
