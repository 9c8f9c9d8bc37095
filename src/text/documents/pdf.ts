/**
 * The text of a PDF, by PDF.js.
 *
 * Idea      PDF.js gives the text of a page in pieces, with a mark where a line ends. Pages are
 *           read one after the other and cleaned up at once.
 * Requires  a thread that can be ended: PDF.js sets no limit to its work.
 * Ensures   of a long document its first and its last pages are read, because the list of
 *           references is at the end.
 * Cost      0.2 s for the first document of a thread, then 2 to 10 ms a page.
 */
import type { FoundText } from './document-text.ts';

/** Thrown where a password is needed. */
export class Encrypted extends Error {
  override readonly name = 'Encrypted';
}

type PdfModule = typeof import('unpdf/pdfjs');
type PdfDocument = Awaited<ReturnType<PdfModule['getDocument']>['promise']>;

let loaded: Promise<PdfModule> | undefined;

/** Nothing is fetched, drawn or evaluated: only text is read. */
const QUIET = {
  verbosity: 0,
  isEvalSupported: false,
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  useWasm: false,
  enableXfa: false,
  disableAutoFetch: true,
  disableStream: true,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
};

interface PdfLimits {
  readonly pages: number;
  readonly characters: number;
}

export async function readPdf(bytes: Uint8Array, limits: PdfLimits): Promise<FoundText> {
  loaded ??= import('unpdf/pdfjs');
  const { getDocument } = await loaded;
  // PDF.js takes the buffer for itself, and no `Buffer`.
  const task = getDocument({ data: new Uint8Array(bytes), ...QUIET });
  try {
    return await readPages(await task.promise, limits);
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') throw new Encrypted();
    throw error;
  } finally {
    await task.destroy();
  }
}

async function readPages(document: PdfDocument, limits: PdfLimits): Promise<FoundText> {
  const { numPages } = document;
  const texts: string[] = [];
  const addresses: string[] = [];
  let [length, failed, last] = [0, 0, undefined as unknown];
  const chosen = chosenPages(numPages, limits.pages);
  for (const number of chosen) {
    try {
      const text = await readPage(document, number, addresses);
      texts.push(text);
      length += text.length;
    } catch (error) {
      // One damaged page does not spoil the others.
      [failed, last] = [failed + 1, error];
    }
    if (length > limits.characters) break;
  }
  if (failed === chosen.length) throw last ?? new Error('a PDF without pages');
  return { text: texts.join('\n'), pages: numPages, addresses };
}

/** The numbers of the pages to read: all, or the first and the last ones. */
export function chosenPages(pages: number, most: number): number[] {
  const first = Math.ceil(most / 2);
  const skipped = Math.max(0, pages - most);
  return Array.from({ length: pages - skipped }, (_, i) => 1 + (i < first ? i : i + skipped));
}

async function readPage(
  document: PdfDocument,
  number: number,
  addresses: string[],
): Promise<string> {
  const page = await document.getPage(number);
  try {
    const { items } = await page.getTextContent();
    let text = '';
    for (const item of items) {
      if ('str' in item) text += item.hasEOL ? `${item.str}\n` : item.str;
    }
    for (const note of await page.getAnnotations()) {
      const address = note.url ?? note.unsafeUrl;
      if (typeof address === 'string') addresses.push(address);
    }
    return text;
  } finally {
    page.cleanup();
  }
}
