/**
 * A page of a WARC file: a response of status 200 whose type is HTML or text.
 *
 * Requires  Records of any writer.
 * Ensures   Never throws for any bytes. The body has at most `maxPage` bytes; a longer one is cut
 *           and marked.
 */
import { headEnd, payloadOf } from '../archive/warc/http-block.ts';
import type { WarcRecord } from '../archive/warc/warc-reader.ts';
import type { Bytes, Millis } from '../base/units.ts';
import { decodeContent } from '../fetch/decode.ts';
import type { HeaderView } from '../fetch/exchange.ts';
import { type ResponseHead, readHead } from '../fetch/response-head.ts';
import { isHtml } from '../parse/is-html.ts';
import { canonicalise } from '../url/canonical.ts';
import { pathOf } from '../url/parts.ts';

export interface StoredPage {
  /** The UUID of the record, or the identifier that it has instead. */
  readonly id: string;
  /** As the archive has it. */
  readonly url: string;
  /** In canonical form. */
  readonly canonical: string;
  /** Undefined if the record does not tell. */
  readonly date: Millis | undefined;
  readonly offset: number;
  readonly headers: HeaderView;
  readonly contentType: string | undefined;
  /** Without transfer and content codings. */
  readonly body: Uint8Array;
  /** Whether a part of the body is missing: here, or already in the archive. */
  readonly truncated: boolean;
}

/** Why a record is no page. */
type NoPage = 'other record' | 'no HTTP response' | 'status' | 'type' | 'robots.txt';

/** Types that are text, besides HTML. */
const TEXT_TYPE = /^\s*text\/(?:plain|markdown)\b/i;
const MAX_RATIO = 100;

export async function pageOf(record: WarcRecord, maxPage: Bytes): Promise<StoredPage | NoPage> {
  if (record.type !== 'response') return 'other record';
  const url = record.headers.targetUri;
  const canonical = url === undefined ? undefined : canonicalise(url);
  const head = headOf(record);
  if (url === undefined || canonical === undefined || head === undefined) return 'no HTTP response';
  if (pathOf(canonical) === '/robots.txt') return 'robots.txt';
  if (head.status !== 200) return 'status';
  const { headers } = head;
  const contentType = headers.get('content-type');
  const payload = payloadOf(record.block);
  if (!TEXT_TYPE.test(contentType ?? '') && !isHtml(contentType, payload)) return 'type';
  const limits = { maxBytes: maxPage, maxRatio: MAX_RATIO };
  const { body, truncated } = await decodeContent({ payload, headers }, limits);
  return {
    id: idOf(record),
    url,
    canonical,
    date: dateOf(record),
    offset: record.offset,
    headers,
    contentType,
    body: body.length > maxPage ? body.subarray(0, maxPage) : body,
    truncated:
      truncated !== undefined ||
      body.length > maxPage ||
      record.headers.get('WARC-Truncated') !== undefined,
  };
}

/**
 * The page of a `conversion` record that stands without its response: the text of a page. Only its
 * URL and date are known besides.
 */
export function conversionOf(record: WarcRecord, maxPage: Bytes): StoredPage | NoPage {
  const { block, headers, offset } = record;
  const url = headers.targetUri;
  const canonical = url === undefined ? undefined : canonicalise(url);
  if (url === undefined || canonical === undefined || !isPlainText(record)) return 'other record';
  return {
    ...{ id: idOf(record), url, canonical, date: dateOf(record), offset },
    headers: NO_HEADERS,
    contentType: 'text/plain; charset=utf-8',
    body: block.length > maxPage ? block.subarray(0, maxPage) : block,
    truncated: block.length > maxPage || headers.get('WARC-Truncated') !== undefined,
  };
}

const NO_HEADERS: HeaderView = { get: () => undefined, all: () => [], entries: () => [] };

/** Whether a record holds the text of a page: a `conversion` that refers to its record. */
export function isTextOf(record: WarcRecord, page: string): boolean {
  const refersTo = record.headers.get('WARC-Refers-To');
  return refersTo !== undefined && bareId(refersTo) === page && isPlainText(record);
}

const isPlainText = ({ headers }: WarcRecord): boolean =>
  /^\s*text\/plain\b/i.test(headers.get('Content-Type') ?? '');

/** The head of an HTTP response; undefined if the record has none. */
export function headOf({ block }: WarcRecord): ResponseHead | undefined {
  const end = headEnd(block);
  return end < 0 ? undefined : readHead(Buffer.from(block.buffer, block.byteOffset, end));
}

/** The bare UUID of a record, or the identifier without its angle brackets. */
export function idOf({ headers }: WarcRecord): string {
  return bareId(headers.get('WARC-Record-ID') ?? '');
}

export const bareId = (text: string): string =>
  text
    .replace(/\s+/g, '')
    .replace(/^<(.*)>$/, '$1')
    .replace(/^urn:uuid:/i, '');

function dateOf({ headers }: WarcRecord): Millis | undefined {
  const date = Date.parse(headers.get('WARC-Date') ?? '');
  return Number.isNaN(date) ? undefined : date;
}
