/**
 * Repairs the folder of a crawl: `drumlin repair`.
 *
 * Idea      The archive is the truth. An agent whose files are damaged is made anew: fetched URLs
 *           are those in the archive; queued URLs are what its whole files still hold, and every
 *           link of an archived page that was not fetched. Agents that are whole keep everything.
 *           New agents are made beside the old ones and then take their place, as when the number
 *           of agents changes.
 *
 *             archive: fetched URLs ──► sieve of their owner (known)
 *             whole files of the agent ─► URLs ─┐
 *             archive: links of pages ──────────┴─► sieves ─► new ones are queued
 *
 * Requires  that no crawl runs in the folder: it is locked.
 * Ensures   No record of the archive is deleted. Until the new agents are complete and durable the
 *           old ones stay as they are; a repair that was killed is begun again, or finished by the
 *           next command. A fetched page that is in the archive is not fetched again; no link of an
 *           archived page is lost.
 * Cost      two passes over the archive; the memory of a crawl.
 */
import { archiveDir, partsDir } from '../../archive/index/index-merge.ts';
import { earlierDir } from '../../archive/payloads/earlier-payloads.ts';
import { recoverArchive } from '../../archive/write/recovery.ts';
import type { Clock } from '../../base/clock.ts';
import { type CrawlConfig, resolveConfig } from '../../config/settings.ts';
import type { Checkpoint } from '../../disk/checkpoint.ts';
import { isDamage } from '../../disk/damage.ts';
import type { Disk } from '../../disk/disk.ts';
import { BatchBuilder } from '../../drum/keyed-batch.ts';
import { type Discovery, encodeDiscovery } from '../../frontier/queue/discovered-url.ts';
import { fingerprint, partitionOfFingerprint } from '../../url/fingerprint.ts';
import { createScope, type Scope } from '../agent/scope.ts';
import { Counters } from '../record/counters.ts';
import type { AgentState, StoredState } from '../state/agent-folder.ts';
import { storedCheckpoint } from '../state/agent-folder.ts';
import { notedCheckpoint } from '../state/checkpoint-notes.ts';
import { askedOf, CrawlFolder } from '../state/crawl-folder.ts';
import { emptyTransport, type Handover, Heir, stateOf } from '../state/heir.ts';
import { handOver, handOverUndelivered, queueNew, type Remains } from '../state/repartition.ts';
import { agentOf } from '../transport/routing.ts';
import { undelivered } from '../transport/transport-state.ts';
import { archivedLinks, fetchedUrls, wholeFiles } from './archived.ts';
import { salvage } from './salvage.ts';
import { type Damage, type Verified, verifyState } from './verify.ts';

interface RepairOptions {
  readonly disk: Disk;
  readonly dir: string;
  readonly clock: Clock;
  /** Only verify. */
  readonly check?: boolean;
  readonly onDamage?: (damage: Damage) => void;
}

/** What a repair has found and done. */
export interface RepairReport extends Verified {
  /** Undefined if nothing was repaired. */
  readonly repaired:
    | {
        readonly agents: readonly number[];
        /** URLs in the archive. */
        readonly fetched: number;
        /** URLs that were queued at the last checkpoint, as far as it is known. */
        readonly queuedBefore: number;
        /** URLs that the whole files of damaged agents still held. */
        readonly salvaged: number;
        /** URLs queued by the new agents. */
        readonly queued: number;
      }
    | undefined;
}

/** Links are given this depth: how far their page was from a seed is not in the archive. */
const DEPTH = 1;
/** URLs offered to the sieves at once. */
const BATCH = 1024;

export async function repairCrawl(options: RepairOptions): Promise<RepairReport> {
  const { disk, dir, clock, check = false, onDamage = () => {} } = options;
  const folder = await CrawlFolder.openDamaged(disk, dir, clock);
  try {
    const asked = await askedOf(disk, dir);
    const verified = await verifyState(disk, dir, asked.agents, onDamage);
    if (check || verified.damages.length === 0) return { ...verified, repaired: undefined };
    if (verified.damages.some(({ agent }) => agent === undefined))
      await disk.removeFolder(earlierDir(dir)); // it is gathered again
    const config = resolveConfig({ ...asked.settings, dir });
    const scope = createScope(config, asked.seeds);
    for (const [from, to] of asked.moved) scope.admitSeedRedirect(from, to);
    const repair = new Repair(disk, config, asked.agents, scope, clock);
    const damaged = new Set(verified.damages.flatMap(({ agent }) => agent ?? []));
    const repaired = await repair.run(folder, damaged);
    folder.log.event('crawl-repaired', { ...repaired, damages: verified.damages.length });
    return { ...verified, repaired };
  } finally {
    await folder.close();
  }
}

class Repair {
  readonly #disk: Disk;
  readonly #config: CrawlConfig;
  readonly #agents: number;
  readonly #scope: Scope;
  readonly #clock: Clock;
  #heirs: Heir[] = [];
  #batches: BatchBuilder[] = [];
  #counts = { fetched: 0, queuedBefore: 0, salvaged: 0, queued: 0 };

  constructor(disk: Disk, config: CrawlConfig, agents: number, scope: Scope, clock: Clock) {
    this.#disk = disk;
    this.#config = config;
    this.#agents = agents;
    this.#scope = scope;
    this.#clock = clock;
  }

  async run(
    folder: CrawlFolder,
    damaged: Set<number>,
  ): Promise<NonNullable<RepairReport['repaired']>> {
    await folder.replaceAgents(
      this.#agents,
      async (place) => {
        // An agent may turn out to be damaged only when it is read.
        while (!(await this.#make(place, damaged)));
      },
      true,
    );
    return { agents: [...damaged].sort((a, b) => a - b), ...this.#counts };
  }

  /** Makes the new agents; false if one more of the old ones is damaged, which is then added. */
  async #make(place: Pick<Handover, 'into' | 'onOrphan'>, damaged: Set<number>): Promise<boolean> {
    const { dir } = this.#config;
    for (const made of [archiveDir(dir), partsDir(dir)]) await this.#disk.makeFolder(made);
    await this.#disk.removeFolder(place.into);
    const handover: Handover = {
      ...{ disk: this.#disk, config: this.#config, from: this.#agents, to: this.#agents },
      readyAt: () => this.#clock.now() + this.#config.delay,
      ...place,
    };
    this.#counts = { fetched: 0, queuedBefore: 0, salvaged: 0, queued: 0 };
    this.#heirs = [];
    this.#batches = Array.from({ length: this.#agents }, () => new BatchBuilder());
    try {
      for (let agent = 0; agent < this.#agents; agent++)
        this.#heirs.push(await Heir.open(handover, agent));
      const remains = await this.#takeOver(handover, damaged);
      if (!remains) return false;
      await this.#rebuild(handover, damaged);
      const states = remains.map(({ state }) => state);
      const sequence = Math.max(...remains.map(({ newest }) => newest));
      for (const heir of this.#heirs) {
        this.#counts.queued += heir.backlog.urls + (heir.reputation?.rounds.entries ?? 0);
        await heir.store(stateOf(heir.agent, this.#agents, states), sequence);
      }
      return true;
    } finally {
      for (const heir of this.#heirs) await heir.close();
    }
  }

  /** Moves what is whole; undefined if an agent turns out to be damaged. */
  async #takeOver(handover: Handover, damaged: Set<number>): Promise<Remains[] | undefined> {
    const { dir } = this.#config;
    const remains: Remains[] = [];
    for (let agent = 0; agent < this.#agents; agent++) {
      try {
        remains.push(
          damaged.has(agent)
            ? await this.#remainsOf(agent)
            : await handOver(agent, handover, this.#heirs),
        );
      } catch (error) {
        if (!isDamage(error) || damaged.has(agent)) throw error;
        damaged.add(agent);
        return undefined;
      }
      const { state } = remains[agent];
      const options = { indexDir: partsDir(dir), keepTails: true, onOrphan: handover.onOrphan };
      await recoverArchive(this.#disk, archiveDir(dir), String(agent), state?.archive, options);
    }
    for (const parcel of undelivered(remains.map(({ transport }) => transport)))
      await handOverUndelivered(parcel, this.#heirs);
    return remains;
  }

  /** What a damaged agent leaves: its counts, if they can be read, and its archive. */
  async #remainsOf(agent: number): Promise<Remains> {
    const { dir } = this.#config;
    const stored = await this.#storedOf(agent);
    const archive = await wholeFiles(this.#disk, dir, agent, stored?.state.archive);
    const state: AgentState = { ...(stored?.state ?? (await this.#newState())), archive };
    this.#counts.queuedBefore += stored?.state.waiting ?? 0;
    const noted = await notedCheckpoint(this.#disk, dir, agent);
    return {
      state: { ...state, seeds: 0 }, // it receives all of them again
      transport: emptyTransport(agent, this.#agents),
      isOutdated: false,
      newest: Math.max(noted, stored?.sequence ?? 0),
    };
  }

  async #storedOf(agent: number): Promise<Checkpoint<StoredState> | undefined> {
    try {
      return await storedCheckpoint(this.#disk, this.#config.dir, agent);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return undefined;
    }
  }

  async #newState(): Promise<AgentState> {
    return {
      ...{ savedAt: this.#clock.now(), waiting: 0, taken: 0, seeds: 0, moved: [], archive: [] },
      counters: { ...new Counters() },
      frontier: { hostsSeen: 0, domainsSeen: 0, required: 0, allHere: false },
    };
  }

  /** Queues what damaged agents held, and the links of archived pages, unless they were fetched. */
  async #rebuild(handover: Handover, damaged: ReadonlySet<number>): Promise<void> {
    const { disk, dir } = { disk: this.#disk, dir: this.#config.dir };
    for await (const urls of fetchedUrls(disk, dir)) {
      this.#counts.fetched += urls.length;
      await this.#offer(urls.map((url) => ({ url, depth: 0, redirects: 0 })));
    }
    await this.#flush(false);
    for (const agent of damaged) {
      const stored = await this.#storedOf(agent);
      if (!stored) continue;
      await salvage(agent, stored, handover, this.#heirs[agent], async (found) => {
        this.#counts.salvaged += found.length;
        await this.#offer(found);
      });
    }
    for await (const { url: from, targets } of archivedLinks(disk, dir)) {
      const wanted = targets.filter(
        (url) => !this.#scope.refusal(url, DEPTH, from) && !this.#scope.trap(url),
      );
      await this.#offer(wanted.map((url) => ({ url, depth: DEPTH, redirects: 0 })));
    }
    await this.#flush(true);
  }

  /** Offers URLs to the sieves of their owners. */
  async #offer(found: readonly Discovery[]): Promise<void> {
    for (const discovery of found) {
      const key = fingerprint(discovery.url);
      const owner = agentOf(partitionOfFingerprint(key), this.#agents);
      this.#batches[owner].addText(key, encodeDiscovery(discovery));
      if (this.#batches[owner].length >= BATCH) await this.#carry(owner);
    }
  }

  async #carry(owner: number): Promise<void> {
    const sieve = await this.#heirs[owner].openSieve();
    await sieve.offer(this.#batches[owner]);
    this.#batches[owner].clear();
  }

  /** Decides everything offered; what is new is queued, or only known from now on. */
  async #flush(isQueued: boolean): Promise<void> {
    for (const heir of this.#heirs) {
      await this.#carry(heir.agent);
      const sieve = await heir.openSieve();
      await sieve.flush();
      if (isQueued) await queueNew(sieve, this.#heirs);
      else while (await sieve.take());
    }
  }
}
