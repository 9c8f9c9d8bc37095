/**
 * Parses WARC records, and those of ARC files: the fields of the header, and the block.
 *
 * Ensures   `Content-Length` is trusted only if an empty line, or the end of the given bytes,
 *           follows the block.
 * Cost      The header is decoded; the block is not copied.
 */
import { arcHead } from './arc-parse.ts';
import { headEnd } from './http-block.ts';

export interface WarcRecord {
  /** The position of the record (of its gzip member or zstd frame) in the file. */
  readonly offset: number;
  /** The number of bytes it takes in the file. */
  readonly length: number;
  /**
   * The member has other records too: this one can be read in order, but an index cannot point at
   * it.
   */
  readonly sharesMember: boolean;
  /** `WARC/1.1`, in the letter case of the file; `ARC` for a record of an ARC file. */
  readonly version: string;
  readonly type: string;
  readonly headers: WarcHeaders;
  readonly block: Uint8Array;
  /** The whole record as stored, up to the end of the block. */
  readonly bytes: Uint8Array;
}

/** Named fields. Names compare without regard to letter case. */
class WarcHeaders {
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

/** Why reading ended before the end of the file. */
export interface WarcFault {
  /** The offset of the first unreadable record: complete records end here. */
  readonly offset: number;
  /**
   * `truncated`: the file ends too early. `corrupt`: the bytes are wrong. `too-large`: beyond our
   * limit.
   */
  readonly kind: 'truncated' | 'corrupt' | 'too-large';
  readonly fact: string;
}

/** What was read at an offset: its records, and where the next begin. */
export interface Step {
  readonly records: WarcRecord[];
  readonly end: number;
}

/** Reads at an offset; records of more than `limit` bytes are refused. */
export type NextStep = (offset: number, limit: number) => Promise<Step | WarcFault>;

/**
 * The records in the content of a member. It should be one; some tools put several, or the whole
 * file, into one.
 */
export function recordsOf(
  content: Uint8Array,
  offset: number,
  length: number,
  member: string,
): Step | WarcFault {
  const records: WarcRecord[] = [];
  let at = 0;
  while (at < content.length) {
    const parsed = parseRecord(content.subarray(at));
    if (typeof parsed === 'string') return fault(offset, 'corrupt', parsed);
    if (parsed.missing > 0)
      return fault(offset, 'corrupt', `a record does not end within its ${member}`);
    if (!endsClean(content, at + parsed.end)) return fault(offset, 'corrupt', TOO_SMALL);
    records.push({ ...parsed.record, offset, length, sharesMember: at > 0 });
    at = skipLineEnds(content, at + parsed.end);
  }
  if (records.length > 1) records[0] = { ...records[0], sharesMember: true };
  return { records, end: offset + length };
}

export function fault(offset: number, kind: WarcFault['kind'], fact: string): WarcFault {
  return { offset, kind, fact };
}

/** The version of records of ARC files. */
export const ARC = 'ARC';
export const NO_HEADER_END = 'a record header without an end';
export const TOO_SMALL = 'Content-Length is too small: no empty line follows the block';

interface Parsed {
  readonly record: Pick<WarcRecord, 'version' | 'type' | 'headers' | 'block' | 'bytes'>;
  readonly end: number;
  /** Number of bytes of the block beyond the given bytes. */
  readonly missing: number;
}

/** Header and block at the start of `bytes`, or what is wrong there. */
export function parseRecord(bytes: Uint8Array): Parsed | string {
  if (!startsLikeRecord(bytes)) return parseArc(bytes);
  const blockStart = headEnd(bytes);
  if (blockStart < 0) return NO_HEADER_END;
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, blockStart)
    .toString('utf8')
    .replace(FOLD, ' ')
    .split(/\r?\n/);
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
      bytes: bytes.subarray(0, end),
    },
    end,
    missing: Math.max(0, end - bytes.length),
  };
}

/** A line that begins with a blank continues the one before it. */
const FOLD = /\r?\n[ \t]+/g;

function parseArc(bytes: Uint8Array): Parsed | string {
  const head = arcHead(bytes);
  if (head === undefined) return 'not a WARC or ARC record';
  if (head === 'short') return NO_HEADER_END;
  if (head === 'no-length') return 'an ARC record without a length';
  const { fields, type, blockStart, length } = head;
  const end = blockStart + length;
  return {
    record: {
      version: ARC,
      type,
      headers: new WarcHeaders(fields),
      block: bytes.subarray(blockStart, end),
      bytes: bytes.subarray(0, end),
    },
    end,
    missing: Math.max(0, end - bytes.length),
  };
}

/** A record is followed by two line ends; one, or none at the end of the file, is tolerated. */
export function endsClean(bytes: Uint8Array, end: number): boolean {
  return end >= bytes.length || bytes[end] === 13 || bytes[end] === 10;
}

function parseField(line: string): [string, string][] {
  const colon = line.indexOf(':');
  return colon > 0 ? [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]] : [];
}

function startsLikeRecord(bytes: Uint8Array): boolean {
  return (
    Buffer.from(bytes.subarray(0, 5)).toString('latin1').toUpperCase() ===
    'WARC/'.slice(0, Math.max(1, bytes.length))
  );
}

export function skipLineEnds(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 13 || bytes[at] === 10) at++;
  return at;
}
