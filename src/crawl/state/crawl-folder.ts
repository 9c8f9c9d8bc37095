/**
 * The folder that a crawl leaves behind, as its coordinator sees it.
 *
 *   crawl.json            what was asked: settings as resolved, version, seeds, how often it was begun
 *   filters.txt           the filters that hold now, if there are any
 *   agents/<n>/           what each agent knows, with its checkpoint (`AgentFolder`)
 *   archive/              WARC files
 *   indexes/              where each capture lies: index.cdxj when the crawl has ended, and the parts of which it is made
 *   log.jsonl             events
 *   status.json           how the last run is, or ended (`telling/`)
 *
 * Ensures   a folder with anything else in it is never written to. A crawl in it can always be gone on with, however it ended:
 *           each agent takes up its last checkpoint. A folder whose crawl never began counts as new.
 */

import { join } from 'node:path';
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
import { FolderLock } from '../../disk/folder-lock.ts';
import type { Host } from '../../frontier/host.ts';
import { CrawlLog } from '../record/log.ts';
import type { SeedMove } from '../record/seed-move.ts';
import { AGENTS, type LastCheckpoint, lastCheckpoint } from './agent-folder.ts';
import { keepFilters, readFilters } from './filters-file.ts';
import { repartition } from './repartition.ts';

const CRAWL_FILE = 'crawl.json';
const LOG_FILE = 'log.jsonl';
/** Of crawl.json and of what it says about the folder; another one is refused by name. */
const FORMAT = 2;
/** Where the folders of another number of agents are made, before they take the place of the old. */
const NEXT_AGENTS = `${AGENTS}.next`;
/** What may lie in a folder before its crawl has begun; a process that died may have left its lock, half taken. */
const OURS = new Set([
  AGENTS,
  'archive',
  'earlier',
  'indexes',
  'pages',
  LOG_FILE,
  `${CRAWL_FILE}.tmp`,
]);
const LOCKS = /^LOCK($|\.)/;

/** What a folder's crawl was asked when it was begun or last gone on with. */
interface Asked {
  readonly format: number;
  readonly settings: CrawlOptions;
  readonly agents: number;
  /** Those in `agents.next` are the agents of this crawl, if there are any: they have yet to be put in their place. */
  readonly switching?: true;
  /** How often it was begun. */
  readonly runs: number;
  readonly seeds: readonly string[];
  /** Where seeds have moved to. */
  readonly moved: readonly SeedMove[];
  /** It once went on with another scope: what waits may have been scheduled by an earlier one. */
  readonly rescoped?: boolean;
}

export class CrawlFolder {
  readonly dir: string;
  readonly log: CrawlLog;
  readonly #disk: Disk;
  readonly #lock: FolderLock;
  #asked: Asked | undefined;
  #noting: Promise<void> = Promise.resolve();

  private constructor(
    dir: string,
    disk: Disk,
    lock: FolderLock,
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
    { dir, auth, cookies }: CrawlConfig,
    seeds: readonly string[],
    clock: Clock,
  ): Promise<CrawlFolder> {
    if (!(await askedIn(disk, dir)) && seeds.length === 0) throw nothingToGoOnWith(dir);
    // What only some may see in the web, only they may see here.
    await disk.makeFolder(dir, auth !== '' || cookies !== '');
    await disk.makeFolder(join(dir, AGENTS));
    const lock = FolderLock.acquire(dir);
    try {
      const log = await CrawlLog.open(disk, join(dir, LOG_FILE), clock);
      // Read anew: whoever held the lock before may have written it since.
      const folder = new CrawlFolder(dir, disk, lock, log, await askedIn(disk, dir));
      await folder.#finishSwitch();
      return folder;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Seeds of earlier runs. */
  get seeds(): readonly string[] {
    return this.#asked?.seeds ?? [];
  }

  get moved(): readonly SeedMove[] {
    return this.#asked?.moved ?? [];
  }

  get rescoped(): boolean {
    return this.#asked?.rescoped === true;
  }

  /** How often the crawl was begun before this run. */
  get runs(): number {
    return this.#asked?.runs ?? 0;
  }

  /** Where the crawl goes on from; undefined when there is nothing yet to go on from. */
  async lastCheckpoint(): Promise<LastCheckpoint | undefined> {
    return this.#asked && lastCheckpoint(this.#disk, this.dir, this.#asked.agents);
  }

  /** Hands the crawl over to another number of agents. `readyAt` tells when a host may be asked again at the earliest. */
  async changeAgents(
    config: CrawlConfig,
    to: number,
    readyAt: (host: Host) => Millis,
  ): Promise<void> {
    const asked = this.#asked;
    if (!asked || asked.agents === to) return;
    const into = join(this.dir, NEXT_AGENTS);
    await repartition({ disk: this.#disk, config, from: asked.agents, to, into, readyAt });
    // From here on the new ones count, whatever happens.
    await this.#store({ ...asked, agents: to, switching: true });
    await this.#finishSwitch();
    this.log.event('agents-changed', { from: asked.agents, to });
  }

  /** Puts new agents in the place of the old; where a crash cut that off, it goes on. */
  async #finishSwitch(): Promise<void> {
    if (!this.#asked?.switching) return this.#disk.removeFolder(join(this.dir, NEXT_AGENTS)); // half made
    const { switching: _, ...asked } = this.#asked;
    if ((await this.#disk.list(this.dir)).includes(NEXT_AGENTS)) {
      await this.#disk.removeFolder(join(this.dir, AGENTS));
      await this.#disk.rename(join(this.dir, NEXT_AGENTS), join(this.dir, AGENTS));
      await this.#disk.syncFolder(this.dir);
    }
    await this.#store(asked);
  }

  /** From here on the folder holds a crawl, which was asked this. */
  async begin(config: CrawlConfig, agents: number, seeds: readonly string[]): Promise<void> {
    await this.#store({
      format: FORMAT,
      settings: { ...config, agents, proxy: withoutPassword(config.proxy) },
      agents,
      runs: this.runs + 1,
      seeds: [...new Set([...this.seeds, ...seeds])],
      moved: this.moved,
      rescoped:
        this.rescoped || (this.#asked !== undefined && scopesDiffer(this.#asked.settings, config)),
    });
    await keepFilters(this.#disk, this.dir, filtersOf(config));
  }

  /** A seed was found to have moved, which is noted down in its turn; a disk that refuses is reported by `close`. */
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
    // Infinity has no spelling in JSON; null stands for it, and for nothing else.
    const text = JSON.stringify({ drumlin: 'crawl', version: VERSION, ...asked }, null, 2);
    await replaceFile(this.#disk, this.dir, CRAWL_FILE, Buffer.from(`${text}\n`));
  }
}

/** What the crawl in a folder was asked: one that goes on is asked the same. Undefined when there is none. */
export async function settingsIn(dir: string): Promise<CrawlOptions | undefined> {
  const disk = new Disk();
  const asked = await askedIn(disk, dir);
  if (!asked) return undefined;
  const filters = await readFilters(disk, dir);
  return { ...asked.settings, ...(filters && filterSettings(filters)) };
}

/** What the crawl in a folder was asked, and with how many agents it runs. */
export async function askedOf(
  disk: Disk,
  dir: string,
): Promise<Pick<Asked, 'settings' | 'agents'>> {
  const remedy = 'Name the folder that was given to "drumlin crawl --dir".';
  const asked = await askedIn(disk, dir, remedy);
  if (asked) return asked;
  throw new DrumlinError('CRAWL_MISSING', `There is no crawl in ${dir}.`, remedy, {
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
  if (entries.every((name) => OURS.has(name) || LOCKS.test(name))) return undefined;
  throw new DrumlinError('FOLDER_NOT_EMPTY', `${dir} holds files, but no crawl.`, remedy, {
    exitCode: EXIT.folder,
  });
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

async function readAsked(disk: Disk, dir: string): Promise<Asked> {
  const path = join(dir, CRAWL_FILE);
  let asked: Asked & { readonly version?: unknown };
  try {
    asked = JSON.parse(await disk.readText(path), (_, value) => value ?? Infinity);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new DrumlinError(
      'CRAWL_FILE',
      `${path} is damaged: ${error.message}.`,
      'Restore it from a copy, or choose another --dir.',
      { exitCode: EXIT.folder },
    );
  }
  if (asked?.format === FORMAT) return asked;
  throw new DrumlinError(
    'CRAWL_VERSION',
    `The crawl in ${dir} was written by drumlin ${asked?.version ?? 'of an unknown version'}, in a form that this one cannot go on with; what it archived is there.`,
    'Go on with the version that wrote it, or choose another --dir to crawl anew.',
    { exitCode: EXIT.folder },
  );
}

const SCOPE = ['scope', 'maxDepth', 'maxUrlLength', 'maxRepeats', 'include', 'exclude'] as const;

function scopesDiffer(before: CrawlOptions, now: CrawlConfig): boolean {
  return SCOPE.some((key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]));
}

/** Whoever goes on with the crawl names the password again: the file is for others to read, too. */
function withoutPassword(proxy: string): string {
  return proxy.replace(/\/\/[^@/]*@/, '//');
}

export function nothingToGoOnWith(dir: string): DrumlinError {
  return new DrumlinError(
    'NO_SEEDS',
    `There is no URL to start from, and no crawl in ${dir} to go on with.`,
    'Name one or more URLs, or a file with one a line: drumlin crawl https://example.org/',
  );
}
