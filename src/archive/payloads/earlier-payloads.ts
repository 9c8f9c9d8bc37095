/**
 * The payloads of earlier crawls, so that a new crawl does not store them again.
 *
 *   earlier/originals     digest, date, identifier and URL of each, one per line, sorted by key
 *   earlier/digests       keys in order, each with the position of its line
 *   earlier/sources       the crawls and indexes it was made of
 *
 * Requires  Crawl folders, or sorted or unsorted files of CDXJ lines.
 * Ensures   Never a false hit: the whole digest is compared. Made once per crawl; a resumed crawl
 *           finds it.
 * Cost      To make: a sort of all lines, in fixed memory. To ask: see `KeyedLines`.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { readLines } from '../../disk/lines.ts';
import { originalDigest, originalIn, parseCdxj, REVISIT_MIME } from '../index/cdxj.ts';
import { partLines, warcNames } from '../index/index-merge.ts';
import type { Original } from '../warc/warc-record.ts';
import { type KeyedFiles, KeyedLines, writeKeyedLines } from './keyed-lines.ts';

const FILES: KeyedFiles = {
  keys: 'digests',
  lines: 'originals',
  formats: [
    { type: 'dig', version: 1, summed: true },
    { type: 'org', version: 1, summed: true },
  ],
};
const LONGEST_URL = 2048;
const SORT_MEMORY: Bytes = 64 * 2 ** 20;

export const earlierDir = (dir: string): string => join(dir, 'earlier');

/** Makes the table in a crawl folder, unless it exists for the same sources. */
export async function gatherEarlier(
  disk: Disk,
  folder: string,
  sources: readonly string[],
  memory = SORT_MEMORY,
): Promise<void> {
  const list = sources.join('\n');
  await disk.makeFolder(folder);
  if (
    (await disk.list(folder)).includes('sources') &&
    (await disk.readText(join(folder, 'sources'))) === list
  ) {
    return;
  }
  const sorter = new LineSorter(disk, folder, 'sort', memory);
  try {
    for (const source of sources) await addSource(disk, source, sorter);
    // Until the table is whole, it is that of no sources.
    await disk.remove(join(folder, 'sources'));
    await disk.syncFolder(folder);
    await writeKeyedLines(disk, folder, FILES, firstOfEach(sorter.sorted()));
  } finally {
    await sorter.close();
  }
  await replaceFile(disk, folder, 'sources', Buffer.from(list));
}

async function addSource(disk: Disk, source: string, sorter: LineSorter): Promise<void> {
  let captures = 0;
  for await (const lines of linesOf(disk, source)) {
    for (const line of lines) {
      const entry = entryOf(line);
      if (entry === undefined) continue;
      captures++;
      await sorter.add(entry);
    }
  }
  if (captures > 0) return;
  throw new DrumlinError(
    'NOTHING_EARLIER',
    `${source} has no pages that this crawl can be compared with.`,
    'Give a crawl folder or a file of CDXJ lines with --dedup-against.',
    { exitCode: EXIT.usage },
  );
}

/**
 * Prefers the parts of a crawl to its index: they also have identifiers, and dates to the
 * millisecond.
 */
async function* linesOf(disk: Disk, source: string): AsyncGenerator<string[]> {
  if (/\.cdxj$/.test(source)) yield* readLines(disk, source);
  else if ((await warcNames(disk, join(source, 'archive'))).length > 0)
    yield* partLines(disk, source);
}

/** `<key in hexadecimal> <digest> <date> <identifier> <url>` */
function entryOf(line: string): string | undefined {
  const capture = parseCdxj(line);
  if (!capture || capture.mime === REVISIT_MIME || capture.digest === '-') return undefined;
  if (/\s/.test(capture.url) || capture.url.length > LONGEST_URL) return undefined;
  const known = originalIn(line);
  const digest = originalDigest(line) ?? labelled(capture.digest);
  const date =
    known?.date ?? capture.timestamp.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z');
  const key = xxh64(digest).toString(16).padStart(16, '0');
  return `${key} ${digest} ${date} ${known?.id ?? '-'} ${Buffer.from(capture.url).toString('latin1')}`;
}

function labelled(digest: string): string {
  return digest.includes(':') ? digest : `sha1:${digest}`;
}

/** Only the first line of each digest. */
async function* firstOfEach(batches: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  let last = '';
  for await (const lines of batches) {
    yield lines.filter((line) => {
      const [, digest] = line.split(' ', 2);
      const isFirst = digest !== last;
      last = digest;
      return isFirst;
    });
  }
}

export class EarlierPayloads {
  readonly #lines: KeyedLines;

  private constructor(lines: KeyedLines) {
    this.#lines = lines;
  }

  static async open(disk: Disk, folder: string, memory: Bytes): Promise<EarlierPayloads> {
    return new EarlierPayloads(await KeyedLines.open(disk, folder, FILES, memory));
  }

  /** Returns undefined at once if the filter excludes the payload. */
  find(digest: string, key: bigint): Promise<Original | undefined> | undefined {
    return this.#lines.find(digest, key)?.then((words) => {
      if (!words) return undefined;
      const [, date, id, url] = words;
      return { date, url: Buffer.from(url, 'latin1').toString(), ...(id !== '-' && { id }) };
    });
  }

  close(): Promise<void> {
    return this.#lines.close();
  }
}
