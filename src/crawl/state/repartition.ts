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
 *           In a planned crawl the outcomes go to the owners of their domains, and nothing is
 *           queued: the coordinator asks again for what has no outcome.
 *
 * Requires  The folder's lock. The old folders are read at their last checkpoints and do not
 *           change.
 * Ensures   Keys seen stay seen. Every queued URL stays queued, those of a host in their order.
 *           Every archive file of a checkpoint stays and has an owner. The new folders count when
 *           the caller says so: until then they can be deleted and made again.
 * Cost      One pass over the files of the old agents, and memory for the new ones as in a crawl.
 */
import { archiveDir, partsDir } from '../../archive/index/index-merge.ts';
import { recoverArchive } from '../../archive/write/recovery.ts';
import { systemClock } from '../../base/clock.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import type { KeyedBatch } from '../../drum/keyed-batch.ts';
import { entryBytes } from '../../drum/keyed-batch.ts';
import type { Backlog } from '../../frontier/backlog/backlog.ts';
import { decodeDiscovery } from '../../frontier/queue/discovered-url.ts';
import { PathQueue } from '../../frontier/queue/path-queue.ts';
import { restoreSnapshot } from '../../frontier/snapshot.ts';
import type { DrumSieve } from '../../sieve/disk-sieve.ts';
import { fingerprint } from '../../url/fingerprint.ts';
import { hostOf } from '../../url/parts.ts';
import { outcomesIn } from '../planned/outcome-log.ts';
import { addUp, Counters, type CountersState } from '../record/counters.ts';
import { PARCEL, type Parcel, type TransportState } from '../transport/transport.ts';
import { undelivered } from '../transport/transport-state.ts';
import { unpackKeyedBatch } from '../transport/url-parcel.ts';
import { AgentFolder, type AgentState, agentDir } from './agent-folder.ts';
import { handOverParcel, handOverReputation, putOffNew } from './handover-reputation.ts';
import {
  emptyTransport,
  type Handover,
  Heir,
  ownerIn,
  ownerOf,
  reputationsOf,
  stateOf,
  wholeFrontier,
} from './heir.ts';
import { decodeImage } from './memory-image.ts';

/** What is left of an old agent, beside what was moved to the new ones. */
export interface Remains {
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
export async function handOverUndelivered(
  { kind, bytes }: Parcel,
  heirs: readonly Heir[],
): Promise<void> {
  const reputations = reputationsOf(heirs);
  if (kind === PARCEL.urls) route(unpackKeyedBatch(bytes), heirs);
  else if (kind === PARCEL.edges)
    await handOverParcel(bytes, reputations, ownerIn(heirs), systemClock.now());
  else if (kind === PARCEL.sample) for (const { sample } of reputations) sample.receive(bytes);
}

/** Moves everything of one old agent. */
export async function handOver(
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
    if (state.outcomes !== undefined) await handOverOutcomes(disk, dir, state.outcomes, heirs);
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
    if (state.outcomes === undefined) await heir.wait(host.name, host.queue);
  }
}

async function handOverOutcomes(
  disk: Disk,
  dir: string,
  length: Bytes,
  heirs: readonly Heir[],
): Promise<void> {
  for (const heir of heirs) await heir.outcomes(); // also of an heir without any
  for await (const outcome of outcomesIn(disk, dir, length))
    (await ownerOf(fingerprint(outcome.url), heirs).outcomes()).add(outcome);
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
  await queueNew(sieve, heirs);
}

/** Queues what has passed a sieve; returns how many URLs. */
export async function queueNew(sieve: DrumSieve, heirs: readonly Heir[]): Promise<number> {
  const reputations = reputationsOf(heirs);
  let queued = 0;
  for (let batch = await sieve.take(); batch; batch = await sieve.take()) {
    queued += batch.length;
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
  return queued;
}

/** Redirects URLs on the way to a sieve to the sieve of the new owner. */
function route(batch: KeyedBatch, heirs: readonly Heir[]): void {
  for (let i = 0; i < batch.length; i++) {
    ownerOf(batch.keys[i], heirs).discovered.add(batch.keys[i], entryBytes(batch, i));
  }
}

function withRefused(state: AgentState, reason: string, urls: number): AgentState {
  if (urls === 0) return state;
  const more = new Counters();
  more.countSkipped(reason, urls);
  return { ...state, counters: addUp<CountersState>([state.counters, { ...more }]) };
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
