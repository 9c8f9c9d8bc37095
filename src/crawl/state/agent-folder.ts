/**
 * The folder of an agent, which always holds a checkpoint: a consistent state.
 *
 *   agents/0/seen/            the sieve
 *   agents/0/hosts/           the records of hosts
 *   agents/0/backlog/         queued URLs on disk
 *   agents/0/domains/         the records of domains, and URLs without budget; for --order budget
 *   agents/0/likeness/        pages to compare new ones with, and the rules learned from them
 *   agents/0/front.N          the memory image of the last checkpoint
 *   agents/0/checkpoint.json  the last checkpoint: the lengths of all these files and of the
 *                             archive's
 *
 * Ensures   An opened agent has exactly the state of its last checkpoint: files are truncated to
 *           their lengths, newer files are deleted. Nothing is durable between two checkpoints, so
 *           a crash loses what came after the last one.
 */
import { join } from 'node:path';
import type { PartSums } from '../../archive/index/index-merge.ts';
import type { WholeLength } from '../../archive/write/warc-writer.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { together } from '../../base/together.ts';
import type { Millis } from '../../base/units.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import { budgetIn, wantsLikeness } from '../../config/settings.ts';
import { writeStateFile } from '../../disk/append-log.ts';
import { openStateFile } from '../../disk/block-file.ts';
import {
  type Checkpoint,
  type CheckpointFormat,
  type Frozen,
  loadCheckpoint,
  saveCheckpoint,
} from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import { type Format, HEADER_BYTES } from '../../disk/format.ts';
import type { DrumState } from '../../drum/drum.ts';
import type { FirstTexts } from '../../duplicates/first-texts.ts';
import { LikenessFolder, type LikenessState } from '../../duplicates/likeness-folder.ts';
import { Backlog, type BacklogState } from '../../frontier/backlog/backlog.ts';
import type { FrontierState } from '../../frontier/frontier.ts';
import { HostStore } from '../../frontier/host-store.ts';
import { atFirst, budgets, parseBudget } from '../../reputation/budget/budget-policy.ts';
import type { BookState } from '../../reputation/budget/domain-book.ts';
import { Standing } from '../../reputation/budget/standing.ts';
import {
  ReputationFolder,
  type ReputationState,
  reputationFolders,
} from '../../reputation/reputation-folder.ts';
import { DrumSieve, type SieveState } from '../../sieve/disk-sieve.ts';
import { addUp, Counters, type CountersState } from '../record/counters.ts';
import type { LineLength } from '../record/line-files.ts';
import type { SeedMove } from '../record/seed-move.ts';
import { addSeries, type SeriesState } from '../record/series.ts';
import { mostPages, type TopDomain } from '../record/top-domains.ts';
import { NOTES, noteCheckpoint, notedCheckpoint, refuseIfLost } from './checkpoint-notes.ts';

const CHECKPOINT: CheckpointFormat = {
  name: 'checkpoint.json',
  kind: 'agent',
  version: 4,
  earlier: [3],
};
/** Version 3 of the checkpoint had an image without a header. */
const IMAGE: Format = { type: 'img', version: 1, summed: true };
/** Arcs in the sample of a ranking: about 32 MB. */
const MOST_SAMPLED = 2 ** 20;
/** The same seed in every crawl, so that rankings computed later can be compared. */
const SAMPLE_SEED = 1;
const FRONT_FILE = /^front\.\d+$/;

/** The state that the agent itself needs to resume. */
export interface AgentState {
  readonly savedAt: Millis;
  /** The same by the clock of delays; absent in checkpoints of earlier versions. */
  readonly pace?: Millis;
  /** Queued URLs, approximately: of the URLs offered to the sieve, some are not new. */
  readonly waiting: number;
  readonly counters: CountersState;
  readonly frontier: FrontierState;
  /** URLs taken from the sieve. */
  readonly taken: number;
  /** The number of the crawl's seeds that the agent has received: later ones are new to it. */
  readonly seeds: number;
  /** Seeds that this agent discovered to have moved. */
  readonly moved: readonly SeedMove[];
  /** Every file of the agent in the archive. */
  readonly archive: readonly WholeLength[];
  /**
   * The standings that the agents sent last; only in the order of budgets. Absent in checkpoints of
   * earlier versions, and just after the number of agents has changed.
   */
  readonly standings?: readonly string[] | undefined;
  /** The length of its outcomes; only in a planned crawl. */
  readonly outcomes?: number | undefined;
  /** The files with lines of the agent, beside the archive; only where there are some. */
  readonly lines?: readonly LineLength[] | undefined;
  /** The history of the agent; absent in checkpoints of earlier versions. */
  readonly series?: SeriesState | undefined;
  readonly top?: readonly TopDomain[] | undefined;
}

interface AgentParts {
  readonly sieve: DrumSieve;
  readonly hosts: HostStore;
  readonly backlog: Backlog;
  readonly reputation: ReputationFolder | undefined;
  /** Absent for a new agent after a handover. */
  readonly likeness?: LikenessFolder | undefined;
}

/** The state of an agent and of its parts. */
export interface StoredState extends AgentState {
  readonly sieve: SieveState;
  readonly hosts: Frozen<DrumState>;
  readonly backlog: Frozen<BacklogState>;
  readonly reputation?: ReputationState | undefined;
  readonly likeness?: Frozen<LikenessState> | undefined;
}

export const AGENTS = 'agents';
export const agentDir = (dir: string, agent: number): string => join(dir, AGENTS, String(agent));

/** The state from which a crawl resumes, all agents together. */
export interface LastCheckpoint {
  /** The time of the oldest checkpoint; those of other agents may be newer. */
  readonly savedAt: Millis;
  readonly pages: number;
  /** Queued URLs, approximately. */
  readonly waiting: number;
  /** The counts of all runs. */
  readonly counters: CountersState;
  readonly series: SeriesState;
  readonly top: readonly TopDomain[];
  readonly frontier: Pick<FrontierState, 'hostsSeen' | 'domainsSeen'>;
  /** URLs that passed the sieve, approximately. */
  readonly urlsUnique: number;
}

/** The last checkpoints of a crawl's agents, combined; undefined if there are none. */
export async function lastCheckpoint(
  disk: Disk,
  dir: string,
  agents: number,
): Promise<LastCheckpoint | undefined> {
  const states: StoredState[] = [];
  for (let agent = 0; agent < agents; agent++) {
    const stored = await loadCheckpoint<StoredState>(disk, agentDir(dir, agent), CHECKPOINT);
    if (stored) states.push(stored.state);
  }
  if (states.length === 0) return undefined;
  const sum = (of: (state: StoredState) => number) =>
    states.reduce((all, state) => all + of(state), 0);
  return {
    savedAt: Math.min(...states.map(({ savedAt }) => savedAt)),
    pages: sum(({ counters }) => counters.pages),
    waiting: sum(({ waiting }) => waiting),
    counters: addUp<CountersState>([
      { ...new Counters() },
      ...states.map(({ counters }) => counters),
    ]),
    series: addSeries(states.flatMap(({ series }) => series ?? [])),
    top: mostPages(
      states.map(({ top }) => top ?? []),
      Infinity,
    ),
    frontier: {
      hostsSeen: sum(({ frontier }) => frontier.hostsSeen),
      domainsSeen: sum(({ frontier }) => frontier.domainsSeen),
    },
    urlsUnique: sum(({ sieve }) => sieve.state.size),
  };
}

/**
 * Throws if an agent has lost its checkpoint; call it before anything in the folder changes.
 * Returns the agents whose checkpoint is older than their last one.
 */
export async function examineCheckpoints(
  disk: Disk,
  dir: string,
  agents: number,
): Promise<number[]> {
  const outdated: number[] = [];
  for (let agent = 0; agent < agents; agent++) {
    const own = agentDir(dir, agent);
    const stored = await loadCheckpoint<StoredState>(disk, own, CHECKPOINT);
    if (!stored) await refuseIfLost(disk, dir, own, agent);
    else if (stored.sequence < (await notedCheckpoint(disk, dir, agent))) outdated.push(agent);
  }
  return outdated;
}

/** Notes the checkpoints of agents that have no note yet: 0.1.0 wrote none. */
export async function noteCheckpoints(disk: Disk, dir: string, agents: number): Promise<void> {
  await disk.makeFolder(join(dir, NOTES));
  for (let agent = 0; agent < agents; agent++) {
    const stored = await loadCheckpoint<StoredState>(disk, agentDir(dir, agent), CHECKPOINT);
    const noted = await notedCheckpoint(disk, dir, agent);
    if (stored && stored.sequence > noted) await noteCheckpoint(disk, dir, agent, stored.sequence);
  }
}

/** The checkpoint of an agent, if there is one. */
export function storedCheckpoint(
  disk: Disk,
  dir: string,
  agent: number,
): Promise<Checkpoint<StoredState> | undefined> {
  return loadCheckpoint<StoredState>(disk, agentDir(dir, agent), CHECKPOINT);
}

/** The checksums of the index parts of all agents, by WARC file, as their checkpoints have them. */
export async function partSums(disk: Disk, dir: string, agents: number): Promise<PartSums> {
  const sums = new Map<string, number>();
  for (let agent = 0; agent < agents; agent++) {
    const stored = await storedCheckpoint(disk, dir, agent);
    for (const { file, sum } of stored?.state.archive ?? [])
      if (sum !== undefined) sums.set(file, sum);
  }
  return sums;
}

/** The files with lines of all agents, as their checkpoints have them. */
export async function lineLengths(disk: Disk, dir: string, agents: number): Promise<LineLength[]> {
  const found: LineLength[] = [];
  for (let agent = 0; agent < agents; agent++)
    found.push(...((await storedCheckpoint(disk, dir, agent))?.state.lines ?? []));
  return found;
}

/** A file that a checkpoint names, and the length of its content. */
interface NamedFile {
  readonly path: string;
  readonly length: number;
}

/** Every file in the folder of an agent that its checkpoint names. */
export function namedFiles(
  dir: string,
  agent: number,
  { files, state }: Checkpoint<StoredState>,
): NamedFile[] {
  const own = agentDir(dir, agent);
  const { seen, hosts, backlog } = partFolders(own);
  const { reputation, likeness } = state;
  const [book, edges, sample, rounds] = reputationFolders(reputationDir(own));
  const parts: [string, Readonly<Record<string, number>> | undefined][] = [
    [own, files],
    [seen, state.sieve.files],
    [hosts, state.hosts.files],
    [backlog, state.backlog.files],
    [book, reputation?.book.files],
    [edges, reputation?.edges.files],
    [sample, reputation?.sample.files],
    [rounds, reputation?.rounds.files],
    [likenessDir(own), likeness?.files],
  ];
  return parts.flatMap(([folder, named]) =>
    Object.entries(named ?? {}).map(([name, length]) => ({ path: join(folder, name), length })),
  );
}

/** The folder of an agent's rounds. */
export const roundsDir = (dir: string, agent: number): string =>
  reputationFolders(reputationDir(agentDir(dir, agent)))[3];

const likenessDir = (dir: string): string => join(dir, 'likeness');

/** An agent's book of domains at its last checkpoint, if there is one. */
export async function bookOf(
  disk: Disk,
  dir: string,
  agent: number,
): Promise<{ readonly folder: string; readonly frozen: Frozen<BookState> } | undefined> {
  const own = agentDir(dir, agent);
  const stored = await loadCheckpoint<StoredState>(disk, own, CHECKPOINT);
  const frozen = stored?.state.reputation?.book;
  return frozen && { folder: reputationFolders(reputationDir(own))[0], frozen };
}

/** An agent's links between domains at its last checkpoint, if there are any. */
export async function edgesOf(
  disk: Disk,
  dir: string,
  agent: number,
): Promise<{ readonly folder: string; readonly frozen: ReputationState['edges'] } | undefined> {
  const own = agentDir(dir, agent);
  const stored = await loadCheckpoint<StoredState>(disk, own, CHECKPOINT);
  const frozen = stored?.state.reputation?.edges;
  return frozen && { folder: reputationFolders(reputationDir(own))[1], frozen };
}

/** The folders of the parts. */
export const partFolders = (dir: string) => ({
  seen: join(dir, 'seen'),
  hosts: join(dir, 'hosts'),
  backlog: join(dir, 'backlog'),
});

const reputationDir = (dir: string): string => join(dir, 'domains');

export class AgentFolder {
  readonly #dir: string;
  readonly #disk: Disk;
  readonly sieve: DrumSieve;
  readonly hosts: HostStore;
  readonly backlog: Backlog;
  /** Undefined in a breadth-first crawl. */
  readonly reputation: ReputationFolder | undefined;
  /** Undefined if no setting needs to find similar pages. */
  readonly likeness: LikenessFolder | undefined;
  /** The last checkpoint, if there is one: the state, and the bytes of the memory image. */
  readonly restored: { readonly state: AgentState; readonly image: Uint8Array } | undefined;
  /** The number of the last checkpoint at opening, even if it is lost. */
  readonly newest: number;
  readonly #note: (sequence: number) => Promise<void>;
  #sequence: number;

  private constructor(
    dir: string,
    disk: Disk,
    parts: AgentParts,
    sequence: number,
    restored: AgentFolder['restored'],
    newest = sequence,
    note: (sequence: number) => Promise<void> = async () => {},
  ) {
    this.#dir = dir;
    this.newest = newest;
    this.#note = note;
    this.#disk = disk;
    this.sieve = parts.sieve;
    this.hosts = parts.hosts;
    this.backlog = parts.backlog;
    this.reputation = parts.reputation;
    this.likeness = parts.likeness;
    this.#sequence = sequence;
    this.restored = restored;
  }

  /** Opens the folder at its last checkpoint, or as a new one. */
  static async open(
    disk: Disk,
    agent: number,
    config: CrawlConfig,
    around: FolderSurroundings = {},
  ): Promise<AgentFolder> {
    const dir = agentDir(config.dir, agent);
    const folders = partFolders(dir);
    for (const folder of [...Object.values(folders), join(config.dir, NOTES)])
      await disk.makeFolder(folder);
    const noted = await notedCheckpoint(disk, config.dir, agent);
    const stored = await loadCheckpoint<StoredState>(disk, dir, CHECKPOINT);
    const at = stored?.state;
    if (at?.reputation && config.order !== 'budget') throw budgetsBefore(dir);
    const opened: { close(): Promise<void> }[] = [];
    const open = async <Part extends { close(): Promise<void> }>(
      part: Promise<Part>,
    ): Promise<Part> => {
      opened.push(await part);
      return part;
    };
    try {
      const sieve = await open(
        DrumSieve.openAt(
          { folder: folders.seen, memory: config.sieveMemory, cache: 0, disk },
          at?.sieve,
        ),
      );
      const hosts = await open(
        HostStore.open({ disk, folder: folders.hosts, memory: config.hostMemory, at: at?.hosts }),
      );
      const backlog = await open(
        Backlog.open({
          disk,
          folder: folders.backlog,
          memory: config.backlogMemory,
          at: at?.backlog,
        }),
      );
      const reputation =
        config.order === 'budget'
          ? await open(openReputation(disk, dir, config, around, at?.reputation))
          : undefined;
      const likeness =
        wantsLikeness(config) || around.texts
          ? await openLikeness(disk, dir, config, around, at?.likeness)
          : undefined;
      const restored = stored && {
        state: stored.state,
        image: await readImage(disk, dir, stored),
      };
      if (stored) await removeOlderImages(disk, dir, stored);
      const parts = { sieve, hosts, backlog, reputation, likeness };
      const sequence = stored?.sequence ?? 0;
      const note = (made: number) => noteCheckpoint(disk, config.dir, agent, made);
      const newest = Math.max(noted, sequence);
      return new AgentFolder(dir, disk, parts, sequence, restored, newest, note);
    } catch (error) {
      for (const part of opened) await part.close();
      throw error;
    }
  }

  /**
   * A new folder, from parts that were opened in it without a state. Its checkpoints are numbered
   * after `sequence`.
   */
  static create(disk: Disk, dir: string, parts: AgentParts, sequence = 0): AgentFolder {
    return new AgentFolder(dir, disk, parts, sequence, undefined);
  }

  /**
   * The checkpoint is a copy that is older than the last one: the archive has pages that later
   * checkpoints named.
   */
  get isOutdated(): boolean {
    return this.#sequence < this.newest;
  }

  /**
   * Stores a checkpoint. `front` (the memory image) and `state` must be from the same moment, with
   * nothing offered to the sieve, the hosts or the backlog since. `makeArchiveDurable` makes the
   * files in `state.archive` durable.
   */
  async save(
    front: readonly Uint8Array[],
    state: AgentState,
    makeArchiveDurable: () => Promise<void>,
  ): Promise<void> {
    const disk = this.#disk;
    const sequence = this.#sequence + 1;
    const name = `front.${sequence}`;
    // All at the same time: on a busy event loop, each wait in sequence costs time.
    const [sieve, hosts, backlog, reputation, likeness] = await together([
      this.sieve.freeze(),
      this.hosts.freeze(),
      this.backlog.freeze(),
      this.reputation?.freeze() ?? Promise.resolve(undefined),
      this.likeness?.freeze() ?? Promise.resolve(undefined),
      writeStateFile(disk, join(this.#dir, name), IMAGE, front),
      makeArchiveDurable(),
    ]);
    // The names of new files must be durable before the checkpoint refers to them.
    const folders = [
      ...Object.values(partFolders(this.#dir)),
      ...(reputation ? reputationFolders(reputationDir(this.#dir)) : []),
    ];
    await together(folders.map((folder) => disk.syncFolder(folder)));
    const stored: StoredState = { ...state, sieve, hosts, backlog, reputation, likeness };
    const files = { [name]: front.reduce((sum, { length }) => sum + length, HEADER_BYTES) };
    await saveCheckpoint(disk, this.#dir, CHECKPOINT, { sequence, files, state: stored });
    this.#sequence = sequence;
    await together([
      this.#note(sequence),
      disk.remove(join(this.#dir, `front.${sequence - 1}`)),
      this.sieve.discardOlder(sieve),
      this.hosts.discardOlder(hosts),
      this.backlog.discardOlder(backlog),
      (reputation && this.reputation?.discardOlder(reputation)) ?? Promise.resolve(),
      (likeness && this.likeness?.discardOlder(likeness)) ?? Promise.resolve(),
    ]);
  }

  async close(): Promise<void> {
    for (const part of [this.sieve, this.hosts, this.backlog, this.reputation]) await part?.close();
  }
}

/** What the records of domains are made with, beside the settings. */
interface ReputationSurroundings {
  readonly onHalved?: (p: number) => void;
  /** The verdict on a domain by its name; absent without verdicts on spam. */
  readonly spamByName?: (name: string) => number;
  /** The clock by which links between domains age. */
  readonly clock?: Clock;
}

/** What the folder of an agent is opened with, beside the settings. */
interface FolderSurroundings extends ReputationSurroundings {
  /** Where verdicts on spam look at copied pages. */
  readonly texts?: FirstTexts | undefined;
}

/** Opens the part of the folder for `--order budget`. */
export async function openReputation(
  disk: Disk,
  dir: string,
  config: CrawlConfig,
  { onHalved = () => {}, spamByName, clock = systemClock }: ReputationSurroundings,
  at: ReputationState | undefined,
): Promise<ReputationFolder> {
  const { domainMemory: memory, rankSample: p, rank, edgeLife } = config;
  const policy = parseBudget(budgetIn(config));
  return ReputationFolder.open({
    disk,
    dir: reputationDir(dir),
    memory,
    p,
    seed: SAMPLE_SEED,
    mostArcs: MOST_SAMPLED,
    onHalved,
    edgeLife,
    clock,
    budgetOf: budgets(at ? policy : atFirst(policy), Standing.none, rank),
    spamByName,
    at,
  });
}

function openLikeness(
  disk: Disk,
  dir: string,
  config: CrawlConfig,
  { texts }: FolderSurroundings,
  at: Frozen<LikenessState> | undefined,
): Promise<LikenessFolder> {
  const memory = wantsLikeness(config) ? config.similarityMemory : 0;
  return LikenessFolder.open({ disk, folder: likenessDir(dir), memory, texts, at });
}

export async function readImage(
  disk: Disk,
  dir: string,
  { files, version }: Checkpoint<unknown>,
): Promise<Uint8Array> {
  const [[name, length]] = Object.entries(files);
  const path = join(dir, name);
  const isPlain = version < CHECKPOINT.version;
  const file = isPlain ? await disk.open(path, 'read') : await openStateFile(disk, path, IMAGE);
  const start = isPlain ? 0 : HEADER_BYTES;
  try {
    const bytes = new Uint8Array(length - start);
    await file.readAll(bytes, start);
    return bytes;
  } finally {
    await file.close();
  }
}

/** Deletes images that the checkpoint does not name. */
async function removeOlderImages(
  disk: Disk,
  dir: string,
  { files }: Checkpoint<unknown>,
): Promise<void> {
  for (const other of await disk.list(dir)) {
    if (FRONT_FILE.test(other) && !(other in files)) await disk.remove(join(dir, other));
  }
}

function budgetsBefore(dir: string): DrumlinError {
  return new DrumlinError(
    'ORDER_CHANGED',
    `The crawl of ${dir} has budgets (--order budget), and cannot continue breadth first.`,
    'Remove --order, or start a new crawl in another folder.',
    { exitCode: EXIT.folder },
  );
}
