/** The captures of a crawl's archive: in pages, one by one, and two side by side. */
import type { Archive, CaptureQuery } from '../../archive/index/archive.ts';
import type { Capture } from '../../archive/index/cdxj.ts';
import { headEnd, payloadOf } from '../../archive/warc/http-block.ts';
import type { WarcRecord } from '../../archive/warc/warc-reader.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { decodeContent } from '../../fetch/decode.ts';
import { readHead } from '../../fetch/response-head.ts';
import { diff, type Piece } from '../../search/serve/diff.ts';
import { openTextReader } from '../../text/text-reader.ts';
import { requestError } from '../fields/schema.ts';
import type { CrawlArchive } from './crawl-archive.ts';

/** Which captures: all conditions must hold. */
export interface CapturesFilter extends CaptureQuery {
  /** Only this time: 14 digits. */
  readonly time?: string | undefined;
  /** Content types that begin with this. */
  readonly type?: string | undefined;
}

interface CapturesQuery extends CapturesFilter {
  /** The captures after this one: `key time`, as the last page has it. */
  readonly after?: string | undefined;
  readonly count: number;
}

interface CapturesPage {
  readonly captures: readonly Capture[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

export async function listCaptures(
  archived: CrawlArchive,
  query: CapturesQuery,
): Promise<CapturesPage> {
  const archive = await archived.open();
  if (!archive) return { captures: [], next: undefined };
  const captures: Capture[] = [];
  const { after = '', count } = query;
  for await (const capture of matchingCaptures(archive, query, after)) {
    const place = `${capture.key} ${capture.timestamp}`;
    if (place <= after) continue;
    if (captures.length === count) {
      const last = captures[count - 1];
      return { captures, next: `${last.key} ${last.timestamp}` };
    }
    captures.push(capture);
  }
  return { captures, next: undefined };
}

/** The captures that match, in the order of the index, from a line of it on. */
export async function* matchingCaptures(
  archive: Archive,
  { type, time, ...query }: CapturesFilter,
  from = '',
): AsyncGenerator<Capture> {
  for await (const capture of archive.captures(query, from)) {
    if (type !== undefined && !capture.mime.startsWith(type)) continue;
    if (time === undefined || capture.timestamp === time) yield capture;
  }
}

/** What is shown of a capture at most. */
const MOST_SHOWN: Bytes = 2 ** 20;

interface CaptureView {
  readonly capture: Capture;
  /** The fields of the WARC record, as written. */
  readonly warc: readonly (readonly [name: string, value: string])[];
  /** The status line and the headers of the response. */
  readonly head: string;
  /** The page that a revisit refers to has the body. */
  readonly isRevisit: boolean;
  /** The visible text of the page, or the beginning of the body as text. */
  readonly text: string;
  readonly isCut: boolean;
  readonly bytes: Bytes;
  /** The Content-Type of the page. */
  readonly type: string;
}

export async function viewCapture(
  archived: CrawlArchive,
  url: string,
  time: string,
): Promise<CaptureView> {
  const { archive, capture } = await captureAt(archived, url, time);
  const record = await archive.record(capture);
  const page = await archive.page(capture).catch((error: unknown) => {
    if (error instanceof DrumlinError) return record;
    throw error;
  });
  const { body, type } = await bodyOf(page);
  const text = await textOf(body, type);
  return {
    capture,
    warc: [...record.headers.entries],
    head: headOf(record),
    isRevisit: record.type === 'revisit',
    text: text.slice(0, MOST_SHOWN),
    isCut: text.length > MOST_SHOWN,
    bytes: body.length,
    type,
  };
}

/** The body of a capture, decoded, for the frame; and as stored. */
export async function capturedBody(
  archived: CrawlArchive,
  url: string,
  time: string,
): Promise<{ readonly body: Uint8Array; readonly type: string; readonly block: Uint8Array }> {
  const { archive, capture } = await captureAt(archived, url, time);
  const page = await archive.page(capture);
  return { ...(await bodyOf(page)), block: page.block };
}

export async function compareCaptures(
  archived: CrawlArchive,
  url: string,
  [a, b]: readonly [string, string],
): Promise<readonly Piece[]> {
  const [before, after] = [
    await viewCapture(archived, url, a),
    await viewCapture(archived, url, b),
  ];
  return diff(before.text, after.text);
}

async function captureAt(
  archived: CrawlArchive,
  url: string,
  time: string,
): Promise<{ readonly archive: Archive; readonly capture: Capture }> {
  const archive = await archived.open();
  if (archive)
    for await (const capture of archive.captures({ url }))
      if (capture.url === url && capture.timestamp === time) return { archive, capture };
  throw requestError('The archive has no such capture.', 'Choose one of the list.');
}

const isHttp = ({ headers }: WarcRecord): boolean =>
  /^application\/http/i.test(headers.get('Content-Type') ?? '');

function headOf(record: WarcRecord): string {
  if (!isHttp(record)) return '';
  const end = headEnd(record.block);
  const head = record.block.subarray(0, end < 0 ? record.block.length : end);
  return Buffer.from(head.subarray(0, MOST_SHOWN)).toString('latin1');
}

async function bodyOf(
  record: WarcRecord,
): Promise<{ readonly body: Uint8Array; readonly type: string }> {
  const type = record.headers.get('Content-Type') ?? '';
  if (!isHttp(record)) return { body: record.block, type };
  const head = readHead(Buffer.from(headOf(record), 'latin1'));
  if (!head) return { body: record.block, type: '' };
  const { headers } = head;
  const { body } = await decodeContent({ payload: payloadOf(record.block), headers });
  return { body, type: headers.get('content-type') ?? '' };
}

/** The body of a record, decoded. */
export const bodyIn = async (record: WarcRecord): Promise<Uint8Array> =>
  (await bodyOf(record)).body;

const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
const TEXT = /^\s*(?:text\/|application\/(?:json|xml|javascript))/i;

async function textOf(body: Uint8Array, type: string): Promise<string> {
  if (HTML.test(type)) {
    const reader = await openTextReader({ extract: 'all' });
    return reader.read(body, { contentType: type }).text;
  }
  if (TEXT.test(type) || type === '') return Buffer.from(body.subarray(0, MOST_SHOWN)).toString();
  return hexOf(body.subarray(0, 4096));
}

/** Sixteen bytes a line, with their characters. */
function hexOf(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16);
    const hex = Array.from(row, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = Array.from(row, (byte) =>
      byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.',
    ).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(47)}  ${letters}`);
  }
  return lines.join('\n');
}
