/**
 * `drumlin corpus export`: a corpus from crawls and WARC files.
 *
 *   survey each file ─► what repeats ─► read each segment ─► clusters, revisits ─► write each part
 *        threads           one               threads               one               threads
 *
 * Idea      Everything about a page that depends on other pages is found between passes over them:
 *           what repeats on its site before it is read, its cluster and revisits before it is
 *           written. Each arrow is files in the work folder, so a stopped export continues where it
 *           was, and pieces can be made in any order (work-folder.ts).
 * Requires  Inputs that do not change meanwhile.
 * Ensures   The same inputs and settings give the same bytes, whatever the threads and however
 *           often it was stopped. A part is complete or absent; corpus.json is written last, and
 *           with it the work folder goes. A folder of another export is refused.
 * Cost      One read of the archive. The texts of its pages are on disk meanwhile, uncompressed.
 *           Memory does not depend on the number of pages, except for what repeats on sites (5
 *           bytes for each repeated block).
 */
import { join, resolve } from 'node:path';
import { DrumlinError, EXIT } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import { replaceFile } from '../disk/checkpoint.ts';
import { Disk } from '../disk/disk.ts';
import { FolderLock } from '../disk/folder-lock.ts';
import { conditionsOf } from './condition.ts';
import { inputFiles } from './inputs.ts';
import { findLateFacts, type LateResult, repeatsPath } from './late-facts.ts';
import { type CorpusPlan, type CorpusSettings, type Segment, SIZES } from './plan.ts';
import type { SegmentResult } from './read-segment.ts';
import { checkLists, copyRanks, countRepeats, type RanksOf } from './reading-context.ts';
import { reportPage } from './report.ts';
import { type CorpusSummary, summarise } from './summary.ts';
import type { Survey } from './survey.ts';
import { runTasks, type Task, type TaskStart } from './tasks.ts';
import { WorkFolder } from './work-folder.ts';
import type { PartResult } from './write-part.ts';

export interface ExportOptions extends Partial<CorpusSettings> {
  readonly threads?: number;
  readonly disk?: Disk;
  readonly onProgress?: (step: string, share: number) => void;
  readonly onWarning?: (sentence: string) => void;
  /** The ranks of domains in a crawl, where `ranks` does not name a list. */
  readonly ranksOf?: RanksOf;
  readonly signal?: AbortSignal | undefined;
}

const DEFAULTS: CorpusSettings = {
  format: 'parquet',
  extract: 'main',
  where: [],
  duplicates: 'mark',
  similarity: 0.75,
  includeOptOuts: false,
  mask: [],
  maxPage: 10e6,
  sizes: SIZES,
};

const SUMMARY = 'corpus.json';
const PLAN = 'plan.json';

export async function exportCorpus(
  places: readonly string[],
  out: string,
  options: ExportOptions = {},
): Promise<CorpusSummary> {
  const { threads = 1, disk = new Disk(), onProgress, onWarning, signal, ...rest } = options;
  const { ranksOf, ...given } = rest;
  const settings = { ...DEFAULTS, ...given };
  settings.where.forEach(conditionsOf); // Refuses a wrong one before anything is read.
  await checkLists(disk, settings);
  const inputs = await inputFiles(disk, places);
  const plan: CorpusPlan = { version: VERSION, settings, inputs };
  const work = new WorkFolder(disk, out);
  await disk.makeFolder(out);
  const lock = FolderLock.acquire(out);
  try {
    const finished = await alreadyDone(work, out, plan);
    if (finished) return finished;
    await begin(work, out, plan);
    // Pages are read only after it is known what repeats: until then the ranks may be copied again.
    if (ranksOf && !(await work.exists(repeatsPath(work))))
      await copyRanks(work, plan, ranksOf, onWarning);
    const start: TaskStart = { out: resolve(out), plan };
    const steps = new Steps(work, start, { threads, disk, onProgress, signal });
    return await steps.all(onWarning);
  } finally {
    lock.release();
  }
}

interface StepOptions {
  readonly threads: number;
  readonly disk: Disk;
  readonly onProgress: ((step: string, share: number) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

class Steps {
  readonly #work: WorkFolder;
  readonly #start: TaskStart;
  readonly #options: StepOptions;

  constructor(work: WorkFolder, start: TaskStart, options: StepOptions) {
    this.#work = work;
    this.#start = start;
    this.#options = options;
  }

  async all(warn: ((sentence: string) => void) | undefined): Promise<CorpusSummary> {
    const { plan, out } = this.#start;
    const files = plan.inputs.map((_, index): Task => ({ kind: 'survey', index }));
    const surveys = await this.#run<Survey>('looking', files);
    for (const [i, { damage }] of surveys.entries()) {
      if (damage !== undefined)
        warn?.(`${plan.inputs[i].path} is ${damage}: pages after it are not in the corpus.`);
    }
    if (!(await this.#work.exists(repeatsPath(this.#work)))) {
      await countRepeats(this.#work, plan, surveys);
    }
    const segments = segmentsOf(plan, surveys);
    const readings = segments.map((segment, index): Task => ({ kind: 'read', index, segment }));
    const read = await this.#run<SegmentResult>('reading', readings);
    for (const i of plan.inputs.keys())
      await this.#work.disk.remove(this.#work.file('survey', i, 'pages'));
    const late = await this.#late(surveys, read);
    const ranges = partsOf(plan, read, late);
    const writings = ranges.map(
      (range, index): Task => ({
        ...{ kind: 'part', index, segments: range },
      }),
    );
    const parts = await this.#run<PartResult>('writing', writings);
    const summary = await summarise(this.#work, plan, { surveys, read, late, parts });
    await this.#finish(out, summary);
    return summary;
  }

  /** Runs the tasks that are not done, and returns the results of all. */
  async #run<Result>(step: string, tasks: readonly Task[]): Promise<Result[]> {
    const missing: Task[] = [];
    for (const task of tasks) {
      const path = this.#work.file(task.kind, task.index, 'json');
      if (!(await this.#work.exists(path))) missing.push(task);
    }
    const { onProgress, ...options } = this.#options;
    const before = tasks.length - missing.length;
    const onDone = (done: number) => onProgress?.(step, (before + done) / tasks.length);
    onDone(0);
    await runTasks(this.#start, missing, { ...options, onDone });
    const results: Result[] = [];
    for (const { kind, index } of tasks)
      results.push((await this.#work.result<Result>(kind, index)) as Result);
    return results;
  }

  async #late(surveys: readonly Survey[], read: readonly SegmentResult[]): Promise<LateResult[]> {
    const load = () => Promise.all(read.map((_, i) => this.#work.result<LateResult>('late', i)));
    let late = await load();
    if (late.some((result) => result === undefined)) {
      this.#options.onProgress?.('comparing', 0);
      await findLateFacts(this.#work, this.#start.plan, read, surveys);
      late = await load();
    }
    return late as LateResult[];
  }

  async #finish(out: string, summary: CorpusSummary): Promise<void> {
    const { disk } = this.#work;
    await replaceFile(disk, out, 'report.html', Buffer.from(reportPage(summary)));
    const text = `${JSON.stringify(summary, null, 2)}\n`;
    await replaceFile(disk, out, SUMMARY, Buffer.from(text));
    await disk.removeFolder(this.#work.path);
  }
}

function segmentsOf(plan: CorpusPlan, surveys: readonly Survey[]): Segment[] {
  return plan.inputs.flatMap((_, input) => {
    const { starts, end, crawl } = surveys[input];
    return starts.map((start, i) => ({ input, crawl, start, end: starts[i + 1] ?? end }));
  });
}

/** Consecutive segments, so many that a part has about its size; at least one part. */
function partsOf(
  { settings }: CorpusPlan,
  read: readonly SegmentResult[],
  late: readonly LateResult[],
): [number, number][] {
  const parts: [number, number][] = [];
  let [from, bytes] = [0, 0];
  for (const [i, segment] of read.entries()) {
    const dropped = settings.duplicates === 'drop' ? late[i].duplicates : 0;
    const kept = segment.rows === 0 ? 0 : (segment.rows - dropped) / segment.rows;
    bytes += segment.bytes * kept;
    if (bytes < settings.sizes.part) continue;
    parts.push([from, i + 1]);
    [from, bytes] = [i + 1, 0];
  }
  if (from < read.length || parts.length === 0) parts.push([from, read.length]);
  return parts;
}

/** What makes two exports the same: paths may differ, contents may not. */
const identity = ({ version, settings, inputs }: CorpusPlan): string =>
  JSON.stringify({
    version,
    settings,
    inputs: inputs.map(({ name, bytes, crawl }) => [name, bytes, crawl]),
  });

async function alreadyDone(
  work: WorkFolder,
  out: string,
  plan: CorpusPlan,
): Promise<CorpusSummary | undefined> {
  const summary = await work.json<CorpusSummary & CorpusPlan>(join(out, SUMMARY));
  if (summary === undefined) return undefined;
  if (identity(summary) !== identity(plan)) throw another(out);
  await work.disk.removeFolder(work.path);
  return summary;
}

/** Begins an export, or continues the same one. */
async function begin(work: WorkFolder, out: string, plan: CorpusPlan): Promise<void> {
  const { disk, path } = work;
  const stored = await work.json<CorpusPlan>(join(path, PLAN));
  if (stored !== undefined) {
    if (identity(stored) !== identity(plan)) throw another(out);
    return;
  }
  const others = (await disk.list(out)).filter((name) => name !== 'LOCK' && name !== 'work');
  if (others.length > 0) throw notEmpty(out);
  await disk.removeFolder(path);
  await disk.makeFolder(path);
  await replaceFile(disk, path, PLAN, Buffer.from(JSON.stringify(plan)));
}

function another(out: string): DrumlinError {
  return new DrumlinError(
    'OTHER_CORPUS',
    `${out} holds another export: other inputs, settings or another version.`,
    'Choose another --out, or remove the folder.',
    { exitCode: EXIT.folder },
  );
}

function notEmpty(out: string): DrumlinError {
  return new DrumlinError(
    'FOLDER_NOT_EMPTY',
    `${out} is not empty, and it is not an export of ours.`,
    'Choose an empty or a new folder with --out.',
    { exitCode: EXIT.folder },
  );
}
