/**
 * One WARC/1.1 record as bytes: named fields, an empty line, the block, two line ends.
 *
 * Idea      The block is what went over the network, to the byte. Everything known about it is in
 *           the fields. The digest of the block comes before the block. So the block is laid out
 *           first, and the fields are written into room that was left in front of it: one copy, one
 *           piece of memory to hash and to compress.
 * Requires  Field values without line ends (a URL in canonical form, an address, our own
 *           identifiers). A record is consumed (for example compressed) before other code can run:
 *           all but huge records use the same memory.
 * Ensures   `Content-Length` and `WARC-Block-Digest` match exactly the bytes that follow.
 * Cost      One copy of the block and one pass of the digest; no allocation for records under 127
 *           KiB.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import type { Exchange, Truncation } from '../../fetch/exchange.ts';
import { deflater } from '../compress/deflate.ts';
import { type DigestAlgorithm, digest } from './digest.ts';

type RecordType =
  | 'warcinfo'
  | 'response'
  | 'request'
  | 'metadata'
  | 'revisit'
  | 'resource'
  | 'conversion';

/** The named fields of a record, in the order in which they are written. */
export interface RecordFields {
  readonly type: RecordType;
  /** A bare UUID, written as `<urn:uuid:…>`, also where one record names another. */
  readonly id: string;
  readonly date: Millis;
  readonly targetUri?: string;
  readonly ip?: string | undefined;
  readonly concurrentTo?: string;
  readonly warcinfoId?: string;
  readonly filename?: string;
  readonly truncated?: Truncation | undefined;
  readonly payloadDigest?: string | undefined;
  /** For a revisit: the capture with the same payload. */
  readonly refersTo?: Original;
  /** For a conversion: the identifier of the record that it was made from. */
  readonly convertedFrom?: string;
  readonly contentType: string;
}

const CRLF_CRLF = Buffer.from('\r\n\r\n');
/** All field names, dates, digests and identifiers together stay well below this. */
const FIXED_FIELDS_BYTES = 1024;

export class RecordAssembler {
  readonly #algorithm: DigestAlgorithm;
  /** The memory in which the record is compressed; larger records get their own. */
  readonly #room = deflater().room;
  /** The last second, whose texts are cached: many pages are fetched in one second. */
  #second = Number.NaN;
  #secondText = '';
  #secondDigits = '';

  constructor(algorithm: DigestAlgorithm = 'sha1') {
    this.#algorithm = algorithm;
  }

  /** The bytes of the record, valid until the next one is assembled in this thread. */
  assemble(fields: RecordFields, block: readonly Uint8Array[]): Uint8Array {
    let length = 0;
    for (const piece of block) length += piece.length;
    const room = fieldsBytesAtMost(fields);
    const total = room + length + CRLF_CRLF.length;
    const memory = total <= this.#room.length ? this.#room : Buffer.allocUnsafeSlow(total);

    let end = room;
    for (const piece of block) {
      memory.set(piece, end);
      end += piece.length;
    }
    const blockDigest = digest(this.#algorithm, memory.subarray(room, end));
    const text = fieldLines(fields, this.dateText(fields.date), length, blockDigest);
    const textBytes = Buffer.byteLength(text);
    const start = room - textBytes;
    // Nearly all fields are ASCII, which `latin1` writes several times faster.
    memory.write(text, start, textBytes === text.length ? 'latin1' : 'utf8');
    memory.set(CRLF_CRLF, end);
    return memory.subarray(start, end + CRLF_CRLF.length);
  }

  /** `20260314150926` */
  second(date: Millis): string {
    this.#turnTo(Math.floor(date / 1000));
    return this.#secondDigits;
  }

  /** `2026-03-14T15:09:26.535Z` */
  dateText(date: Millis): string {
    const second = Math.floor(date / 1000);
    this.#turnTo(second);
    return `${this.#secondText}${String(Math.floor(date) - second * 1000).padStart(3, '0')}Z`;
  }

  #turnTo(second: number): void {
    if (second === this.#second) return;
    this.#secondText = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
    this.#secondDigits = this.#secondText.replace(/\D/g, '');
    this.#second = second;
  }
}

/** Identifiers that the records of one exchange share, chosen by the writer. */
export interface ExchangeIds {
  readonly responseId: string;
  readonly requestId: string;
  readonly warcinfoId: string;
}

export function responseFields(
  exchange: Exchange,
  ids: ExchangeIds,
  payloadDigest?: string,
): RecordFields {
  return {
    type: 'response',
    id: ids.responseId,
    date: exchange.startedAt,
    targetUri: exchange.url,
    ip: exchange.ip || undefined,
    warcinfoId: ids.warcinfoId,
    truncated: exchange.truncated,
    payloadDigest,
    contentType: 'application/http;msgtype=response',
  };
}

/**
 * The page was stored before: only the head is stored, with a reference to the rest. Without a
 * payload digest the server has said so itself, with status 304.
 */
export function revisitFields(
  exchange: Exchange,
  ids: ExchangeIds,
  payloadDigest: string | undefined,
  refersTo: Original,
): RecordFields {
  return { ...responseFields(exchange, ids, payloadDigest), type: 'revisit', refersTo };
}

/** Something to store that is not an HTTP exchange. */
export interface Resource {
  readonly uri: string;
  readonly date: Millis;
  /** The address that it came from. */
  readonly ip: string | undefined;
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** Facts about an exchange that are in none of its bytes. */
export interface ExchangeNotes {
  /** Links followed from a seed. */
  readonly hopsFromSeed: number;
  /** An earlier page with nearly the same text; its URL is empty if it is no longer known. */
  readonly near?: { readonly url: string; readonly similarity: number } | undefined;
  /** Returns the labelled SHA-1 digest of the payload, if it was computed elsewhere. */
  readonly sha1?: (() => string) | undefined;
  /** Returns the text of the page, if it is to be stored beside it. */
  readonly text?: (() => string) | undefined;
  /** Its text is that of the page after its scripts have run. */
  readonly rendered?: boolean | undefined;
  /** The capture that the server confirms with status 304, because the request named it. */
  readonly confirms?: Original | undefined;
}

export function metadataFields(exchange: Exchange, ids: ExchangeIds, id: string): RecordFields {
  return {
    type: 'metadata',
    id,
    date: exchange.startedAt,
    targetUri: exchange.url,
    concurrentTo: ids.responseId,
    warcinfoId: ids.warcinfoId,
    contentType: 'application/warc-fields',
  };
}

/** The text of a page. It has the date of the response, as the other records of the capture. */
export function conversionFields(exchange: Exchange, ids: ExchangeIds, id: string): RecordFields {
  return {
    type: 'conversion',
    id,
    date: exchange.startedAt,
    targetUri: exchange.url,
    warcinfoId: ids.warcinfoId,
    convertedFrom: ids.responseId,
    contentType: 'text/plain',
  };
}

export function metadataBlock(
  { elapsed }: Exchange,
  { hopsFromSeed, near }: ExchangeNotes,
): Uint8Array {
  return warcFieldsBlock({
    hopsFromSeed: String(hopsFromSeed),
    fetchTimeMs: String(Math.round(elapsed)),
    ...(near && { nearDuplicateOf: near.url, similarity: near.similarity.toFixed(2) }),
  });
}

/** The request has the date of the response: WARC 1.1 requires one date per capture. */
export function requestFields(exchange: Exchange, ids: ExchangeIds): RecordFields {
  return {
    type: 'request',
    id: ids.requestId,
    date: exchange.startedAt,
    targetUri: exchange.url,
    ip: exchange.ip || undefined,
    concurrentTo: ids.responseId,
    warcinfoId: ids.warcinfoId,
    contentType: 'application/http;msgtype=request',
  };
}

/**
 * Whether a reader that has only the block can confirm the payload's digest. Not if the chunk
 * framing is truncated or ends in trailers, because readers disagree about the content of such a
 * body: warcio takes a truncated first chunk for no chunk at all, and trailers for payload. Then no
 * payload digest is stated; the block's digest still covers every byte.
 */
export function payloadIsConfirmable({ truncated, wireBody, payload }: Exchange): boolean {
  const onTheWire = wireBody.reduce((sum, piece) => sum + piece.length, 0);
  if (onTheWire === payload.length) return true;
  return !truncated && endsPlainly(wireBody);
}

const LAST_CHUNK = '\r\n0\r\n\r\n';

/** Whether no trailers follow the last chunk. */
function endsPlainly(wireBody: readonly Uint8Array[]): boolean {
  const tail = Buffer.concat(wireBody.slice(-LAST_CHUNK.length)).toString('latin1');
  return tail.endsWith(LAST_CHUNK) || tail === LAST_CHUNK.trimStart();
}

/** Who crawled, for whom and how: the fields of every file's warcinfo. */
export interface CrawlInfo {
  /** Name and version: `drumlin/0.1.0`. */
  readonly software: string;
  readonly userAgent?: string;
  readonly operator?: string;
  readonly isPartOf?: string;
  readonly description?: string;
  readonly robots?: string;
  readonly hostname?: string;
  readonly ip?: string;
}

export function warcinfoBlock(info: CrawlInfo): Uint8Array {
  return warcFieldsBlock({
    software: info.software,
    format: 'WARC File Format 1.1',
    conformsTo: 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    operator: info.operator,
    isPartOf: info.isPartOf,
    description: info.description,
    robots: info.robots,
    hostname: info.hostname,
    ip: info.ip,
    'http-header-user-agent': info.userAgent,
  });
}

/** `application/warc-fields`: one `name: value` per line; empty values are omitted. */
function warcFieldsBlock(fields: Readonly<Record<string, string | undefined>>): Uint8Array {
  let text = '';
  for (const [name, value] of Object.entries(fields)) {
    // Users write some of these (operator, description): a line end in one must not start another
    // field.
    if (value) text += `${name}: ${value.replace(/[\r\n]+/g, ' ').trim()}\r\n`;
  }
  return Buffer.from(text);
}

function fieldLines(
  fields: RecordFields,
  date: string,
  blockLength: number,
  blockDigest: string,
): string {
  let text = `WARC/1.1\r\nWARC-Type: ${fields.type}\r\nWARC-Record-ID: <urn:uuid:${fields.id}>\r\n`;
  text += `WARC-Date: ${date}\r\n`;
  if (fields.targetUri !== undefined) text += `WARC-Target-URI: ${oneLine(fields.targetUri)}\r\n`;
  if (fields.ip !== undefined) text += `WARC-IP-Address: ${oneLine(fields.ip)}\r\n`;
  if (fields.concurrentTo !== undefined)
    text += `WARC-Concurrent-To: <urn:uuid:${fields.concurrentTo}>\r\n`;
  if (fields.warcinfoId !== undefined)
    text += `WARC-Warcinfo-ID: <urn:uuid:${fields.warcinfoId}>\r\n`;
  if (fields.filename !== undefined) text += `WARC-Filename: ${oneLine(fields.filename)}\r\n`;
  if (fields.refersTo !== undefined) text += referenceLines(fields.refersTo, fields.payloadDigest);
  if (fields.convertedFrom !== undefined)
    text += `WARC-Refers-To: <urn:uuid:${fields.convertedFrom}>\r\n`;
  if (fields.truncated !== undefined) text += `WARC-Truncated: ${fields.truncated}\r\n`;
  text += `WARC-Block-Digest: ${blockDigest}\r\n`;
  if (fields.payloadDigest !== undefined)
    text += `WARC-Payload-Digest: ${fields.payloadDigest}\r\n`;
  return `${text}Content-Type: ${fields.contentType}\r\nContent-Length: ${blockLength}\r\n\r\n`;
}

const SAME_PAYLOAD = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest';
const NOT_MODIFIED = 'http://netpreserve.org/warc/1.1/revisit/server-not-modified';

function referenceLines({ id, url, date }: Original, payloadDigest: string | undefined): string {
  const profile = payloadDigest === undefined ? NOT_MODIFIED : SAME_PAYLOAD;
  const target = `WARC-Refers-To-Target-URI: ${oneLine(url)}\r\nWARC-Refers-To-Date: ${date}\r\n`;
  return `WARC-Profile: ${profile}\r\n${id === undefined ? '' : `WARC-Refers-To: <urn:uuid:${id}>\r\n`}${target}`;
}

function fieldsBytesAtMost(fields: RecordFields): number {
  const {
    id,
    targetUri = '',
    ip = '',
    filename = '',
    concurrentTo = '',
    warcinfoId = '',
    refersTo,
  } = fields;
  const ours = id.length + concurrentTo.length + warcinfoId.length + (refersTo?.url.length ?? 0);
  return FIXED_FIELDS_BYTES + 3 * (targetUri.length + ip.length + filename.length + ours);
}

/** A line end inside a value would forge the fields after it. */
function oneLine(value: string): string {
  if (/[\r\n]/.test(value)) {
    throw new DrumlinError(
      'WARC_FIELD',
      `A WARC field cannot contain a line end: ${JSON.stringify(value)}.`,
      'Pass URLs in canonical form.',
    );
  }
  return value;
}

/** A stored payload that other records may refer to. */
export interface Original {
  readonly url: string;
  /** The value of its WARC-Date. */
  readonly date: string;
  /** A bare UUID; absent if it comes from an index, which has none. */
  readonly id?: string;
}
