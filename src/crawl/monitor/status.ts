/**
 * How the crawl in a folder is, whether it runs or not, from its files alone: who holds it, what it says of itself, what its checkpoints say.
 */
import { join } from 'node:path';
import { type Bytes, formatCount, type Millis } from '../../base/units.ts';
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
import type { Trouble } from './health.ts';
import type { Rate } from './rates.ts';
import { readStatus, STATUS_EVERY, type Status } from './status-file.ts';

export interface CrawlStatus {
  readonly dir: string;
  /** `silent`: its process is there and has not told anything for a while. */
  readonly state: 'running' | 'stopping' | 'silent' | 'ended' | 'failed' | 'killed' | 'new';
  readonly pid: number | undefined;
  /** Why it ended, if it did. */
  readonly end: EndReason | undefined;
  readonly error: string | undefined;
  readonly trouble: Trouble | undefined;
  /** When the last run began, and when it was last heard of. */
  readonly startedAt: Millis | undefined;
  readonly heardAt: Millis | undefined;
  /** Of all runs. */
  readonly counters: CountersState;
  readonly rate: Rate | undefined;
  readonly front: number | undefined;
  readonly waiting: number;
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
  /** What the run says of itself, while it runs. */
  readonly live: Status | undefined;
}

/** A process that has told nothing for so long hangs, or its disk does. */
const SILENCE: Millis = 10 * STATUS_EVERY;

export async function statusOf(disk: Disk, dir: string, now: Millis): Promise<CrawlStatus> {
  const { agents } = await askedOf(disk, dir);
  const holder = holderOf(dir);
  const told = await readStatus(disk, dir);
  const saved = await lastCheckpoint(disk, dir, agents);
  const state = stateOf(holder, told, saved !== undefined, now);
  const live =
    holder?.alive && told?.pid === holder.pid && told.state === 'running' ? told : undefined;
  const counters = live
    ? addUp<CountersState>([{ ...new Counters() }, live.before, countersOf(live)])
    : (saved?.counters ?? { ...new Counters() });
  const waiting = live?.queued ?? saved?.waiting ?? 0;
  const status: Omit<CrawlStatus, 'next'> = {
    dir,
    state,
    pid: holder?.alive ? holder.pid : undefined,
    end: state === 'ended' ? told?.end : undefined,
    error: state === 'failed' ? told?.error : undefined,
    trouble: live?.trouble,
    startedAt: told?.startedAt,
    heardAt: told?.at,
    counters,
    rate: live?.rate,
    front: live?.front,
    waiting,
    onDisk: live?.backlog,
    urlsUnique: live?.urlsUnique ?? saved?.urlsUnique ?? 0,
    hosts: live?.hosts ?? saved?.frontier.hostsSeen ?? 0,
    domains: live?.domains ?? saved?.frontier.domainsSeen ?? 0,
    checkpoint: saved && { savedAt: saved.savedAt, pages: saved.pages, waiting: saved.waiting },
    disk: {
      archive: await bytesIn(join(dir, 'archive')),
      agents: await bytesIn(join(dir, AGENTS)),
      free: await bytesFree(dir),
    },
    live,
  };
  return { ...status, next: nextStep(status) };
}

function stateOf(
  holder: ReturnType<typeof holderOf>,
  told: Status | undefined,
  hasCheckpoint: boolean,
  now: Millis,
): CrawlStatus['state'] {
  if (holder?.alive) {
    if (!told || told.pid !== holder.pid) return 'running'; // it has only just begun
    if (now - told.at > SILENCE) return 'silent';
    return told.ending ? 'stopping' : 'running';
  }
  // The lock of a process that died, or a run that never said how it ended.
  if (holder || told?.state === 'running') return 'killed';
  if (told) return told.state === 'failed' ? 'failed' : 'ended';
  return hasCheckpoint ? 'ended' : 'new';
}

function nextStep({
  state,
  dir,
  pid,
  waiting,
  end,
}: Omit<CrawlStatus, 'next'>): CrawlStatus['next'] {
  const goOn = `drumlin crawl --dir ${dir}`;
  switch (state) {
    case 'running':
      return { why: 'to stop it cleanly', command: `kill ${pid}` };
    case 'stopping':
      return {
        why: 'it ends by itself in a few seconds; to see',
        command: `drumlin status ${dir} --watch`,
      };
    case 'silent':
      return { why: 'it hangs: end it, and go on', command: `kill -9 ${pid} && ${goOn}` };
    case 'killed':
      return { why: 'to go on from the last checkpoint', command: goOn };
    case 'failed':
      return { why: 'when that is mended, to go on', command: goOn };
    case 'new':
      return { why: 'nothing was fetched yet; to begin', command: goOn };
    case 'ended':
      if (waiting > 0 && end !== 'finished') {
        return { why: `${formatCount(waiting)} URLs wait; to go on`, command: goOn };
      }
      return waiting > 0
        ? {
            why: 'nothing that waits has budget; to see who has',
            command: `drumlin domains ${dir}`,
          }
        : { why: 'nothing is left to fetch; to see how it went', command: `drumlin report ${dir}` };
  }
}
