/**
 * CDXJ, the index that replay tools share: one line for every capture, in text.
 *
 *   org,example)/a 20260314150926 {"url":"http://example.org/a","mime":"text/html","status":"200","digest":"TI5D…","length":"7421","offset":"512","filename":"x.warc.gz"}
 *
 * Idea      A line says what was captured, when, and where it lies, so that one read finds it. Lines sort bytewise: by key, then by
 *           time. Numbers are text and a `sha1:` is left out, because that is how pywb writes them and how others read them.
 * Ensures   A line is ASCII without a line end inside. `parseCdxj` reads what `cdxjLine` wrote, and what pywb and warcio write;
 *           of anything else it says undefined.
 * Cost      A key (1 to 2 µs) and a text of some 300 letters a line.
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
  /** `warc/revisit` where the page itself lies elsewhere; `unk` where nobody said. */
  readonly mime: string;
  /** Empty where it was no HTTP. */
  readonly status: string;
  /** Of the payload, `sha1:` left out; `-` where none is stated. */
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

/** A line of a part: of a page that others may refer to, its identifier and its date stand behind the rest. */
export function partLine(
  capture: Capture,
  original: Pick<Required<Original>, 'id' | 'date'>,
): string {
  return `${cdxjLine(capture).slice(0, -2)},"id":"${original.id}","date":"${original.date}"}\n`;
}

const ORIGINAL = /,"id":"([0-9a-f-]+)","date":"([0-9TZ:.-]+)"\}$/;

/** A line of a part as the index has it. */
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

/** JSON, in ASCII: bytes, letters and their order are then one thing, whoever reads it. */
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
  const [offset, length] = [
    Number(fields.offset ?? Number.NaN),
    Number(fields.length ?? Number.NaN),
  ];
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length)) return undefined;
  return {
    key: line.slice(0, first),
    timestamp: line.slice(first + 1, second),
    url: fields.url,
    mime: String(fields.mime ?? 'unk'),
    status: String(fields.status ?? ''),
    digest: String(fields.digest ?? '-'),
    offset,
    length,
    filename: fields.filename,
  };
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

/** What the index says of a record; undefined for records that it leaves out: requests, warcinfo, notes about others. */
export function captureOf(record: WarcRecord, filename: string): Capture | undefined {
  const { type, headers, offset, length } = record;
  const url = headers.targetUri;
  const contentType = headers.get('Content-Type') ?? '';
  if (url === undefined || !INDEXED.has(type)) return undefined;
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
    status: head === undefined ? '' : String(head.status),
    digest: bareDigest(headers.get('WARC-Payload-Digest')),
    offset,
    length,
    filename,
  };
}

const INDEXED = new Set(['response', 'revisit', 'resource', 'metadata', 'conversion']);

function headOf(block: Uint8Array): Buffer {
  const end = headEnd(block);
  return Buffer.from(block.buffer, block.byteOffset, end < 0 ? block.length : end);
}

/** `text/html` of `text/html; charset=utf-8`. */
export function mimeOf(contentType: string | undefined): string {
  const end = contentType?.search(/[; ,]/) ?? -1;
  const mime = end < 0 ? contentType : contentType?.slice(0, end);
  return mime === undefined || mime === '' ? 'unk' : mime;
}

export function bareDigest(labelled: string | undefined): string {
  if (labelled === undefined || !/^[!-~]+$/.test(labelled)) return '-';
  return labelled.replace(/^sha1:/i, '').replace(/["\\]/g, '');
}
