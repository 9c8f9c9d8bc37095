/**
 * Reads WARC files record by record: compressed a member at a time, or plain.
 *
 * Idea      A record lies at an offset and has a length in the file; both are told with it, so that what reads
 *           through can also index, check and repair. The reader stops at the first byte it cannot make sense
 *           of and says where whole records end: that is where a repaired file would be cut.
 * Requires  A regular file. Records are held in memory one at a time, up to `maxRecordBytes`.
 * Ensures   Every record before the fault is given; none after it; damage never throws. A file that the system
 *           refuses to open or to read does.
 * Cost      One read of the file; a member that does not fit the window is inflated again with one twice as wide.
 */
import { crc32, inflateRawSync } from 'node:zlib';
import { Disk, type DiskFile } from '../disk/disk.ts';
import { systemCode } from '../errors.ts';
import type { Bytes } from '../units.ts';
import { headEnd } from './http-block.ts';

export interface WarcRecord {
  /** Where the record (its gzip member) begins in the file, and how many bytes of the file it takes. */
  readonly offset: number;
  readonly length: number;
  /** The member holds other records too: readable in order, but an index cannot point at this one. */
  readonly sharesMember: boolean;
  /** `WARC/1.1` */
  readonly version: string;
  readonly type: string;
  readonly headers: WarcHeaders;
  readonly block: Uint8Array;
}

/** Why reading ended before the end of the file. */
export interface WarcFault {
  /** Offset of the first record that could not be read: whole records end here. */
  readonly offset: number;
  /** `truncated`: the file ends too early. `corrupt`: the bytes are wrong. `too-large`: beyond our limit. */
  readonly kind: 'truncated' | 'corrupt' | 'too-large';
  readonly fact: string;
}

/** Named fields; names compare without regard to case. */
export class WarcHeaders {
  readonly entries: readonly (readonly [name: string, value: string])[];

  constructor(entries: readonly (readonly [string, string])[]) {
    this.entries = entries;
  }

  get(name: string): string | undefined {
    const wanted = name.toLowerCase();
    return this.entries.find(([candidate]) => candidate.toLowerCase() === wanted)?.[1];
  }

  /** The target URI without the angle brackets that some tools put around it. */
  get targetUri(): string | undefined {
    return this.get('WARC-Target-URI')?.replace(/^<(.*)>$/, '$1');
  }
}

export interface ReadWarcOptions {
  readonly maxRecordBytes?: Bytes;
  /** Where to begin: the offset of a record (of its gzip member). */
  readonly start?: number;
  readonly disk?: Disk;
}

/** Iterate it once; `fault` and `wholeLength` are final when the iteration has ended. */
export function readWarc(path: string, options: ReadWarcOptions = {}): WarcReader {
  return new WarcReader(path, options);
}

export class WarcReader implements AsyncIterable<WarcRecord> {
  readonly path: string;
  /** Undefined as long as, and when, everything read was whole. */
  fault: WarcFault | undefined;
  /** The file's bytes up to which records are whole. */
  wholeLength: number;
  readonly #start: number;
  readonly #maxRecordBytes: number;
  readonly #disk: Disk;

  constructor(path: string, options: ReadWarcOptions) {
    this.path = path;
    this.#start = options.start ?? 0;
    this.wholeLength = this.#start;
    this.#maxRecordBytes = options.maxRecordBytes ?? 256 * 2 ** 20;
    this.#disk = options.disk ?? new Disk();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WarcRecord> {
    const file = await this.#disk.open(this.path, 'read');
    try {
      const window = new Window(file, await file.size());
      let offset = this.#start;
      const magic = await window.at(offset, 2);
      const next = magic[0] === 0x1f && magic[1] === 0x8b ? nextMember : nextPlain;
      while (offset < window.fileLength) {
        const step = await next(window, offset, this.#maxRecordBytes);
        if ('fact' in step) {
          this.fault = step;
          return;
        }
        yield* step.records;
        offset = step.end;
        this.wholeLength = offset;
      }
    } finally {
      await file.close();
    }
  }
}

/** What was read at an offset: its records, and where the next begin. */
interface Step {
  readonly records: WarcRecord[];
  readonly end: number;
}

/** One gzip member. It should hold one record; some tools put several, or the whole file, into one. */
async function nextMember(window: Window, offset: number, limit: number): Promise<Step | WarcFault> {
  for (let width = INITIAL_WIDTH; ; width *= 2) {
    const bytes = await window.at(offset, width);
    const member = inflateMember(bytes, limit);
    if (typeof member === 'object') return recordsOf(member, offset);
    if (member !== 'short')
      return fault(offset, member.startsWith('larger') ? 'too-large' : 'corrupt', member);
    if (bytes.length < width) return fault(offset, 'truncated', 'the last gzip member is cut off');
  }
}

function recordsOf({ content, length }: Inflated, offset: number): Step | WarcFault {
  const records: WarcRecord[] = [];
  let at = 0;
  while (at < content.length) {
    const parsed = parseRecord(content.subarray(at));
    if (typeof parsed === 'string') return fault(offset, 'corrupt', parsed);
    if (parsed.missing > 0) return fault(offset, 'corrupt', 'a record does not end within its gzip member');
    if (!endsClean(content, at + parsed.end)) return fault(offset, 'corrupt', TOO_SMALL);
    records.push({ ...parsed.record, offset, length, sharesMember: at > 0 });
    at = skipLineEnds(content, at + parsed.end);
  }
  if (records.length > 1) records[0] = { ...records[0], sharesMember: true };
  return { records, end: offset + length };
}

type Inflated = { readonly content: Uint8Array; readonly length: number };

/** The member at the start of `bytes`; `short` when it does not end within them; or what is wrong with it. */
function inflateMember(bytes: Buffer, limit: number): Inflated | string {
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

/** With `info`, zlib tells how much input it consumed; Node's types know nothing of it. */
function inflateWithInfo(
  bytes: Uint8Array,
  maxOutputLength: number,
): { buffer: Buffer; engine: { bytesWritten: number } } {
  return inflateRawSync(bytes, { info: true, maxOutputLength }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
}

/** RFC 1952: ten bytes, then what the flags announce. */
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

async function nextPlain(window: Window, offset: number, limit: number): Promise<Step | WarcFault> {
  for (let width = INITIAL_WIDTH; ; width *= 2) {
    const bytes = await window.at(offset, width);
    const atEnd = bytes.length < width;
    const parsed = parseRecord(bytes);
    if (typeof parsed === 'string') {
      if (parsed !== NO_HEADER_END || width > limit) return fault(offset, 'corrupt', parsed);
    } else if (parsed.missing > limit) {
      return fault(offset, 'too-large', `larger than ${limit} bytes`);
    } else if (parsed.missing === 0) {
      const end = skipLineEnds(bytes, parsed.end);
      if (end < bytes.length || atEnd) {
        if (!endsClean(bytes, parsed.end)) return fault(offset, 'corrupt', TOO_SMALL);
        return {
          records: [{ ...parsed.record, offset, length: end, sharesMember: false }],
          end: offset + end,
        };
      }
    }
    if (atEnd) return fault(offset, 'truncated', 'the last record is cut off');
  }
}

const NO_HEADER_END = 'a record header without end';
const TOO_SMALL = 'Content-Length is too small: no empty line follows the block';

interface Parsed {
  readonly record: Pick<WarcRecord, 'version' | 'type' | 'headers' | 'block'>;
  readonly end: number;
  /** How many bytes of the block lie beyond what was given. */
  readonly missing: number;
}

/** Header and block at the start of `bytes`, or what is wrong there. */
function parseRecord(bytes: Uint8Array): Parsed | string {
  if (!startsLikeRecord(bytes)) return 'not a WARC record';
  const blockStart = headEnd(bytes);
  if (blockStart < 0) return NO_HEADER_END;
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, blockStart).toString('utf8').split(/\r?\n/);
  const headers = new WarcHeaders(lines.slice(1).flatMap(parseField));
  const stated = /^\d{1,15}$/.exec(headers.get('Content-Length') ?? '')?.[0];
  if (stated === undefined) return 'a record without Content-Length';
  const end = blockStart + Number(stated);
  return {
    record: {
      version: lines[0].trim(),
      type: headers.get('WARC-Type') ?? '',
      headers,
      block: bytes.subarray(blockStart, end),
    },
    end,
    missing: Math.max(0, end - bytes.length),
  };
}

/** A record is followed by two line ends; one, or none at the end of the file, is let pass. */
function endsClean(bytes: Uint8Array, end: number): boolean {
  return end >= bytes.length || bytes[end] === 13 || bytes[end] === 10;
}

function parseField(line: string): [string, string][] {
  const colon = line.indexOf(':');
  return colon > 0 ? [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]] : [];
}

function startsLikeRecord(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 5)).toString('latin1') === 'WARC/'.slice(0, Math.max(1, bytes.length));
}

function skipLineEnds(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 13 || bytes[at] === 10) at++;
  return at;
}

function fault(offset: number, kind: WarcFault['kind'], fact: string): WarcFault {
  return { offset, kind, fact };
}

/** Two pages of 25 KB and their requests, compressed: most members fit the first try. */
const INITIAL_WIDTH = 64 * 1024;

/** A sliding view of the file: `at` gives the bytes from an offset on, fewer only at the end of the file. */
class Window {
  readonly #file: DiskFile;
  readonly fileLength: number;
  #start = 0;
  #bytes = Buffer.alloc(0);

  constructor(file: DiskFile, fileLength: number) {
    this.#file = file;
    this.fileLength = fileLength;
  }

  async at(offset: number, width: number): Promise<Buffer> {
    const wanted = Math.min(width, this.fileLength - offset);
    const from = offset - this.#start;
    if (from >= 0 && from + wanted <= this.#bytes.length) return this.#bytes.subarray(from, from + wanted);
    // Read ahead, so that many small members cost one system call together.
    const bytes = Buffer.allocUnsafe(Math.min(wanted * 4, this.fileLength - offset));
    const filled = await this.#file.readUpTo(bytes, offset);
    this.#start = offset;
    this.#bytes = bytes.subarray(0, filled);
    return this.#bytes.subarray(0, Math.min(wanted, filled));
  }
}
