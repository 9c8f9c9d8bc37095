/**
 * Captures to runs: versions are numbered, their words collected until the memory is full, then
 * written.
 *
 * Idea      A text that a page had before in the same run adds a line to the sightings and nothing
 *           else. One that it had in an earlier run is collected again, and the last merge drops
 *           it (finish.ts): so nothing in memory grows with the number of pages.
 */
import type { Bytes } from '../../base/units.ts';
import { writeText } from '../../disk/text-file.ts';
import { hostOf } from '../../url/parts.ts';
import { AnchorRecords } from '../links/anchor-records.ts';
import { LinkRecords } from '../links/link-records.ts';
import { UrlKeys } from '../links/url-keys.ts';
import { FORMATS } from '../store/formats.ts';
import { HeldBytes } from '../store/held-bytes.ts';
import type { CrawlSpan } from '../store/index-folder.ts';
import { KeyTable } from '../store/key-table.ts';
import { writeOutputs } from '../store/output.ts';
import {
  type Gone,
  type PageCapture,
  pageKey,
  type Reading,
  type Revisit,
  textKey,
} from './read-archives.ts';
import { RunBuilder } from './run-builder.ts';
import { captureLine, goneLine, revisitLine } from './sighting-lines.ts';
import type { IndexCounts, IndexPlan, IndexWork, Progress } from './work.ts';

/**
 * Of the memory, what a run may take. The rest is for what is there beside it: known variants, the
 * page that is read, garbage; and when runs are merged, what they were collected in.
 */
const RUN_SHARE = 0.25;
/** More is of no use: the kernel has 32-bit addresses. */
const MOST_MEMORY: Bytes = 2 ** 30;

interface CollectOptions {
  readonly memory: Bytes;
  readonly onProgress: ((share: number) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Where captures come from. */
export interface CaptureSource {
  /** Of everything up to the reading before the last one. */
  readonly counts: IndexCounts;
  readonly damage: readonly string[];
  /** All readings from where the progress says. */
  read(): AsyncIterable<Reading> | Iterable<Reading>;
}

/** Reads what is left of the plan; returns the progress at its end. */
export async function collectRuns(
  work: IndexWork,
  plan: IndexPlan,
  start: Progress,
  reader: CaptureSource,
  { memory, onProgress, signal }: CollectOptions,
): Promise<Progress> {
  if (start.file === plan.files.length) return start;
  const collector = new Collector(work, plan, start, reader);
  const most = Math.min(RUN_SHARE * memory, MOST_MEMORY);
  const before = [0];
  for (const [i, { bytes }] of plan.files.entries()) before.push(before[i] + bytes);
  for await (const { file, offset, hasResponses, capture } of reader.read()) {
    signal?.throwIfAborted();
    if (collector.bytes >= most) {
      await collector.flush({ file, offset, hasResponses });
      onProgress?.((before[file] + offset) / before[plan.files.length]);
    }
    if (capture !== undefined) collector.add(capture, file);
  }
  return collector.flush({ file: plan.files.length, offset: 0, hasResponses: false });
}

class Collector {
  readonly #work: IndexWork;
  readonly #plan: IndexPlan;
  readonly #reader: CaptureSource;
  readonly #languages: string[];
  readonly #crawls: Map<string, CrawlSpan>;
  #runs: number;
  #count: number;
  readonly #builder: RunBuilder;
  /** The first version of this run, and the language of each. */
  #first: number;
  #languageNumbers: number[] = [];
  /** The versions of this run by page and text, numbered from its first on. */
  readonly #known = new KeyTable();
  readonly #versions = new HeldBytes();
  readonly #lines = new HeldBytes();
  readonly #links: LinkRecords | undefined;
  readonly #anchors: AnchorRecords;

  constructor(work: IndexWork, plan: IndexPlan, start: Progress, reader: CaptureSource) {
    this.#work = work;
    this.#plan = plan;
    this.#reader = reader;
    this.#languages = [...start.languages];
    this.#crawls = new Map(start.crawls.map((span) => [span.name, span]));
    this.#runs = start.runs;
    this.#count = start.versions;
    this.#first = start.versions;
    this.#builder = new RunBuilder(plan.settings.positions);
    const { settings, files } = plan;
    const keys = new UrlKeys();
    this.#anchors = new AnchorRecords(keys);
    if (settings.links)
      this.#links = new LinkRecords(
        settings.epoch,
        files.map(({ crawl }) => crawl),
        keys,
      );
  }

  get bytes(): Bytes {
    const held = this.#versions.length + this.#lines.length + this.#known.bytes;
    return this.#builder.bytes + held + (this.#links?.bytes ?? 0) + this.#anchors.bytes;
  }

  add(capture: PageCapture | Revisit | Gone, file: number): void {
    const { url, time } = capture;
    const key = pageKey(url);
    this.#seen(this.#plan.files[file].crawl, time);
    if ('text' in capture) {
      const text = textKey(capture.title, capture.text);
      const version = this.#versionOf(key, text, capture);
      this.#lines.line(captureLine(key, time, text, version));
      const links = this.#links && capture.links;
      if (links === undefined) return;
      this.#links?.add(url, this.#plan.files[file].crawl, time, links);
      this.#anchors.add(
        url,
        time,
        this.#languages[this.#languageNumbers[version - this.#first]],
        links,
      );
    } else if ('isGone' in capture) {
      this.#lines.line(goneLine(key, time));
      this.#links?.add(url, this.#plan.files[file].crawl, time, []);
    } else this.#lines.line(revisitLine(key, time, capture.refersTo));
  }

  /** Writes the run, if there is anything in it, and saves the progress. */
  async flush(place: Pick<Progress, 'file' | 'offset' | 'hasResponses'>): Promise<Progress> {
    if (this.#lines.length > 0) await this.#writeRun();
    const progress: Progress = {
      ...{ runs: this.#runs, versions: this.#count, ...place },
      ...{ counts: { ...this.#reader.counts }, damage: [...this.#reader.damage] },
      ...{ languages: [...this.#languages], crawls: [...this.#crawls.values()] },
    };
    await this.#work.save(progress);
    return progress;
  }

  #versionOf(key: bigint, text: bigint, capture: PageCapture): number {
    const before = this.#known.count;
    const known = this.#first + this.#known.numberOf(key, text);
    if (this.#known.count === before) return known;
    const { file, offset, url, title } = capture;
    const { text: body, language } = capture;
    const version = this.#count++;
    const source = { text: body, title, language, host: hostOf(url) };
    const [words, titleWords] = this.#builder.add(version, source);
    const number = this.#languageOf(language);
    this.#languageNumbers.push(number);
    for (const value of [words, titleWords, number, file, offset]) this.#versions.varint(value);
    this.#versions.text(url);
    this.#versions.text(title);
    return version;
  }

  #languageOf(code: string): number {
    const known = this.#languages.indexOf(code);
    return known >= 0 ? known : this.#languages.push(code) - 1;
  }

  #seen(crawl: string, time: number): void {
    const { first = time, last = time } = this.#crawls.get(crawl) ?? {};
    if (time < first || time > last || !this.#crawls.has(crawl)) {
      const span = { name: crawl, first: Math.min(first, time), last: Math.max(last, time) };
      this.#crawls.set(crawl, span);
    }
  }

  async #writeRun(): Promise<void> {
    const path = this.#work.run(this.#runs);
    const { disk } = this.#work;
    await writeOutputs(
      disk,
      [
        [path, FORMATS.run],
        [`${path}.versions`, FORMATS.versions],
      ],
      async ([run, table]) => {
        await this.#builder.write(run);
        for (const piece of this.#versions.take()) {
          table.bytes(piece);
          await table.settle();
        }
      },
    );
    await writeText(disk, `${path}.sightings`, async (file) => {
      for (const piece of this.#lines.take()) await file.write(piece);
    });
    await this.#links?.write(disk, `${path}.links`);
    if (this.#links) await this.#anchors.write(disk, `${path}.anchors`);
    this.#runs++;
    this.#first = this.#count;
    this.#languageNumbers = [];
    this.#known.clear();
  }
}
