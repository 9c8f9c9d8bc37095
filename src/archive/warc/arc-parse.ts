/**
 * Parses records of ARC files (version 1 and 2), the format before WARC: a line of fields, then as
 * many bytes as its last field says, then a line end.
 *
 *   http://example.org/ 192.0.2.1 19961104142103 text/html 202
 *   URL                 IP        time           type      length            version 1
 *   URL IP time type status checksum location offset file length             version 2
 *
 * Idea      A record is shown as the WARC record that it would be, so that whatever reads WARC
 *           reads ARC too: the record about the file is a `warcinfo`, a page a `response`, anything
 *           else a `resource`. No fields are made up: there is no identifier, and no digest.
 * Requires  Bytes from any crawler: nothing about them can be relied on.
 * Ensures   Only a line with a URL, a time and a length begins a record. URLs may contain blanks.
 */

/** The fields of a line, from its end: what is before them is the URL. */
const LINE =
  /^([a-z][a-z0-9+.-]*:.*?) (\S+) (\d{12,14}) (\S+|) (?:(?:\d{3}|-) \S+ \S+ (?:\d+|-) \S+ )?(\d{1,15})$/i;
/** A line of an ARC record with a wrong last field. */
const UNFINISHED = /^[a-z][a-z0-9+.-]*:\S* \S+ \d{12,20} \S+ /i;
const LONGEST_LINE = 16 * 1024;
const LF = 10;

interface ArcHead {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly type: string;
  /** Where the block begins. */
  readonly blockStart: number;
  readonly length: number;
}

/**
 * The head of the ARC record at the start of `bytes`; `short` if its line does not end there,
 * `no-length` if it states no length; undefined if no ARC record begins there.
 */
export function arcHead(bytes: Uint8Array): ArcHead | 'short' | 'no-length' | undefined {
  const end = bytes.indexOf(LF);
  if (end < 0) return bytes.length < LONGEST_LINE && mayBegin(bytes) ? 'short' : undefined;
  if (end > LONGEST_LINE) return undefined;
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString('latin1');
  const [, url, ip, time, mime, stated] = LINE.exec(line.replace(/\r$/, '')) ?? [];
  if (stated === undefined) return UNFINISHED.test(line) ? 'no-length' : undefined;
  const length = Number(stated);
  const block = bytes.subarray(end + 1, end + 1 + length);
  const { type, contentType } = kindOf(url, mime, block);
  const fields: [string, string][] = [
    ['WARC-Type', type],
    ['WARC-Target-URI', url],
    ['WARC-Date', dateOf(time)],
    ...(/^[\d.]+$|:/.test(ip) && ip !== '0.0.0.0'
      ? [['WARC-IP-Address', ip] as [string, string]]
      : []),
    ['Content-Type', contentType],
    ['Content-Length', stated],
  ];
  return { fields, type, blockStart: end + 1, length };
}

/** Whether bytes without a line end may be the beginning of a line of fields. */
const mayBegin = (bytes: Uint8Array): boolean =>
  /^[a-z][a-z0-9+.-]{1,20}:/i.test(Buffer.from(bytes.subarray(0, 24)).toString('latin1'));

function kindOf(
  url: string,
  mime: string,
  block: Uint8Array,
): { readonly type: string; readonly contentType: string } {
  if (/^filedesc:/i.test(url)) return { type: 'warcinfo', contentType: mime };
  const begins = Buffer.from(block.subarray(0, 5)).toString('latin1');
  return /^https?:/i.test(url) && begins === 'HTTP/'
    ? { type: 'response', contentType: 'application/http;msgtype=response' }
    : { type: 'resource', contentType: mime === '' ? 'application/octet-stream' : mime };
}

/** `1996-11-04T14:21:03Z` */
function dateOf(time: string): string {
  const [year, month, day, hour, minute, second] = [
    ...[time.slice(0, 4), time.slice(4, 6), time.slice(6, 8), time.slice(8, 10)],
    ...[time.slice(10, 12), time.slice(12, 14).padEnd(2, '0')],
  ];
  return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
