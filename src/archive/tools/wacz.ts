/**
 * Packs an archive into one file that replays in a browser: WACZ 1.1.1.
 *
 *   archive/*.warc.gz           the WARC files, to the byte; those with zstd are copied to gzip
 *   indexes/                    their index
 *   pages/pages.jsonl           HTML pages with their titles, and whether they were rendered
 *   datapackage.json            the list of contents, with lengths and digests
 *   datapackage-digest.json     the digest of that list
 *
 * Idea      A WACZ is a ZIP with stored entries, so that a reader fetches only the byte ranges it
 *           needs: the index, and one record per page.
 * Requires  An archive that no process writes to.
 * Ensures   Every file is copied completely. The pages are the HTML responses with status 200. The
 *           WACZ file exists completely or not at all.
 * Cost      Two reads of the archive, one of them to find titles; fixed memory, and a hash for each
 *           page that was rendered.
 */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Bytes, Millis } from '../../base/units.ts';
import { VERSION } from '../../base/version.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import { decodeContent } from '../../fetch/decode.ts';
import { readHead } from '../../fetch/response-head.ts';
import { isHtml } from '../../parse/is-html.ts';
import { parsePage } from '../../parse/page.ts';
import type { Archive } from '../index/archive.ts';
import { INDEX_FILES, writeIndex } from '../index/index-file.ts';
import { headEnd, payloadOf } from '../warc/http-block.ts';
import { RENDERED_FROM, renderedPageOf } from '../warc/rendered-records.ts';
import { readWarc, type WarcRecord } from '../warc/warc-reader.ts';
import { GzipCopies } from './gzip-copy.ts';
import { type ZipEntry, ZipWriter } from './zip-writer.ts';

interface WaczOptions {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The start page for readers of the archive. Default: the first page. */
  readonly mainUrl?: string | undefined;
  readonly now: Millis;
  /** Called with the number of bytes of WARC files copied. */
  readonly onCopied?: (bytes: Bytes) => void;
}

interface WaczReport {
  readonly pages: number;
  readonly files: number;
  readonly bytes: Bytes;
}

/** A page in the form of pages.jsonl. */
interface WaczPage {
  readonly id: string;
  readonly url: string;
  readonly ts: string;
  readonly title?: string;
  /** The page was rendered: its requests are in the archive. */
  readonly rendered?: true;
}

const COPY_BYTES: Bytes = 2 ** 20;
const PAGES_HEADER = { format: 'json-pages-1.0', id: 'pages', title: 'All Pages', hasText: false };

export async function writeWacz(
  disk: Disk,
  archive: Archive,
  out: string,
  options: WaczOptions,
): Promise<WaczReport> {
  const zip = await ZipWriter.create(disk, out, options.now);
  const copies = new GzipCopies(disk, archive, `${out}.warc.tmp`);
  try {
    const entries: ZipEntry[] = [];
    let copied = 0;
    for (const file of archive.files) {
      const { name, path } = await copies.take(file);
      const entry = await addFile(disk, zip, `archive/${name}`, path);
      entries.push(entry);
      copied += entry.bytes;
      options.onCopied?.(copied);
    }
    const pages = new PageList(disk, archive, options.mainUrl);
    const isLarge = archive.index?.path.endsWith(INDEX_FILES.blocks) ?? false;
    entries.push(...(await addMade(disk, copies.lines(), isLarge, pages, zip)));
    await addPackage(zip, entries, pages.main, options);
    return { pages: pages.count, files: archive.files.length, bytes: await zip.finish() };
  } catch (error) {
    await zip.abandon();
    throw error;
  } finally {
    await copies.close();
  }
}

/**
 * Adds the index and the pages. They are made in a file first, because the length of an entry must
 * be known before it is written.
 */
async function addMade(
  disk: Disk,
  lines: AsyncIterable<string[]>,
  isLarge: boolean,
  pages: PageList,
  zip: ZipWriter,
): Promise<ZipEntry[]> {
  const folder = join(tmpdir(), `drumlin-wacz-${randomUUID()}`);
  await disk.makeFolder(folder);
  try {
    await writeIndex(disk, folder, lines, isLarge);
    const entries: ZipEntry[] = [];
    for (const name of (await disk.list(folder)).sort()) {
      entries.push(await addFile(disk, zip, `indexes/${name}`, join(folder, name)));
    }
    await pages.write(join(folder, 'pages.jsonl'));
    entries.push(await addFile(disk, zip, 'pages/pages.jsonl', join(folder, 'pages.jsonl')));
    return entries;
  } finally {
    await disk.removeFolder(folder);
  }
}

async function addFile(disk: Disk, zip: ZipWriter, name: string, path: string): Promise<ZipEntry> {
  const file = await disk.open(path, 'read');
  try {
    const size = await file.size();
    return await zip.add(name, size, bytesOf(file, size));
  } finally {
    await file.close();
  }
}

async function addPackage(
  zip: ZipWriter,
  entries: readonly ZipEntry[],
  main: WaczPage | undefined,
  { title, description, now }: WaczOptions,
): Promise<void> {
  const made = {
    profile: 'data-package',
    wacz_version: '1.1.1',
    software: `drumlin/${VERSION}`,
    created: new Date(now).toISOString(),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(main && { mainPageUrl: main.url, mainPageDate: main.ts }),
    resources: entries.map(({ name, bytes, hash }) => ({
      name: basename(name),
      path: name,
      hash,
      bytes,
    })),
  };
  const path = 'datapackage.json';
  const text = Buffer.from(`${JSON.stringify(made, null, 2)}\n`);
  const { hash } = await zip.add(path, text.length, [text]);
  const digest = Buffer.from(`${JSON.stringify({ path, hash })}\n`);
  await zip.add('datapackage-digest.json', digest.length, [digest]);
}

async function* bytesOf(file: DiskFile, size: Bytes): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += COPY_BYTES) {
    const bytes = Buffer.allocUnsafe(Math.min(COPY_BYTES, size - at));
    await file.readAll(bytes, at);
    yield bytes;
  }
}

/** Collects the pages of an archive from its files. */
class PageList {
  count = 0;
  /** The start page. */
  main: WaczPage | undefined;
  readonly #disk: Disk;
  readonly #archive: Archive;
  readonly #mainUrl: string | undefined;

  constructor(disk: Disk, archive: Archive, mainUrl: string | undefined) {
    this.#disk = disk;
    this.#archive = archive;
    this.#mainUrl = mainUrl;
  }

  async write(path: string): Promise<void> {
    const file = await this.#disk.open(path, 'create');
    try {
      let at = 0;
      let text = '';
      for await (const line of this.#lines()) {
        text += line;
        if (text.length < COPY_BYTES) continue;
        await file.writeAll(Buffer.from(text), at);
        at += Buffer.byteLength(text);
        text = '';
      }
      await file.writeAll(Buffer.from(text), at);
    } finally {
      await file.close();
    }
  }

  async *#lines(): AsyncGenerator<string> {
    yield `${JSON.stringify(PAGES_HEADER)}\n`;
    const rendered = await this.#renderedPages();
    for (const { path } of this.#archive.files) {
      for await (const record of readWarc(path, { disk: this.#disk })) {
        const found = await pageOf(record);
        if (!found) continue;
        const isRendered = rendered.has(xxh64(found.url));
        const page = isRendered ? { ...found, rendered: true as const } : found;
        this.count++;
        if (!this.main || (page.url === this.#mainUrl && this.main.url !== this.#mainUrl))
          this.main = page;
        yield `${JSON.stringify(page)}\n`;
      }
    }
  }

  /** Hashes of the URLs that were rendered. */
  async #renderedPages(): Promise<Set<bigint>> {
    const found = new Set<bigint>();
    for await (const { url } of this.#archive.captures({}, RENDERED_FROM)) {
      const page = renderedPageOf(url);
      if (page === undefined) break;
      found.add(xxh64(page));
    }
    return found;
  }
}

async function pageOf(record: WarcRecord): Promise<WaczPage | undefined> {
  const { headers, block, type } = record;
  const url = headers.targetUri;
  if (type !== 'response' || url === undefined || !/^https?:/i.test(url)) return undefined;
  const end = headEnd(block);
  const head = end < 0 ? undefined : readHead(Buffer.from(block.buffer, block.byteOffset, end));
  const payload = payloadOf(block);
  if (head?.status !== 200 || !isHtml(head.headers.get('content-type'), payload)) return undefined;
  const { body } = await decodeContent({ payload, headers: head.headers });
  const title = parsePage(body, { url, contentType: head.headers.get('content-type') }).title();
  const ts = headers.get('WARC-Date') ?? '';
  return { id: randomUUID(), url, ts, ...(title !== undefined && { title }) };
}
