/**
 * The folder that a crawl leaves behind, from its first line to its last.
 *
 *   crawl.json            what was asked: settings as resolved, version, seeds
 *   agents/0/seen/        the sieve
 *   agents/0/waiting.txt  what was still to be fetched when the crawl was stopped: depth, redirects, URL a line
 *   archive/              WARC files
 *   log.jsonl             events
 *
 * Ensures   a folder with anything else in it is never written to. `waiting.txt` exists exactly while the crawl can be
 *           gone on with: it is written last, and removed before a crawl that goes on begins.
 */
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { replaceFile } from '../disk/checkpoint.ts';
import { Disk } from '../disk/disk.ts';
import { FolderLock } from '../disk/folder-lock.ts';
import { DrumlinError, EXIT, systemCode } from '../errors.ts';
import type { Discovery } from '../frontier/discovery.ts';

import { DrumSieve } from '../sieve/disk-sieve.ts';
import { MemorySieve } from '../sieve/memory-sieve.ts';
import type { Sieve } from '../sieve/sieve.ts';
import { VERSION } from '../version.ts';
import { CrawlLog } from './log.ts';
import type { CrawlConfig, CrawlOptions } from './settings.ts';

const CRAWL_FILE = 'crawl.json';
const WAITING_FILE = 'waiting.txt';
const LOG_FILE = 'log.jsonl';

/** What the agent works on: files of a folder, or memory for a crawl that keeps none. */
export interface CrawlStore {
  readonly sieve: Sieve;
  readonly log: CrawlLog;
  /** Where WARC files go; undefined keeps none. */
  readonly archiveDir: string | undefined;
  /** What an earlier run left to be fetched. */
  readonly waiting: readonly Discovery[];
  /** Keeps what is still to be fetched, and lets go of the files. */
  close(waiting: Iterable<Discovery>): Promise<void>;
}

/** A crawl without a folder: nothing is kept but what the user's code keeps. */
export function memoryStore(clock: Clock): CrawlStore {
  const sieve = new MemorySieve();
  const log = new CrawlLog(clock);
  return { sieve, log, archiveDir: undefined, waiting: [], close: () => sieve.close() };
}

export class CrawlFolder implements CrawlStore {
  readonly dir: string;
  readonly sieve: DrumSieve;
  readonly log: CrawlLog;
  readonly waiting: readonly Discovery[];
  readonly #disk: Disk;
  readonly #lock: FolderLock;

  private constructor(
    dir: string,
    disk: Disk,
    lock: FolderLock,
    sieve: DrumSieve,
    log: CrawlLog,
    waiting: readonly Discovery[],
  ) {
    this.dir = dir;
    this.sieve = sieve;
    this.log = log;
    this.waiting = waiting;
    this.#disk = disk;
    this.#lock = lock;
  }

  get archiveDir(): string {
    return join(this.dir, 'archive');
  }

  static async open(config: CrawlConfig, seeds: readonly string[], clock: Clock): Promise<CrawlFolder> {
    const { dir } = config;
    const disk = new Disk();
    const going = await stateOf(disk, dir);
    if (going === 'foreign') throw foreign(dir);
    if (going === 'new' && seeds.length === 0) throw nothingToGoOnWith(dir);
    const agentDir = join(dir, 'agents', '0');
    await disk.makeFolder(agentDir);
    const lock = FolderLock.acquire(dir);
    try {
      const waiting = going === 'stopped' ? await readWaiting(disk, agentDir) : [];
      const sieve = await DrumSieve.open({
        folder: join(agentDir, 'seen'),
        memory: config.sieveMemory,
        cache: 0,
        disk,
      });
      if (going === 'new') await replaceFile(disk, dir, CRAWL_FILE, crawlJson(config, seeds));
      else await disk.remove(join(agentDir, WAITING_FILE));
      return new CrawlFolder(dir, disk, lock, sieve, await openLog(disk, dir, clock), waiting);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  async close(waiting: Iterable<Discovery>): Promise<void> {
    try {
      await this.sieve.checkpoint();
      await this.sieve.close();
      await this.log.close();
      await replaceFile(this.#disk, join(this.dir, 'agents', '0'), WAITING_FILE, waitingLines(waiting));
    } finally {
      this.#lock.release();
    }
  }
}

/** What the crawl in a folder was asked, when there is one: a crawl that goes on is asked the same. */
export async function savedOptions(dir: string): Promise<CrawlOptions> {
  const disk = new Disk();
  if ((await stateOf(disk, dir)) !== 'stopped') return {};
  const { settings } = JSON.parse(
    await readText(disk, join(dir, CRAWL_FILE)),
    (_, value) => value ?? Infinity,
  );
  return settings;
}

type FolderState = 'new' | 'stopped' | 'foreign';

async function stateOf(disk: Disk, dir: string): Promise<FolderState> {
  const entries = await listOrNone(disk, dir);
  if (entries.length === 0) return 'new';
  if (!entries.includes(CRAWL_FILE)) return 'foreign';
  const agent = await listOrNone(disk, join(dir, 'agents', '0'));
  if (agent.includes(WAITING_FILE)) return 'stopped';
  FolderLock.acquire(dir).release(); // a crawl that runs is refused as such
  throw new DrumlinError(
    'CRAWL_CUT_OFF',
    `The crawl in ${dir} was cut off before it could be stopped; its archive is whole, but it cannot go on.`,
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

async function readText(disk: Disk, path: string): Promise<string> {
  const file = await disk.open(path, 'read');
  try {
    const bytes = Buffer.alloc(await file.size());
    await file.readAll(bytes, 0);
    return bytes.toString();
  } finally {
    await file.close();
  }
}

async function openLog(disk: Disk, dir: string, clock: Clock): Promise<CrawlLog> {
  const exists = (await disk.list(dir)).includes(LOG_FILE);
  const file = await disk.open(join(dir, LOG_FILE), exists ? 'update' : 'create');
  return new CrawlLog(clock, file, await file.size());
}

/** Infinity has no spelling in JSON; null stands for it, and for nothing else. */
function crawlJson(config: CrawlConfig, seeds: readonly string[]): Uint8Array {
  const asked = { drumlin: 'crawl', version: VERSION, settings: config, seeds };
  return Buffer.from(`${JSON.stringify(asked, null, 2)}\n`);
}

function waitingLines(waiting: Iterable<Discovery>): Uint8Array {
  const lines = Array.from(waiting, ({ url, depth, redirects }) => `${depth} ${redirects} ${url}\n`);
  return Buffer.from(lines.join(''));
}

async function readWaiting(disk: Disk, agentDir: string): Promise<Discovery[]> {
  const text = await readText(disk, join(agentDir, WAITING_FILE));
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [depth, redirects, url] = line.split(' ');
      return { url, depth: Number(depth), redirects: Number(redirects) };
    });
}

function foreign(dir: string): DrumlinError {
  return new DrumlinError(
    'FOLDER_NOT_EMPTY',
    `${dir} holds files, but no crawl.`,
    'Choose an empty or a new folder with --dir.',
    { exitCode: EXIT.folder },
  );
}

function nothingToGoOnWith(dir: string): DrumlinError {
  return new DrumlinError(
    'NO_SEEDS',
    `There is no URL to start from, and no crawl in ${dir} to go on with.`,
    'Name one or more URLs, or a file with one a line: drumlin crawl https://example.org/',
  );
}
