/**
 * The queued URLs of a damaged agent, as far as its files are whole.
 *
 * Idea      Each part of the folder is opened by itself: damage of one does not hide the others.
 *           What is read before a part turns out to be damaged counts.
 * Ensures   URLs in no particular order, some of them twice.
 */
import type { Checkpoint } from '../../disk/checkpoint.ts';
import { isDamage } from '../../disk/damage.ts';
import type { Disk } from '../../disk/disk.ts';
import { entryBytes, type KeyedBatch } from '../../drum/keyed-batch.ts';
import { Backlog } from '../../frontier/backlog/backlog.ts';
import { Beast } from '../../frontier/beast/beast.ts';
import type { Domain } from '../../frontier/host.ts';
import { storedDomain } from '../../frontier/host-record.ts';
import { HostStore } from '../../frontier/host-store.ts';
import { type Discovery, decodeDiscovery } from '../../frontier/queue/discovered-url.ts';
import { PathQueue } from '../../frontier/queue/path-queue.ts';
import { restoreSnapshot } from '../../frontier/snapshot.ts';
import { eachEntry } from '../../reputation/budgeted-supply.ts';
import { DrumSieve } from '../../sieve/disk-sieve.ts';
import { storedVerdict } from '../../spam/live/domain-sums.ts';
import { isDomainKey } from '../../url/fingerprint.ts';
import {
  agentDir,
  partFolders,
  readImage,
  roundsDir,
  type StoredState,
} from '../state/agent-folder.ts';
import { type Handover, type Heir, wholeFrontier } from '../state/heir.ts';
import { decodeImage } from '../state/memory-image.ts';
import { PARCEL } from '../transport/transport.ts';
import { unpackKeyedBatch } from '../transport/url-parcel.ts';

type Offer = (found: readonly Discovery[]) => Promise<void>;

/** URLs handed on at once. */
const PIECE = 256;
/** Records of hosts written at once. */
const RECORDS = 1024;

/** Hands everything readable to `offer`, and the records of hosts to `heir`. */
export async function salvage(
  agent: number,
  stored: Checkpoint<StoredState>,
  { disk, config, readyAt }: Handover,
  heir: Heir,
  offer: Offer,
): Promise<void> {
  const dir = agentDir(config.dir, agent);
  const { state } = stored;
  const folders = partFolders(dir);
  await unlessDamaged(async () => {
    const at = { folder: folders.seen, memory: config.sieveMemory, cache: 0, disk };
    await closing(await DrumSieve.openAt(at, state.sieve), async (sieve) => {
      const takeAll = async () => {
        for (let batch = await sieve.take(); batch; batch = await sieve.take())
          await offer(discoveries(batch));
      };
      await takeAll();
      await sieve.flush();
      await takeAll();
    });
  });
  await unlessDamaged(async () => {
    const at = { disk, folder: folders.hosts, memory: config.hostMemory, at: state.hosts };
    await closing(await HostStore.open(at), async (hosts) => {
      let put = 0;
      for await (const { key, value } of hosts.records()) {
        heir.hosts.put(key, value);
        if (isDomainKey(key)) keepVerdict(storedDomain(value), heir);
        if (++put % RECORDS !== 0) continue;
        await heir.hosts.write();
        await heir.reputation?.book.write();
      }
    });
  });
  await unlessDamaged(async () => {
    const at = { disk, folder: folders.backlog, memory: config.backlogMemory, at: state.backlog };
    await closing(await Backlog.open(at), (backlog) => sweep(backlog, offer));
  });
  await unlessDamaged(async () => {
    const image = decodeImage(await readImage(disk, dir, stored), dir);
    for (const batch of image.discovered) await offer(discoveries(batch));
    for (const { kind, bytes } of image.transport.unacknowledged)
      if (kind === PARCEL.urls) await offer(discoveries(unpackKeyedBatch(bytes)));
    const backlog = Backlog.inMemory();
    const frontier = wholeFrontier(backlog, heir.hosts);
    frontier.restore(state.frontier);
    restoreSnapshot(image.frontier, frontier, readyAt);
    for (const domain of frontier.domainsInMemory()) {
      heir.hosts.saveDomain(domain);
      keepVerdict(domain, heir);
    }
    for (const host of frontier.inMemory()) {
      heir.hosts.save(host);
      await offer(taken(host.queue));
    }
    await sweep(backlog, offer);
  });
  const rounds = state.reputation?.rounds;
  if (rounds) await unlessDamaged(() => drain(disk, roundsDir(config.dir, agent), rounds, offer));
}

/** Gives the verdict on a domain to the new book, which is made without the old one. */
function keepVerdict({ notes, hash }: Domain, { reputation }: Heir): void {
  const spam = notes instanceof Uint8Array ? storedVerdict(notes) : undefined;
  if (spam !== undefined) reputation?.book.setSpam(hash, spam);
}

async function sweep(backlog: Backlog, offer: Offer): Promise<void> {
  const round = await backlog.sweep();
  while (await round.next()) {
    const queue = new PathQueue(round.host);
    while ((await round.take(PIECE, queue)) > 0) await offer(taken(queue));
  }
}

async function drain(
  disk: Disk,
  folder: string,
  at: NonNullable<StoredState['reputation']>['rounds'],
  offer: Offer,
): Promise<void> {
  await closing(await Beast.open({ disk, folder, memory: 2 ** 22, at }), async (rounds) => {
    for (let next = 'round'; next !== 'empty'; next = await rounds.advance()) {
      const take = () => (next === 'rescan' ? rounds.takeLater() : rounds.take());
      for (let entries = await take(); entries; entries = await take())
        await offer([...eachEntry(entries)].map(decodeDiscovery));
    }
  });
}

function discoveries(batch: KeyedBatch): Discovery[] {
  return Array.from({ length: batch.length }, (_, i) => decodeDiscovery(entryBytes(batch, i)));
}

function taken(queue: PathQueue): Discovery[] {
  const found: Discovery[] = [];
  for (let next = queue.shift(); next; next = queue.shift()) found.push(next);
  return found;
}

async function closing<Part extends { close(): Promise<void> }>(
  part: Part,
  use: (part: Part) => Promise<void>,
): Promise<void> {
  try {
    await use(part);
  } finally {
    await part.close();
  }
}

async function unlessDamaged(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}
