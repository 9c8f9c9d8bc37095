/**
 * Reads WARC files record by record: compressed a member at a time, or plain.
 *
 * Idea      A record lies at an offset and has a length in the file; both are told with it, so that what reads
 *           through can also index, check and repair. The reader stops at the first byte it cannot make sense
 *           of and says where whole records end: that is where a repaired file would be cut.
 * Requires  A regular file. Records are held in memory one at a time, up to `maxRecordBytes`.
 * Ensures   Every record before the fault is given; none after it; damage never throws.
 * Cost      One read of the file; a member that does not fit the window is inflated again with one twice as wide.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import { DrumlinError, systemCode } from '../errors.ts';
import type { Bytes } from '../units.ts';
import { digestMatches } from './digest.ts';
import { headEnd, payloadOf } from './http-block.ts';

export interface WarcRecord {
  /** Where the record (its gzip member) begins in the file, and how many bytes of the file it takes. */
  readonly offset: number;
  readonly length: number;
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
}

/** Iterate it once; `fault` and `wholeLength` are final when the iteration has ended. */
export function readWarc(path: string, options: ReadWarcOptions = {}): WarcReader {
  return new WarcReader(path, options.maxRecordBytes ?? 256 * 2 ** 20);
}

export class WarcReader implements AsyncIterable<WarcRecord> {
  readonly path: string;
  /** Undefined as long as, and when, everything read was whole. */
  fault: WarcFault | undefined;
  /** The file's bytes up to which records are whole. */
  wholeLength = 0;
  readonly #maxRecordBytes: number;

  constructor(path: string, maxRecordBytes: number) {
    this.path = path;
    this.#maxRecordBytes = maxRecordBytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WarcRecord> {
    const window = new Window(await openForReading(this.path));
    try {
      const magic = await window.at(0, 2);
      const next = magic[0] === 0x1f && magic[1] === 0x8b ? nextMember : nextPlain;
      let offset = 0;
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
      await window.close();
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
    if (typeof member === 'object') {
      const length = member.length;
      const records = recordsIn(member.content, offset, length);
      return records ? { records, end: offset + length } : fault(offset, 'corrupt', 'not a WARC record');
    }
    if (member !== 'short')
      return fault(offset, member.startsWith('larger') ? 'too-large' : 'corrupt', member);
    if (bytes.length < width) return fault(offset, 'truncated', 'the last gzip member is cut off');
  }
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

/** All records of a member; undefined when what it holds is not WARC. */
function recordsIn(content: Uint8Array, offset: number, length: number): WarcRecord[] | undefined {
  const records: WarcRecord[] = [];
  let at = 0;
  while (at < content.length) {
    const record = parseRecord(content.subarray(at), offset, length);
    if (!record || record.missing > 0) return undefined;
    records.push(record.record);
    at = skipLineEnds(content, at + record.end);
  }
  return records;
}

async function nextPlain(window: Window, offset: number, limit: number): Promise<Step | WarcFault> {
  for (let width = INITIAL_WIDTH; ; width *= 2) {
    const bytes = await window.at(offset, width);
    const atEnd = bytes.length < width;
    const parsed = parseRecord(bytes, offset, 0);
    if (parsed && parsed.missing > limit) return fault(offset, 'too-large', `larger than ${limit} bytes`);
    if (parsed && parsed.missing === 0) {
      const end = skipLineEnds(bytes, parsed.end);
      if (end < bytes.length || atEnd) {
        return { records: [{ ...parsed.record, length: end }], end: offset + end };
      }
    }
    if (!parsed && !startsLikeRecord(bytes)) return fault(offset, 'corrupt', 'not a WARC record');
    if (!parsed && width > limit) return fault(offset, 'corrupt', 'endless record header');
    if (atEnd) return fault(offset, 'truncated', 'the last record is cut off');
  }
}

/** Header and block at the start of `bytes`; undefined where no whole header is. */
function parseRecord(
  bytes: Uint8Array,
  offset: number,
  length: number,
): { record: WarcRecord; end: number; missing: number } | undefined {
  if (!startsLikeRecord(bytes)) return undefined;
  const blockStart = headEnd(bytes);
  if (bytes[blockStart - 1] !== 10) return undefined;
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, blockStart).toString('utf8').split(/\r?\n/);
  const headers = new WarcHeaders(lines.slice(1).flatMap(parseField));
  const stated = /^\d{1,15}$/.exec(headers.get('Content-Length') ?? '')?.[0];
  if (stated === undefined) return undefined;
  const end = blockStart + Number(stated);
  return {
    record: {
      offset,
      length,
      version: lines[0].trim(),
      type: headers.get('WARC-Type') ?? '',
      headers,
      block: bytes.subarray(blockStart, end),
    },
    end,
    missing: Math.max(0, end - bytes.length),
  };
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
  readonly #handle: FileHandle;
  readonly fileLength: number;
  #start = 0;
  #bytes = Buffer.alloc(0);

  constructor({ handle, length }: { handle: FileHandle; length: number }) {
    this.#handle = handle;
    this.fileLength = length;
  }

  async at(offset: number, width: number): Promise<Buffer> {
    const wanted = Math.min(width, this.fileLength - offset);
    const from = offset - this.#start;
    if (from >= 0 && from + wanted <= this.#bytes.length) return this.#bytes.subarray(from, from + wanted);
    // Read ahead, so that many small members cost one system call together.
    const bytes = Buffer.allocUnsafe(Math.min(wanted * 4, this.fileLength - offset));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, bytes.length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    this.#start = offset;
    this.#bytes = bytes.subarray(0, filled);
    return this.#bytes.subarray(0, Math.min(wanted, filled));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

async function openForReading(path: string): Promise<{ handle: FileHandle; length: number }> {
  try {
    const handle = await open(path, 'r');
    return { handle, length: (await handle.stat()).size };
  } catch (error) {
    throw new DrumlinError(
      'ARCHIVE_READ',
      `${path} cannot be read (${systemCode(error)}).`,
      'Check the name and the permissions.',
      { cause: error },
    );
  }
}

/**
 * `ok` and `mismatch` speak for themselves; `framed`: right for the body with its chunk framing, as some crawlers
 * wrongly compute it; `absent`: none is stated; `unknown`: stated by an algorithm we do not know.
 */
export type DigestVerdict = 'ok' | 'mismatch' | 'framed' | 'absent' | 'unknown';

export interface DigestVerdicts {
  readonly block: DigestVerdict;
  readonly payload: DigestVerdict;
}

/** Recomputes what the record says about itself. A revisit's payload lies elsewhere: it counts as absent. */
export function verifyDigests(record: WarcRecord): DigestVerdicts {
  const isHttp = /^application\/http/i.test(record.headers.get('Content-Type') ?? '');
  const payload = isHttp ? payloadOf(record.block) : record.block;
  const stated = record.type === 'revisit' ? undefined : record.headers.get('WARC-Payload-Digest');
  const verdict = judge(stated, payload);
  const framed = verdict === 'mismatch' && isHttp && stated !== undefined;
  return {
    block: judge(record.headers.get('WARC-Block-Digest'), record.block),
    payload:
      framed && digestMatches(stated, record.block.subarray(headEnd(record.block))) ? 'framed' : verdict,
  };
}

function judge(stated: string | undefined, bytes: Uint8Array): DigestVerdict {
  if (stated === undefined) return 'absent';
  const matches = digestMatches(stated, bytes);
  if (matches === undefined) return 'unknown';
  return matches ? 'ok' : 'mismatch';
}
