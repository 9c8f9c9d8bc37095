/**
 * The folder that a crawl leaves behind, from its first line to its last.
 *
 *   crawl.json            what was asked: settings as resolved, version, seeds
 *   agents/0/seen/        the sieve
 *   agents/0/waiting.txt  what was still to be fetched when the crawl was stopped
 *   archive/              WARC files
 *   log.jsonl             events
 *
 * Ensures   a folder with anything else in it is never written to. `waiting.txt` exists exactly while the crawl can be
 *           gone on with: it is written last, and removed by `begin`, when nothing can be refused any more. A folder
 *           whose crawl never began counts as new.
 */
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { replaceFile } from '../disk/checkpoint.ts';
import { Disk } from '../disk/disk.ts';
import { FolderLock } from '../disk/folder-lock.ts';
import { DrumlinError, EXIT, systemCode } from '../errors.ts';
import type { Discovery } from '../frontier/discovery.ts';
import { DrumSieve } from '../sieve/disk-sieve.ts';
import { VERSION } from '../version.ts';
import { CrawlLog } from './log.ts';
import type { CrawlConfig, CrawlOptions } from './settings.ts';
import { readWaiting, saveWaiting } from './waiting-list.ts';

const CRAWL_FILE = 'crawl.json';
const WAITING_FILE = 'waiting.txt';
const LOG_FILE = 'log.jsonl';
/** What may lie in a folder before its crawl has begun. */
const OURS = new Set(['agents', 'archive', LOG_FILE, 'LOCK']);
const agentDir = (dir: string): string => join(dir, 'agents', '0');

/** What a folder's crawl was asked when it was begun or last gone on with. */
interface Asked {
  readonly settings: CrawlOptions;
  readonly seeds: readonly string[];
}

export class CrawlFolder {
  readonly dir: string;
  readonly sieve: DrumSieve;
  readonly log: CrawlLog;
  readonly disk: Disk;
  /** The folder holds a crawl that was stopped. */
  readonly goesOn: boolean;
  readonly #lock: FolderLock;

  private constructor(
    dir: string,
    disk: Disk,
    goesOn: boolean,
    lock: FolderLock,
    sieve: DrumSieve,
    log: CrawlLog,
  ) {
    this.dir = dir;
    this.disk = disk;
    this.goesOn = goesOn;
    this.sieve = sieve;
    this.log = log;
    this.#lock = lock;
  }

  get archiveDir(): string {
    return join(this.dir, 'archive');
  }

  static async open(
    { dir, sieveMemory }: CrawlConfig,
    seeds: readonly string[],
    clock: Clock,
  ): Promise<CrawlFolder> {
    const disk = new Disk();
    const state = await stateOf(disk, dir);
    if (state === 'foreign') throw foreign(dir);
    if (state === 'new' && seeds.length === 0) throw nothingToGoOnWith(dir);
    await disk.makeFolder(agentDir(dir));
    const lock = FolderLock.acquire(dir);
    let sieve: DrumSieve | undefined;
    try {
      sieve = await DrumSieve.open({
        folder: join(agentDir(dir), 'seen'),
        memory: sieveMemory,
        cache: 0,
        disk,
      });
      return new CrawlFolder(dir, disk, state === 'stopped', lock, sieve, await openLog(disk, dir, clock));
    } catch (error) {
      await sieve?.close();
      lock.release();
      throw error;
    }
  }

  /** What an earlier run left to be fetched. */
  waiting(): AsyncIterable<Discovery> | Iterable<Discovery> {
    return this.goesOn ? readWaiting(this.disk, join(agentDir(this.dir), WAITING_FILE)) : [];
  }

  /** From here on the folder holds a running crawl, which was asked this. */
  async begin(config: CrawlConfig, seeds: readonly string[]): Promise<void> {
    const earlier = this.goesOn ? (await readAsked(this.disk, this.dir)).seeds : [];
    const asked = {
      drumlin: 'crawl',
      version: VERSION,
      settings: config,
      seeds: [...new Set([...earlier, ...seeds])],
    };
    // Infinity has no spelling in JSON; null stands for it, and for nothing else.
    await replaceFile(this.disk, this.dir, CRAWL_FILE, Buffer.from(`${JSON.stringify(asked, null, 2)}\n`));
    await this.disk.remove(join(agentDir(this.dir), WAITING_FILE));
  }

  /** Lets go of a crawl that did not begin. */
  async abandon(): Promise<void> {
    await this.sieve.close();
    await this.log.close();
    this.#lock.release();
  }

  /** Keeps what is still to be fetched, and lets go of the files. */
  async close(waiting: Iterable<Discovery>): Promise<void> {
    try {
      await this.sieve.checkpoint();
      await this.sieve.close();
      await this.log.close();
      await saveWaiting(this.disk, agentDir(this.dir), WAITING_FILE, waiting);
    } finally {
      this.#lock.release();
    }
  }
}

/** What the stopped crawl in a folder was asked: one that goes on is asked the same. Undefined when there is none. */
export async function stoppedCrawl(dir: string): Promise<CrawlOptions | undefined> {
  const disk = new Disk();
  const state = await stateOf(disk, dir);
  if (state === 'foreign') throw foreign(dir);
  return state === 'stopped' ? (await readAsked(disk, dir)).settings : undefined;
}

type FolderState = 'new' | 'stopped' | 'foreign';

async function stateOf(disk: Disk, dir: string): Promise<FolderState> {
  const entries = await listOrNone(disk, dir);
  if (!entries.includes(CRAWL_FILE)) return entries.every((name) => OURS.has(name)) ? 'new' : 'foreign';
  if ((await listOrNone(disk, agentDir(dir))).includes(WAITING_FILE)) return 'stopped';
  FolderLock.acquire(dir).release(); // a crawl that runs is refused as such
  throw new DrumlinError(
    'CRAWL_CUT_OFF',
    `The crawl in ${dir} was cut off before it could be stopped, so it cannot go on; what it archived is there.`,
    'Choose another --dir to crawl anew.',
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

async function readAsked(disk: Disk, dir: string): Promise<Asked> {
  const path = join(dir, CRAWL_FILE);
  try {
    return JSON.parse(await disk.readText(path), (_, value) => value ?? Infinity);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new DrumlinError(
      'CRAWL_FILE',
      `${path} is damaged: ${error.message}.`,
      'Restore it from a copy, or choose another --dir.',
      { exitCode: EXIT.folder },
    );
  }
}

async function openLog(disk: Disk, dir: string, clock: Clock): Promise<CrawlLog> {
  const exists = (await disk.list(dir)).includes(LOG_FILE);
  const file = await disk.open(join(dir, LOG_FILE), exists ? 'update' : 'create');
  return new CrawlLog(clock, file, await file.size());
}

function foreign(dir: string): DrumlinError {
  return new DrumlinError(
    'FOLDER_NOT_EMPTY',
    `${dir} holds files, but no crawl.`,
    'Choose an empty or a new folder with --dir.',
    { exitCode: EXIT.folder },
  );
}

export function nothingToGoOnWith(dir: string): DrumlinError {
  return new DrumlinError(
    'NO_SEEDS',
    `There is no URL to start from, and no crawl in ${dir} to go on with.`,
    'Name one or more URLs, or a file with one a line: drumlin crawl https://example.org/',
  );
}
