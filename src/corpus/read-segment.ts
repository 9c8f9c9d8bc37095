/**
 * Reads the pages of a segment: their text, language and signals, as rows.
 *
 * Idea      A page becomes a row; the conditions see the row; what is left goes to the file of rows
 *           with its sketch. What is left out is counted by the reason.
 * Requires  The surveys of all files: what repeats on sites, and what sites refuse.
 */
import { readWarc } from '../archive/warc/warc-reader.ts';
import { type Fingerprint, fingerprintOf } from '../duplicates/fingerprint.ts';
import type { ListTable } from '../filter/list-table.ts';
import { declaredOutside, isAsciiCompatible } from '../parse/charset.ts';
import { isHtml } from '../parse/is-html.ts';
import type { RepeatTable } from '../text/repeats.ts';
import { openTextReader, type PageText, type TextReader } from '../text/text-reader.ts';
import { payLevelDomain } from '../url/domain.ts';
import { hostOf, originOf, pathOf } from '../url/parts.ts';
import { AT, type Row } from './columns.ts';
import { type Condition, conditionsOf } from './condition.ts';
import { masked } from './mask.ts';
import { SketchWriter } from './near/sketch-file.ts';
import { optOutOf, type UsageRule } from './opt-out.ts';
import { addTo, type CorpusPlan, type Counts, type Segment } from './plan.ts';
import { pageKeys } from './revisits.ts';
import { RowsWriter } from './rows-file.ts';
import { pageOf, type StoredPage } from './stored-page.ts';
import type { WorkFolder } from './work-folder.ts';

/** What was read, and what was left out. */
export interface SegmentResult {
  readonly pages: number;
  readonly rows: number;
  /** Bytes of the rows, compressed. */
  readonly bytes: number;
  /** Pages left out, by reason: an opt-out, or the printed form of a condition. */
  readonly optOuts: Counts;
  readonly conditions: Counts;
  /** Pages that are no text in any charset. */
  readonly noText: number;
  readonly truncated: number;
  readonly words: number;
  readonly languages: Counts;
  /** Rows by the number of binary digits of their words. */
  readonly lengths: Counts;
  /** Rows of each domain, in the order of names. */
  readonly domains: readonly (readonly [domain: string, rows: number])[];
}

/** What all segments need, loaded once a thread. */
export interface ReadingContext {
  readonly plan: CorpusPlan;
  readonly repeats: RepeatTable;
  readonly usages: ReadonlyMap<string, readonly UsageRule[]>;
  readonly withRevisits: boolean;
  readonly ranks: ListTable | undefined;
  readonly spam: ListTable | undefined;
}

export class SegmentReader {
  readonly #work: WorkFolder;
  readonly #context: ReadingContext;
  readonly #text: TextReader;
  readonly #conditions: readonly Condition[];

  private constructor(work: WorkFolder, context: ReadingContext, text: TextReader) {
    this.#work = work;
    this.#context = context;
    this.#text = text;
    this.#conditions = context.plan.settings.where.flatMap(conditionsOf);
  }

  static async open(work: WorkFolder, context: ReadingContext): Promise<SegmentReader> {
    const { extract, maxPage } = context.plan.settings;
    return new SegmentReader(work, context, await openTextReader({ extract, maxBytes: maxPage }));
  }

  async read(index: number, segment: Segment): Promise<SegmentResult> {
    const { maxPage, duplicates } = this.#context.plan.settings;
    const input = this.#context.plan.inputs[segment.input];
    const tally = new Tally();
    const endings = ['rows', 'sketches', 'pages'];
    const paths = endings.map((ending) => this.#work.file('read', index, ending));
    const reader = readWarc(input.path, { disk: this.#work.disk, start: segment.start });
    let bytes = 0;
    await this.#work.write(paths, async ([rowsFile, sketchFile, pagesFile]) => {
      const rows = await RowsWriter.create(rowsFile);
      const sketches = new SketchWriter(sketchFile);
      let keys = '';
      if (segment.start < segment.end) {
        for await (const record of reader) {
          if (record.offset >= segment.end) break;
          const page = await pageOf(record, maxPage);
          if (typeof page === 'string') continue;
          const row = this.#row(page, input.name, segment.crawl, tally);
          if (row === undefined) continue;
          await rows.add(row);
          if (duplicates !== 'keep') {
            await sketches.add(sketchOf(page, row), page.date ?? 0, page.id);
          }
          if (this.#context.withRevisits)
            keys += `${pageKeys(page.id, page.url, page.date ?? 0).join(' ')}\n`;
        }
      }
      await rows.flush();
      await sketches.flush();
      await pagesFile.writeAll(Buffer.from(keys), 0);
      bytes = rows.bytes;
    });
    return tally.result(bytes);
  }

  /** The row of a page; undefined if it is left out. */
  #row(page: StoredPage, file: string, crawl: string, tally: Tally): Row | undefined {
    tally.pages++;
    const { settings } = this.#context.plan;
    const host = hostOf(page.canonical);
    const optOut = optOutOf(
      page.headers,
      page.body,
      isHtml(page.contentType, page.body),
      this.#context.usages.get(originOf(page.canonical)) ?? [],
      pathOf(page.canonical),
    );
    if (optOut !== undefined && !settings.includeOptOuts) {
      addTo(tally.optOuts, optOut);
      return undefined;
    }
    const read = this.#text.read(page.body, {
      contentType: page.contentType,
      repeats: this.#context.repeats.of(host),
    });
    if (!read.isText) tally.noText++;
    const row = this.#cells(page, read, { file, crawl, domain: payLevelDomain(host), optOut });
    const failed = this.#conditions.find(({ holds }) => !holds(row));
    if (failed) {
      addTo(tally.conditions, failed.text);
      return undefined;
    }
    tally.row(row);
    return row;
  }

  #cells(
    page: StoredPage,
    read: PageText,
    about: { file: string; crawl: string; domain: string; optOut: string | undefined },
  ): Row {
    const { mask } = this.#context.plan.settings;
    const { ranks, spam } = this.#context;
    const { file, crawl, domain, optOut } = about;
    const { language, title, author, published } = read;
    const plain = (text: string | undefined) => (text === undefined ? null : masked(text, mask));
    return [
      ...[page.id, page.url, domain, crawl, page.date ?? null, file, page.offset],
      ...[plain(title), plain(author), published ?? null],
      ...(language.code === '' ? [null, null] : [language.code, language.score]),
      masked(read.text, mask),
      ...read.signals,
      page.truncated || read.truncated,
      ranks?.valueOf(domain) ?? null,
      spam?.valueOf(domain) ?? null,
      optOut ?? null,
    ];
  }
}

/**
 * The fingerprint of a page, by its bytes as in a crawl: in the lab it finds 95 of 100 copies, and
 * that of a first form of the main text found 88. A page whose bytes do not contain ASCII is known
 * by its text.
 */
function sketchOf({ body, contentType }: StoredPage, row: Row): Fingerprint {
  const charset = declaredOutside(body, contentType);
  if (charset === undefined || isAsciiCompatible(charset)) return fingerprintOf(body);
  return fingerprintOf(Buffer.from((row[AT.text] as string).replaceAll('<', ' ')));
}

class Tally {
  pages = 0;
  noText = 0;
  readonly optOuts: Counts = {};
  readonly conditions: Counts = {};
  readonly #languages: Counts = {};
  readonly #lengths: Counts = {};
  readonly #domains = new Map<string, number>();
  #rows = 0;
  #truncated = 0;
  #words = 0;

  row(row: Row): void {
    this.#rows++;
    const words = row[AT.words] as number;
    this.#words += words;
    if (row[AT.truncated] === true) this.#truncated++;
    addTo(this.#languages, (row[AT.language] as string | null) ?? '');
    addTo(this.#lengths, String(32 - Math.clz32(words)));
    const domain = row[AT.domain] as string;
    this.#domains.set(domain, (this.#domains.get(domain) ?? 0) + 1);
  }

  result(bytes: number): SegmentResult {
    const { pages, noText, optOuts, conditions } = this;
    return {
      ...{ pages, rows: this.#rows, bytes, optOuts, conditions, noText },
      ...{ truncated: this.#truncated, words: this.#words },
      ...{ languages: this.#languages, lengths: this.#lengths },
      domains: [...this.#domains].sort(([a], [b]) => (a < b ? -1 : 1)),
    };
  }
}
