/**
 * `drumlin corpus index`: the captures of an archive as tables, in the schema and the folders of
 * Common Crawl's index.
 *
 *   crawl=my-crawl/subset=warc/part-00000.parquet              responses of status 200
 *   crawl=my-crawl/subset=crawldiagnostics/part-00000.parquet  redirects, errors, revisits
 *   crawl=my-crawl/subset=robotstxt/part-00000.parquet         robots.txt
 *
 * Idea      Captures are sorted on disk by subset, key and time, then written in that order.
 * Ensures   The folder appears whole or not at all. Damaged files are read up to the damage, and
 *           that is reported. The same archive gives the same bytes.
 * Cost      One read of the archive, the text of its pages for their languages; fixed memory.
 */
import { basename, join, resolve } from 'node:path';
import { Archive, requireWarc } from '../../archive/index/archive.ts';
import { captureOf } from '../../archive/index/cdxj.ts';
import { surt } from '../../archive/index/surt.ts';
import { payloadOf } from '../../archive/warc/http-block.ts';
import { readWarc, type WarcRecord } from '../../archive/warc/warc-reader.ts';
import type { Bytes } from '../../base/units.ts';
import { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { makeWhole } from '../../disk/whole-folder.ts';
import { decodeContent } from '../../fetch/decode.ts';
import { redirectTarget } from '../../fetch/redirect.ts';
import { isHtml } from '../../parse/is-html.ts';
import { openTextReader, type TextReader } from '../../text/text-reader.ts';
import { canonicalise } from '../../url/canonical.ts';
import { ParquetFile } from '../parquet/parquet-file.ts';
import { headOf, idOf } from '../stored-page.ts';
import { detectedType } from './detected-type.ts';
import { type IndexEntry, indexColumns, indexRow } from './index-columns.ts';

type Subset = 'warc' | 'crawldiagnostics' | 'robotstxt';

interface IndexOptions {
  /** The name of the crawl. Default: that of the folder. */
  readonly crawl?: string;
  readonly disk?: Disk;
  readonly memory?: Bytes;
  readonly rowGroupBytes?: Bytes;
  readonly rowsPerFile?: number;
  readonly onProgress?: (step: string, share: number) => void;
  readonly onWarning?: (sentence: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const MEMORY: Bytes = 64e6;
const ROW_GROUP: Bytes = 64e6;
const ROWS_PER_FILE = 10_000_000;
/** Offsets beyond this do not fit the schema of Common Crawl. */
const MOST_OFFSET = 2 ** 31 - 1;

/** Writes the tables and returns the rows of each subset. */
export async function exportIndex(
  place: string,
  out: string,
  options: IndexOptions = {},
): Promise<Partial<Record<Subset, number>>> {
  const { disk = new Disk(), memory = MEMORY, onWarning, onProgress, signal } = options;
  const archive = await Archive.open(disk, place);
  if (archive.files[0]?.path === place) await requireWarc(disk, place);
  const name = basename(resolve(place)).replace(/\.warc(?:\.gz|\.zst)?$/, '');
  const crawl = (options.crawl ?? name).replace(/[^\w.-]/g, '_');
  const text = await openTextReader();
  return makeWhole(disk, out, async (folder, scratch) => {
    const sorter = new LineSorter(disk, scratch, 'index', memory);
    let wide = false;
    for (const [i, { name: file, path }] of archive.files.entries()) {
      onProgress?.('reading', i / archive.files.length);
      const reader = readWarc(path, { disk });
      const stored = archive.dir === undefined ? file : `archive/${file}`;
      for await (const record of reader) {
        signal?.throwIfAborted();
        const line = await lineOf(record, stored, text);
        if (line !== undefined) await sorter.add(line);
        wide ||= record.offset > MOST_OFFSET;
      }
      if (reader.fault)
        onWarning?.(
          `${path} is ${reader.fault.kind} at byte ${reader.fault.offset} (${reader.fault.fact}): captures after it are not in the index.`,
        );
    }
    return write(disk, join(folder, `crawl=${crawl}`), sorter, wide, options);
  });
}

/** `subset key timestamp {…}` in ASCII; undefined if the record is no capture over HTTP. */
async function lineOf(
  record: WarcRecord,
  file: string,
  text: TextReader,
): Promise<string | undefined> {
  if (record.type !== 'response' && record.type !== 'revisit') return undefined;
  const capture = captureOf(record, file);
  if (capture === undefined || capture.status === '') return undefined;
  const { status, timestamp, url } = capture;
  const subset = subsetOf(record, url, status);
  const entry: IndexEntry = {
    ...{ url, file, time: Date.parse(record.headers.get('WARC-Date') ?? '') || 0 },
    ...{ status: Number(status), id: idOf(record) },
    digest: capture.digest === '-' ? null : capture.digest,
    truncated: record.headers.get('WARC-Truncated') ?? null,
    ...{ offset: record.offset, length: record.length },
    ...(await contentOf(record, url, capture.mime, text, subset === 'warc')),
  };
  const json = JSON.stringify(entry).replace(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${subset} ${surt(url)} ${timestamp} ${json}`;
}

function subsetOf({ type }: WarcRecord, url: string, status: string): Subset {
  if (/^[a-z]+:\/\/[^/]+\/robots\.txt(?:[?#]|$)/i.test(url)) return 'robotstxt';
  return type === 'response' && status === '200' ? 'warc' : 'crawldiagnostics';
}

type Content = Pick<IndexEntry, 'redirect' | 'mime' | 'detected' | 'charset' | 'languages'>;

async function contentOf(
  record: WarcRecord,
  url: string,
  mime: string,
  text: TextReader,
  withText: boolean,
): Promise<Content> {
  const declared = mime === 'unk' ? null : mime;
  const none = { redirect: null, mime: declared, detected: declared, charset: null };
  const head = headOf(record);
  if (head === undefined) return { ...none, languages: null };
  const redirect = redirectTarget({ ...head, url: canonicalise(url) ?? url }) ?? null;
  if (record.type === 'revisit') return { ...none, redirect, languages: null };
  const { headers } = head;
  const { body } = await decodeContent({ payload: payloadOf(record.block), headers });
  const detected =
    record.headers.get('WARC-Identified-Payload-Type') ?? detectedType(body, declared);
  const contentType = headers.get('content-type');
  if (!withText || !isHtml(contentType, body))
    return { ...none, redirect, detected, languages: null };
  const page = text.read(body, { contentType });
  const charset = page.charset === 'ascii' ? 'UTF-8' : page.charset;
  return { redirect, mime: declared, detected, charset, languages: page.language.code3 || null };
}

async function write(
  disk: Disk,
  folder: string,
  sorter: LineSorter,
  wide: boolean,
  { rowGroupBytes = ROW_GROUP, rowsPerFile = ROWS_PER_FILE, onProgress }: IndexOptions,
): Promise<Partial<Record<Subset, number>>> {
  const counts: Partial<Record<Subset, number>> = {};
  let file: ParquetFile | undefined;
  let open = '';
  onProgress?.('writing', 0);
  for await (const lines of sorter.sorted()) {
    for (const line of lines) {
      const [subset, key] = line.split(' ', 2) as [Subset, string];
      const count = counts[subset] ?? 0;
      if (subset !== open || count % rowsPerFile === 0) {
        await file?.finish();
        const parts = join(folder, `subset=${subset}`);
        await disk.makeFolder(parts);
        const name = `part-${String(Math.floor(count / rowsPerFile)).padStart(5, '0')}.parquet`;
        file = await ParquetFile.create(disk, join(parts, name), indexColumns(wide), {
          rowGroupBytes,
        });
        open = subset;
      }
      await file?.add(indexRow(key, JSON.parse(line.slice(line.indexOf(' {') + 1))));
      counts[subset] = count + 1;
    }
  }
  await file?.finish();
  return counts;
}
