/**
 * Chosen captures to download: their records as a WARC file, or packed as a WACZ file.
 *
 * Idea      Records are read one at a time and sent as gzip members: memory is that of one record,
 *           however many there are. A WACZ file has its list of contents at the end and lengths
 *           before each entry, so it is made in a temporary folder first.
 * Requires  The folder of a crawl, running or stopped.
 * Ensures   Every record as stored, to the byte. With a revisit comes the page that it refers to.
 *           The temporary folder is deleted, also if the client leaves.
 */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compressorFor } from '../../archive/compress/compression.ts';
import { Archive } from '../../archive/index/archive.ts';
import type { Capture } from '../../archive/index/cdxj.ts';
import type { WarcRecord } from '../../archive/warc/warc-reader.ts';
import { type Bytes, formatBytes, type Millis } from '../../base/units.ts';
import { BatchFile } from '../../disk/batch-file.ts';
import type { Disk } from '../../disk/disk.ts';
import { requestError } from '../fields/schema.ts';
import { type CapturesFilter, matchingCaptures } from './captures.ts';
import type { CrawlArchive } from './crawl-archive.ts';

/** The most bytes of records, compressed, that are packed as a WACZ file on request. */
const MOST_PACKED: Bytes = 256 * 2 ** 20;
const PIECE: Bytes = 2 ** 20;
const LINE_ENDS = Buffer.from('\r\n\r\n');

/** Throws if no capture matches. */
export async function warcOf(
  archived: CrawlArchive,
  query: CapturesFilter,
): Promise<AsyncIterable<Uint8Array>> {
  const archive = await requireArchive(archived);
  for await (const _ of matchingCaptures(archive, query)) return members(archive, query);
  throw nothing();
}

/** Throws if no capture matches, or if they are too large to be packed here. */
export async function waczOf(
  disk: Disk,
  archived: CrawlArchive,
  query: CapturesFilter,
  title: string,
  now: Millis,
): Promise<AsyncIterable<Uint8Array>> {
  const archive = await requireArchive(archived);
  let bytes = 0;
  for await (const { length } of matchingCaptures(archive, query)) {
    bytes += length;
    if (bytes > MOST_PACKED)
      throw requestError(
        `These captures are more than ${formatBytes(MOST_PACKED)}, the most that the console packs.`,
        'Choose fewer, download them as WARC, or stop the crawl and run "drumlin archive wacz".',
      );
  }
  if (bytes === 0) throw nothing();
  return packed(disk, archive, query, title, now);
}

async function* members(archive: Archive, query: CapturesFilter): AsyncGenerator<Uint8Array> {
  const gzip = await compressorFor({ compress: 'gzip', gzipLevel: 6 });
  const sent = new Set<string>();
  for await (const capture of matchingCaptures(archive, query))
    for (const { bytes, headers } of await recordsOf(archive, capture)) {
      const id = headers.get('WARC-Record-ID') ?? randomUUID();
      // A page may be asked for by itself, and by several revisits.
      if (sent.has(id)) continue;
      sent.add(id);
      yield await gzip.member(Buffer.concat([bytes, LINE_ENDS]), Buffer.from);
    }
}

/** The record of a capture; before a revisit, the page that it refers to, where that is kept. */
async function recordsOf(archive: Archive, capture: Capture): Promise<WarcRecord[]> {
  const record = await archive.record(capture);
  const original = record.type === 'revisit' ? await archive.original(record) : undefined;
  return original ? [original, record] : [record];
}

async function* packed(
  disk: Disk,
  archive: Archive,
  query: CapturesFilter,
  title: string,
  now: Millis,
): AsyncGenerator<Uint8Array> {
  const folder = join(tmpdir(), `drumlin-download-${randomUUID()}`);
  await disk.makeFolder(folder, true);
  try {
    const file = await BatchFile.create(disk, join(folder, 'captures.warc.gz'));
    for await (const member of members(archive, query)) await file.append([member]);
    await file.close();
    const { writeWacz } = await import('../../archive/tools/wacz.ts');
    const out = join(folder, 'captures.wacz');
    await writeWacz(disk, await Archive.open(disk, folder), out, { title, now });
    yield* piecesOf(disk, out);
  } finally {
    await disk.removeFolder(folder);
  }
}

async function* piecesOf(disk: Disk, path: string): AsyncGenerator<Uint8Array> {
  const file = await disk.open(path, 'read');
  try {
    const size = await file.size();
    for (let at = 0; at < size; at += PIECE) {
      const bytes = Buffer.alloc(Math.min(PIECE, size - at));
      await file.readAll(bytes, at);
      yield bytes;
    }
  } finally {
    await file.close();
  }
}

async function requireArchive(archived: CrawlArchive): Promise<Archive> {
  const archive = await archived.open();
  if (archive) return archive;
  throw nothing();
}

const nothing = () => requestError('No capture matches.', 'Choose captures that the list shows.');
