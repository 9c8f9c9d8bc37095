/**
 * Where a URL is in a crawl, as of the last checkpoint of the agent that owns it; the crawl may be
 * running.
 *
 *   never ─► sieve (offered, answered) ─► placing ─► round ─► backlog ─► front ─► gone
 *
 * Idea      Each part of a checkpoint is searched by itself, the last one first: a URL is in one of
 *           them only. A URL that was seen and is in none has left the queues: it was fetched, it
 *           failed, or it was skipped.
 * Ensures   A running crawl is not disturbed. URLs in transit between agents are found, too.
 * Cost      mostly the memory image (a few megabytes) and, with budgets, the rounds: at most
 *           `MOST_ROUNDS` bytes of them.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import { isDamage } from '../../disk/damage.ts';
import { Disk } from '../../disk/disk.ts';
import { readOnly } from '../../disk/file-system.ts';
import { findPending, keyPlace } from '../../drum/find-key.ts';
import { entryBytes, type KeyedBatch } from '../../drum/keyed-batch.ts';
import { findInBacklog } from '../../frontier/backlog/find-url.ts';
import { findInRounds } from '../../frontier/beast/find-url.ts';
import { Domain, Host } from '../../frontier/host.ts';
import { decodeHost } from '../../frontier/host-record.ts';
import { type Discovery, decodeDiscovery } from '../../frontier/queue/discovered-url.ts';
import { findInQueue, findText } from '../../frontier/queue/find-entry.ts';
import { readSnapshot } from '../../frontier/snapshot.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { fingerprint, partitionOfFingerprint } from '../../url/fingerprint.ts';
import { hostOf } from '../../url/parts.ts';
import { agentOf } from '../transport/routing.ts';
import { PARCEL } from '../transport/transport.ts';
import { unpackKeyedBatch } from '../transport/url-parcel.ts';
import {
  agentDir,
  bookOf,
  partFolders,
  readImage,
  roundsDir,
  type StoredState,
  storedCheckpoint,
} from './agent-folder.ts';
import { decodeImage, type MemoryImage } from './memory-image.ts';

const MOST_ROUNDS: Bytes = 256 * 2 ** 20;
/** A running crawl may replace a checkpoint while it is read. */
const ATTEMPTS = 5;

/** The last place of a URL on its way. */
type UrlStage =
  /** No checkpoint knows it. */
  | 'never'
  /** Discovered, on its way to the agent that owns it. */
  | 'in-transit'
  /** Discovered, and not compared with the URLs seen yet. */
  | 'offered'
  /** New, and not taken from the sieve yet. */
  | 'answered'
  /** New, and its domain has not placed it in a round yet. */
  | 'placing'
  /** In a round, or put off to a later one. */
  | 'round'
  /** Queued on disk. */
  | 'backlog'
  /** Queued in memory. */
  | 'front'
  /** Being fetched, or first in the queue of its host. */
  | 'under-way'
  /** Seen, and no longer queued. */
  | 'gone';

export interface UrlPlace {
  readonly agent: number;
  readonly partition: number;
  /** The time of the checkpoint; undefined if the agent has none. */
  readonly savedAt: Millis | undefined;
  readonly stage: UrlStage;
  /** How it was discovered; undefined where that is not stored. */
  readonly discovery: Discovery | undefined;
  /** URLs of its host before it, in the front or the backlog. */
  readonly before?: number;
  /** In a round: which one, and the round read last. */
  readonly round?: number | 'later';
  readonly roundNow?: number;
  /** What is known of its host, if it is in memory. */
  readonly host: Host | undefined;
}

export async function placeOf(dir: string, agents: number, url: string): Promise<UrlPlace> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await placeOnce(new Disk(readOnly()), dir, agents, url);
    } catch (error) {
      const isGone = error instanceof DrumlinError && error.code === 'FILE_MISSING';
      if (!(isGone || isDamage(error)) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function placeOnce(disk: Disk, dir: string, agents: number, url: string): Promise<UrlPlace> {
  const key = fingerprint(url);
  const partition = partitionOfFingerprint(key);
  const agent = agentOf(partition, agents);
  const stored = await storedCheckpoint(disk, dir, agent);
  const nothing = { agent, partition, host: undefined, discovery: undefined };
  if (!stored) return { ...nothing, savedAt: undefined, stage: 'never' };
  const { state } = stored;
  const own = agentDir(dir, agent);
  const image = decodeImage(await readImage(disk, own, stored), own);
  const known = { ...nothing, savedAt: state.savedAt, host: hostIn(image, hostOf(url)) };
  const queued =
    inFront(image, url) ??
    (await inBacklog(disk, own, state, url)) ??
    (await inRounds(disk, dir, agent, state, url));
  if (queued) return { ...known, ...queued };
  const seen = await keyPlace(disk, partFolders(own).seen, state.sieve, key);
  if (seen === 'offered' || seen === 'answered') return { ...known, stage: seen };
  if (seen === 'decided') {
    const placing = await inBook(disk, dir, agent, url);
    return placing ? { ...known, ...placing } : { ...known, stage: 'gone' };
  }
  const discovery = await inTransit(disk, dir, agents, image, url);
  return discovery ? { ...known, stage: 'in-transit', discovery } : { ...known, stage: 'never' };
}

type Found = Pick<UrlPlace, 'stage' | 'discovery' | 'before' | 'round' | 'roundNow'>;

/** The host of a URL, if it is in memory. */
function hostIn({ frontier }: MemoryImage, name: string): Host | undefined {
  for (const one of readSnapshot(frontier)) {
    if (one.kind !== 'host' || one.name !== name) continue;
    const host = new Host(name, new Domain(payLevelDomain(name)));
    decodeHost(one.record, host);
    return host;
  }
  return undefined;
}

function inFront({ frontier }: MemoryImage, url: string): Found | undefined {
  const host = hostOf(url);
  for (const one of readSnapshot(frontier)) {
    if (one.kind === 'domain' || one.name !== host) continue;
    const found = findInQueue(one.queue, host, url);
    if (!found) continue;
    const { before, ...discovery } = found;
    const stage = one.kind !== 'host' ? 'backlog' : before === 0 ? ('under-way' as const) : 'front';
    return { stage, discovery, before };
  }
  return undefined;
}

async function inBacklog(
  disk: Disk,
  own: string,
  { backlog }: StoredState,
  url: string,
): Promise<Found | undefined> {
  const { backlog: folder } = partFolders(own);
  const found = await findInBacklog(disk, folder, backlog, hostOf(url), url);
  if (!found) return undefined;
  const { before, ...discovery } = found;
  return { stage: 'backlog', discovery, before };
}

async function inRounds(
  disk: Disk,
  dir: string,
  agent: number,
  { reputation }: StoredState,
  url: string,
): Promise<Found | undefined> {
  if (!reputation) return undefined;
  const folder = roundsDir(dir, agent);
  const found = await findInRounds(disk, folder, reputation.rounds, url, MOST_ROUNDS);
  if (found === undefined || found === 'too-many') return undefined;
  const { round, now: roundNow, ...discovery } = found;
  return { stage: 'round', discovery, round, roundNow };
}

/** Offers of the book of domains that are not merged yet. */
async function inBook(
  disk: Disk,
  dir: string,
  agent: number,
  url: string,
): Promise<Found | undefined> {
  const book = await bookOf(disk, dir, agent);
  if (!book) return undefined;
  const { folder, frozen } = book;
  const pending = { files: frozen.files, state: frozen.state.drum };
  const discovery = await findPending(disk, folder, pending, url.length + 16, (bytes) =>
    findText(bytes, url),
  );
  return discovery && { stage: 'placing', discovery };
}

/** Links that an agent has discovered and not handed on, or that no checkpoint of ours holds. */
async function inTransit(
  disk: Disk,
  dir: string,
  agents: number,
  own: MemoryImage,
  url: string,
): Promise<Discovery | undefined> {
  const images = [own];
  for (let agent = 0; agent < agents; agent++) {
    const stored = await storedCheckpoint(disk, dir, agent);
    const folder = agentDir(dir, agent);
    if (stored) images.push(decodeImage(await readImage(disk, folder, stored), folder));
  }
  for (const { discovered, transport } of images) {
    const parcels = transport.unacknowledged.filter(({ kind }) => kind === PARCEL.urls);
    for (const batch of [...discovered, ...parcels.map(({ bytes }) => unpackKeyedBatch(bytes))]) {
      const found = inBatch(batch, url);
      if (found) return found;
    }
  }
  return undefined;
}

function inBatch(batch: KeyedBatch, url: string): Discovery | undefined {
  const key = fingerprint(url);
  for (let i = 0; i < batch.length; i++)
    if (batch.keys[i] === key) return decodeDiscovery(entryBytes(batch, i));
  return undefined;
}
