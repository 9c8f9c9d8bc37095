/**
 * Reads a file of gzip members with one or several records each.
 *
 * Ensures   A member counts only if its checksum and its length are correct.
 * Cost      A member that does not fit the window is inflated again with one twice as wide.
 */
import { crc32, inflateRawSync } from 'node:zlib';
import { systemCode } from '../../base/errors.ts';
import { type FileWindow, INITIAL_WIDTH } from './file-window.ts';
import { fault, type NextStep, recordsOf } from './warc-parse.ts';

export function gzipReading(window: FileWindow): NextStep {
  return async (offset, limit) => {
    for (let width = INITIAL_WIDTH; ; width *= 2) {
      const bytes = await window.at(offset, width);
      const member = inflateMember(bytes, limit);
      if (typeof member === 'object')
        return recordsOf(member.content, offset, member.length, 'gzip member');
      if (member !== 'short')
        return fault(offset, member.startsWith('larger') ? 'too-large' : 'corrupt', member);
      if (bytes.length < width)
        return fault(offset, 'truncated', 'the last gzip member is cut off');
    }
  };
}

type Inflated = { readonly content: Uint8Array; readonly length: number };

/**
 * The member at the start of `bytes`; `short` if it does not end within them; or what is wrong with
 * it.
 */
export function inflateMember(bytes: Buffer, limit: number): Inflated | string {
  const header = gzipHeaderLength(bytes);
  if (header === 'short' || header === 'not a gzip member') return header;
  let content: Buffer;
  let consumed: number;
  try {
    const inflated = inflateWithInfo(bytes.subarray(header), limit);
    content = inflated.buffer;
    consumed = inflated.engine.bytesWritten;
  } catch (error) {
    if (systemCode(error) === 'Z_BUF_ERROR') return 'short';
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') return `larger than ${limit} bytes`;
    return `damaged gzip data (${systemCode(error)})`;
  }
  const trailer = header + consumed;
  if (bytes.length < trailer + 8) return 'short';
  if (bytes.readUInt32LE(trailer) !== crc32(content)) return 'wrong gzip checksum';
  if (bytes.readUInt32LE(trailer + 4) !== content.length >>> 0) return 'wrong gzip length';
  return { content, length: trailer + 8 };
}

/** With `info`, zlib reports how much input it consumed; Node's types omit that. */
function inflateWithInfo(
  bytes: Uint8Array,
  maxOutputLength: number,
): { buffer: Buffer; engine: { bytesWritten: number } } {
  return inflateRawSync(bytes, { info: true, maxOutputLength }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
}

/** RFC 1952: ten bytes, then the fields that the flags announce. */
function gzipHeaderLength(bytes: Buffer): number | 'short' | 'not a gzip member' {
  if (bytes.length < 10) return 'short';
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return 'not a gzip member';
  const flags = bytes[3];
  let at = 10;
  if (flags & 4) at += bytes.length < at + 2 ? 2 : 2 + bytes.readUInt16LE(at);
  for (const flag of [8, 16]) {
    if (!(flags & flag)) continue;
    const zero = bytes.indexOf(0, at);
    if (zero < 0) return 'short';
    at = zero + 1;
  }
  if (flags & 2) at += 2;
  return at < bytes.length ? at : 'short';
}
