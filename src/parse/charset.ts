/**
 * The encoding of the bytes of a page.
 *
 * Idea      The order of the HTML standard: byte order mark, HTTP header, `<meta>`, then a guess. A
 *           page of plain ASCII reads the same in all encodings, so it needs none.
 * Ensures   A name of the WHATWG Encoding Standard (`UTF-8`, `windows-1252`, `Shift_JIS`, …), or
 *           `ascii`.
 * Cost      Nothing for ASCII. A guess (no declaration, not UTF-8) looks at 2 KiB at most and takes
 *           about 1 ms.
 *
 * Node 20's own decoder is not used for the legacy encodings: it misreads 0x80–0x9F of
 * windows-1252.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import {
  getBOMEncoding,
  labelToName,
  TextDecoder as StandardDecoder,
} from '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';
import { detect } from 'chardet';

/** How far a guess searches for words with bytes beyond ASCII. */
const GUESS_WINDOW = 16 * 1024;
/** How many bytes of such words a guess uses. */
const GUESS_SAMPLE = 2 * 1024;
/** With fewer bytes beyond ASCII, a guess is worse than the most common legacy encoding. */
const GUESS_LEAST_BYTES = 16;
const ESCAPE = 0x1b;

/** Encodings in which an ASCII byte may mean another character. */
const NOT_ASCII_COMPATIBLE = new Set(['UTF-16LE', 'UTF-16BE', 'ISO-2022-JP', 'replacement']);

export function isAsciiCompatible(encoding: string): boolean {
  return !NOT_ASCII_COMPATIBLE.has(encoding);
}

/** Whether the bytes are ASCII and mean the same in every encoding that a `<meta>` can declare. */
export function isPlainAscii(bytes: Uint8Array): boolean {
  return isAscii(bytes) && !bytes.includes(ESCAPE);
}

/** The encoding that is known before the page is parsed, from its byte order mark or its header. */
export function declaredOutside(
  bytes: Uint8Array,
  contentType: string | undefined,
): string | undefined {
  const mark = getBOMEncoding(bytes);
  if (mark !== null) return labelToName(mark) ?? undefined;
  return contentType === undefined ? undefined : encodingOfContentType(contentType);
}

/**
 * The encoding that a `charset` attribute declares. A page with a readable `<meta>` is not in
 * UTF-16, even if it claims so.
 */
export function encodingOfMeta(label: string): string | undefined {
  const name = labelToName(label);
  if (name === 'UTF-16LE' || name === 'UTF-16BE') return 'UTF-8';
  return name === 'x-user-defined' ? 'windows-1252' : (name ?? undefined);
}

/** The encoding that `text/html; charset=…` declares, in a header or in a `<meta http-equiv>`. */
export function encodingOfContentType(value: string): string | undefined {
  const match =
    /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/i.exec(
      value,
    );
  const label = match?.[1] ?? match?.[2] ?? match?.[3];
  return label === undefined ? undefined : (labelToName(label) ?? undefined);
}

/**
 * Without a declaration: UTF-8 if the bytes are valid, else what their frequencies suggest, else
 * windows-1252.
 */
export function guessEncoding(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return 'UTF-8';
  const sample = foreignWords(bytes);
  if (sample.filter((byte) => byte >= 0x80).length < GUESS_LEAST_BYTES) return 'windows-1252';
  const guess = labelToName(detect(sample) ?? '');
  return guess !== null && guess !== 'UTF-8' && isAsciiCompatible(guess) ? guess : 'windows-1252';
}

/**
 * The words with a byte beyond ASCII: markup and English would hide the statistics of their
 * letters.
 */
function foreignWords(bytes: Uint8Array): Buffer {
  const first = Math.max(0, bytes.findIndex((byte) => byte >= 0x80) - 32);
  const text = Buffer.from(bytes.subarray(first, first + GUESS_WINDOW)).toString('latin1');
  const words = text.split(/[\0-/:-@]+/).filter((word) => /[\x80-\xff]/.test(word));
  return Buffer.from(words.join(' ').slice(0, GUESS_SAMPLE), 'latin1');
}

const decoders = new Map<string, InstanceType<typeof StandardDecoder>>();

/** Decodes bytes of a page; malformed sequences become U+FFFD. */
export function decode(bytes: Uint8Array, encoding: string): string {
  // The name stands for encodings that are dangerous to decode; by the standard such a page is one
  // unknown character.
  if (encoding === 'replacement') return '\ufffd';
  let decoder = decoders.get(encoding);
  if (decoder === undefined) {
    decoder = new StandardDecoder(encoding, { ignoreBOM: true });
    decoders.set(encoding, decoder);
  }
  return decoder.decode(bytes);
}

/**
 * Percent-encodes a link's query in the encoding of its page: `?q=é` is `?q=%E9` in windows-1252.
 * The URL parser knows only UTF-8, so this must happen before it sees the query.
 */
export function escapeQuery(reference: string, encoding: string): string {
  if (encoding === 'ascii' || encoding === 'UTF-8') return reference;
  const question = reference.indexOf('?');
  if (question < 0) return reference;
  const hash = reference.indexOf('#');
  if (hash >= 0 && hash < question) return reference;
  const end = hash < 0 ? reference.length : hash;
  const query = reference
    .slice(question, end)
    .replace(/[^\0-\x7f]+/g, (run) => percentEncodeAfterEncoding(encoding, run, ''));
  return reference.slice(0, question) + query + reference.slice(end);
}
