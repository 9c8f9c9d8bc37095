/**
 * CDXJ, the index format that replay tools share: one line of text per capture.
 *
 *   org,example)/a 20260314150926 {"url":"http://example.org/a","mime":"text/html",
 *     "status":"200","digest":"TI5D…","length":"7421","offset":"512","filename":"x.warc.gz"}
 *
 * Idea      A line states what was captured, when, and where it is, so that one read finds it.
 *           Lines sort bytewise: by key, then by time. As in pywb, numbers are text and a `sha1:`
 *           is omitted.
 * Ensures   A line is ASCII without a line end inside. `parseCdxj` reads what `cdxjLine`, pywb and
 *           warcio write; for anything else it returns undefined.
 * Cost      A key (1 to 2 µs) and a text of some 300 characters per line.
 */

import { readHead } from '../../fetch/response-head.ts';
import { headEnd } from '../warc/http-block.ts';
import type { WarcRecord } from '../warc/warc-reader.ts';
import type { Original } from '../warc/warc-record.ts';
import { surt } from './surt.ts';

export interface Capture {
  /** `surt(url)` */
  readonly key: string;
  /** `20260314150926`, UTC. */
  readonly timestamp: string;
  readonly url: string;
  /** `warc/revisit` if the page itself is elsewhere; `unk` if the type is unknown. */
  readonly mime: string;
  /** Empty if it was not HTTP. */
  readonly status: string;
  /** The digest of the payload without `sha1:`; `-` if none is stated. */
  readonly digest: string;
  readonly offset: number;
  readonly length: number;
  readonly filename: string;
}

export const REVISIT_MIME = 'warc/revisit';

export function cdxjLine(capture: Capture): string {
  const { key, timestamp, url, mime, status, digest, length, offset, filename } = capture;
  let line = `${key} ${timestamp} {"url":${quoted(url)},"mime":${quoted(mime)}`;
  if (status !== '') line += `,"status":"${status}"`;
  return `${line},"digest":"${digest}","length":"${length}","offset":"${offset}","filename":${quoted(filename)}}\n`;
}

/**
 * A line of a part. If others may refer to the page, its identifier and its date follow at the end.
 */
export function partLine(
  capture: Capture,
  original: Pick<Required<Original>, 'id' | 'date'>,
): string {
  return `${cdxjLine(capture).slice(0, -2)},"id":"${original.id}","date":"${original.date}"}\n`;
}

const ORIGINAL = /,"id":"([0-9a-f-]+)","date":"([0-9TZ:.-]+)"\}$/;

/** A line of a part in the form of the index. */
export function indexLine(line: string): string {
  return line.endsWith('Z"}') ? line.replace(ORIGINAL, '}') : line;
}

/** The labelled digest of a page that others may refer to. */
export function originalDigest(line: string): string | undefined {
  if (!ORIGINAL.test(line)) return undefined;
  const digest = /,"digest":"([^"]+)"/.exec(line)?.[1] ?? '-';
  if (digest === '-') return undefined;
  return digest.includes(':') ? digest : `sha1:${digest}`;
}

export function originalIn(line: string): Original | undefined {
  const known = ORIGINAL.exec(line);
  const capture = known && parseCdxj(line);
  return capture ? { url: capture.url, id: known[1], date: known[2] } : undefined;
}

const ODD = /[^ !#-[\]-~]/;

/** JSON in ASCII, so that bytes and characters have the same order for every reader. */
function quoted(text: string): string {
  if (!ODD.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function parseCdxj(line: string): Capture | undefined {
  const first = line.indexOf(' ');
  const second = line.indexOf(' ', first + 1);
  if (first < 1 || second < 0) return undefined;
  const fields = objectOf(line.slice(second + 1));
  if (!fields || typeof fields.url !== 'string' || typeof fields.filename !== 'string')
    return undefined;
  const timestamp = line.slice(first + 1, second);
  const [offset, length] = [wholeNumber(fields.offset), wholeNumber(fields.length)];
  if (offset === undefined || length === undefined || !/^\d{4,17}$/.test(timestamp))
    return undefined;
  return {
    key: line.slice(0, first),
    timestamp,
    url: fields.url,
    mime: String(fields.mime ?? 'unk'),
    status: /^\d{3}$/.test(String(fields.status)) ? String(fields.status) : '',
    digest: String(fields.digest ?? '-'),
    offset,
    length,
    filename: fields.filename,
  };
}

/** A number, or its digits as text; undefined for anything else. */
function wholeNumber(value: unknown): number | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
  const number = isNumber ? Number(value) : -1;
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The index entry of a record; undefined for records without one: requests, warcinfo, notes about
 * other records and texts made of them.
 */
export function captureOf(record: WarcRecord, filename: string): Capture | undefined {
  const { type, headers, offset, length } = record;
  const url = headers.targetUri;
  const contentType = headers.get('Content-Type') ?? '';
  if (url === undefined || !INDEXED.has(type)) return undefined;
  // The text of another record: an entry would hide that record in replay.
  if (type === 'conversion' && headers.get('WARC-Refers-To') !== undefined) return undefined;
  if (type !== 'response' && type !== 'revisit' && /^application\/warc-fields/i.test(contentType)) {
    return undefined;
  }
  const isHttp =
    /^application\/http/i.test(contentType) && (type === 'response' || type === 'revisit');
  const head = isHttp ? readHead(headOf(record.block)) : undefined;
  return {
    key: surt(url),
    timestamp: (headers.get('WARC-Date') ?? '').replace(/\D/g, '').slice(0, 14).padEnd(14, '0'),
    url,
    mime:
      type === 'revisit'
        ? REVISIT_MIME
        : mimeOf(isHttp ? head?.headers.get('content-type') : contentType),
    status: head === undefined ? (isConfirmation(record) ? '304' : '') : String(head.status),
    digest: bareDigest(headers.get('WARC-Payload-Digest')),
    offset,
    length,
    filename,
  };
}

/** A revisit that a server answered with "not modified"; it need not have a block. */
export function isConfirmation({ type, headers }: WarcRecord): boolean {
  return type === 'revisit' && /\/server-not-modified$/.test(headers.get('WARC-Profile') ?? '');
}

const INDEXED = new Set(['response', 'revisit', 'resource', 'metadata', 'conversion']);

function headOf(block: Uint8Array): Buffer {
  const end = headEnd(block);
  return Buffer.from(block.buffer, block.byteOffset, end < 0 ? block.length : end);
}

/** `text/html` for `text/html; charset=utf-8`. */
export function mimeOf(contentType: string | undefined): string {
  const end = contentType?.search(/[; ,]/) ?? -1;
  const mime = end < 0 ? contentType : contentType?.slice(0, end);
  return mime === undefined || mime === '' ? 'unk' : mime;
}

export function bareDigest(labelled: string | undefined): string {
  if (labelled === undefined || !/^[!-~]+$/.test(labelled)) return '-';
  return labelled.replace(/^sha1:/i, '').replace(/["\\]/g, '');
}
