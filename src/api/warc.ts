/**
 * Web archives: read, write, index and search WARC files.
 *
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { readWarc, responseOf, WarcWriter } from 'drumlin/warc';
 *
 * const folder = await mkdtemp(join(tmpdir(), 'warc-'));
 * const writer = await WarcWriter.open(folder, { software: 'my-archiver/1.0' });
 * const { file } = await writer.writeResponse({
 *   url: 'https://example.org/',
 *   status: 200,
 *   headers: { 'Content-Type': 'text/html' },
 *   body: '<h1>Hills</h1>',
 * });
 * await writer.close();
 *
 * for await (const record of readWarc(join(folder, file))) {
 *   const response = await responseOf(record);
 *   if (response) console.log(response.url, response.status, response.body.length); // 14 bytes
 * }
 * ```
 *
 * @module warc
 */
import { basename } from 'node:path';
import { Archive as InnerArchive } from '../archive/index/archive.ts';
import { cdxjLine, captureOf as indexed, parseCdxj as parseLine } from '../archive/index/cdxj.ts';
import { surt as surtOf } from '../archive/index/surt.ts';
import { verifyDigests } from '../archive/tools/verify.ts';
import { headEnd, payloadOf } from '../archive/warc/http-block.ts';
import { readWarc as read } from '../archive/warc/warc-reader.ts';
import { WarcWriter as InnerWriter } from '../archive/write/warc-writer.ts';
import { VERSION } from '../base/version.ts';
import { Disk } from '../disk/disk.ts';
import { decodeContent } from '../fetch/decode.ts';
import { readHead } from '../fetch/response-head.ts';

export { DrumlinError, EXIT, type ExitCode } from '../base/errors.ts';

/** How the records of a file are compressed: each by itself, or not at all. */
export type WarcCompression = 'gzip' | 'zstd' | 'none';

/** How to read a WARC file. */
export interface ReadWarcOptions {
  /** The offset of the first record to read, in bytes. Default: 0. */
  readonly start?: number;
  /** The largest record to read, in bytes. Default: 256 MiB. */
  readonly maxRecordBytes?: number;
}

/**
 * The records of a WARC file. Iterate it once; damage ends the iteration and never throws.
 */
export interface WarcReader extends AsyncIterable<WarcRecord> {
  /** The path of the file. */
  readonly path: string;
  /** Why reading ended before the end of the file; undefined if all records are whole. */
  readonly fault: WarcFault | undefined;
  /** The length of the file up to which records are whole, in bytes. Final after the iteration. */
  readonly wholeLength: number;
  /** How the file is compressed. Known after the first record. */
  readonly compression: WarcCompression;
}

/** Why a WARC file cannot be read to its end. */
export interface WarcFault {
  /** The offset of the first record that cannot be read, in bytes. */
  readonly offset: number;
  /** `truncated`: the file ends early. `corrupt`: wrong bytes. `too-large`: beyond the limit. */
  readonly kind: 'truncated' | 'corrupt' | 'too-large';
  /** What is wrong, as a phrase. */
  readonly fact: string;
}

/** One record of a WARC file. */
export interface WarcRecord {
  /** Where the record begins in the file, in bytes. */
  readonly offset: number;
  /** How many bytes of the file it takes. */
  readonly length: number;
  /**
   * Whether it shares its gzip member or zstd frame with other records, so no index can name it.
   */
  readonly sharesMember: boolean;
  /** The version of the format, such as `WARC/1.1`. */
  readonly version: string;
  /** The type: `response`, `request`, `revisit`, `warcinfo` and so on. */
  readonly type: string;
  /** The named fields. */
  readonly headers: WarcHeaders;
  /** The content: for a response the exact bytes from the server. */
  readonly block: Uint8Array;
  /** The whole record without compression, up to the end of the block. */
  readonly bytes: Uint8Array;
}

/** The named fields of a record. Names compare without regard to case. */
export interface WarcHeaders {
  /** All fields in order. */
  readonly entries: readonly (readonly [name: string, value: string])[];
  /** The URL of the record without angle brackets; undefined if it has none. */
  readonly targetUri: string | undefined;
  /** The first value of a field; undefined if there is none. */
  get(name: string): string | undefined;
}

/** An HTTP response from an archive. */
export interface ArchivedResponse {
  /** The URL that was fetched. */
  readonly url: string;
  /** When it was fetched. */
  readonly date: Date;
  /** The HTTP status. */
  readonly status: number;
  /** The HTTP headers; several of one name are joined with a comma. */
  readonly headers: Headers;
  /** The body without transfer and content coding. */
  readonly body: Uint8Array;
}

/** Whether digests of a record hold. */
export interface DigestVerdicts {
  /** The digest of the block. */
  readonly block: DigestVerdict;
  /** The digest of the payload: the body of a response without chunk framing. */
  readonly payload: DigestVerdict;
}

/**
 * Whether a digest holds. `framed`: it covers the chunk framing, as some crawlers wrongly compute
 * it. `absent`: the record states none. `unknown`: the algorithm is not known.
 */
export type DigestVerdict = 'ok' | 'mismatch' | 'framed' | 'absent' | 'unknown';

/** One line of a CDXJ index: what was captured, when, and where it lies. */
export interface Capture {
  /** The key that sorts the index, see {@link surt}. */
  readonly key: string;
  /** The time in UTC, such as `20260314150926`. */
  readonly timestamp: string;
  /** The URL that was fetched. */
  readonly url: string;
  /** The content type; `warc/revisit` for a revisit, `unk` if it is not known. */
  readonly mime: string;
  /** The HTTP status; empty if the record is not HTTP. */
  readonly status: string;
  /** The digest of the payload, without `sha1:`; `-` if the record states none. */
  readonly digest: string;
  /** Where the record begins in its file, in bytes. */
  readonly offset: number;
  /** How many bytes of the file it takes. */
  readonly length: number;
  /** The name of the file. */
  readonly filename: string;
}

/** Which captures to list; all conditions must hold. */
export interface CaptureQuery {
  /** The URL, in any spelling with the same key. */
  readonly url?: string;
  /** The beginning of the URL; it must hold the whole host. */
  readonly prefix?: string;
  /** The first time, as a timestamp of 4 to 14 digits. */
  readonly from?: string;
  /** The last time, as a timestamp of 4 to 14 digits. */
  readonly to?: string;
  /** The status, such as `404`, or `5xx` for a range. */
  readonly status?: string;
}

/** An archive to search: the folder of a crawl, a folder of WARC files, or one file. */
export interface Archive {
  /** The WARC files. */
  readonly files: readonly WarcFile[];
  /** Lists captures by key, then by time. Without an index it reads the whole archive. */
  captures(query?: CaptureQuery): AsyncGenerator<Capture>;
  /**
   * The capture of a URL that is nearest to a time; the latest if no time is given.
   *
   * @returns Undefined if the archive has no capture of the URL.
   */
  nearest(url: string, at?: Date): Promise<Capture | undefined>;
  /**
   * The record that a capture names.
   *
   * @throws DrumlinError if the record is not there.
   */
  record(capture: Capture): Promise<WarcRecord>;
  /**
   * The record with the page itself: for a revisit the record that it refers to.
   *
   * @throws DrumlinError if the record is not there.
   */
  page(capture: Capture): Promise<WarcRecord>;
}

/** A file of an archive. */
export interface WarcFile {
  /** The name that the index uses. */
  readonly name: string;
  /** The path. */
  readonly path: string;
}

/** How to write WARC files. */
export interface WarcWriterOptions {
  /** Name and version of the program that writes, such as `my-archiver/1.0`. */
  readonly software?: string;
  /** Who runs the program, for the `warcinfo` record. Default: not stated. */
  readonly operator?: string;
  /** What the archive holds, for the `warcinfo` record. Default: not stated. */
  readonly description?: string;
  /** The beginning of file names. Default: `drumlin`. */
  readonly prefix?: string;
  /** How to compress records. Default: `gzip`. */
  readonly compress?: WarcCompression;
  /** The algorithm of digests. Default: `sha1`, which replay tools expect. */
  readonly digest?: 'sha1' | 'sha256';
  /** The size after which another file is started, in bytes. Default: 1 GB. */
  readonly maxFileBytes?: number;
}

/** An HTTP response to write. */
export interface ResponseToWrite {
  /** The URL that was fetched, in canonical form. */
  readonly url: string;
  /** The HTTP status. */
  readonly status: number;
  /** The reason phrase after the status. Default: none. */
  readonly statusText?: string;
  /** The HTTP headers. Leave out `Content-Encoding` if the body is decoded. */
  readonly headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]>;
  /** The body; text is written as UTF-8. Default: empty. */
  readonly body?: Uint8Array | string;
  /** When it was fetched. Default: now. */
  readonly date?: Date;
  /** The IP address of the server. Default: not stated. */
  readonly ip?: string;
  /** The method of the request. Default: `GET`. */
  readonly method?: string;
  /** The headers of the request. Default: only `Host`. */
  readonly requestHeaders?: Readonly<Record<string, string>> | Iterable<readonly [string, string]>;
}

/** Something to write that is not an HTTP response. */
export interface ResourceToWrite {
  /** Its URI. */
  readonly uri: string;
  /** Its content type. */
  readonly contentType: string;
  /** Its content; text is written as UTF-8. */
  readonly content: Uint8Array | string;
  /** When it was fetched or made. Default: now. */
  readonly date?: Date;
}

/** Where a record lies. */
export interface WarcLocation {
  /** The name of the file. */
  readonly file: string;
  /** Where the record begins in the file, in bytes. */
  readonly offset: number;
  /** How many bytes of the file it takes. */
  readonly length: number;
}

/**
 * Reads a WARC file record by record: `.warc`, `.warc.gz` or `.warc.zst`, recognised by its first
 * bytes.
 */
export function readWarc(path: string, options: ReadWarcOptions = {}): WarcReader {
  return read(path, options);
}

/**
 * The HTTP response in a record, decoded.
 *
 * @returns Undefined if the record is not an HTTP response. A revisit has no body of its own.
 */
export async function responseOf(record: WarcRecord): Promise<ArchivedResponse | undefined> {
  const url = record.headers.targetUri;
  const end = headEnd(record.block);
  if ((record.type !== 'response' && record.type !== 'revisit') || url === undefined || end < 0)
    return undefined;
  const head = readHead(Buffer.from(record.block.buffer, record.block.byteOffset, end));
  if (head === undefined) return undefined;
  const payload = payloadOf(record.block);
  const { body } = await decodeContent({ payload, headers: head.headers }, NO_LIMITS);
  return {
    url,
    date: new Date(record.headers.get('WARC-Date') ?? Number.NaN),
    status: head.status,
    headers: headersOf(head.headers.entries()),
    body,
  };
}

/** Computes the digests of a record and compares them with those that it states. */
export function checkDigests(record: WarcRecord): DigestVerdicts {
  return verifyDigests(record as Parameters<typeof verifyDigests>[0]);
}

/** The captures of a WARC file in the order of its records, for an index. Damage ends the list. */
export async function* capturesIn(path: string): AsyncGenerator<Capture, void, void> {
  for await (const record of readWarc(path)) {
    const capture = captureOf(record, basename(path));
    if (capture) yield capture;
  }
}

/**
 * The capture that an index has for a record.
 *
 * @param filename The name of the file that holds the record.
 * @returns Undefined for records without a place in an index: requests, `warcinfo`, metadata.
 */
export function captureOf(record: WarcRecord, filename: string): Capture | undefined {
  return indexed(record as Parameters<typeof indexed>[0], filename);
}

/** A capture as a line of CDXJ, without the line end. An index has its lines in bytewise order. */
export function formatCdxj(capture: Capture): string {
  return cdxjLine(capture).slice(0, -1);
}

/** Reads a line of CDXJ, as pywb, warcio and Drumlin write it; undefined if it is none. */
export function parseCdxj(line: string): Capture | undefined {
  return parseLine(line);
}

/** The key of a URL in a CDXJ index, by the rules of the Internet Archive. */
export function surt(url: string): string {
  return surtOf(url);
}

/**
 * Opens an archive to search.
 *
 * @param place The folder of a crawl, a folder of WARC files, or one file.
 * @throws DrumlinError if there are no WARC files.
 */
export async function openArchive(place: string): Promise<Archive> {
  const archive = await InnerArchive.open(new Disk(), place);
  return {
    files: archive.files,
    captures: (query) => archive.captures(query),
    nearest: (url, at) => archive.nearest(url, at?.getTime()),
    record: (capture) => archive.record(capture),
    page: (capture) => archive.page(capture),
  };
}

/**
 * Writes WARC files into a folder.
 *
 * Files are named `<prefix>-<timestamp>-<serial>-0.warc.gz`; existing files are never changed. A
 * record is in its file when {@link WarcWriter.flush} has resolved, and survives a power cut when
 * {@link WarcWriter.close} has.
 */
export class WarcWriter {
  readonly #writer: InnerWriter;

  private constructor(writer: InnerWriter) {
    this.#writer = writer;
  }

  /**
   * Opens a folder for writing, and makes it if it does not exist. The first record starts the
   * first file.
   *
   * @throws DrumlinError if the folder cannot be written to.
   */
  static async open(folder: string, options: WarcWriterOptions = {}): Promise<WarcWriter> {
    const { software = `drumlin/${VERSION}`, operator, description, prefix } = options;
    const { compress, digest, maxFileBytes } = options;
    const info = {
      software,
      ...(operator !== undefined && { operator }),
      ...(description !== undefined && { description }),
    };
    const writer = await InnerWriter.open(folder, {
      info,
      compress,
      digest,
      ...(prefix !== undefined && { prefix }),
      ...(maxFileBytes !== undefined && { rotateBytes: maxFileBytes }),
    });
    return new WarcWriter(writer);
  }

  /** Writes a response and its request. Waits while too much is on its way to disk. */
  async writeResponse(response: ResponseToWrite): Promise<WarcLocation> {
    const { url, status, statusText = '', ip = '', method = 'GET', date = new Date() } = response;
    const payload = bytesOf(response.body ?? '');
    const { host, pathname, search } = new URL(url);
    const request = linesOf(response.requestHeaders ?? { Host: host });
    const stored = await this.#writer.write({
      url,
      ip,
      startedAt: date.getTime(),
      elapsed: 0,
      requestBytes: Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${request}\r\n`),
      head: Buffer.from(
        `HTTP/1.1 ${status} ${statusText}\r\n${linesOf(response.headers ?? {})}\r\n`,
      ),
      wireBody: [payload],
      payload,
      status,
      headers: headerView(response.headers ?? {}),
      defects: [],
      bytesReceived: payload.length,
    });
    return stored.response;
  }

  /** Writes a `resource` record: anything that is not an HTTP response. */
  writeResource(resource: ResourceToWrite): Promise<WarcLocation> {
    const { uri, contentType, content, date = new Date() } = resource;
    return this.#writer.writeResource({
      uri,
      contentType,
      content: bytesOf(content),
      date: date.getTime(),
      ip: undefined,
    });
  }

  /** Hands everything written so far to the operating system. After a failure, call it to retry. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Writes the rest, makes it durable and closes the file. */
  close(): Promise<void> {
    return this.#writer.close();
  }
}

/** An archive was fetched within limits already; a reader wants all of it. */
const NO_LIMITS = { maxBytes: 2 ** 30, maxRatio: Number.MAX_SAFE_INTEGER };

type HeaderInput = Readonly<Record<string, string>> | Iterable<readonly [string, string]>;

function entriesOf(headers: HeaderInput): (readonly [string, string])[] {
  return Symbol.iterator in headers ? [...headers] : Object.entries(headers);
}

function linesOf(headers: HeaderInput): string {
  for (const [name, value] of entriesOf(headers)) {
    if (/[\r\n]/.test(name + value))
      throw new TypeError(
        `A header cannot hold a line end: ${JSON.stringify(`${name}: ${value}`)}.`,
      );
  }
  return entriesOf(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

/** Headers of the Fetch standard; lines that it refuses are left out. */
function headersOf(lines: Iterable<readonly [name: string, value: string]>): Headers {
  const headers = new Headers();
  for (const [name, value] of lines) {
    try {
      headers.append(name, value);
    } catch {
      // Servers send names that are no tokens; the exact bytes are in the record.
    }
  }
  return headers;
}

function headerView(headers: HeaderInput) {
  const lines = entriesOf(headers);
  const all = (name: string) =>
    lines.filter(([each]) => each.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return { all, get: (name: string) => all(name)[0], entries: () => lines };
}

function bytesOf(content: Uint8Array | string): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : content;
}
