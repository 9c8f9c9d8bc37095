/**
 * The status of the crawl in a folder, running or not, from its files alone: the lock, the status
 * file and the checkpoints.
 */
import { join } from 'node:path';
import { type Bytes, counted, type Millis } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { holderOf } from '../../disk/folder-lock.ts';
import { bytesFree, bytesIn } from '../../disk/usage.ts';
import {
  addUp,
  Counters,
  type CountersState,
  countersOf,
  type EndReason,
} from '../record/counters.ts';
import { AGENTS, lastCheckpoint } from '../state/agent-folder.ts';
import { askedOf } from '../state/crawl-folder.ts';
import { readTuning } from '../state/tuning-file.ts';
import type { Trouble } from './health.ts';
import type { Rate } from './rates.ts';
import { readStatus, STATUS_EVERY, type Status } from './status-file.ts';

export interface CrawlStatus {
  readonly dir: string;
  /** `silent` means that its process exists but has written no status for a while. */
  readonly state: 'running' | 'stopping' | 'silent' | 'ended' | 'failed' | 'killed' | 'new';
  readonly pid: number | undefined;
  /** Why it ended, if it did. */
  readonly end: EndReason | undefined;
  readonly error: string | undefined;
  readonly trouble: Trouble | undefined;
  /** The operator has paused it; a pause lasts until it is ended. */
  readonly paused: boolean;
  /** The start of the last run. */
  readonly startedAt: Millis | undefined;
  /** The time of the last status of that run. */
  readonly heardAt: Millis | undefined;
  /** The counts of all runs. */
  readonly counters: CountersState;
  readonly rate: Rate | undefined;
  readonly front: number | undefined;
  /** Queued URLs. */
  readonly waiting: number;
  /** Queued URLs on disk; undefined for a crawl that is not running. */
  readonly onDisk: number | undefined;
  readonly urlsUnique: number;
  readonly hosts: number;
  readonly domains: number;
  readonly checkpoint:
    | { readonly savedAt: Millis; readonly pages: number; readonly waiting: number }
    | undefined;
  readonly disk: { readonly archive: Bytes; readonly agents: Bytes; readonly free: Bytes };
  /** What to type next, and why. */
  readonly next: { readonly why: string; readonly command: string };
  /** The status that the run wrote itself; undefined for a crawl that is not running. */
  readonly live: Status | undefined;
}

/** A process without a new status for this long hangs, or its disk does. */
const SILENCE: Millis = 10 * STATUS_EVERY;
/** As often as agents write checkpoints by default. */
const SLOW_EVERY: Millis = 10_000;

/** What changes with a checkpoint only, and what takes a walk through the folder. */
interface SlowParts {
  readonly asked: Awaited<ReturnType<typeof askedOf>>;
  readonly saved: Awaited<ReturnType<typeof lastCheckpoint>>;
  readonly disk: CrawlStatus['disk'];
  readonly refreshes: boolean;
}

/**
 * Reads the status of one crawl again and again. While a process runs, what changes slowly is read
 * every `SLOW_EVERY`: checkpoints hold the whole history, and an archive may have many files.
 */
export class StatusReader {
  readonly #disk: Disk;
  readonly #dir: string;
  #slow: SlowParts | undefined;
  #readAt: Millis = -Infinity;
  #pid: number | undefined;

  constructor(disk: Disk, dir: string) {
    this.#disk = disk;
    this.#dir = dir;
  }

  async read(now: Millis): Promise<CrawlStatus & { readonly asked: SlowParts['asked'] }> {
    const holder = holderOf(this.#dir);
    const told = await readStatus(this.#disk, this.#dir);
    const live =
      holder?.alive && told?.pid === holder.pid && told.state === 'running' ? told : undefined;
    const isKept = live?.pid === this.#pid && now - this.#readAt < SLOW_EVERY;
    if (!live || !this.#slow || !isKept) {
      this.#slow = await slowParts(this.#disk, this.#dir);
      this.#readAt = now;
      this.#pid = live?.pid;
    }
    const { asked, saved } = this.#slow;
    const state = stateOf(holder, told, saved !== undefined, now);
    const counters = live
      ? addUp<CountersState>([{ ...new Counters() }, live.before, countersOf(live)])
      : (saved?.counters ?? { ...new Counters() });
    const status: Omit<CrawlStatus, 'next'> = {
      dir: this.#dir,
      state,
      pid: holder?.alive ? holder.pid : undefined,
      end: state === 'ended' ? told?.end : undefined,
      error: state === 'failed' ? told?.error : undefined,
      trouble: live?.trouble,
      paused: live?.paused ?? (await readTuning(this.#disk, this.#dir)).paused,
      startedAt: told?.startedAt,
      heardAt: told?.at,
      counters,
      rate: live?.rate,
      front: live?.front,
      waiting: live?.queued ?? saved?.waiting ?? 0,
      onDisk: live?.backlog,
      urlsUnique: live?.urlsUnique ?? saved?.urlsUnique ?? 0,
      hosts: live?.hosts ?? saved?.frontier.hostsSeen ?? 0,
      domains: live?.domains ?? saved?.frontier.domainsSeen ?? 0,
      checkpoint: saved && { savedAt: saved.savedAt, pages: saved.pages, waiting: saved.waiting },
      disk: this.#slow.disk,
      live,
    };
    return { ...status, next: nextStep(status, this.#slow.refreshes), asked };
  }
}

/** The status now, all of it. */
export async function statusOf(disk: Disk, dir: string, now: Millis): Promise<CrawlStatus> {
  const { asked: _, ...status } = await new StatusReader(disk, dir).read(now);
  return status;
}

async function slowParts(disk: Disk, dir: string): Promise<SlowParts> {
  const asked = await askedOf(disk, dir);
  return {
    asked,
    saved: await lastCheckpoint(disk, dir, asked.agents),
    disk: {
      archive: await bytesIn(join(dir, 'archive')),
      agents: await bytesIn(join(dir, AGENTS)),
      free: await bytesFree(dir),
    },
    refreshes: await isRefresh(disk, dir),
  };
}

function stateOf(
  holder: ReturnType<typeof holderOf>,
  told: Status | undefined,
  hasCheckpoint: boolean,
  now: Millis,
): CrawlStatus['state'] {
  if (holder?.alive) {
    if (!told || told.pid !== holder.pid) return 'running'; // it has only just started
    if (now - told.at > SILENCE) return 'silent';
    return told.ending ? 'stopping' : 'running';
  }
  // The lock of a dead process, or a run without a last status.
  if (holder || told?.state === 'running') return 'killed';
  if (told) return told.state === 'failed' ? 'failed' : 'ended';
  return hasCheckpoint ? 'ended' : 'new';
}

/** A refresh has its plan in the folder. */
async function isRefresh(disk: Disk, dir: string): Promise<boolean> {
  const folder = join(dir, 'refresh');
  return (
    (await disk.list(dir)).includes('refresh') && (await disk.list(folder)).includes('plan.json')
  );
}

function nextStep(
  { state, dir, pid, waiting, end, paused }: Omit<CrawlStatus, 'next'>,
  refreshes: boolean,
): CrawlStatus['next'] {
  const resume = `drumlin ${refreshes ? 'refresh' : 'crawl'} --dir ${dir}`;
  switch (state) {
    case 'running':
      if (paused) return { why: 'to continue', command: `drumlin set ${dir} paused=no` };
      return { why: 'to stop it cleanly', command: `kill ${pid}` };
    case 'stopping':
      return {
        why: 'it ends by itself in a few seconds; to watch it',
        command: `drumlin status ${dir} --watch`,
      };
    case 'silent':
      return { why: 'to kill and resume it', command: `kill -9 ${pid} && ${resume}` };
    case 'killed':
      return { why: 'to resume from the last checkpoint', command: resume };
    case 'failed':
      return { why: 'fix the error, then resume', command: resume };
    case 'new':
      return { why: 'nothing was fetched yet; to start', command: resume };
    case 'ended':
      if (waiting > 0 && end !== 'finished') {
        return { why: `${counted(waiting, 'URL')} queued; to resume`, command: resume };
      }
      if (refreshes)
        return { why: 'enough is found; for the report', command: `drumlin report ${dir}` };
      return waiting > 0
        ? {
            why: 'all queued URLs belong to domains with budget 0; to list the budgets',
            command: `drumlin domains ${dir}`,
          }
        : { why: 'nothing is left to fetch; to write a report', command: `drumlin report ${dir}` };
  }
}
