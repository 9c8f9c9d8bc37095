/**
 * Hands a crawl over to another number of agents, while no agent runs.
 *
 * Idea      Every stored key begins with its partition, and an agent owns one range of partitions:
 *           each new agent needs one range of every file of the old ones. The memory images of the
 *           old agents go to disk: the new agents start with an empty front, and their
 *           distributors bring in hosts as usual.
 *
 *             agents/0  ──┐ keys: copied             ┌──► agents.next/0
 *             agents/1  ──┤ hosts: records           ├──► agents.next/1
 *                         │ URLs: to the backlog     └──► agents.next/2
 *                         └ on their way: to the outbox of their owner
 *
 * Requires  The folder's lock. The old folders are read at their last checkpoints and do not
 *           change.
 * Ensures   Keys seen stay seen. Every queued URL stays queued, those of a host in their order.
 *           Every archive file of a checkpoint stays and has an owner. The new folders count when
 *           the caller says so: until then they can be deleted and made again.
 * Cost      One pass over the files of the old agents, and memory for the new ones as in a crawl.
 */
import { join } from 'node:path';
import { archiveDir, partsDir } from '../../archive/index/index-merge.ts';
import { agentOfFile, type Orphan, recoverArchive } from '../../archive/write/recovery.ts';
import type { WholeLength } from '../../archive/write/warc-writer.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import type { Disk } from '../../disk/disk.ts';
import type { KeyedBatch } from '../../drum/keyed-batch.ts';
import { BatchBuilder, entryBytes } from '../../drum/keyed-batch.ts';
import { KnownKeys } from '../../drum/known-keys.ts';
import { Backlog } from '../../frontier/backlog/backlog.ts';
import { Frontier } from '../../frontier/frontier.ts';
import type { Host } from '../../frontier/host.ts';
import { HostStore } from '../../frontier/host-store.ts';
import { decodeDiscovery } from '../../frontier/queue/discovered-url.ts';
import { PathQueue } from '../../frontier/queue/path-queue.ts';
import { restoreSnapshot, takeSnapshot } from '../../frontier/snapshot.ts';
import type { ReputationFolder } from '../../reputation/reputation-folder.ts';
import { DrumSieve } from '../../sieve/disk-sieve.ts';
import { isDomainKey, PARTITION_BITS, partitionOfFingerprint } from '../../url/fingerprint.ts';
import { hostOf } from '../../url/parts.ts';
import { addUp, Counters, type CountersState } from '../record/counters.ts';
import { addSeries } from '../record/series.ts';
import { mostPages } from '../record/top-domains.ts';
import { agentOf, partitionsOf } from '../transport/routing.ts';
import { PARCEL, type Parcel, type TransportState } from '../transport/transport.ts';
import { undelivered } from '../transport/transport-state.ts';
import { unpackKeyedBatch } from '../transport/url-parcel.ts';
import {
  AgentFolder,
  type AgentState,
  agentDir,
  openReputation,
  partFolders,
} from './agent-folder.ts';
import {
  handOverParcel,
  handOverReputation,
  type OwnerOf,
  putOffNew,
} from './handover-reputation.ts';
import { decodeImage, encodeImage } from './memory-image.ts';

interface Handover {
  readonly disk: Disk;
  readonly config: CrawlConfig;
  readonly from: number;
  readonly to: number;
  /** Where the new agents' folders are made; an existing folder is deleted. */
  readonly into: string;
  /** The earliest time at which a host that was in memory may be fetched from again. */
  readonly readyAt: (host: Host) => Millis;
  /** Called for each archive file, or end of one, that no checkpoint names: it was set aside. */
  readonly onOrphan: (orphan: Orphan) => void;
  /** The crawl begins anew, from its seeds: only the archive is handed over. */
  readonly anew?: boolean;
}

/** What is left of an old agent, beside what was moved to the new ones. */
interface Remains {
  /** Undefined if the agent has no checkpoint. */
  readonly state: AgentState | undefined;
  readonly transport: TransportState;
  /** The checkpoint was not the last one. */
  readonly isOutdated: boolean;
  /** The number of the last checkpoint, even if it is lost. */
  readonly newest: number;
}

/** URLs moved in one batch from one backlog to another. */
const PIECE = 256;
/** Records moved in one batch from one host store to another. */
const RECORDS = 1024;
const KEY_BITS = BigInt(64 - PARTITION_BITS);

export async function repartition(handover: Handover): Promise<void> {
  const { disk, config, from, to, into } = handover;
  const archive = archiveDir(config.dir);
  const index = partsDir(config.dir);
  for (const folder of [archive, index]) await disk.makeFolder(folder);
  await disk.removeFolder(into);
  const heirs: Heir[] = [];
  try {
    for (let agent = 0; agent < to; agent++) heirs.push(await Heir.open(handover, agent));
    const states: (AgentState | undefined)[] = [];
    const transports: TransportState[] = [];
    let sequence = 0;
    for (let agent = 0; agent < from; agent++) {
      const { state, transport, isOutdated, newest } = await handOver(agent, handover, heirs);
      const options = { indexDir: index, keepTails: isOutdated, onOrphan: handover.onOrphan };
      await recoverArchive(disk, archive, String(agent), state?.archive, options);
      states.push(state);
      transports.push(transport);
      sequence = Math.max(sequence, newest);
    }
    for (const parcel of undelivered(transports)) await handOverUndelivered(parcel, heirs);
    for (const heir of heirs) await heir.store(stateOf(heir.agent, to, states), sequence);
  } finally {
    for (const heir of heirs) await heir.close();
  }
}

/** Hands over a parcel that may not have arrived. The standing of domains is computed again. */
async function handOverUndelivered({ kind, bytes }: Parcel, heirs: readonly Heir[]): Promise<void> {
  const reputations = reputationsOf(heirs);
  if (kind === PARCEL.urls) route(unpackKeyedBatch(bytes), heirs);
  else if (kind === PARCEL.edges)
    await handOverParcel(bytes, reputations, ownerIn(heirs), systemClock.now());
  else if (kind === PARCEL.sample) for (const { sample } of reputations) sample.receive(bytes);
}

/** Moves everything of one old agent. */
async function handOver(
  agent: number,
  handover: Handover,
  heirs: readonly Heir[],
): Promise<Remains> {
  const { disk, config, from } = handover;
  const dir = agentDir(config.dir, agent);
  const folder = await AgentFolder.open(disk, agent, config);
  const { isOutdated, newest } = folder;
  try {
    if (!folder.restored)
      return { state: undefined, transport: emptyTransport(agent, from), isOutdated, newest };
    let { state } = folder.restored;
    if (handover.anew)
      return {
        state: begunAnew(state),
        transport: emptyTransport(agent, from),
        isOutdated,
        newest,
      };
    const image = decodeImage(folder.restored.image, dir);
    await handOverHosts(folder, state, image.frontier, handover, heirs);
    await handOverBacklog(folder.backlog, heirs);
    if (folder.reputation) {
      const blocked = await handOverReputation(
        folder.reputation,
        reputationsOf(heirs),
        ownerIn(heirs),
      );
      state = withRefused(state, 'blocked', blocked);
    }
    await handOverSeen(folder.sieve, heirs);
    for (const batch of image.discovered) route(batch, heirs);
    return { state, transport: image.transport, isOutdated, newest };
  } finally {
    await folder.close();
  }
}

/** What is left of a state if the crawl begins again from its seeds. */
function begunAnew({ series: _, top: __, ...state }: AgentState): AgentState {
  return { ...state, counters: { ...new Counters() }, seeds: 0, moved: [] };
}

/** Moves the records of hosts, and the URLs queued in memory before those on disk. */
async function handOverHosts(
  { hosts, backlog }: AgentFolder,
  state: AgentState,
  snapshot: Uint8Array,
  { readyAt }: Handover,
  heirs: readonly Heir[],
): Promise<void> {
  let moved = 0;
  for await (const { key, value } of hosts.records()) {
    ownerOf(key, heirs).hosts.put(key, value);
    if (++moved % RECORDS === 0) for (const heir of heirs) await heir.hosts.write();
  }
  const frontier = wholeFrontier(backlog, hosts);
  frontier.restore(state.frontier);
  restoreSnapshot(snapshot, frontier, readyAt);
  for (const domain of frontier.domainsInMemory())
    ownerOf(domain.key, heirs).hosts.saveDomain(domain);
  for (const host of frontier.inMemory()) {
    const heir = ownerOf(host.id.key, heirs);
    heir.hosts.save(host);
    await heir.wait(host.name, host.queue);
  }
}

/** A frontier that serves only to read a snapshot into it. */
function wholeFrontier(backlog: Backlog, store: HostStore): Frontier {
  const clock: Clock = { ...systemClock, after: () => () => {} };
  const limits = {
    ...{
      hosts: Infinity,
      urls: Infinity,
      front: Infinity,
      calm: Infinity,
      hostsPerAddress: Infinity,
    },
    ...{ pagesPerHost: Infinity, pagesPerDomain: Infinity },
  };
  return new Frontier({ backlog, store, clock, limits, onSkipped: () => {} });
}

async function handOverBacklog(backlog: Backlog, heirs: readonly Heir[]): Promise<void> {
  const sweep = await backlog.sweep();
  while (await sweep.next()) {
    const heir = ownerOf(sweep.id.key, heirs);
    const queue = new PathQueue(sweep.host);
    while ((await sweep.take(PIECE, queue)) > 0) await heir.wait(sweep.host, queue);
  }
}

/** Moves the keys seen; URLs that pass the sieve and were not taken yet are queued last. */
async function handOverSeen(sieve: DrumSieve, heirs: readonly Heir[]): Promise<void> {
  await sieve.flush();
  for await (const keys of sieve.keys()) {
    for (let start = 0; start < keys.length; ) {
      const heir = ownerOf(keys[start], heirs);
      const end = firstNotBelow(keys, heir.endOfKeys, start);
      await heir.keys.append(keys.subarray(start, end));
      start = end;
    }
  }
  const reputations = reputationsOf(heirs);
  for (let batch = await sieve.take(); batch; batch = await sieve.take()) {
    if (reputations.length > 0) {
      await putOffNew(batch, reputations, ownerIn(heirs), systemClock.now());
      continue;
    }
    for (let i = 0; i < batch.length; i++) {
      const discovery = decodeDiscovery(entryBytes(batch, i));
      const { backlog } = ownerOf(batch.keys[i], heirs);
      backlog.add(hostOf(discovery.url), discovery);
    }
    for (const { backlog } of heirs) await backlog.makeRoom();
  }
}

/** Redirects URLs on the way to a sieve to the sieve of the new owner. */
function route(batch: KeyedBatch, heirs: readonly Heir[]): void {
  for (let i = 0; i < batch.length; i++) {
    ownerOf(batch.keys[i], heirs).discovered.add(batch.keys[i], entryBytes(batch, i));
  }
}

function ownerOf(key: bigint, heirs: readonly Heir[]): Heir {
  return heirs[agentOf(partitionOfFingerprint(key), heirs.length)];
}

/** The reputation folders: one per agent with `--order budget`, otherwise none. */
const reputationsOf = (heirs: readonly Heir[]): ReputationFolder[] =>
  heirs.flatMap(({ reputation }) => reputation ?? []);

function ownerIn(heirs: readonly Heir[]): OwnerOf {
  const reputations = reputationsOf(heirs);
  return (key) => reputations[agentOf(partitionOfFingerprint(key), reputations.length)];
}

function withRefused(state: AgentState, reason: string, urls: number): AgentState {
  if (urls === 0) return state;
  const more = new Counters();
  more.countSkipped(reason, urls);
  return { ...state, counters: addUp<CountersState>([state.counters, { ...more }]) };
}

function emptyTransport(agent: number, agents: number): TransportState {
  return { agent, agents, received: new Array(agents).fill(0), unacknowledged: [] };
}

async function countRecords(hosts: HostStore): Promise<{ hostsSeen: number; domainsSeen: number }> {
  let [hostsSeen, domainsSeen] = [0, 0];
  for await (const { key } of hosts.records()) isDomainKey(key) ? domainsSeen++ : hostsSeen++;
  return { hostsSeen, domainsSeen };
}

/** The index of the first of the sorted keys that is not below `bound`. */
function firstNotBelow(keys: BigUint64Array, bound: bigint, from: number): number {
  let low = from;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rest of a new agent's state; the first agent gets the counts of the whole crawl. */
function stateOf(
  agent: number,
  to: number,
  states: readonly (AgentState | undefined)[],
): HeirState {
  const known = states.flatMap((state) => state ?? []);
  const counters: readonly CountersState[] =
    agent === 0 ? known.map((state) => state.counters) : [];
  return {
    savedAt: Math.max(0, ...known.map(({ savedAt }) => savedAt)),
    counters: addUp<CountersState>([{ ...new Counters() }, ...counters]),
    required: Math.max(0, ...known.map(({ frontier }) => frontier.required)),
    // An agent without a checkpoint may not have received any seed.
    seeds: Math.min(...states.map((state) => state?.seeds ?? 0)),
    moved: known.flatMap(({ moved }) => moved),
    archive: known.flatMap(({ archive }) => archive).filter((file) => keeperOf(file, to) === agent),
    ...(agent === 0 && {
      series: addSeries(known.flatMap(({ series }) => series ?? [])),
      top: mostPages(
        known.map(({ top }) => top ?? []),
        Infinity,
      ),
    }),
  };
}

/** A file belongs to the agent in its name; agent 0 gets those of agents that no longer exist. */
function keeperOf({ file }: WholeLength, agents: number): number {
  const agent = Number(agentOfFile(file));
  return agent < agents ? agent : 0;
}

interface HeirState
  extends Pick<
    AgentState,
    'savedAt' | 'counters' | 'seeds' | 'moved' | 'archive' | 'series' | 'top'
  > {
  /** The size of the front that the frontier aims for. */
  readonly required: number;
}

interface HeirParts {
  readonly hosts: HostStore;
  readonly backlog: Backlog;
  readonly keys: KnownKeys;
  readonly reputation: ReputationFolder | undefined;
}

/** A new agent, while it receives what it will own. */
class Heir {
  readonly agent: number;
  readonly hosts: HostStore;
  readonly backlog: Backlog;
  readonly keys: KnownKeys;
  readonly reputation: ReputationFolder | undefined;
  readonly discovered = new BatchBuilder();
  readonly #handover: Handover;
  readonly #dir: string;

  private constructor(handover: Handover, agent: number, dir: string, parts: HeirParts) {
    this.#handover = handover;
    this.agent = agent;
    this.#dir = dir;
    this.hosts = parts.hosts;
    this.backlog = parts.backlog;
    this.keys = parts.keys;
    this.reputation = parts.reputation;
  }

  static async open(handover: Handover, agent: number): Promise<Heir> {
    const { disk, config, into } = handover;
    const dir = join(into, String(agent));
    const folders = partFolders(dir);
    for (const folder of Object.values(folders)) await disk.makeFolder(folder);
    const { hostMemory, backlogMemory } = config;
    return new Heir(handover, agent, dir, {
      hosts: await HostStore.open({ disk, folder: folders.hosts, memory: hostMemory }),
      backlog: await Backlog.open({ disk, folder: folders.backlog, memory: backlogMemory }),
      keys: await KnownKeys.create(disk, folders.seen),
      reputation:
        config.order === 'budget'
          ? await openReputation(disk, dir, config, () => {}, undefined)
          : undefined,
    });
  }

  /** Every key of this agent is below this bound. */
  get endOfKeys(): bigint {
    return BigInt(partitionsOf(this.agent, this.#handover.to).end) << KEY_BITS;
  }

  /** Moves the URLs of a queue behind those that the host has here. */
  async wait(host: string, queue: PathQueue): Promise<void> {
    this.backlog.addAll(host, queue.take(Infinity));
    await this.backlog.makeRoom();
  }

  /** Stores the agent's first checkpoint; it is numbered after those of the old agents. */
  async store({ required, ...state }: HeirState, sequence: number): Promise<void> {
    const { disk, config, to } = this.#handover;
    const { hosts, backlog, reputation, discovered } = this;
    const known = await this.keys.seal();
    const frontier = { ...(await countRecords(hosts)), required, allHere: false };
    const image = encodeImage({
      frontier: takeSnapshot(wholeFrontier(backlog, hosts)),
      transport: emptyTransport(this.agent, to),
      discovered: discovered.length > 0 ? [discovered] : [],
    });
    const folder = partFolders(this.#dir).seen;
    const options = { folder, memory: config.sieveMemory, cache: 0, disk, known };
    const sieve = await DrumSieve.openAt(options, undefined);
    try {
      const parts = { sieve, hosts, backlog, reputation };
      const made = AgentFolder.create(disk, this.#dir, parts, sequence);
      const waiting = backlog.urls + (reputation?.rounds.entries ?? 0);
      const rest = { waiting, frontier, taken: known };
      await made.save(image, { ...state, ...rest }, async () => {});
    } finally {
      await sieve.close();
    }
  }

  async close(): Promise<void> {
    await this.keys.abandon();
    await this.hosts.close();
    await this.backlog.close();
    await this.reputation?.close();
  }
}
