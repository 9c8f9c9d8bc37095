/**
 * The first look at a WARC file: all of it that does not depend on other files.
 *
 * Idea      Blocks that repeat on a site, revisits and what a robots.txt says about the use of its
 *           site lie anywhere in the archive. A survey collects them from one file: the keys of
 *           blocks (src/text/repeats.ts), the records that revisits refer to, the refusals of
 *           sites. The first 64 pages of a host in the file are enough for its blocks. What is left
 *           of the pages themselves goes to a file of its own (pages-file.ts), so that the archive
 *           is read once.
 * Format    .keys: for each page the number of its keys (u32), then the keys. .revisits: a line for
 *           each revisit, with the key of the record it refers to (revisits.ts).
 */
import { payloadOf } from '../archive/warc/http-block.ts';
import { readWarc, type WarcRecord } from '../archive/warc/warc-reader.ts';
import type { Bytes } from '../base/units.ts';
import { xxh64 } from '../base/xxh64.ts';
import { decodeContent } from '../fetch/decode.ts';
import { repeatKeys } from '../text/repeats.ts';
import { openExtractor } from '../text/text-reader.ts';
import { canonicalise } from '../url/canonical.ts';
import { hostOf, originOf, pathOf } from '../url/parts.ts';
import { type UsageRule, usageRules } from './opt-out.ts';
import { PagesWriter } from './pages-file.ts';
import { addTo, type CorpusPlan, type Counts } from './plan.ts';
import { revisitKey } from './revisits.ts';
import { type PageScan, PageScanner } from './scan-page.ts';
import { conversionOf, headOf, isTextOf, pageOf, type StoredPage } from './stored-page.ts';
import type { WorkFolder } from './work-folder.ts';

export interface Survey {
  readonly crawl: string;
  readonly records: number;
  readonly pages: number;
  /** Records that are no pages, by reason. */
  readonly others: Counts;
  readonly revisits: number;
  /** Where segments begin in the file of pages. */
  readonly starts: readonly number[];
  /** The length of the file of pages. */
  readonly end: number;
  readonly damage?: string;
  /** Refusals by origin. */
  readonly usages: readonly (readonly [origin: string, rules: readonly UsageRule[]])[];
}

const ROBOTS_BYTES = 500 * 1024;
/** Pages of a host in one file whose blocks are counted: so many show what repeats. */
const SAMPLE = 64;
/** Hosts are told apart by so many bits of a hash: their names would take memory without end. */
const SLOT_BITS = 22;
const BATCH_BYTES = 2 ** 20;

export async function survey(work: WorkFolder, plan: CorpusPlan, index: number): Promise<Survey> {
  const input = plan.inputs[index];
  const { maxPage, sizes, extract } = plan.settings;
  const paths = ['keys', 'revisits', 'pages'].map((ending) => work.file('survey', index, ending));
  const reader = readWarc(input.path, { disk: work.disk });
  const scanner = new PageScanner(extract, await openExtractor(extract), maxPage);
  const found = new Findings(input.crawl);
  await work.write(paths, async ([keysFile, revisitsFile, pagesFile]) => {
    const collector = new PageCollector(scanner, new PagesWriter(pagesFile), new Batches(keysFile));
    const lines = new Batches(revisitsFile);
    let boundary = sizes.segment;
    for await (const record of reader) {
      found.records++;
      if (record.type === 'warcinfo' && input.folder === undefined)
        found.crawl = partOf(record) ?? found.crawl;
      if (record.type === 'revisit') {
        found.revisits++;
        await lines.add(Buffer.from(`${revisitKey(record)}\n`));
      }
      if (record.type === 'response') found.hasResponses = true;
      if (collector.addText(record)) continue;
      const page = await found.pageIn(record, maxPage);
      if (typeof page === 'string') {
        addTo(found.others, page);
        if (page === 'robots.txt') found.usages.push(...(await usagesOf(record)));
        continue;
      }
      found.pages++;
      await collector.add(page);
      if (record.offset >= boundary) {
        found.starts.push(collector.position);
        boundary = record.offset + sizes.segment;
      }
    }
    await collector.finish();
    found.end = collector.position;
    await lines.flush();
  });
  const { fault } = reader;
  const damage = fault && `${fault.kind} at byte ${fault.offset}: ${fault.fact}`;
  const { hasResponses: _, ...survey } = found;
  return { ...survey, ...(damage !== undefined && { damage }) };
}

/** What was found in a file so far. */
class Findings {
  crawl: string;
  records = 0;
  pages = 0;
  readonly others: Counts = {};
  revisits = 0;
  readonly starts: number[] = [0];
  end = 0;
  readonly usages: [string, UsageRule[]][] = [];
  hasResponses = false;

  constructor(crawl: string) {
    this.crawl = crawl;
  }

  /** A text without its response is a page only where the file has no responses at all. */
  async pageIn(record: WarcRecord, maxPage: Bytes): ReturnType<typeof pageOf> {
    if (record.type === 'conversion' && !this.hasResponses) return conversionOf(record, maxPage);
    return pageOf(record, maxPage);
  }
}

/** Writes pages. Each waits for the next, because its text may stand in a record behind it. */
class PageCollector {
  readonly #scanner: PageScanner;
  readonly #pages: PagesWriter;
  readonly #keys: Batches;
  /** How many pages of hosts were sampled, by the hash of the host. */
  readonly #sampled = new Uint8Array(2 ** SLOT_BITS);
  #waiting: PageScan | undefined;

  constructor(scanner: PageScanner, pages: PagesWriter, keys: Batches) {
    this.#scanner = scanner;
    this.#pages = pages;
    this.#keys = keys;
  }

  /** Where the page that was added last begins in the file, or the file ends. */
  get position(): number {
    return this.#pages.position;
  }

  async add(page: StoredPage): Promise<void> {
    await this.#write();
    this.#waiting = this.#scanner.scan(page);
  }

  /** Takes a `conversion` record of the page that was added last; false if it is of another. */
  addText(record: WarcRecord): boolean {
    if (record.type !== 'conversion' || this.#waiting === undefined) return false;
    if (!isTextOf(record, this.#waiting.page.id)) return false;
    this.#waiting = this.#scanner.withText(this.#waiting, record.block);
    return true;
  }

  async finish(): Promise<void> {
    await this.#write();
    await this.#pages.flush();
    await this.#keys.flush();
  }

  async #write(): Promise<void> {
    if (this.#waiting === undefined) return;
    const { page, content, blocks } = this.#waiting;
    this.#waiting = undefined;
    await this.#pages.add(page, content);
    const host = hostOf(page.canonical);
    if (blocks === undefined) return;
    const slot = Number(BigInt.asUintN(SLOT_BITS, xxh64(host)));
    if (this.#sampled[slot] >= SAMPLE) return;
    this.#sampled[slot]++;
    const keys = repeatKeys(host, blocks);
    await this.#keys.add(new Uint8Array(Uint32Array.of(keys.length).buffer));
    await this.#keys.add(new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength));
  }
}

/** `isPartOf` of a warcinfo record. */
function partOf({ block }: WarcRecord): string | undefined {
  const text = Buffer.from(block.subarray(0, 2 ** 16)).toString('utf8');
  return /^isPartOf:[ \t]*(\S.*?)\s*$/im.exec(text)?.[1];
}

async function usagesOf(record: WarcRecord): Promise<[string, UsageRule[]][]> {
  const head = headOf(record);
  const url = canonicalise(record.headers.targetUri ?? '');
  if (head?.status !== 200 || url === undefined || pathOf(url) !== '/robots.txt') return [];
  const { body } = await decodeContent({
    payload: payloadOf(record.block),
    headers: head.headers,
  });
  const rules = usageRules(body.subarray(0, ROBOTS_BYTES));
  return rules.length === 0 ? [] : [[originOf(url), rules]];
}

/** Pieces that are written together. */
class Batches {
  readonly #file: { writeAll(bytes: Uint8Array, position: number): Promise<void> };
  /** One piece of memory: many small ones take several times their length. */
  #bytes = Buffer.allocUnsafeSlow(BATCH_BYTES);
  #held = 0;
  #position = 0;

  constructor(file: { writeAll(bytes: Uint8Array, position: number): Promise<void> }) {
    this.#file = file;
  }

  async add(piece: Uint8Array): Promise<void> {
    if (this.#held + piece.length > this.#bytes.length) await this.flush();
    if (piece.length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(piece.length);
    this.#bytes.set(piece, this.#held);
    this.#held += piece.length;
  }

  async flush(): Promise<void> {
    await this.#file.writeAll(this.#bytes.subarray(0, this.#held), this.#position);
    this.#position += this.#held;
    this.#held = 0;
  }
}
