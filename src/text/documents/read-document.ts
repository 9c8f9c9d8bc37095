/**
 * Bytes to the text of a document, in the caller's thread.
 *
 * Requires  A caller that can be ended: only `DocumentReader` limits time and memory.
 * Ensures   Never rejects, whatever the bytes.
 */
import { type DocumentLimits, type DocumentText, readText, unread } from './document-text.ts';
import { Encrypted, readPdf } from './pdf.ts';
import { readPostScript } from './postscript.ts';
import { TooLarge, unpack } from './unpack.ts';

export async function readDocument(
  packed: Uint8Array,
  limits: DocumentLimits,
): Promise<DocumentText> {
  let format: DocumentText['format'];
  try {
    const document = unpack(packed, limits.bytes);
    if (!document) return unread('broken');
    format = document.format;
    const { bytes } = document;
    const found =
      format === 'pdf' ? await readPdf(bytes, limits) : readPostScript(bytes, limits.characters);
    return readText(format, found, limits);
  } catch (error) {
    if (error instanceof Encrypted) return unread('encrypted', format);
    if (error instanceof TooLarge) return unread('too-large', format);
    return unread('broken', format);
  }
}
