/**
 * Opens what an agent works with: its folder at the last checkpoint, the store, the HTTP client,
 * the transport to the other agents.
 *
 * Ensures   when one of them cannot be opened, those opened before are closed again.
 */
import { join } from 'node:path';
import { EarlierPages } from '../../archive/payloads/earlier-pages.ts';
import { earlierDir } from '../../archive/payloads/earlier-payloads.ts';
import type { RecoveryOptions } from '../../archive/write/recovery.ts';
import { type Clock, paceOf } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import {
  asksWithConditions,
  browserCount,
  type CrawlConfig,
  wantsLikeness,
} from '../../config/settings.ts';
import { Disk } from '../../disk/disk.ts';
import { youngFiles } from '../../disk/young/young-files.ts';
import { FirstTexts } from '../../duplicates/first-texts.ts';
import { LikenessMemory } from '../../duplicates/likeness-folder.ts';
import type { Field } from '../../extract/fields.ts';
import type { Fence } from '../../fetch/client-options.ts';
import type { Identity } from '../../fetch/identity.ts';
import type { FilterSet } from '../../filter/filter-set.ts';
import type { Predicates } from '../../filter/predicate.ts';
import type { AddressTable, HostTable } from '../../frontier/workbench.ts';
import type { DnsAnswer } from '../../net/dns.ts';
import { BrowserPool, type SharedSlots, shareRenderSlots } from '../../render/browser-pool.ts';
import { findBrowser, TRIED } from '../../render/find-browser.ts';
import {
  parseStorageState,
  type StorageState,
  unreadableState,
} from '../../render/storage-state.ts';
import { LiveModel } from '../../spam/live/live-model.ts';
import type { SpamModel } from '../../spam/model.ts';
import { Outage } from '../hosts/outage.ts';
import type { Outcome } from '../planned/ask.ts';
import { OutcomeLog } from '../planned/outcome-log.ts';
import type { EndReason } from '../record/counters.ts';
import { endsAgent } from '../record/internal-errors.ts';
import { LineFiles, type LineKind, linesDir } from '../record/line-files.ts';
import type { EventLog } from '../record/log.ts';
import type { SeedMove } from '../record/seed-move.ts';
import { scriptMemory } from '../render/render-desk.ts';
import { SkipLog } from '../skipped/skip-log.ts';
import { AGENTS, AgentFolder, type AgentState, agentDir } from '../state/agent-folder.ts';
import { decodeImage, type MemoryImage } from '../state/memory-image.ts';
import type { RequestHooks } from '../store/hooks.ts';
import { openStore } from '../store/open-store.ts';
import type { CrawlFailure, Page } from '../store/page.ts';
import type { Store } from '../store/store.ts';
import type { SharedAddresses } from '../transport/address-table.ts';
import type { SharedAllowance } from '../transport/allowance.ts';
import type { SharedHosts } from '../transport/host-table.ts';
import type { ActivityReport } from '../transport/quiescence.ts';
import type { Transport, TransportState } from '../transport/transport.ts';
import type { CheckpointKeeper } from './checkpointer.ts';
import { type ClientSetup, identityOf, type Network, setUpClient } from './client-setup.ts';

/** What an agent is started with. Plain data, so that it can be sent to a thread. */
export interface AgentStart {
  readonly agent: number;
  readonly agents: number;
  /** How many runs of the crawl came before this one. */
  readonly incarnation: number;
  readonly config: CrawlConfig;
  /** The serial of its first WARC file; a cluster numbers them by the owners of the agent. */
  readonly firstSerial?: number | undefined;
  /** All seeds of the crawl: the scope is made of them. */
  readonly seeds: readonly string[];
  /** Seeds that have moved: the scope follows them. */
  readonly moved: readonly SeedMove[];
  /** Queued URLs may have been scheduled by another scope. */
  readonly rescoped: boolean;
  readonly allowance: SharedAllowance;
  /** Undefined for an agent that is alone. */
  readonly addresses: SharedAddresses | undefined;
  readonly hosts: SharedHosts;
  /** Pages that may be rendered at once; an agent that is given none has its own. */
  readonly renderSlots?: SharedSlots | undefined;
  readonly filters: FilterSet;
  /** The operator has paused the crawl. */
  readonly paused: boolean;
  /** The coordinator asks for URLs, and links are not followed. */
  readonly planned: boolean;
  /** Only with verdicts on spam. */
  readonly spam: SpamModel | undefined;
  /** The fields to extract from pages; none unless asked for. */
  readonly extracts: readonly Field[];
  /**
   * In a cluster: another process had the agent before, and may have asked any of its hosts. Its
   * last request was made at least `quiet` ago.
   */
  readonly heir?: { readonly quiet: Millis } | undefined;
}

/** What an agent needs and no message can carry. */
export interface AgentSurroundings extends RequestHooks {
  readonly clock: Clock;
  readonly disk: Disk;
  /** Connects the agent with the others; `state` is that of its last checkpoint. */
  readonly connect: (state: TransportState | undefined) => Transport;
  readonly log: EventLog;
  readonly onIdle: (report: ActivityReport) => void;
  readonly onLimit: (reason: EndReason) => void;
  readonly onSeedMoved: (move: SeedMove) => void;
  readonly onPage: ((page: Page) => void | Promise<void>) | undefined;
  readonly onError: ((failure: CrawlFailure) => void | Promise<void>) | undefined;
  /** What filters may ask. */
  readonly predicates: Predicates;
  /** Default: the system's sockets. */
  readonly network?: Network | undefined;
  /** Called with each outcome of a planned crawl. */
  readonly onOutcome: (outcome: Outcome) => void;
  /** Only in a cluster. */
  readonly cluster?: ClusterSurroundings | undefined;
}

/** What an agent of a cluster needs beside. */
interface ClusterSurroundings {
  /** Closed while the agent may belong to another process. */
  readonly fence: Fence;
  readonly keeper: CheckpointKeeper;
  /** The addresses shared with agents of other machines. */
  readonly addresses: AddressTable | undefined;
  /** The hosts that agents of any machine ask. Default: those of this machine. */
  readonly hosts?: HostTable;
}

/** The last checkpoint of an agent. */
export interface Restored {
  readonly state: AgentState;
  /** What the agent had in memory. */
  readonly image: MemoryImage;
}

export interface OpenAgent extends ClientSetup {
  readonly startedAt: Millis;
  /** Undefined for a crawl that keeps nothing. */
  readonly folder: AgentFolder | undefined;
  /** An earlier run had begun, whether or not it came to a checkpoint. */
  readonly hadRun: boolean;
  /** Undefined for an agent that was never checkpointed. */
  readonly restored: Restored | undefined;
  readonly identity: Identity;
  /** Where pages go. */
  readonly store: Store;
  /** The newest captures in earlier collections, where pages are requested with conditions. */
  readonly earlierPages: EarlierPages | undefined;
  /** Only in a planned crawl. */
  readonly outcomes: OutcomeLog | undefined;
  /** Only where skipped URLs are listed. */
  readonly skipLog: SkipLog | undefined;
  /** Lines written beside the archive; undefined where there are none. */
  readonly lines: LineFiles | undefined;
  readonly outage: Outage;
  /** Pages that others are compared with; undefined where none are compared. */
  readonly likenessMemory: LikenessMemory | undefined;
  /** Judges domains; undefined without verdicts on spam. */
  readonly spamModel: LiveModel | undefined;
  readonly transport: Transport;
  /** Renders pages; only where that is asked for. */
  readonly browsers: BrowserPool | undefined;
  /** A login that the user has made in a browser. */
  readonly storageState: StorageState | undefined;
}

interface Closable {
  close(): Promise<void> | void;
}

export async function openAgent(start: AgentStart, around: AgentSurroundings): Promise<OpenAgent> {
  const { config } = start;
  const { clock, log } = around;
  const opened: Closable[] = [];
  const keep = <Part extends Closable>(part: Part): Part => {
    opened.push(part);
    return part;
  };
  try {
    const identity = identityOf(config);
    const hadRun = (await hasFolder(start, around)) || start.heir !== undefined;
    const spamModel = start.spam && new LiveModel(start.spam, config.spam);
    const folder = await openFolder(start, around, spamModel);
    if (folder) keep(folder);
    const startedAt = clock.now();
    const restored = restoredFrom(folder, config.dir);
    const store = keep(await openAgentStore(start, around, identity, folder));
    const earlierPages = asksWithConditions(config)
      ? keep(await EarlierPages.open(around.disk, earlierDir(config.dir), config.dedupMemory))
      : undefined;
    const outcomes = start.planned
      ? keep(
          await OutcomeLog.open(
            around.disk,
            agentDir(config.dir, start.agent),
            restored?.state.outcomes,
          ),
        )
      : undefined;
    const skipLog = skipLogOf(start, around.disk);
    if (skipLog) keep(skipLog);
    const lines = await openLines(start, around, restored);
    if (lines) keep(lines);
    const outage = new Outage({ clock: paceOf(clock), log });
    const onAnswer = async (answer: DnsAnswer) => {
      outage.resolved(answer.host);
      if (config.dnsRecords) await endsAgent(() => store.storeAnswer?.(answer));
    };
    const { network } = around;
    const fence = around.cluster?.fence;
    const storageState = await readStorageState(config, around.disk);
    const cookies = storageState?.cookies;
    const setup = await setUpClient({
      ...{ config, identity, clock, onAnswer, network, fence, moreCookies: cookies },
    });
    keep(setup.client);
    const browsers = await openBrowsers(start, around, identity);
    if (browsers) keep(browsers);
    const likenessMemory = folder?.likeness ?? newLikenessMemory(config, spamModel);
    const transport = around.connect(restored?.image.transport);
    const parts = { folder, hadRun, restored, identity, store, outage, likenessMemory, transport };
    const beside = { spamModel, earlierPages, outcomes, skipLog, lines, browsers, storageState };
    return { startedAt, ...parts, ...beside, ...setup };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

/**
 * Closes everything after a failure. That first failure is the one to report, so others are
 * dropped.
 */
async function closeAll(opened: readonly Closable[]): Promise<void> {
  for (const part of [...opened].reverse()) {
    try {
      await part.close();
    } catch {}
  }
}

/** Closes an agent that was opened and could not be started. */
export async function closeOpened(opened: OpenAgent): Promise<void> {
  const { folder, store, client, transport, earlierPages, outcomes, skipLog, lines } = opened;
  const { browsers } = opened;
  const parts = [
    folder,
    earlierPages,
    outcomes,
    skipLog,
    lines,
    store,
    client,
    transport,
    browsers,
  ];
  await closeAll(parts.filter((part) => part !== undefined));
}

async function readStorageState(
  { storageState }: CrawlConfig,
  disk: Disk,
): Promise<StorageState | undefined> {
  if (storageState === '') return undefined;
  const text = await disk.readText(storageState).catch((cause) => {
    throw unreadableState(storageState, cause);
  });
  return parseStorageState(text, storageState);
}

/**
 * A crawl that cannot render what it is asked to fails at its start. Browsers start when needed.
 */
async function openBrowsers(
  { config, agents, renderSlots }: AgentStart,
  { disk, clock, log }: AgentSurroundings,
  { userAgent }: Identity,
): Promise<BrowserPool | undefined> {
  if (config.render === 'never') return undefined;
  const program = await findBrowser(disk, config.browser);
  return new BrowserPool({
    ...{ disk, clock: paceOf(clock), userAgent, flags: config.browserFlags },
    program: async () => program,
    onUntried: (browser) => log.event('browser-untried', { browser, newest: TRIED.newest }),
    scriptMemory: scriptMemory(config),
    slots: renderSlots ?? shareRenderSlots(browserCount(config, agents)),
  });
}

async function hasFolder(
  { agent, config: { dir } }: AgentStart,
  { disk }: AgentSurroundings,
): Promise<boolean> {
  if (dir === '') return false;
  await disk.makeFolder(join(dir, AGENTS));
  return (await disk.list(join(dir, AGENTS))).includes(String(agent));
}

async function openFolder(
  { agent, config }: AgentStart,
  { disk, log, clock }: AgentSurroundings,
  spamModel: LiveModel | undefined,
): Promise<AgentFolder | undefined> {
  if (config.dir === '') return undefined;
  const young = new Disk(youngFiles(disk.fileSystem));
  return AgentFolder.open(young, agent, config, {
    clock: paceOf(clock),
    onHalved: (p) => log.event('rank-sample-halved', { p }),
    ...(spamModel && {
      spamByName: (name: string) => spamModel.byName(name),
      texts: firstTexts(spamModel),
    }),
  });
}

/** The outcomes of a planned crawl have the reasons already. */
function skipLogOf(
  { config: { dir, listSkipped }, planned, agent, incarnation }: AgentStart,
  disk: Disk,
): SkipLog | undefined {
  if (dir === '' || !listSkipped || planned) return undefined;
  return new SkipLog(disk, dir, agent, incarnation);
}

async function openLines(
  { agent, config, extracts }: AgentStart,
  { disk }: AgentSurroundings,
  restored: Restored | undefined,
): Promise<LineFiles | undefined> {
  if (config.dir === '') return undefined;
  const kinds: LineKind[] = [];
  if (config.crawlLog) kinds.push('crawl-log');
  if (extracts.length > 0) kinds.push('extracted');
  const earlier = restored?.state.lines;
  if (kinds.length === 0 && !earlier) return undefined;
  return LineFiles.open(disk, linesDir(config.dir), agent, kinds, earlier);
}

function restoredFrom(folder: AgentFolder | undefined, dir: string): Restored | undefined {
  const checkpoint = folder?.restored;
  return checkpoint && { state: checkpoint.state, image: decodeImage(checkpoint.image, dir) };
}

function openAgentStore(
  { agent, config, firstSerial }: AgentStart,
  { disk, clock, log }: AgentSurroundings,
  { userAgent }: Identity,
  folder: AgentFolder | undefined,
): Promise<Store> {
  const earlier = folder?.restored?.state.archive;
  const recovery: RecoveryOptions = {
    keepTails: folder?.isOutdated ?? false,
    onOrphan: (orphan) => log.event('archive-orphan', { ...orphan }),
  };
  return openStore({ disk, clock, config, agent, userAgent, firstSerial, earlier, recovery });
}

function newLikenessMemory(
  config: CrawlConfig,
  spamModel: LiveModel | undefined,
): LikenessMemory | undefined {
  const compares = wantsLikeness(config);
  const texts = firstTexts(spamModel);
  if (!compares && !texts) return undefined;
  return new LikenessMemory(compares ? config.similarityMemory : 0, texts);
}

/** Only if verdicts look at copied pages. */
const firstTexts = (model: LiveModel | undefined): FirstTexts | undefined =>
  model?.copies ? new FirstTexts() : undefined;
