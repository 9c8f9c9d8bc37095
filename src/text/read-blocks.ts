/**
 * Bytes of a page to blocks: charset, then one scan.
 *
 * Idea      a page in another charset is first converted to UTF-8, so that the scanner knows one.
 * Requires  the body without content coding; its `Content-Type`, if it had one.
 * Ensures   never throws, for any bytes. Bytes that are no text give no blocks. Nothing beyond
 *           `maxBytes` is read.
 * Cost      linear; about 4 µs a kilobyte for a page of many tags.
 */
import {
  declaredOutside,
  decode,
  encodingOfContentType,
  encodingOfMeta,
  guessEncoding,
  isAsciiCompatible,
  isPlainAscii,
} from '../parse/charset.ts';
import { isHtml } from '../parse/is-html.ts';
import type { Block, PageBlocks } from './block.ts';
import { BlockScanner } from './block-scanner.ts';
import { NO_FACTS, readFacts } from './page-facts.ts';
import { TextBuffer } from './text-buffer.ts';
import { countWords } from './words.ts';

export interface ReadOptions {
  /** The `Content-Type` header. */
  readonly contentType?: string | undefined;
  /** Bytes of a page to read; the rest is left out. Default: 10 MB. */
  readonly maxBytes?: number;
}

/** The default of `maxBytes`. */
const MAX_BYTES = 10_000_000;
/** How far a `<meta charset>` may stand from the beginning of a page. */
const META_WINDOW = 4096;
const META = /<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([a-z0-9_:.+-]{1,40})/i;
/** So many bytes from the beginning decide whether a page is text. */
const BINARY_WINDOW = 1024;
/** The largest share of control characters in them. */
const MOST_CONTROLS = 0.03;
/** Controls that text does not have: not tab, line ends, form feed or escape. */
const IS_CONTROL = Uint8Array.from({ length: 32 }, (_, c) =>
  (c >= 9 && c <= 13) || c === 0x1b ? 0 : 1,
);
const PDF = '%PDF-';

/** The blocks of an HTML page, or the lines of plain text. */
export function readBlocks(body: Uint8Array, options: ReadOptions = {}): PageBlocks {
  const most = options.maxBytes ?? MAX_BYTES;
  const truncated = body.length > most;
  const bytes = truncated ? body.subarray(0, most) : body;
  const charset = charsetOf(bytes, options.contentType);
  if (isBinary(bytes, charset)) return { ...EMPTY, charset, truncated };
  const source = inUtf8(bytes, charset);
  if (!isMarkup(source, options.contentType)) {
    const blocks = linesOf(source.toString());
    return { ...EMPTY, blocks, charset, truncated, isText: true };
  }
  const scanner = new BlockScanner(source, source.toString('latin1'));
  scanner.scan();
  return {
    ...readFacts(scanner, source),
    blocks: scanner.blocks,
    elements: scanner.elements,
    charset,
    isText: true,
    truncated,
  };
}

const EMPTY: PageBlocks = {
  ...NO_FACTS,
  blocks: [],
  elements: { parents: [0], names: [0], hints: [0] },
  charset: 'ascii',
  isText: false,
  truncated: false,
};

/** A block for each line of plain text, such as a `conversion` record holds. */
export function linesOf(text: string): Block[] {
  const blocks: Block[] = [];
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed === '') continue;
    const words = countWords(trimmed);
    const hash = hashOf(trimmed);
    blocks.push({ text: trimmed, words, hash, linkWords: 0, heading: 0, place: 0, element: 0 });
  }
  return blocks;
}

const lineBuffer = new TextBuffer();

/** The hash of a block with this text. */
function hashOf(text: string): number {
  const bytes = Buffer.from(text);
  lineBuffer.add(bytes, 0, bytes.length, true);
  const { hash } = lineBuffer;
  lineBuffer.take();
  return hash;
}

/** Whether a page is read as HTML: by its type, or because it begins like it. */
function isMarkup(bytes: Uint8Array, contentType: string | undefined): boolean {
  if (contentType !== undefined && /^\s*(?:text\/plain|text\/markdown)\b/i.test(contentType))
    return false;
  return isHtml(contentType, bytes) || bytes.subarray(0, BINARY_WINDOW).includes(0x3c);
}

function charsetOf(bytes: Uint8Array, contentType: string | undefined): string {
  const outside = declaredOutside(bytes, contentType);
  if (outside !== undefined && !isAsciiCompatible(outside)) return outside;
  if (isPlainAscii(bytes)) return 'ascii';
  return outside ?? declaredInside(bytes) ?? guessEncoding(bytes);
}

function declaredInside(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, META_WINDOW)).toString('latin1');
  const label = META.exec(beginning)?.[1];
  if (label === undefined) return undefined;
  const name = encodingOfContentType(`charset=${label}`);
  return name === undefined ? undefined : encodingOfMeta(name);
}

/** The bytes as UTF-8, without a byte order mark. */
function inUtf8(bytes: Uint8Array, charset: string): Buffer {
  const source =
    charset === 'ascii' || charset === 'UTF-8'
      ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      : Buffer.from(decode(bytes, charset));
  const hasMark = source[0] === 0xef && source[1] === 0xbb && source[2] === 0xbf;
  return hasMark ? source.subarray(3) : source;
}

/**
 * Whether bytes are no text: an image, an archive, a PDF. Text has hardly any control characters.
 */
function isBinary(bytes: Uint8Array, charset: string): boolean {
  if (!isAsciiCompatible(charset)) return false;
  const beginning = bytes.subarray(0, BINARY_WINDOW);
  let controls = 0;
  for (const byte of beginning) if (byte < 0x20 && IS_CONTROL[byte] === 1) controls++;
  return controls > MOST_CONTROLS * beginning.length || isPdf(beginning);
}

function isPdf(bytes: Uint8Array): boolean {
  return [...PDF].every((character, i) => bytes[i] === character.charCodeAt(0));
}

/** The text of a body in a charset that `readBlocks` found. */
export function decodedBody(body: Uint8Array, charset: string): string {
  return inUtf8(body, charset).toString();
}
