/**
 * The newest capture of every page of earlier collections, so that a new crawl can ask the server
 * whether the page has changed since.
 *
 *   earlier/pages         URL, capture, validators and digest, one page per line, sorted by key
 *   earlier/page-keys     keys in order, each with the position of its line
 *   earlier/page-sources  the collections it was made of
 *
 * Idea      Each look at a page changes what is known of it. A complete 200 gives a capture and
 *           its validators (ETag, Last-Modified). A revisit confirms a capture and may give new
 *           validators. Other statuses change nothing. The looks are sorted by URL and time, and
 *           the last state of each URL is kept.
 * Requires  Folders of crawls. A damaged WARC file is refused: pages after the damage would seem
 *           to be unknown.
 * Ensures   A truncated capture gives neither validators nor a digest: nobody may confirm what was
 *           not received. Made once per crawl; a resumed crawl finds it.
 * Cost      To make: one read of the archives and a sort of a line per capture, in fixed memory.
 *           To ask: see `KeyedLines`.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { readHead } from '../../fetch/response-head.ts';
import { canonicalise } from '../../url/canonical.ts';
import { pathOf } from '../../url/parts.ts';
import { isConfirmation } from '../index/cdxj.ts';
import { archiveDir, warcNames } from '../index/index-merge.ts';
import { headEnd } from '../warc/http-block.ts';
import { readWarc, type WarcRecord } from '../warc/warc-reader.ts';
import type { Original } from '../warc/warc-record.ts';
import { type KeyedFiles, KeyedLines, writeKeyedLines } from './keyed-lines.ts';

const FILES: KeyedFiles = {
  keys: 'page-keys',
  lines: 'pages',
  formats: [
    { type: 'pgk', version: 1, summed: true },
    { type: 'pgl', version: 1, summed: true },
  ],
};
const SOURCES = 'page-sources';
const LONGEST_URL = 2048;
/** Longer validators are not sent back. */
const LONGEST_VALIDATOR = 512;
const SORT_MEMORY: Bytes = 64 * 2 ** 20;

/** What earlier collections know of a page. */
export interface EarlierPage {
  readonly url: string;
  /** The record that holds the page. */
  readonly original: Original;
  /** Absent if the capture was not complete, or the server sent none. */
  readonly etag?: string | undefined;
  readonly modified?: string | undefined;
  /** The labelled digest of the payload, if the record states one. */
  readonly digest?: string | undefined;
  /** Where the record is; absent if the last complete capture was a reference to another. */
  readonly place?: { readonly path: string; readonly offset: number } | undefined;
}

/** One look at a page, as a record shows it. */
interface Look extends EarlierPage {
  /** When it was made, as the record writes it. */
  readonly date: string;
  /** The server confirmed an earlier capture. */
  readonly isConfirmation: boolean;
}

/** Makes the table in a crawl folder, unless it exists for the same sources. */
export async function gatherEarlierPages(
  disk: Disk,
  folder: string,
  sources: readonly string[],
  memory = SORT_MEMORY,
): Promise<void> {
  const list = sources.join('\n');
  await disk.makeFolder(folder);
  const isThere = (await disk.list(folder)).includes(SOURCES);
  if (isThere && (await disk.readText(join(folder, SOURCES))) === list) return;
  const sorter = new LineSorter(disk, folder, 'sort-pages', memory);
  try {
    for (const source of sources) {
      for await (const look of looksIn(disk, source)) await sorter.add(lineOf(look));
    }
    // Until the table is whole, it is that of no sources.
    await disk.remove(join(folder, SOURCES));
    await disk.syncFolder(folder);
    await writeKeyedLines(disk, folder, FILES, lastOfEach(sorter.sorted()));
  } finally {
    await sorter.close();
  }
  await replaceFile(disk, folder, SOURCES, Buffer.from(list));
}

async function* looksIn(disk: Disk, source: string): AsyncGenerator<Look> {
  const folder = archiveDir(source);
  for (const name of await warcNames(disk, folder)) {
    const reader = readWarc(join(folder, name), { disk });
    for await (const record of reader) {
      const look = lookOf(record, reader.path);
      if (look) yield look;
    }
    if (reader.fault) throw damaged(reader.path, reader.fault);
  }
}

function lookOf(record: WarcRecord, path: string): Look | undefined {
  const { type, headers, block } = record;
  if (type !== 'response' && type !== 'revisit') return undefined;
  const url = canonicalise(headers.targetUri ?? '');
  if (url === undefined || url.length > LONGEST_URL || pathOf(url) === '/robots.txt')
    return undefined;
  const end = headEnd(block);
  const head = end < 0 ? undefined : readHead(Buffer.from(block.buffer, block.byteOffset, end));
  const confirms = isConfirmation(record);
  if (head?.status !== 200 && !confirms) return undefined;
  const date = headers.get('WARC-Date') ?? '';
  const original = type === 'revisit' ? referenceOf(record, url) : selfOf(record, url);
  const look = { url, date, original, isConfirmation: confirms };
  if (headers.get('WARC-Truncated') !== undefined || !head) return look;
  return {
    ...look,
    ...(type === 'response' && { place: { path, offset: record.offset } }),
    etag: sendable(head.headers.get('etag')),
    modified: sendable(head.headers.get('last-modified')),
    digest: headers.get('WARC-Payload-Digest'),
  };
}

/** A header value that can be sent back as it came. */
function sendable(value: string | undefined): string | undefined {
  return value && value.length <= LONGEST_VALIDATOR && /^[\t\x20-\x7e\x80-\xff]+$/.test(value)
    ? value
    : undefined;
}

const UUID = /^<urn:uuid:([0-9a-f-]{36})>$/i;

function originalOf(url: string, date: string, name: string | undefined): Original {
  const id = UUID.exec(name ?? '')?.[1];
  return id === undefined ? { url, date } : { url, date, id };
}

function selfOf({ headers }: WarcRecord, url: string): Original {
  return originalOf(url, headers.get('WARC-Date') ?? '', headers.get('WARC-Record-ID'));
}

function referenceOf({ headers }: WarcRecord, url: string): Original {
  return originalOf(
    headers.get('WARC-Refers-To-Target-URI') ?? url,
    headers.get('WARC-Refers-To-Date') ?? '',
    headers.get('WARC-Refers-To'),
  );
}

// Lines: `<key> <url> <date> <kind> <original's url> <its date> <its id> <digest> <etag> <modified>
// <path> <offset>`. Every field from the third on is escaped, and empty if it is absent.

function lineOf(look: Look): string {
  const { url, date, original, isConfirmation, digest, etag, modified, place } = look;
  const key = xxh64(url).toString(16).padStart(16, '0');
  const kind = isConfirmation ? '1' : '0';
  const fields = [
    ...[date, kind, original.url, original.date, original.id, digest, etag, modified],
    ...[place?.path, place && String(place.offset)],
  ];
  return `${key} ${url} ${fields.map((field) => encodeURIComponent(field ?? '')).join(' ')}`;
}

function lookIn(words: readonly string[]): Look {
  const [url, ...fields] = words;
  const [date, kind, at, when, id, digest, etag, modified, path, offset] =
    fields.map(decodeURIComponent);
  return {
    url,
    date,
    original: { url: at, date: when, ...(id !== '' && { id }) },
    isConfirmation: kind === '1',
    digest: digest || undefined,
    etag: etag || undefined,
    modified: modified || undefined,
    place: path ? { path, offset: Number(offset) } : undefined,
  };
}

/** The last state of each URL. */
async function* lastOfEach(batches: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  let last: Look | undefined;
  for await (const lines of batches) {
    const done: string[] = [];
    for (const line of lines) {
      const look = lookIn(line.split(' ').slice(1));
      if (last && last.url !== look.url) done.push(lineOf(last));
      last = last?.url === look.url ? after(last, look) : look;
    }
    yield done;
  }
  if (last) yield [lineOf(last)];
}

/** What is known after another look: a confirmation adds to the capture that it confirms. */
function after(known: Look, look: Look): Look {
  if (!look.isConfirmation) return look;
  return {
    ...known,
    date: look.date,
    etag: look.etag ?? known.etag,
    modified: look.modified ?? known.modified,
  };
}

export class EarlierPages {
  readonly #lines: KeyedLines;

  private constructor(lines: KeyedLines) {
    this.#lines = lines;
  }

  static async open(disk: Disk, folder: string, memory: Bytes): Promise<EarlierPages> {
    return new EarlierPages(await KeyedLines.open(disk, folder, FILES, memory));
  }

  /** Returns undefined at once if the filter excludes the URL. */
  find(url: string): Promise<EarlierPage | undefined> | undefined {
    return this.#lines.find(url, xxh64(url))?.then((words) => words && lookIn(words));
  }

  close(): Promise<void> {
    return this.#lines.close();
  }
}

/** The record with the page; undefined if it is no longer there. */
export async function earlierRecord(
  disk: Disk,
  { url, place }: EarlierPage,
): Promise<WarcRecord | undefined> {
  if (!place) return undefined;
  for await (const record of readWarc(place.path, { disk, start: place.offset }))
    return canonicalise(record.headers.targetUri ?? '') === url ? record : undefined;
  return undefined;
}

function damaged(path: string, { offset, fact }: { offset: number; fact: string }): DrumlinError {
  return new DrumlinError(
    'ARCHIVE_DAMAGED',
    `${path} is damaged at byte ${offset} (${fact}): its later pages cannot be asked for.`,
    'Run "drumlin archive repair" on it first, which keeps the complete records.',
    { exitCode: EXIT.damaged },
  );
}
