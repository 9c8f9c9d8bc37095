/**
 * A new agent, while it receives what it will own: for another number of agents (`repartition.ts`),
 * and for a crawl that is repaired.
 *
 * Ensures   The new folders count when the caller says so: until then they can be deleted and made
 *           again.
 */
import { join } from 'node:path';
import { agentOfFile, type Orphan } from '../../archive/write/recovery.ts';
import type { WholeLength } from '../../archive/write/warc-writer.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import type { Disk } from '../../disk/disk.ts';
import { BatchBuilder } from '../../drum/keyed-batch.ts';
import { KnownKeys } from '../../drum/known-keys.ts';
import { Backlog } from '../../frontier/backlog/backlog.ts';
import { Frontier } from '../../frontier/frontier.ts';
import type { Host } from '../../frontier/host.ts';
import { HostStore } from '../../frontier/host-store.ts';
import type { PathQueue } from '../../frontier/queue/path-queue.ts';
import { takeSnapshot } from '../../frontier/snapshot.ts';
import type { ReputationFolder } from '../../reputation/reputation-folder.ts';
import { DrumSieve } from '../../sieve/disk-sieve.ts';
import { isDomainKey, PARTITION_BITS, partitionOfFingerprint } from '../../url/fingerprint.ts';
import { OutcomeLog } from '../planned/outcome-log.ts';
import { addUp, Counters, type CountersState } from '../record/counters.ts';
import type { SeedMove } from '../record/seed-move.ts';
import { addSeries } from '../record/series.ts';
import { mostPages } from '../record/top-domains.ts';
import { agentOf, partitionsOf } from '../transport/routing.ts';
import type { TransportState } from '../transport/transport.ts';
import { AgentFolder, type AgentState, openReputation, partFolders } from './agent-folder.ts';
import type { OwnerOf } from './handover-reputation.ts';
import { encodeImage } from './memory-image.ts';

/** Which agents become which others. */
export interface Handover {
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

const KEY_BITS = BigInt(64 - PARTITION_BITS);

/** What the first checkpoint of a new agent takes from the old agents. */
interface HeirState
  extends Pick<
    AgentState,
    'savedAt' | 'counters' | 'seeds' | 'moved' | 'archive' | 'lines' | 'series' | 'top'
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
export class Heir {
  readonly agent: number;
  readonly hosts: HostStore;
  readonly backlog: Backlog;
  readonly keys: KnownKeys;
  readonly reputation: ReputationFolder | undefined;
  readonly discovered = new BatchBuilder();
  #sieve: DrumSieve | undefined;
  #outcomes: OutcomeLog | undefined;
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
          ? await openReputation(disk, dir, config, {}, undefined)
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

  /** Of a planned crawl: what became of its asks. */
  async outcomes(): Promise<OutcomeLog> {
    this.#outcomes ??= await OutcomeLog.open(this.#handover.disk, this.#dir, undefined);
    return this.#outcomes;
  }

  /** Stores the agent's first checkpoint; it is numbered after those of the old agents. */
  async store({ required, ...state }: HeirState, sequence: number): Promise<void> {
    const { disk, to } = this.#handover;
    const { hosts, backlog, reputation, discovered } = this;
    const sieve = await this.openSieve();
    const frontier = { ...(await countRecords(hosts)), required, allHere: false };
    const image = encodeImage({
      frontier: takeSnapshot(wholeFrontier(backlog, hosts)),
      transport: emptyTransport(this.agent, to),
      discovered: discovered.length > 0 ? [discovered] : [],
    });
    const parts = { sieve, hosts, backlog, reputation };
    const made = AgentFolder.create(disk, this.#dir, parts, sequence);
    const waiting = backlog.urls + (reputation?.rounds.entries ?? 0);
    await this.#outcomes?.makeDurable();
    const outcomes = this.#outcomes && { outcomes: this.#outcomes.length };
    const rest = { waiting, frontier, taken: sieve.size, ...outcomes };
    await made.save(image, { ...state, ...rest }, async () => {});
  }

  /** The sieve, which knows the keys that were appended; no key can be appended any more. */
  async openSieve(): Promise<DrumSieve> {
    if (this.#sieve) return this.#sieve;
    const { disk, config } = this.#handover;
    const known = await this.keys.seal();
    const folder = partFolders(this.#dir).seen;
    const options = { folder, memory: config.sieveMemory, cache: 0, disk, known };
    this.#sieve = await DrumSieve.openAt(options, undefined);
    return this.#sieve;
  }

  async close(): Promise<void> {
    if (this.#sieve) await this.#sieve.close();
    else await this.keys.abandon();
    await this.hosts.close();
    await this.backlog.close();
    await this.reputation?.close();
    await this.#outcomes?.close();
  }
}

export function ownerOf(key: bigint, heirs: readonly Heir[]): Heir {
  return heirs[agentOf(partitionOfFingerprint(key), heirs.length)];
}

/** The reputation folders: one per agent with `--order budget`, otherwise none. */
export const reputationsOf = (heirs: readonly Heir[]): ReputationFolder[] =>
  heirs.flatMap(({ reputation }) => reputation ?? []);

export function ownerIn(heirs: readonly Heir[]): OwnerOf {
  const reputations = reputationsOf(heirs);
  return (key) => reputations[agentOf(partitionOfFingerprint(key), reputations.length)];
}

/** A frontier that serves only to read a snapshot into it. */
export function wholeFrontier(backlog: Backlog, store: HostStore): Frontier {
  const clock: Clock = { ...systemClock, after: () => () => {} };
  const limits = {
    ...{
      hosts: Infinity,
      urls: Infinity,
      front: Infinity,
      choice: 1,
      hostsPerAddress: Infinity,
      hostsPerDomain: Infinity,
    },
    ...{ pagesPerHost: Infinity, pagesPerDomain: Infinity },
  };
  return new Frontier({ backlog, store, clock, limits, onSkipped: () => {} });
}

export function emptyTransport(agent: number, agents: number): TransportState {
  return { agent, agents, received: new Array(agents).fill(0), unacknowledged: [] };
}

async function countRecords(hosts: HostStore): Promise<{ hostsSeen: number; domainsSeen: number }> {
  let [hostsSeen, domainsSeen] = [0, 0];
  for await (const { key } of hosts.records()) isDomainKey(key) ? domainsSeen++ : hostsSeen++;
  return { hostsSeen, domainsSeen };
}

/** The rest of a new agent's state; the first agent gets the counts of the whole crawl. */
export function stateOf(
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
    moved: movesOf(known),
    archive: known.flatMap(({ archive }) => archive).filter((file) => keeperOf(file, to) === agent),
    ...linesOf(agent, to, known),
    ...(agent === 0 && {
      series: addSeries(known.flatMap(({ series }) => series ?? [])),
      top: mostPages(
        known.map(({ top }) => top ?? []),
        Infinity,
      ),
    }),
  };
}

/** Every agent has every move: its scope follows them all. */
function movesOf(states: readonly AgentState[]): readonly SeedMove[] {
  const moves = states.flatMap(({ moved }) => moved);
  return [...new Map(moves.map((move) => [move.join(' '), move])).values()];
}

/** The same for files with lines; absent where there are none. */
function linesOf(
  agent: number,
  to: number,
  states: readonly AgentState[],
): Pick<AgentState, 'lines'> {
  if (!states.some(({ lines }) => lines)) return {};
  const writer = (file: string) => Number(file.slice(file.lastIndexOf('-') + 1));
  const keeper = (file: string) => (writer(file) < to ? writer(file) : 0);
  const all = states.flatMap(({ lines = [] }) => lines);
  return { lines: all.filter(({ file }) => keeper(file) === agent) };
}

/** A file belongs to the agent in its name; agent 0 gets those of agents that no longer exist. */
function keeperOf({ file }: WholeLength, agents: number): number {
  const agent = Number(agentOfFile(file));
  return agent < agents ? agent : 0;
}
