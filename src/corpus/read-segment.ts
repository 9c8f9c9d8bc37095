/**
 * Reads the pages of a segment: their text, language and signals, as rows.
 *
 * Idea      A page becomes a row; the conditions see the row; what is left goes to the file of rows
 *           with its sketch. What is left out is counted by the reason.
 * Requires  The surveys of all files: their pages, what repeats on sites, and what sites refuse.
 */
import type { ListTable } from '../filter/list-table.ts';
import { type LanguageDetector, openLanguageDetector } from '../text/language.ts';
import { mainChoice } from '../text/main-text.ts';
import type { RepeatTable } from '../text/repeats.ts';
import { signalsOf } from '../text/text-signals.ts';
import { payLevelDomain } from '../url/domain.ts';
import { hostOf, originOf, pathOf } from '../url/parts.ts';
import { AT, type Row } from './columns.ts';
import { type Condition, conditionsOf } from './condition.ts';
import { masked } from './mask.ts';
import { SketchWriter } from './near/sketch-file.ts';
import { type UsageRule, withRobots } from './opt-out.ts';
import { type PageContent, readPages, type ScannedPage } from './pages-file.ts';
import { addTo, type CorpusPlan, type Counts, type Segment } from './plan.ts';
import { pageKeys } from './revisits.ts';
import { RowsWriter } from './rows-file.ts';
import type { WorkFolder } from './work-folder.ts';

/** What was read, and what was left out. */
export interface SegmentResult {
  readonly pages: number;
  readonly rows: number;
  /** About the bytes of the rows when they are compressed. */
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
}

/** What all segments need, loaded once a thread. */
export interface ReadingContext {
  readonly plan: CorpusPlan;
  readonly repeats: RepeatTable;
  readonly usages: ReadonlyMap<string, readonly UsageRule[]>;
  readonly withRevisits: boolean;
  /** The ranks of domains, for each WARC file. */
  readonly ranks: readonly (ListTable | undefined)[];
  readonly spam: ListTable | undefined;
}

export class SegmentReader {
  readonly #work: WorkFolder;
  readonly #context: ReadingContext;
  readonly #languages: LanguageDetector;
  readonly #conditions: readonly Condition[];

  private constructor(work: WorkFolder, context: ReadingContext, languages: LanguageDetector) {
    this.#work = work;
    this.#context = context;
    this.#languages = languages;
    this.#conditions = context.plan.settings.where.flatMap(conditionsOf);
  }

  static async open(work: WorkFolder, context: ReadingContext): Promise<SegmentReader> {
    return new SegmentReader(work, context, await openLanguageDetector());
  }

  async read(index: number, segment: Segment): Promise<SegmentResult> {
    const { duplicates } = this.#context.plan.settings;
    const tally = new Tally();
    const endings = ['rows', 'sketches', 'pages', 'domains'];
    const paths = endings.map((ending) => this.#work.file('read', index, ending));
    const stored = this.#work.file('survey', segment.input, 'pages');
    let bytes = 0;
    await this.#work.write(paths, async ([rowsFile, sketchFile, pagesFile, domainsFile]) => {
      const rows = await RowsWriter.create(rowsFile);
      const sketches = new SketchWriter(sketchFile);
      let keys = '';
      for await (const page of readPages(this.#work.disk, stored, segment.start, segment.end)) {
        const row = this.#row(page, segment, tally);
        if (row === undefined) continue;
        const full = rows.add(row);
        if (full) await full;
        if (duplicates !== 'keep') await sketches.add(page.fingerprint, page.date ?? 0, page.id);
        if (this.#context.withRevisits)
          keys += `${pageKeys(page.id, page.url, page.date ?? 0).join(' ')}\n`;
      }
      await rows.flush();
      await sketches.flush();
      await pagesFile.writeAll(Buffer.from(keys), 0);
      await domainsFile.writeAll(Buffer.from(tally.domainLines()), 0);
      bytes = rows.bytes;
    });
    return tally.result(bytes);
  }

  /** The row of a page; undefined if it is left out. */
  #row(page: ScannedPage, segment: Segment, tally: Tally): Row | undefined {
    tally.pages++;
    const { settings } = this.#context.plan;
    const { canonical, content } = page;
    const host = hostOf(canonical);
    const usages = this.#context.usages.get(originOf(canonical)) ?? [];
    const optOut = withRobots(page.optOut, usages, pathOf(canonical));
    if (optOut !== undefined && !settings.includeOptOuts) {
      addTo(tally.optOuts, optOut);
      return undefined;
    }
    if (!page.isText) tally.noText++;
    const text = this.#textOf(content, host);
    const row = this.#cells(page, text, { segment, domain: payLevelDomain(host), optOut });
    const failed = this.#conditions.find(({ holds }) => !holds(row));
    if (failed) {
      addTo(tally.conditions, failed.text);
      return undefined;
    }
    tally.row(row);
    return row;
  }

  #textOf(content: PageContent, host: string): string {
    if ('whole' in content) return content.whole;
    const repeats = this.#context.repeats.ofKeys(host);
    const { candidates, keys } = content;
    return content.textOf(mainChoice(candidates, repeats && ((i) => repeats(keys[i]))));
  }

  #cells(
    page: ScannedPage,
    text: string,
    about: { segment: Segment; domain: string; optOut: string | undefined },
  ): Row {
    const { plan, ranks, spam } = this.#context;
    const { mask } = plan.settings;
    const { domain, optOut } = about;
    const { crawl, input } = about.segment;
    const file = plan.inputs[input].name;
    const language = this.#languages.detect(text);
    const plain = (fact: string | undefined) => (fact === undefined ? null : masked(fact, mask));
    return [
      ...[page.id, page.url, domain, crawl, page.date ?? null, file, page.offset],
      ...[plain(page.title), plain(page.author), page.published ?? null],
      ...(language.code === '' ? [null, null] : [language.code, language.score]),
      masked(text, mask),
      ...signalsOf(text),
      page.truncated,
      ranks[input]?.valueOf(domain) ?? null,
      spam?.valueOf(domain) ?? null,
      optOut ?? null,
    ];
  }
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
    };
  }

  /** The domains with their rows, a line each. */
  domainLines(): string {
    return [...this.#domains].map(([domain, rows]) => `${domain} ${rows}\n`).join('');
  }
}
