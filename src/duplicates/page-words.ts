import type { PageText } from './first-texts.ts';

/**
 * The words of a page, recorded while its fingerprint is made.
 *
 * Requires  Use before the next page is read: the lists are views of the kernel's memory.
 * Ensures   Words as in fingerprint.ts, those in links included; the title apart. Character
 *           references are no words. The sketch is that of the fingerprint.
 *           Only the first 128 KiB of the text are recorded.
 */
export interface PageWords extends PageText {
  /** A hash for each word, in order; the same for the same word in lower case. */
  readonly hashes: BigUint64Array;
  /**
   * The words as they are written, with a space after each; only the beginning if no more was asked
   * for.
   */
  readonly text: Uint8Array;
  /** The length of the whole text. */
  readonly textBytes: number;
  /** Characters in these words, without the spaces. */
  readonly characters: number;
  readonly anchorWords: number;
  readonly titleWords: number;
  /** Bytes of the page that were read. */
  readonly bytes: number;
}
