/**
 * One gzip member per record, with as little CPU as possible.
 *
 * Idea      Content that is already compressed is framed as stored blocks. So is every short record
 *           at level 1 (for a request, compression would save 220 bytes). Level 1 is our own
 *           deflate, which takes two fifths of zlib's time for the same size; the other levels are
 *           zlib's. Pages are compressed in the agent's thread: the thread pool costs more CPU, and
 *           with an agent on every core no core is idle. Huge records are compressed in pieces, or
 *           by zlib in the pool, so that the event loop is never blocked for more than about a
 *           millisecond.
 * Ensures   Every result is one complete gzip member (RFC 1952) that any gunzip decompresses to the
 *           same bytes.
 * Cost      See docs/archive.md; `npm run bench -- archive` measures it.
 */
import { setImmediate as othersHadTheirTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { crc32, gzip, gzipSync, type ZlibOptions } from 'node:zlib';
import { deflater, GZIP_HEADER } from './deflate.ts';

const gzipInPool = promisify<Uint8Array, ZlibOptions, Uint8Array>(gzip);

/** 0 stores, 1 is fastest, 9 smallest. */
export type GzipLevel = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** At level 1, below this size a member's fixed costs outweigh the savings. */
const STORED_BELOW = 1024;
/** From this size on, compression would block the event loop too long, so it is done in steps. */
const HUGE_FROM = 128 * 1024;

/**
 * Compresses the record to one gzip member and passes it to `keep`, which must copy it: the next
 * call reuses the memory. A huge record is compressed later, and a promise is returned. Otherwise
 * `keep` has returned already.
 */
export function gzipMember<T>(
  record: Uint8Array,
  level: GzipLevel,
  keep: (member: Uint8Array) => T,
): T | Promise<T> {
  const stored =
    level === 0 || (level === 1 && record.length < STORED_BELOW) || looksCompressed(record);
  if (stored) return keep(storedMember(record));
  if (record.length < HUGE_FROM) {
    return keep(level === 1 ? deflater().member(record) : gzipSync(record, { level }));
  }
  return (level === 1 ? memberInPieces(record) : gzipInPool(record, { level })).then(keep);
}

/**
 * Each piece is deflated by itself. Repetitions of earlier pieces are missed, which costs one or
 * two per cent.
 */
async function memberInPieces(record: Uint8Array): Promise<Uint8Array> {
  const member: Uint8Array[] = [GZIP_HEADER];
  const { length: most } = deflater().room;
  let checksum = 0;
  for (let from = 0; from < record.length; from += most) {
    if (from > 0) await othersHadTheirTurn();
    const piece = record.subarray(from, from + most);
    checksum = crc32(piece, checksum);
    member.push(Buffer.from(deflater().blocks(piece, from + most >= record.length)));
  }
  const trailer = Buffer.allocUnsafe(8);
  trailer.writeUInt32LE(record.length >>> 0, trailer.writeUInt32LE(checksum));
  member.push(trailer);
  return Buffer.concat(member);
}

const STORED_BLOCK_LIMIT = 0xffff;

/** A member of stored deflate blocks: five bytes of framing for every 64 KB. */
export function storedMember(record: Uint8Array): Uint8Array {
  const blocks = Math.max(1, Math.ceil(record.length / STORED_BLOCK_LIMIT));
  const member = Buffer.allocUnsafe(GZIP_HEADER.length + blocks * 5 + record.length + 8);
  member.set(GZIP_HEADER);
  let at = GZIP_HEADER.length;
  for (let block = 0; block < blocks; block++) {
    const piece = record.subarray(block * STORED_BLOCK_LIMIT, (block + 1) * STORED_BLOCK_LIMIT);
    at = member.writeUInt8(block === blocks - 1 ? 1 : 0, at);
    at = member.writeUInt16LE(piece.length, at);
    at = member.writeUInt16LE(piece.length ^ 0xffff, at);
    member.set(piece, at);
    at += piece.length;
  }
  at = member.writeUInt32LE(crc32(record), at);
  member.writeUInt32LE(record.length >>> 0, at);
  return member;
}

const SAMPLE = 256;
const counts = new Uint16Array(256);

/**
 * Whether deflate would save nothing. It is judged by how often two bytes of a sample agree: one
 * pair in 15 to 25 in text, one in 256 in compressed or encrypted bytes. The sample is taken from
 * the middle, after the headers.
 */
export function looksCompressed(bytes: Uint8Array): boolean {
  if (bytes.length < 4 * SAMPLE) return false;
  counts.fill(0);
  const from = bytes.length >> 1;
  let pairs = 0;
  for (let i = from; i < from + SAMPLE; i++) pairs += counts[bytes[i]]++;
  return pairs * 256 < SAMPLE * (SAMPLE - 1);
}
