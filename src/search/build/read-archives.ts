/**
 * The captures of archives: pages with their main text, and revisits, in the order of the files.
 *
 * Idea      The text of a page depends on the page alone, not on what repeats on its site: the same
 *           page has the same text in every archive, and versions are the same however archives are
 *           put together.
 * Ensures   Never throws for the bytes of an archive; a damaged file is read up to the damage.
 */
import { readWarc, type WarcRecord } from '../../archive/warc/warc-reader.ts';
import type { Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import { conversionOf, idOf, isTextOf, pageOf, type StoredPage } from '../../corpus/stored-page.ts';
import type { Disk } from '../../disk/disk.ts';
import { isHtml } from '../../parse/is-html.ts';
import { parsePage } from '../../parse/page.ts';
import { openTextReader, type TextReader } from '../../text/text-reader.ts';
import { canonicalise } from '../../url/canonical.ts';
import type { PageLink } from '../links/anchor-records.ts';
import { isTime } from './sighting-lines.ts';
import type { IndexCounts, IndexPlan, Progress } from './work.ts';

export interface PageCapture {
  readonly url: string;
  readonly time: Millis;
  readonly file: number;
  readonly offset: number;
  readonly title: string;
  readonly text: string;
  /** Computed when it is asked for. */
  readonly language: string;
  /** Its links; undefined if it is no HTML. */
  readonly links?: readonly PageLink[] | undefined;
}

export interface Revisit {
  readonly url: string;
  readonly time: Millis;
  readonly refersTo: Millis | undefined;
}

/** An answer that the page is not there any more. */
export interface Gone {
  readonly url: string;
  readonly time: Millis;
  readonly isGone: true;
}

/** Why a record with a page is not indexed. */
type Refusal = 'undated' | 'copy';

/** Where a record stands, and what it is. */
export interface Reading {
  readonly file: number;
  readonly offset: number;
  readonly hasResponses: boolean;
  readonly capture: PageCapture | Revisit | Gone | undefined;
}

/** The key of a page. */
export const pageKey = (url: string): bigint => xxh64(url);

/** What makes a version: the same title and main text. */
export const textKey = (title: string, text: string): bigint => xxh64(`${title}\n\n${text}`);

type Found = PageCapture | Revisit | Gone | Refusal | undefined;

const captureOf = (found: Found): Reading['capture'] =>
  typeof found === 'string' ? undefined : found;

interface Unread {
  readonly at: Pick<Reading, 'offset' | 'hasResponses'>;
  readonly found: Found;
}

/**
 * A page waits until the records behind it are known that belong to it: its request, its metadata
 * and its text. The text of a page that scripts have made is only there.
 */
class HeldPage {
  readonly #texts: TextReader;
  #page: (Unread & { readonly id: string }) | undefined;
  #behind: Unread[] = [];

  constructor(texts: TextReader) {
    this.#texts = texts;
  }

  /** Whether the page is to wait; it must be a page, and nothing may wait. */
  holds(record: WarcRecord, found: Found, at: Unread['at']): boolean {
    if (record.type !== 'response' || typeof found !== 'object' || !('text' in found)) return false;
    this.#page = { id: idOf(record), found, at };
    return true;
  }

  /** Whether a record belongs to the page that waits. */
  takes(record: WarcRecord): boolean {
    if (!this.#page) return false;
    const { id, found, at } = this.#page;
    const isText = record.type === 'conversion' && isTextOf(record, id);
    if (!isText && !WITH_PAGE.has(record.type)) return false;
    this.#behind.push({ found: undefined, at: { ...at, offset: record.offset } });
    if (isText) this.#page = { id, at, found: withText(found as PageCapture, record, this.#texts) };
    return true;
  }

  /** The page and the records behind it, in order; nothing waits then. */
  release(): Unread[] {
    if (!this.#page) return [];
    const all = [this.#page, ...this.#behind];
    this.#page = undefined;
    this.#behind = [];
    return all;
  }
}

const WITH_PAGE = new Set<string>(['request', 'metadata']);

function withText(page: PageCapture, { block }: WarcRecord, texts: TextReader): PageCapture {
  const read = texts.readText(Buffer.from(block).toString('utf8'));
  const { url, time, file, offset, title } = page;
  return {
    ...{ url, time, file, offset, title, text: read.text },
    get language() {
      return read.language.code;
    },
    get links() {
      return page.links;
    },
  };
}

export class ArchiveReader {
  readonly counts: IndexCounts;
  readonly damage: string[];
  readonly #disk: Disk;
  readonly #plan: IndexPlan;
  readonly #start: Progress;

  constructor(disk: Disk, plan: IndexPlan, start: Progress) {
    this.#disk = disk;
    this.#plan = plan;
    this.#start = start;
    this.counts = { ...start.counts };
    this.damage = [...start.damage];
  }

  /** Every record from where the progress says; counted when the next one is asked for. */
  async *read(): AsyncGenerator<Reading> {
    const { files, maxPage } = this.#plan;
    const texts = await openTextReader({ extract: 'main', maxBytes: maxPage });
    for (let file = this.#start.file; file < files.length; file++) {
      const isFirst = file === this.#start.file;
      const start = isFirst ? this.#start.offset : 0;
      let hasResponses = isFirst && this.#start.hasResponses;
      const reader = readWarc(files[file].path, { disk: this.#disk, start });
      const held = new HeldPage(texts);
      for await (const record of reader) {
        hasResponses ||= record.type === 'response';
        if (held.takes(record)) continue;
        for (const one of held.release()) {
          yield { file, ...one.at, capture: captureOf(one.found) };
          this.#count(one.found);
        }
        const found = await this.#captureIn(record, file, hasResponses, texts);
        const at = { offset: record.offset, hasResponses };
        if (held.holds(record, found, at)) continue;
        yield { file, ...at, capture: captureOf(found) };
        this.#count(found);
      }
      for (const one of held.release()) {
        yield { file, ...one.at, capture: captureOf(one.found) };
        this.#count(one.found);
      }
      if (reader.fault) {
        const { kind, offset, fact } = reader.fault;
        this.damage.push(
          `${files[file].path} is ${kind} at byte ${offset}: ${fact.replace(/\.?$/, '.')} Pages after it are not in the index.`,
        );
      }
    }
  }

  #count(found: Found): void {
    this.counts.records++;
    if (found === 'undated') this.counts.undated++;
    else if (found === 'copy') this.counts.copies++;
    else if (found === undefined || 'isGone' in found) return;
    else if ('text' in found) this.counts.pages++;
    else this.counts.revisits++;
  }

  async #captureIn(
    record: WarcRecord,
    file: number,
    hasResponses: boolean,
    texts: TextReader,
  ): Promise<Found> {
    if (record.type === 'revisit') return this.#revisitIn(record);
    const { maxPage } = this.#plan;
    const isText = record.type === 'conversion' && !hasResponses;
    const page = isText ? conversionOf(record, maxPage) : await pageOf(record, maxPage);
    if (page === 'status') return goneIn(record);
    if (typeof page === 'string') return undefined;
    if (!isTime(page.date)) return 'undated';
    // The bytes of a record are gone when the next one is read, and a page waits for its text.
    return captured({ ...page, body: Buffer.from(page.body) }, page.date, file, texts);
  }

  #revisitIn({ headers }: WarcRecord): Revisit | Refusal | undefined {
    const url = canonicalise(bare(headers.targetUri ?? ''));
    const time = Date.parse(headers.get('WARC-Date') ?? '');
    if (url === undefined) return undefined;
    if (!isTime(time)) return 'undated';
    const original = headers.get('WARC-Refers-To-Target-URI');
    if (original !== undefined && canonicalise(bare(original)) !== url) return 'copy';
    const refersTo = Date.parse(headers.get('WARC-Refers-To-Date') ?? '');
    return { url, time, refersTo: isTime(refersTo) ? refersTo : undefined };
  }
}

/** The statuses that say so, not those of a server that fails. */
const GONE_STATUS = /^HTTP\/\S+ (?:404|410)\b/;

function goneIn({ headers, block }: WarcRecord): Gone | undefined {
  const url = canonicalise(bare(headers.targetUri ?? ''));
  const time = Date.parse(headers.get('WARC-Date') ?? '');
  const status = Buffer.from(block.subarray(0, 64)).toString('latin1');
  if (url === undefined || !isTime(time) || !GONE_STATUS.test(status)) return undefined;
  return { url, time, isGone: true };
}

const bare = (url: string): string => url.replace(/^<(.*)>$/, '$1');

function captured(page: StoredPage, time: Millis, file: number, texts: TextReader): PageCapture {
  const { canonical: url, offset, contentType, body } = page;
  const read = texts.read(body, { contentType });
  const { title = '', text } = read;
  return {
    ...{ url, time, file, offset, title, text },
    get language() {
      return read.language.code;
    },
    get links() {
      return isHtml(contentType, body) ? linksIn(page) : undefined;
    },
  };
}

/** The links of a page that a reader can follow. */
function linksIn({ canonical: url, contentType, body }: StoredPage): PageLink[] {
  const { links } = parsePage(body, { url, contentType }, { texts: true });
  return links.filter(({ kind }) => kind === 'a' || kind === 'area');
}
