/**
 * The columns of Common Crawl's index as a table (cc-index-table, the flat schema), and the row of
 * a capture.
 *
 * The partitions `crawl` and `subset` are no columns: they are in the names of the folders, as
 * there.
 */
import { isIP } from 'node:net';
import { parse } from 'tldts';
import type { Cell, Column } from '../parquet/column.ts';

const text = (name: string, nullable = true, repeats = false): Column => ({
  ...{ name, kind: 'text', nullable, repeats },
});

/** `wide`: offsets in files of more than 2 GB need 64 bits, which Common Crawl has not. */
export const indexColumns = (wide: boolean): Column[] => [
  text('url_surtkey', false),
  text('url', false),
  text('url_host_name', false, true),
  text('url_host_tld', true, true),
  text('url_host_2nd_last_part', true, true),
  text('url_host_3rd_last_part', true, true),
  text('url_host_4th_last_part', true, true),
  text('url_host_5th_last_part', true, true),
  text('url_host_registry_suffix', true, true),
  text('url_host_registered_domain', true, true),
  text('url_host_private_suffix', true, true),
  text('url_host_private_domain', true, true),
  text('url_host_name_reversed', true, true),
  text('url_protocol', false, true),
  { name: 'url_port', kind: 'int', nullable: true },
  text('url_path', false),
  text('url_query'),
  { name: 'fetch_time', kind: 'time', nullable: false },
  { name: 'fetch_status', kind: 'short', nullable: false },
  text('fetch_redirect'),
  text('content_digest'),
  text('content_mime_type', true, true),
  text('content_mime_detected', true, true),
  text('content_charset', true, true),
  text('content_languages', true, true),
  text('content_truncated', true, true),
  { name: 'warc_record_id', kind: 'binary', nullable: false },
  text('warc_filename', false, true),
  { name: 'warc_record_offset', kind: wide ? 'long' : 'int', nullable: false },
  { name: 'warc_record_length', kind: 'int', nullable: false },
  text('warc_segment', false, true),
];

/** A capture, as it is sorted. */
export interface IndexEntry {
  readonly url: string;
  readonly time: number;
  readonly status: number;
  readonly redirect: string | null;
  readonly digest: string | null;
  readonly mime: string | null;
  readonly detected: string | null;
  readonly charset: string | null;
  readonly languages: string | null;
  readonly truncated: string | null;
  readonly id: string;
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

const SEGMENT = '0';

export function indexRow(key: string, entry: IndexEntry): Cell[] {
  const { protocol, port, pathname, search, hostname } = partsOf(entry.url);
  return [
    ...[key, entry.url, hostname, ...hostColumns(hostname)].map(bytes),
    bytes(protocol.replace(/:$/, '')),
    port === '' ? null : Number(port),
    bytes(pathname),
    search === '' ? null : bytes(search.slice(1)),
    ...[entry.time, entry.status],
    ...[entry.redirect, entry.digest, entry.mime, entry.detected].map(bytes),
    ...[entry.charset, entry.languages, entry.truncated].map(bytes),
    uuidBytes(entry.id),
    bytes(entry.file),
    ...[entry.offset, entry.length],
    bytes(SEGMENT),
  ];
}

const bytes = (value: string | null): Cell => (value === null ? null : Buffer.from(value));

/** The 16 bytes of a UUID; another identifier as it is. */
function uuidBytes(id: string): Cell {
  const digits = id.replaceAll('-', '');
  return /^[0-9a-f]{32}$/i.test(digits) ? Buffer.from(digits, 'hex') : Buffer.from(id);
}

function partsOf(url: string) {
  try {
    return new URL(url);
  } catch {
    return { protocol: '', port: '', pathname: '', search: '', hostname: '' };
  }
}

/** Names of one recent host: captures come in the order of hosts. */
let lastHost = '';
let lastColumns: readonly (string | null)[] = [];

/** The columns from `url_host_tld` to `url_host_name_reversed`; null for addresses. */
function hostColumns(host: string): readonly (string | null)[] {
  if (host === lastHost && lastColumns.length > 0) return lastColumns;
  lastHost = host;
  if (host === '' || host.startsWith('[') || isIP(host) !== 0) {
    lastColumns = new Array(10).fill(null);
    return lastColumns;
  }
  const parts = host.replace(/\.$/, '').split('.').reverse();
  const registry = parse(host, { allowPrivateDomains: false, extractHostname: false });
  const open = parse(host, { allowPrivateDomains: true, extractHostname: false });
  lastColumns = [
    ...[0, 1, 2, 3, 4].map((i) => parts[i] ?? null),
    ...[registry.publicSuffix, registry.domain, open.publicSuffix, open.domain],
    parts.join('.'),
  ];
  return lastColumns;
}
