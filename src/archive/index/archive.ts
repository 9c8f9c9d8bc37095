/**
 * Look-ups in an archive: a crawl folder, a folder of WARC files, or one such file.
 *
 * Idea      With a sorted index a look-up takes a few reads. Without one (the crawl still runs or
 *           was killed, or the files come from elsewhere) the lines of the captures are collected
 *           from the agents' parts or from the files, and sorted here: slower, with the same
 *           result.
 * Requires  A place on disk. Files may grow while they are read: only what existed at the beginning
 *           is seen.
 * Ensures   Captures come in the order of the index: by key, then by time. A revisit resolves to
 *           the page it refers to, if that is in the same archive or in a collection that the crawl
 *           was compared with (`earlier/sources`), or in one that this was compared with, and so
 *           on.
 * Cost      Without an index, a look-up reads the whole archive, in fixed memory.
 */
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DrumlinError, EXIT, systemCode } from '../../base/errors.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { LineSorter } from '../../disk/line-sort.ts';
import { isSegment, Segments } from '../warc/segments.ts';
import { isWarcName } from '../warc/warc-names.ts';
import { readWarc, type WarcRecord } from '../warc/warc-reader.ts';
import { type Capture, indexLine, parseCdxj, REVISIT_MIME } from './cdxj.ts';
import { openIndex, type SortedIndex } from './index-file.ts';
import { archiveDir, indexDir, partLines, scannedLines, warcNames } from './index-merge.ts';
import { surt } from './surt.ts';

export interface WarcFile {
  /** Its name in the index. */
  readonly name: string;
  readonly path: string;
}

/** Selects captures: all given conditions must hold. */
export interface CaptureQuery {
  /** URLs with the same index key. */
  readonly url?: string | undefined;
  /** URLs with this prefix, which must contain the whole host. */
  readonly prefix?: string | undefined;
  /** URLs of this domain and of all hosts below it. */
  readonly domain?: string | undefined;
  /** The earliest time: any number of leading digits of `20260314150926`. */
  readonly from?: string | undefined;
  /** The latest time, in the same form as `from`. */
  readonly to?: string | undefined;
  /** A status like `404`, or `5xx` for a class. */
  readonly status?: string | undefined;
}

const SORT_MEMORY: Bytes = 64 * 2 ** 20;
let sorters = 0;

export class Archive {
  readonly #disk: Disk;
  /** The crawl folder; undefined if the archive is not one. */
  readonly dir: string | undefined;
  readonly files: readonly WarcFile[];
  readonly index: SortedIndex | undefined;
  /**
   * Damaged files that were read without an index, with the damage: captures after it were not
   * seen.
   */
  readonly damage = new Map<string, string>();
  #collections: readonly string[] | undefined;
  readonly #opened = new Map<string, Archive | undefined>();

  private constructor(
    disk: Disk,
    dir: string | undefined,
    files: readonly WarcFile[],
    index: SortedIndex | undefined,
  ) {
    this.#disk = disk;
    this.dir = dir;
    this.files = files;
    this.index = index;
  }

  /** `spare` is used where the archive has no index. */
  static async open(disk: Disk, place: string, spare?: SortedIndex): Promise<Archive> {
    if (!(await isFolder(disk, place))) {
      return new Archive(disk, undefined, [{ name: basename(place), path: place }], undefined);
    }
    const crawled = await warcNames(disk, archiveDir(place));
    if (crawled.length > 0) {
      const files = crawled.map((name) => ({ name, path: join(archiveDir(place), name) }));
      return new Archive(disk, place, files, (await openIndex(disk, indexDir(place))) ?? spare);
    }
    const names = await warcNames(disk, place);
    if (names.length === 0) throw nothingThere(place);
    const files = names.map((name) => ({ name, path: join(place, name) }));
    return new Archive(disk, undefined, files, (await openIndex(disk, place)) ?? spare);
  }

  /** Captures in the order of the index; only those whose line is not below `from`. */
  async *captures(query: CaptureQuery = {}, from = ''): AsyncGenerator<Capture> {
    const start = keyPrefix(query);
    const wants = (capture: Capture) => matches(capture, query);
    const first = from > start ? from : start;
    const batches = this.index ? this.index.linesFrom(first) : this.#sortedLines(start, wants);
    for await (const lines of batches) {
      for (const line of lines) {
        if (line < first) continue;
        if (!line.startsWith(start)) return;
        const capture = parseCdxj(line);
        if (capture && wants(capture)) yield capture;
      }
    }
  }

  /** The lines of an index of the whole archive, in order. */
  lines(): AsyncGenerator<string[]> {
    return this.index ? this.index.linesFrom('') : this.#sortedLines('', () => true);
  }

  /**
   * The capture of a URL that is nearest to a time, by default the latest. The exact spelling of
   * the URL takes precedence.
   */
  async nearest(url: string, at: Millis = Number.POSITIVE_INFINITY): Promise<Capture | undefined> {
    let best: Capture | undefined;
    let bestRank = [Number.NaN, Number.NaN];
    for await (const capture of this.captures({ url })) {
      const time = millisOf(capture.timestamp);
      const rank = [
        capture.url === url ? 0 : 1,
        at === Number.POSITIVE_INFINITY ? -time : Math.abs(time - at),
      ];
      if (best !== undefined && (rank[0] - bestRank[0] || rank[1] - bestRank[1]) >= 0) continue;
      best = capture;
      bestRank = rank;
    }
    return best;
  }

  /** The record of a capture; throws if another record is at its position. */
  async record(capture: Capture): Promise<WarcRecord> {
    const file = this.files.find(({ name }) => name === capture.filename);
    if (!file) throw gone(capture, `${capture.filename} is not in the archive`);
    const reader = readWarc(file.path, { disk: this.#disk, start: capture.offset });
    let member: Bytes | undefined;
    for await (const record of reader) {
      member ??= record.offset;
      if (record.offset !== member) break;
      if (record.headers.targetUri === capture.url && !isNote(record))
        return isSegment(record) ? this.#joined(record, file, capture) : record;
      if (!record.sharesMember) break;
    }
    const what = reader.fault?.fact ?? 'another record is there';
    throw gone(capture, `${file.path} has no record of it at byte ${capture.offset} (${what})`);
  }

  /** The record with its other segments, which follow it in its file or are in another. */
  async #joined(first: WarcRecord, file: WarcFile, capture: Capture): Promise<WarcRecord> {
    const segments = new Segments(first);
    const others = this.files.filter((other) => other !== file);
    for (const { path } of [file, ...others]) {
      const start = path === file.path ? capture.offset : 0;
      for await (const record of readWarc(path, { disk: this.#disk, start })) {
        segments.offer(record);
        const { whole } = segments;
        if (whole) return whole;
      }
    }
    throw new DrumlinError(
      'SEGMENTS_MISSING',
      `${capture.url} is stored in several records, and some of them are not in this archive.`,
      'Put all files of the collection into one folder, and name that folder.',
      { exitCode: EXIT.damaged },
    );
  }

  /** The record with the page itself: for a revisit, the one it refers to. */
  async page(capture: Capture): Promise<WarcRecord> {
    const record = await this.record(capture);
    if (record.type !== 'revisit') return record;
    const original = await this.original(record);
    if (original) return original;
    throw new DrumlinError(
      'ORIGINAL_MISSING',
      `${capture.url} had the same content as ${record.headers.get('WARC-Refers-To-Target-URI') ?? 'an earlier page'}, stored at ${record.headers.get('WARC-Refers-To-Date') ?? 'an earlier time'}, which is neither in this archive nor in the collections it was compared with.`,
      'Put the collection that holds it back where "earlier/sources" in the folder names it.',
      { exitCode: EXIT.damaged },
    );
  }

  /** The record that a revisit refers to, here or in an earlier collection. */
  async original(revisit: WarcRecord): Promise<WarcRecord | undefined> {
    const here = await this.#originalHere(revisit);
    if (here) return here;
    for (const place of await this.collections()) {
      const archive = await this.#earlier(place);
      const found = archive && (await archive.#originalHere(revisit));
      if (found) return found;
    }
    return undefined;
  }

  /**
   * The folders of the crawls that this one was compared with, and those that these were compared
   * with, each once.
   */
  async collections(): Promise<readonly string[]> {
    this.#collections ??= await collectionsOf(this.#disk, this.dir);
    return this.#collections;
  }

  /** Undefined if it is no longer there. */
  async #earlier(place: string): Promise<Archive | undefined> {
    if (!this.#opened.has(place))
      this.#opened.set(place, await Archive.open(this.#disk, place).catch(() => undefined));
    return this.#opened.get(place);
  }

  async #originalHere(revisit: WarcRecord): Promise<WarcRecord | undefined> {
    const { headers } = revisit;
    const url = headers.get('WARC-Refers-To-Target-URI') ?? headers.targetUri ?? '';
    const date = headers.get('WARC-Refers-To-Date')?.replace(/\D/g, '').slice(0, 14);
    const digest = headers.get('WARC-Payload-Digest');
    for await (const capture of this.captures({ url })) {
      if (capture.mime === REVISIT_MIME || (date !== undefined && capture.timestamp !== date))
        continue;
      const record = await this.record(capture);
      if (digest === undefined || record.headers.get('WARC-Payload-Digest') === digest)
        return record;
    }
    return undefined;
  }

  async *#sortedLines(
    start: string,
    wants: (capture: Capture) => boolean,
  ): AsyncGenerator<string[]> {
    const sorter = new LineSorter(
      this.#disk,
      tmpdir(),
      `drumlin-${process.pid}-${sorters++}`,
      SORT_MEMORY,
    );
    try {
      for await (const lines of this.#lines()) {
        for (const line of lines) {
          if (!line.startsWith(start)) continue;
          const capture = parseCdxj(line);
          if (capture && wants(capture)) await sorter.add(indexLine(line));
        }
      }
      yield* sorter.sorted();
    } finally {
      await sorter.close();
    }
  }

  async *#lines(): AsyncGenerator<string[]> {
    if (this.dir !== undefined) yield* partLines(this.#disk, this.dir);
    else {
      for (const { path, name } of this.files) {
        yield* scannedLines(this.#disk, path, name, (at, fact) => {
          this.damage.set(path, `it is damaged from byte ${at} on: ${fact}`);
        });
      }
    }
  }
}

/** The collections that a crawl was compared with, in the order of `earlier/sources`. */
export async function collectionsOf(disk: Disk, dir: string | undefined): Promise<string[]> {
  const found = new Set<string>();
  const queue = dir === undefined ? [] : [dir];
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    for (const source of await sourcesIn(disk, place)) {
      if (found.has(source) || source === dir) continue;
      found.add(source);
      queue.push(source);
    }
  }
  return [...found];
}

async function sourcesIn(disk: Disk, dir: string): Promise<string[]> {
  try {
    const text = await disk.readText(join(dir, 'earlier', 'sources'));
    return text.split('\n').filter((source) => source !== '' && !source.endsWith('.cdxj'));
  } catch (error) {
    // A source may be gone, or be a file.
    if (error instanceof DrumlinError) return [];
    throw error;
  }
}

async function isFolder(disk: Disk, place: string): Promise<boolean> {
  try {
    await disk.list(place);
    return true;
  } catch (error) {
    if (systemCode((error as Error).cause) === 'ENOTDIR') return false;
    throw error;
  }
}

/** Refuses a file of another kind by name: it would silently have no captures. */
export async function requireWarc(disk: Disk, path: string): Promise<void> {
  const reader = readWarc(path, { disk });
  for await (const _ of reader) return;
  if (!reader.fault) return;
  throw new DrumlinError(
    'NOT_WARC',
    `${path} cannot be read as a WARC file: ${reader.fault.fact}.`,
    /\.wacz$/i.test(path)
      ? 'A WACZ is a zip file: unpack it, and give the folder "archive" in it.'
      : `Give a crawl folder, a folder of WARC files, or a WARC file.${isWarcName(path) ? ' If it is damaged, "drumlin archive repair" keeps the complete records.' : ''}`,
    { exitCode: EXIT.damaged },
  );
}

/** Records about another record also carry its URL. */
function isNote({ type, headers }: WarcRecord): boolean {
  return type === 'request' || /^application\/warc-fields/i.test(headers.get('Content-Type') ?? '');
}

const domainKey = (domain: string): string => surt(`http://${domain}/`).replace(/\)\/$/, '');

/** The common beginning of the wanted lines. */
function keyPrefix({ url, prefix, domain }: CaptureQuery): string {
  if (url !== undefined) return `${surt(url)} `;
  if (domain !== undefined) return domainKey(domain);
  if (prefix === undefined) return '';
  // Keys have sorted queries, and the prefix may end within an escape: only the text before them
  // orders URLs like keys.
  const plain = prefix.replace(/[?#%].*$/s, '');
  const key = surt(plain);
  return /^[a-z][a-z0-9+.-]*:\/\/[^/]*$/i.test(plain)
    ? key.replace(/\/$/, '')
    : key.replace(/\)\/$/, ')/');
}

function matches({ key, timestamp, url, status }: Capture, query: CaptureQuery): boolean {
  const { prefix, domain, from, to } = query;
  // The key of example.com begins that of example.commerce.
  if (domain !== undefined && !/^[,:)]/.test(key.slice(domainKey(domain).length))) return false;
  if (query.status !== undefined && !status.startsWith(query.status.replace(/x+$/i, '')))
    return false;
  if (prefix !== undefined && !url.startsWith(prefix)) return false;
  if (from !== undefined && timestamp < from) return false;
  return to === undefined || timestamp.slice(0, to.length) <= to;
}

/** `20260314150926` as a time; missing digits mean the beginning of the period. */
export function millisOf(timestamp: string): Millis {
  const part = (from: number, to: number, least: number) =>
    Number(timestamp.slice(from, to) || least);
  return Date.UTC(
    part(0, 4, 1970),
    part(4, 6, 1) - 1,
    part(6, 8, 1),
    part(8, 10, 0),
    part(10, 12, 0),
    part(12, 14, 0),
  );
}

function nothingThere(place: string): DrumlinError {
  return new DrumlinError(
    'ARCHIVE_MISSING',
    `${place} contains no WARC files.`,
    'Give a crawl folder, a folder of .warc, .warc.gz or .warc.zst files, or such a file.',
    { exitCode: EXIT.folder },
  );
}

function gone({ url }: Capture, fact: string): DrumlinError {
  return new DrumlinError(
    'CAPTURE_GONE',
    `The index names ${url}, but ${fact}.`,
    'Run "drumlin archive index" on the folder to make the index again.',
    { exitCode: EXIT.damaged },
  );
}
