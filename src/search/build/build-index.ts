/**
 * `drumlin search index`: archives to an index, or to one more part of it.
 *
 *   archives ─► captures ─► versions, words ─► sorted runs ─► a part ─► index.json names it
 *
 * Requires  Archives that do not change meanwhile.
 * Ensures   A new part is visible completely or not at all. Killed at any moment, the same call
 *           resumes after the last run written, and every answer is that of a quiet run. Files that
 *           the index has already are skipped.
 * Cost      One read of the archives; memory as given, besides about 24 bytes a version and what
 *           the program takes, about 130 MB.
 */
import { resolve } from 'node:path';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { type Bytes, formatCount } from '../../base/units.ts';
import { inputFiles } from '../../corpus/inputs.ts';
import { Disk } from '../../disk/disk.ts';
import { FolderLock } from '../../disk/folder-lock.ts';
import { BLOCK } from '../store/formats.ts';
import { lengthsOf } from '../store/index-file.ts';
import {
  type IndexManifest,
  type IndexSettings,
  partFolder,
  readManifest,
  writeManifest,
} from '../store/index-folder.ts';
import { Part } from '../store/part.ts';
import { type CaptureSource, collectRuns } from './collect.ts';
import { crawlNames } from './crawl-names.ts';
import { finishPart } from './finish.ts';
import { ArchiveReader } from './read-archives.ts';
import {
  type IndexCounts,
  type IndexPlan,
  IndexWork,
  type PlannedFile,
  type Progress,
} from './work.ts';

export interface IndexOptions extends Partial<IndexSettings> {
  /** For the words of a run. Default: 256 MiB. */
  readonly memory?: Bytes;
  /** Bytes of a page to read. Default: 10 MB. */
  readonly maxPage?: Bytes;
  /** Runs merged at once. Default: 16. */
  readonly mostRuns?: number;
  readonly disk?: Disk;
  readonly onProgress?: (step: string, share: number) => void;
  readonly onWarning?: (sentence: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface IndexSummary extends IndexCounts {
  /** Versions in the new part, and in the whole index. */
  readonly versions: number;
  readonly allVersions: number;
  readonly terms: number;
  readonly postings: number;
  /** WARC files read now, and those that the index had already. */
  readonly files: number;
  readonly skippedFiles: number;
  readonly parts: number;
}

const MEMORY: Bytes = 256 * 2 ** 20;
const MAX_PAGE: Bytes = 10e6;
/** A version has 16 bits for its file. */
const MOST_FILES = 65_536;

export async function indexArchives(
  places: readonly string[],
  out: string,
  options: IndexOptions = {},
): Promise<IndexSummary> {
  const { disk = new Disk() } = options;
  const names = crawlNames(places, await readManifest(disk, out));
  const files = new Map<string, PlannedFile>();
  for (const given of places) {
    const place = resolve(given);
    for (const { path, bytes, crawl } of await inputFiles(disk, [given]))
      if (!files.has(path))
        files.set(path, { path, bytes, place, crawl: names.get(place) ?? crawl });
  }
  return buildIndex(
    out,
    [...files.values()],
    (plan, start) => new ArchiveReader(disk, plan, start),
    options,
  );
}

/** As `indexArchives`, with captures from any source. */
export async function buildIndex(
  out: string,
  files: readonly PlannedFile[],
  source: (plan: IndexPlan, start: Progress) => CaptureSource,
  options: IndexOptions = {},
): Promise<IndexSummary> {
  const { disk = new Disk(), memory = MEMORY, maxPage = MAX_PAGE, mostRuns } = options;
  const { onProgress, onWarning, signal } = options;
  await disk.makeFolder(out);
  if ((await readManifest(disk, out)) === undefined) await requireOwn(disk, out);
  const lock = FolderLock.acquire(out);
  try {
    const before = await readManifest(disk, out);
    const settings = settingsOf(out, before, options);
    const manifest = before ?? { settings, parts: [] };
    const missing = files.filter((file) => !hasFile(manifest, file));
    if (missing.length > MOST_FILES) throw tooManyFiles(out, missing.length);
    const plan: IndexPlan = { settings, maxPage, files: missing };
    const work = new IndexWork(disk, out);
    const start = await work.begin(plan);
    const share = onProgress && ((done: number) => onProgress('reading', done));
    const collect = { memory, onProgress: share, signal };
    const progress = await collectRuns(work, plan, start, source(plan, start), collect);
    for (const sentence of progress.damage) onWarning?.(sentence);
    const after =
      missing.length === 0
        ? manifest
        : await addPart(out, manifest, { work, plan, progress }, { memory, mostRuns, onProgress });
    await work.remove();
    return summaryOf(progress, after, missing.length, files.length);
  } finally {
    lock.release();
  }
}

/** What an index that was never finished has in its folder. */
const OWN = /^(?:work|parts|index\.json\.tmp|LOCK(?:\..*)?)$/;

/** Refuses a folder with other files: it is not an index. */
async function requireOwn(disk: Disk, out: string): Promise<void> {
  if ((await disk.list(out)).every((name) => OWN.test(name))) return;
  throw new DrumlinError(
    'FOLDER_NOT_EMPTY',
    `${out} is not an index, and not empty.`,
    'Name a new folder with --out, or one that "drumlin search index" made.',
    { exitCode: EXIT.folder },
  );
}

const hasFile = ({ parts }: IndexManifest, { path, bytes }: PlannedFile): boolean =>
  parts.some((part) => part.files.some((file) => file.path === path && file.bytes === bytes));

async function addPart(
  out: string,
  manifest: IndexManifest,
  { work, plan, progress }: { work: IndexWork; plan: IndexPlan; progress: Progress },
  options: Parameters<typeof finishPart>[5],
): Promise<IndexManifest> {
  const { disk } = work;
  const { parts, settings } = manifest;
  const folder = partFolder(out, parts.length);
  await disk.removeFolder(folder); // what a killed process left
  await disk.makeFolder(folder);
  const earlier = [];
  for (const [i, info] of parts.entries()) {
    const part = await Part.open(disk, partFolder(out, i), info, settings);
    earlier.push(await part.sightings());
    await part.close();
  }
  const info = await finishPart(work, plan, progress, folder, earlier, options);
  await disk.syncFolder(folder);
  const lengths = await lengthsOf(disk, folder);
  const after = { settings, parts: [...parts, { ...info, lengths }] };
  await writeManifest(disk, out, after);
  return after;
}

/** The settings of the index; an existing index keeps its own, and refuses others. */
function settingsOf(
  out: string,
  before: IndexManifest | undefined,
  options: IndexOptions,
): IndexSettings {
  const { epoch, positions, block, links } = options;
  if (before === undefined)
    return {
      ...{ epoch: epoch ?? 'crawl', positions: positions ?? true, block: block ?? BLOCK },
      links: links ?? true,
    };
  const { settings } = before;
  if (epoch !== undefined && epoch !== settings.epoch)
    throw otherSettings(out, `epochs of a ${settings.epoch}`);
  if (positions !== undefined && positions !== settings.positions)
    throw otherSettings(out, settings.positions ? 'positions' : 'no positions');
  if (links !== undefined && links !== (settings.links ?? false))
    throw otherSettings(out, settings.links ? 'links' : 'no links');
  return settings;
}

function otherSettings(out: string, what: string): DrumlinError {
  return new DrumlinError(
    'INDEX_SETTINGS',
    `${out} is an index with ${what}.`,
    'Leave the flag out to add to it, or choose another --out.',
    { exitCode: EXIT.folder },
  );
}

function tooManyFiles(out: string, files: number): DrumlinError {
  return new DrumlinError(
    'INDEX_FILES',
    `${formatCount(files)} WARC files are too many: ${formatCount(MOST_FILES)} can be indexed at once.`,
    `Index some of them at a time, in several calls with --out ${out}.`,
  );
}

function summaryOf(
  progress: Progress,
  { parts }: IndexManifest,
  read: number,
  given: number,
): IndexSummary {
  const last = read > 0 ? parts.at(-1) : undefined;
  return {
    ...progress.counts,
    ...{ versions: last?.versions ?? 0, terms: last?.terms ?? 0, postings: last?.postings ?? 0 },
    allVersions: parts.reduce((sum, { versions }) => sum + versions, 0),
    ...{ files: read, skippedFiles: given - read, parts: parts.length },
  };
}
