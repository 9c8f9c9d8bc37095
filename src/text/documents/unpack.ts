/**
 * Which document bytes are, by their beginning, and the document within a gzip or zip file.
 *
 * Headers do not decide: servers send PostScript as text/plain, and gzip as anything.
 *
 * Ensures   nothing is unpacked beyond `most` bytes, however small the file is.
 */
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { systemCode } from '../../base/errors.ts';
import type { DocumentFormat } from './document-text.ts';

/** A document, as it is read. */
interface Unpacked {
  readonly format: DocumentFormat;
  readonly bytes: Uint8Array;
}

/** Thrown where bytes are more than the limit. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** A document may be zipped twice. */
const DEEPEST = 2;
/** The header of a PDF may stand behind other bytes. */
const PDF_WINDOW = 1024;
/** Files of a zip that are looked at. */
const MOST_FILES = 20;

/** The document in the bytes; undefined if there is none. */
export function unpack(bytes: Uint8Array, most: number, depth = 0): Unpacked | undefined {
  if (bytes.length > most) throw new TooLarge();
  const beginning = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PDF_WINDOW));
  const packed = depth < DEEPEST;
  if (packed && beginning[0] === 0x1f && beginning[1] === 0x8b) {
    return unpack(
      limited(() => gunzipSync(bytes, { maxOutputLength: most })),
      most,
      depth + 1,
    );
  }
  const text = beginning.toString('latin1');
  if (packed && text.startsWith('PK\x03\x04')) return unzip(bytes, most, depth);
  if (text.includes('%PDF-')) return { format: 'pdf', bytes };
  if (/^\s*\x04?\s*%!/.test(text)) return { format: 'postscript', bytes };
  if (text.startsWith('\xc5\xd0\xd3\xc6')) return epsIn(bytes);
  return undefined;
}

function limited(inflate: () => Uint8Array): Uint8Array {
  try {
    return inflate();
  } catch (error) {
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') throw new TooLarge();
    throw error;
  }
}

/** A DOS file with PostScript and a preview of it. */
function epsIn(bytes: Uint8Array): Unpacked {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = view.getUint32(4, true);
  return {
    format: 'postscript',
    bytes: bytes.subarray(start, start + view.getUint32(8, true)),
  };
}

const END_OF_ZIP = 0x06054b50;
const ZIP_ENTRY = 0x02014b50;
const STORED = 0;
const DEFLATED = 8;

/** The first document in a zip file. */
function unzip(bytes: Uint8Array, most: number, depth: number): Unpacked | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = directoryOf(view);
  for (let i = 0; i < MOST_FILES && view.getUint32(at, true) === ZIP_ENTRY; i++) {
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((offset) =>
      view.getUint16(at + offset, true),
    );
    const content = fileOf(view, at, most);
    const found = content && unpack(content, most, depth + 1);
    if (found) return found;
    at += 46 + nameLength + extraLength + noteLength;
  }
  return undefined;
}

/** Where the list of files begins: the last record of the file says it. */
function directoryOf(view: DataView): number {
  const last = view.byteLength - 22;
  for (let at = last; at >= Math.max(0, last - 0xffff); at--) {
    if (view.getUint32(at, true) === END_OF_ZIP) return view.getUint32(at + 16, true);
  }
  throw new Error('a zip file without a list of files');
}

/** The content of the file that an entry of the list names; undefined if it is not deflated. */
function fileOf(view: DataView, entry: number, most: number): Uint8Array | undefined {
  const method = view.getUint16(entry + 10, true);
  const length = view.getUint32(entry + 20, true);
  const header = view.getUint32(entry + 42, true);
  const start = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength).subarray(
    start,
    start + length,
  );
  if (method === STORED) return bytes;
  return method === DEFLATED
    ? limited(() => inflateRawSync(bytes, { maxOutputLength: most }))
    : undefined;
}
