/**
 * The folder of a crawl, as its coordinator sees it.
 *
 *   crawl.json            settings, version, seeds, number of runs
 *   filters.txt           the current filters, if there are any
 *   tuning.json           what the operator changes while the crawl runs
 *   agents/<n>/           the state of each agent, with its checkpoint (`AgentFolder`)
 *   checkpoints/<n>.json  the number of that checkpoint
 *   archive/              WARC files
 *   indexes/              the index of the captures: index.cdxj when the crawl has ended, and its
 *                         parts
 *   log.jsonl             events
 *   status.json           the status of the last run (crawl/monitor)
 *   refresh/              the plan and the verdicts of a refresh (src/refresh)
 *
 * Ensures   A folder that holds other files is never written to. A crawl can always be resumed,
 *           however it ended: each agent starts from its last checkpoint. A crawl that has lost
 *           a checkpoint is refused. A folder whose crawl never started counts as new.
 */

import { join } from 'node:path';
import type { Orphan } from '../../archive/write/recovery.ts';
import type { Clock } from '../../base/clock.ts';
import { DrumlinError, EXIT, systemCode } from '../../base/errors.ts';
import type { Millis } from '../../base/units.ts';
import { VERSION } from '../../base/version.ts';
import {
  type CrawlConfig,
  type CrawlOptions,
  filterSettings,
  filtersOf,
} from '../../config/settings.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import { Disk } from '../../disk/disk.ts';
import type { Held } from '../../disk/file-system.ts';
import { sumOf, withSum } from '../../disk/summed-json.ts';
import type { Host } from '../../frontier/host.ts';
import { CrawlLog } from '../record/log.ts';
import type { SeedMove } from '../record/seed-move.ts';
import { skippedDir } from '../skipped/skip-log.ts';
import {
  AGENTS,
  examineCheckpoints,
  type LastCheckpoint,
  lastCheckpoint,
  noteCheckpoints,
} from './agent-folder.ts';
import { NOTES } from './checkpoint-notes.ts';
import { keepFilters, readFilters } from './filters-file.ts';
import type { Handover } from './heir.ts';
import { repartition } from './repartition.ts';
import { readTuning, settleTuning, type Tuning, tunedOptions, UNTUNED } from './tuning-file.ts';

const CRAWL_FILE = 'crawl.json';
const LOG_FILE = 'log.jsonl';
/** The format of crawl.json and the folder; another one is rejected by name. */
const FORMAT = 2;
/** Where the folders of a new number of agents are made, before they replace the old ones. */
const NEXT_AGENTS = `${AGENTS}.next`;
/**
 * Entries that a folder may have before its crawl starts; a dead process may also leave its lock.
 */
const OURS = new Set([
  AGENTS,
  'archive',
  'earlier',
  'indexes',
  'lines',
  'pages',
  'refresh',
  LOG_FILE,
  `${CRAWL_FILE}.tmp`,
]);
const LOCKS = /^LOCK($|\.)/;

/** The content of crawl.json: the settings of the last run, and what was learned about seeds. */
interface Asked {
  readonly format: number;
  readonly settings: CrawlOptions;
  readonly agents: number;
  /** The folders in `agents.next`, if they exist, are the agents of this crawl: move them. */
  readonly switching?: true;
  /** The number of runs. */
  readonly runs: number;
  readonly seeds: readonly string[];
  /** Seeds that have moved, with their new URLs. */
  readonly moved: readonly SeedMove[];
  /** The scope changed on a resume: queued URLs may have been admitted by an earlier scope. */
  readonly rescoped?: boolean;
}

export class CrawlFolder {
  readonly dir: string;
  readonly log: CrawlLog;
  readonly #disk: Disk;
  readonly #lock: Held;
  #asked: Asked | undefined;
  readonly #warnings: string[] = [];
  #tuning: Tuning = UNTUNED;
  #noting: Promise<void> = Promise.resolve();

  private constructor(
    dir: string,
    disk: Disk,
    lock: Held,
    log: CrawlLog,
    asked: Asked | undefined,
  ) {
    this.dir = dir;
    this.log = log;
    this.#disk = disk;
    this.#lock = lock;
    this.#asked = asked;
  }

  static async open(
    disk: Disk,
    { dir, auth, cookies, headerFile }: CrawlConfig,
    seeds: readonly string[] | undefined,
    clock: Clock,
  ): Promise<CrawlFolder> {
    if (!(await askedIn(disk, dir)) && seeds?.length === 0) throw noCrawlToResume(dir);
    // Pages behind a login must not be readable by other users of this machine.
    const isSecret = auth !== '' || cookies !== '' || headerFile !== '';
    await disk.makeFolder(dir, isSecret);
    const wasOpen = isSecret && (await disk.closeFolder(dir));
    await disk.makeFolder(join(dir, AGENTS));
    const lock = disk.lock(dir);
    let log: CrawlLog | undefined;
    try {
      log = await CrawlLog.open(disk, join(dir, LOG_FILE), clock);
      // Read it again: the last holder of the lock may have changed it.
      const folder = new CrawlFolder(dir, disk, lock, log, await askedIn(disk, dir));
      if (wasOpen) folder.#warnings.push(closedNow(dir));
      await folder.#finishSwitch();
      const outdated = await examineCheckpoints(disk, dir, folder.#asked?.agents ?? 0);
      folder.#warnings.push(...outdated.map(olderCopy));
      return folder;
    } catch (error) {
      await log?.close();
      lock.release();
      throw error;
    }
  }

  /** Opens the folder of a crawl whatever its agents hold. A damaged crawl.json is restored. */
  static async openDamaged(disk: Disk, dir: string, clock: Clock): Promise<CrawlFolder> {
    const entries = await listOrNone(disk, dir);
    if (!entries.includes(CRAWL_FILE) && !entries.includes(NOTES)) throw crawlMissing(dir);
    const lock = disk.lock(dir);
    let log: CrawlLog | undefined;
    try {
      await restoreAsked(disk, dir);
      log = await CrawlLog.open(disk, join(dir, LOG_FILE), clock);
      const folder = new CrawlFolder(dir, disk, lock, log, await askedIn(disk, dir));
      await folder.#finishSwitch();
      return folder;
    } catch (error) {
      await log?.close();
      lock.release();
      throw error;
    }
  }

  /** Sentences about what needs attention in the folder. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** The seeds of earlier runs. */
  get seeds(): readonly string[] {
    return this.#asked?.seeds ?? [];
  }

  /** What the operator wanted beside the settings when the run began. */
  get tuning(): Tuning {
    return this.#tuning;
  }

  get moved(): readonly SeedMove[] {
    return this.#asked?.moved ?? [];
  }

  get rescoped(): boolean {
    return this.#asked?.rescoped === true;
  }

  /** The number of runs before this one. */
  get runs(): number {
    return this.#asked?.runs ?? 0;
  }

  /** The state from which the crawl resumes; undefined for a new crawl. */
  async lastCheckpoint(): Promise<LastCheckpoint | undefined> {
    return this.#asked && lastCheckpoint(this.#disk, this.dir, this.#asked.agents);
  }

  /**
   * Hands the crawl over to `to` agents. `readyAt` returns when a host may be fetched from again.
   */
  async changeAgents(
    config: CrawlConfig,
    to: number,
    readyAt: (host: Host) => Millis,
  ): Promise<void> {
    if (this.#asked && this.#asked.agents !== to) await this.#handOver(config, to, readyAt, false);
  }

  /** Forgets everything but the archive and the seeds: the crawl begins again. */
  async beginAnew(config: CrawlConfig, to: number): Promise<void> {
    if (!this.#asked) return;
    // What the archive holds has changed since these were made.
    await this.#disk.removeFolder(join(this.dir, 'earlier'));
    await this.#disk.removeFolder(skippedDir(this.dir));
    await this.#handOver(config, to, () => 0, true);
    await this.#store({ ...this.#asked, moved: [] });
    this.log.event('crawl-begun-anew', { runs: this.runs });
  }

  async #handOver(
    config: CrawlConfig,
    to: number,
    readyAt: (host: Host) => Millis,
    anew: boolean,
  ): Promise<void> {
    const asked = this.#asked;
    if (!asked) return;
    const from = asked.agents;
    await this.replaceAgents(to, (place) =>
      repartition({ disk: this.#disk, config, from, to, readyAt, anew, ...place }),
    );
    if (from !== to) this.log.event('agents-changed', { from, to });
  }

  /**
   * Makes the folders of new agents with `make`, and puts them in the place of the old ones.
   * `rescoped` as in `Asked`.
   */
  async replaceAgents(
    agents: number,
    make: (place: Pick<Handover, 'into' | 'onOrphan'>) => Promise<void>,
    rescoped?: true,
  ): Promise<void> {
    const asked = this.#asked;
    if (!asked) throw noCrawlToResume(this.dir);
    const into = join(this.dir, NEXT_AGENTS);
    const onOrphan = (orphan: Orphan) => this.log.event('archive-orphan', { ...orphan });
    await make({ into, onOrphan });
    // From here on the new agents count, even after a crash.
    await this.#store({ ...asked, agents, switching: true, ...(rescoped && { rescoped }) });
    await this.#finishSwitch();
  }

  /** Replaces the old agents by the new ones; completes a switch that a crash interrupted. */
  async #finishSwitch(): Promise<void> {
    // A switch that was not completed leaves new folders.
    if (!this.#asked?.switching) return this.#disk.removeFolder(join(this.dir, NEXT_AGENTS));
    const { switching: _, ...asked } = this.#asked;
    if ((await this.#disk.list(this.dir)).includes(NEXT_AGENTS)) {
      await this.#disk.removeFolder(join(this.dir, AGENTS));
      await this.#disk.rename(join(this.dir, NEXT_AGENTS), join(this.dir, AGENTS));
      await this.#disk.syncFolder(this.dir);
    }
    await this.#store(asked);
  }

  /** Stores the settings of a run: from now on the folder holds a crawl. */
  async begin(config: CrawlConfig, agents: number, seeds: readonly string[]): Promise<void> {
    const tuning = await readTuning(this.#disk, this.dir);
    await this.#store({
      format: FORMAT,
      settings: { ...config, agents, proxy: withoutPassword(config.proxy) },
      agents,
      runs: this.runs + 1,
      seeds: [...new Set([...this.seeds, ...seeds, ...tuning.seeds])],
      moved: this.moved,
      rescoped:
        this.rescoped || (this.#asked !== undefined && scopesDiffer(this.#asked.settings, config)),
    });
    await noteCheckpoints(this.#disk, this.dir, agents);
    await keepFilters(this.#disk, this.dir, filtersOf(config));
    this.#tuning = await settleTuning(this.#disk, this.dir);
    if (tuning.paused) this.#warnings.push(stillPaused(this.dir));
  }

  /** Stores further seeds, before the agents learn of them. Returns those that are new. */
  async addSeeds(seeds: readonly string[]): Promise<string[]> {
    const novel = [...new Set(seeds)].filter((seed) => !this.seeds.includes(seed));
    this.#noting = this.#noting.then(async () => {
      if (this.#asked) await this.#store({ ...this.#asked, seeds: [...this.seeds, ...novel] });
    });
    await this.#noting;
    return novel;
  }

  /** Stores that a seed has moved, after earlier writes; `close` reports a failed write. */
  seedMoved(move: SeedMove): void {
    this.#noting = this.#noting.then(async () => {
      if (this.#asked) await this.#store({ ...this.#asked, moved: [...this.moved, move] });
    });
    this.#noting.catch(() => {}); // reported by close
  }

  async close(): Promise<void> {
    try {
      await this.#noting.finally(() => this.log.close());
    } finally {
      this.#lock.release();
    }
  }

  async #store(asked: Asked): Promise<void> {
    this.#asked = asked;
    // JSON has no Infinity; null stands for it, and for nothing else.
    const text = JSON.stringify({ drumlin: 'crawl', version: VERSION, ...asked }, null, 2);
    const bytes = Buffer.from(withSum(text));
    await replaceFile(this.#disk, this.dir, CRAWL_FILE, bytes);
    const notes = join(this.dir, NOTES);
    await this.#disk.makeFolder(notes);
    await replaceFile(this.#disk, notes, CRAWL_FILE, bytes);
  }
}

const olderCopy = (agent: number): string =>
  `The checkpoint of agent ${agent} is older than the last one of this crawl: pages archived since are moved to "orphans" in the archive's folder, and fetched again.`;

const stillPaused = (dir: string): string =>
  `The crawl is paused. To continue: drumlin set ${dir} paused=no`;

const closedNow = (dir: string): string =>
  `${dir} was open to other users. Only its owner may enter it now, because pages are fetched with passwords, cookies or tokens.`;

/** The settings of the crawl in a folder, which a resume keeps; undefined if there is no crawl. */
export async function settingsIn(dir: string): Promise<CrawlOptions | undefined> {
  const disk = new Disk();
  const asked = await askedIn(disk, dir);
  if (!asked) return undefined;
  const filters = await readFilters(disk, dir);
  const values = tunedOptions(await readTuning(disk, dir));
  return { ...asked.settings, ...values, ...(filters && filterSettings(filters)) };
}

/** The settings of the crawl in a folder, and its number of agents; throws if there is no crawl. */
export async function askedOf(
  disk: Disk,
  dir: string,
): Promise<Pick<Asked, 'settings' | 'agents' | 'seeds' | 'moved'>> {
  const asked = await askedIn(disk, dir, NAME_A_CRAWL);
  if (asked) return asked;
  throw crawlMissing(dir);
}

const NAME_A_CRAWL = 'Name the folder of a crawl: the value of "drumlin crawl --dir".';

function crawlMissing(dir: string): DrumlinError {
  return new DrumlinError('CRAWL_MISSING', `There is no crawl in ${dir}.`, NAME_A_CRAWL, {
    exitCode: EXIT.folder,
  });
}

async function askedIn(
  disk: Disk,
  dir: string,
  remedy = 'Choose an empty or a new folder with --dir.',
): Promise<Asked | undefined> {
  const entries = await listOrNone(disk, dir);
  if (entries.includes(CRAWL_FILE)) return readAsked(disk, dir);
  if (entries.includes(NOTES)) throw crawlFileMissing(dir);
  if (entries.every((name) => OURS.has(name) || LOCKS.test(name))) return undefined;
  throw new DrumlinError('FOLDER_NOT_EMPTY', `${dir} holds other files and no crawl.`, remedy, {
    exitCode: EXIT.folder,
  });
}

/** The notes are made after crawl.json, so it was lost. */
function crawlFileMissing(dir: string): DrumlinError {
  return new DrumlinError(
    'CRAWL_FILE',
    `${join(dir, CRAWL_FILE)} is missing, but ${dir} holds the files of a crawl.`,
    'Restore it from a copy, or choose another --dir; the archive of this crawl stays readable.',
    { exitCode: EXIT.folder },
  );
}

async function listOrNone(disk: Disk, dir: string): Promise<string[]> {
  try {
    return await disk.list(dir);
  } catch (error) {
    if (error instanceof DrumlinError && error.code === 'FILE_MISSING') return [];
    if (systemCode((error as Error).cause) !== 'ENOTDIR') throw error;
    throw new DrumlinError('NOT_A_FOLDER', `${dir} is not a folder.`, 'Choose another --dir.');
  }
}

/** Puts the copy of crawl.json in its place, if it is missing or damaged and the copy is not. */
async function restoreAsked(disk: Disk, dir: string): Promise<void> {
  try {
    if (await askedIn(disk, dir)) return;
  } catch (error) {
    if (!(error instanceof DrumlinError) || error.code !== 'CRAWL_FILE') throw error;
  }
  const copy = join(dir, NOTES);
  await readAsked(disk, copy); // throws if it is damaged too
  await replaceFile(
    disk,
    dir,
    CRAWL_FILE,
    Buffer.from(await disk.readText(join(copy, CRAWL_FILE))),
  );
}

async function readAsked(disk: Disk, dir: string): Promise<Asked> {
  const path = join(dir, CRAWL_FILE);
  let asked: Asked & { readonly version?: unknown };
  const text = await disk.readText(path);
  if (sumOf(text) === 'wrong')
    throw crawlFileDamaged(path, 'its checksum is wrong (if you changed it, remove "crc32")');
  try {
    asked = JSON.parse(text, (_, value) => value ?? Infinity);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw crawlFileDamaged(path, error.message);
  }
  if (asked?.format === FORMAT) return asked;
  throw new DrumlinError(
    'CRAWL_VERSION',
    `The crawl in ${dir} was written by drumlin ${asked?.version ?? 'of an unknown version'}, in a format that this version cannot resume; its archive can be read.`,
    'Resume it with the version that wrote it, or choose another --dir for a new crawl.',
    { exitCode: EXIT.folder },
  );
}

function crawlFileDamaged(path: string, why: string): DrumlinError {
  return new DrumlinError(
    'CRAWL_FILE',
    `${path} is damaged: ${why}.`,
    'Restore it from a copy, or choose another --dir.',
    { exitCode: EXIT.folder },
  );
}

const SCOPE = ['scope', 'maxDepth', 'maxUrlLength', 'maxRepeats', 'include', 'exclude'] as const;

function scopesDiffer(before: CrawlOptions, now: CrawlConfig): boolean {
  return SCOPE.some((key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]));
}

/** A user must give the password again on resume: other users may read the file. */
function withoutPassword(proxy: string): string {
  return proxy.replace(/\/\/[^@/]*@/, '//');
}

export function noCrawlToResume(dir: string): DrumlinError {
  return new DrumlinError(
    'NO_SEEDS',
    `There is no URL to start from, and no crawl in ${dir} to resume.`,
    'Name one or more URLs, or a file with one URL per line: drumlin crawl https://example.org/',
  );
}
