/**
 * A refresh: a planned crawl that finds what is left of an old collection with few requests.
 *
 *   old collection ─► graph ─► plan: sample, order, window ─► judge ─► asks ─► agents
 *                                 ▲                            │  ▲              │
 *                                 └──────── verdicts ──────────┘  └── outcomes ──┘
 *
 * Ensures   The coordinator keeps no state of its own: it begins anew with the outcomes that the
 *           agents' checkpoints hold, and asks for the rest. So a refresh that was killed loses
 *           what came after the last checkpoints, and nothing else.
 */
import { join, resolve } from 'node:path';
import { collectionsOf } from '../../archive/index/archive.ts';
import { DrumlinError, EXIT } from '../../base/errors.ts';
import { agentCount, type CrawlConfig } from '../../config/settings.ts';
import type { Ask, Asker, Outcome } from '../../crawl/planned/ask.ts';
import type { RefreshSummary } from '../../crawl/planned/refresh-summary.ts';
import { settingsIn } from '../../crawl/state/crawl-folder.ts';
import type { Disk } from '../../disk/disk.ts';
import { packNameArcs } from '../../graph/arcs.ts';
import { buildGraph } from '../../graph/build.ts';
import { crawlLinks } from '../../graph/io/crawl-links.ts';
import { type DiskGraph, openGraph } from '../../graph/open-graph.ts';
import { Collection } from '../orders/collection.ts';
import { checkAlpha } from '../orders/cost.ts';
import { VERDICT } from '../orders/order.ts';
import { findOrder } from '../orders/registry.ts';
import { sampleFor } from '../orders/sample.ts';
import {
  graphDir,
  type RefreshPlan,
  readPlan,
  refreshDir,
  storePlan,
  storeResults,
  type VerdictLine,
} from '../refresh-folder.ts';
import { dueIn } from '../schedule/schedule.ts';
import { type Judged, livenessOf, VERDICTS } from '../verdict.ts';
import { Judge } from './judge.ts';
import { Plan } from './plan.ts';

/** What a user asks for; on a resume, what differs from the stored plan is refused. */
export type RefreshOptions = Partial<RefreshPlan>;

const DEFAULT_PLAN = {
  by: 'pa+-',
  z: '1%',
  alpha: 0.75,
  test: 'conditional',
  seed: 1,
} as const;

/** Asks sent to the agents at once. */
const BATCH = 256;
/** Open asks of a dynamic order for each fetcher. */
const PER_FETCHER = 2;

interface OpenRefresh {
  readonly plan: RefreshPlan;
  readonly config: CrawlConfig;
  readonly asker: Asker;
  summary(): RefreshSummary;
  /** Call it after the crawl has ended: writes the verdicts, or throws what ended it. */
  finish(): Promise<RefreshSummary>;
}

/** Prepares a refresh in `config.dir`, new or resumed. */
export async function openRefresh(
  disk: Disk,
  asked: RefreshOptions,
  config: CrawlConfig,
  onWarning: (text: string) => void = () => {},
): Promise<OpenRefresh> {
  const plan = await planIn(disk, config.dir, asked);
  const method = findOrder(plan.by);
  checkAlpha(plan.alpha);
  const isThere = await hasGraph(disk, config.dir);
  await storePlan(disk, config.dir, plan);
  if (!isThere) await buildGraphOf(disk, plan, config.dir, onWarning);
  const graph = await openGraph(graphDir(config.dir), disk);
  try {
    const collection = new Collection(graph);
    const sample =
      plan.due === undefined
        ? await sampleOf(plan, collection)
        : await duePages(disk, plan.old, plan.due, graph);
    const planned = new Plan({
      ...{ collection, method, sample, alpha: plan.alpha, seed: plan.seed },
      sampleOnly: plan.due !== undefined,
      window: config.frontUrls,
      dynamicWindow: PER_FETCHER * config.fetches * agentCount(config),
    });
    const settings = await settingsFor(disk, plan, config);
    return new Refresh(disk, plan, settings, graph, planned, sample.length);
  } catch (error) {
    await graph.close();
    throw error;
  }
}

/** Static orders need no sample, but without one nobody knows when to stop. */
function sampleOf({ by, z, seed }: RefreshPlan, collection: Collection): Promise<Uint32Array> {
  const method = findOrder(by);
  const sampled = method.kind === 'static' ? { ...method, kind: 'sampled' as const } : method;
  const size = sampleSize(z, collection.pages);
  return sampleFor(sampled, collection, { by: 'random', z: size, seed });
}

/** The pages that were due when the refresh was begun. */
async function duePages(
  disk: Disk,
  old: string,
  due: string,
  { names }: DiskGraph,
): Promise<Uint32Array> {
  const pages: number[] = [];
  for (const url of await dueIn(disk, old, Date.parse(due))) {
    const page = await names.id(url);
    if (page !== undefined) pages.push(page);
  }
  return Uint32Array.from(pages);
}

/** Pages that are due need no links: their order is that of the schedule. */
async function buildGraphOf(
  disk: Disk,
  { old, due }: RefreshPlan,
  dir: string,
  onWarning: (text: string) => void,
): Promise<void> {
  if (due === undefined) {
    const captured = { scratch: join(refreshDir(dir), 'links') };
    const links = crawlLinks(disk, old, { level: 'page', captured, onWarning });
    await buildGraph(graphDir(dir), { names: packNameArcs(links) }, { level: 'page', disk });
    return;
  }
  const urls = await dueIn(disk, old, Date.parse(due));
  if (urls.length === 0) throw nothingDue(old);
  const nodes = (async function* (): AsyncGenerator<[string]> {
    for (const url of urls) yield [url];
  })();
  await buildGraph(graphDir(dir), { names: packNameArcs(nodes) }, { level: 'page', disk });
}

/** A folder with other files is refused by `settingsIn`. */
async function planIn(disk: Disk, dir: string, asked: RefreshOptions): Promise<RefreshPlan> {
  const hasBegun = (await settingsIn(dir)) !== undefined;
  const stored = await readPlan(disk, dir);
  const given = { ...asked, ...(asked.old !== undefined && { old: resolve(asked.old) }) };
  if (!hasBegun) return newPlan(disk, dir, stored, given);
  if (!stored) throw noRefresh(dir);
  for (const key of ['old', 'by', 'z', 'test', 'seed'] as const) {
    if (given[key] !== undefined && given[key] !== stored[key])
      throw differs(dir, key, String(stored[key]), String(given[key]));
  }
  return { ...stored, alpha: given.alpha ?? stored.alpha };
}

/** `stored`: what was asked for before, if no request was made yet. */
async function newPlan(
  disk: Disk,
  dir: string,
  stored: RefreshPlan | undefined,
  given: RefreshOptions,
): Promise<RefreshPlan> {
  const old = given.old ?? stored?.old;
  if (old === resolve(dir)) throw intoItself(dir);
  if (old === undefined) throw nothingToResume(dir);
  const plan = { ...DEFAULT_PLAN, ...stored, ...given, old };
  if (stored && (stored.old !== old || stored.due !== plan.due))
    await disk.removeFolder(graphDir(dir));
  return plan;
}

async function hasGraph(disk: Disk, dir: string): Promise<boolean> {
  await disk.makeFolder(refreshDir(dir));
  return (await disk.list(refreshDir(dir))).includes('graph');
}

/** The settings of a crawl that only tests pages. */
async function settingsFor(
  disk: Disk,
  { old }: RefreshPlan,
  config: CrawlConfig,
): Promise<CrawlConfig> {
  return {
    ...config,
    dedupAgainst: [old, ...(await collectionsOf(disk, old))],
    conditional: true,
    order: 'bfs',
    sitemaps: false,
    nearDuplicates: 'off',
    learnTraps: false,
    softErrors: 'off',
  };
}

/** `1%` or `500`. */
function sampleSize(text: string, pages: number): number {
  const match = /^(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(text);
  const size = match?.[2] ? Math.ceil((Number(match[1]) / 100) * pages) : Number(match?.[1]);
  if (match && size > 0 && Number.isInteger(size)) return size;
  throw new DrumlinError(
    'SAMPLE',
    `The size of the sample is "${text}".`,
    'Write a number of pages above 0, such as 500, or a share of them, such as 1%.',
  );
}

class Refresh implements OpenRefresh, Asker {
  readonly asker = this;
  readonly plan: RefreshPlan;
  readonly config: CrawlConfig;
  readonly #disk: Disk;
  readonly #graph: DiskGraph;
  readonly #planned: Plan;
  readonly #sample: number;
  readonly #judged = new Map<number, Judged>();
  #judge: Judge | undefined;
  #asks: Ask[] = [];
  #send: (asks: readonly Ask[]) => void = () => {};
  #end: () => void = () => {};
  #pumping = false;
  /** Verdicts have come since the plan was last asked. */
  #again = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    disk: Disk,
    plan: RefreshPlan,
    config: CrawlConfig,
    graph: DiskGraph,
    planned: Plan,
    sample: number,
  ) {
    this.#disk = disk;
    this.plan = plan;
    this.config = config;
    this.#graph = graph;
    this.#planned = planned;
    this.#sample = sample;
  }

  begin(
    known: readonly Outcome[],
    send: (asks: readonly Ask[]) => void,
    end: () => void,
  ): Promise<void> {
    this.#send = send;
    this.#end = end;
    this.#judge = new Judge(
      {
        test: this.plan.test,
        maxRedirects: this.config.maxRedirects,
        ask: (ask) => void this.#asks.push(ask),
        onVerdict: (page, judged) => this.#settle(page, judged),
      },
      known,
    );
    return this.#pump();
  }

  heard(outcome: Outcome): void {
    this.#judge?.heard(outcome);
    void this.#pump();
  }

  summary(): RefreshSummary {
    const planned = this.#planned;
    const { old, by, test, alpha } = this.plan;
    const { estimate, wanted } = planned;
    return {
      ...{ old, by, test, alpha, pages: this.#graph.nodes, sample: this.#sample },
      tested: planned.tested,
      alive: planned.count(VERDICT.alive),
      dead: planned.count(VERDICT.dead),
      unknown: planned.count(VERDICT.unknown),
      ...(estimate && { living: estimate }),
      ...(wanted !== undefined && { wanted }),
      requests: this.#judge?.requests ?? 0,
      verdicts: tallyOf(this.#judged.values(), ({ verdict }) => verdict, VERDICTS),
      statuses: tallyOf(this.#judged.values(), statusOf),
      curve: planned.curve,
    };
  }

  async finish(): Promise<RefreshSummary> {
    const summary = this.summary();
    try {
      if (this.#failure) throw this.#failure.error;
      await storeResults(this.#disk, this.config.dir, this.#lines(), summary);
    } finally {
      await this.#graph.close();
    }
    return summary;
  }

  #settle(page: number, judged: Judged): void {
    this.#judged.set(page, judged);
    this.#planned.settle(page, livenessOf(judged.verdict));
  }

  /** Asks for what the plan allows. One caller at a time; others have nothing to add. */
  async #pump(): Promise<void> {
    this.#flush();
    this.#again = true;
    if (this.#pumping || this.#failure) return;
    this.#pumping = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#askNext();
      }
      if (this.#planned.isOver) this.#end();
    } catch (error) {
      this.#failure = { error };
      this.#end();
    } finally {
      this.#pumping = false;
    }
  }

  async #askNext(): Promise<void> {
    let page = await this.#planned.next();
    while (page !== undefined) {
      this.#judge?.test(page, await this.#graph.names.name(page));
      if (this.#asks.length >= BATCH) this.#flush();
      page = await this.#planned.next();
    }
    this.#flush();
  }

  #flush(): void {
    const asks = this.#asks;
    this.#asks = [];
    if (asks.length > 0) this.#send(asks);
  }

  /** In the order of the plan. */
  async *#lines(): AsyncGenerator<VerdictLine> {
    for (const page of this.#planned.handedOut) {
      const judged = this.#judged.get(page);
      if (judged) yield { url: await this.#graph.names.name(page), ...judged };
    }
  }
}

/** As in the paper's Table 1, by the first answer that counts. */
function statusOf({ verdict, status, fault, address }: Judged): string {
  if (address !== undefined) return 'redirect';
  if (fault !== undefined) return verdict === 'no-host' ? 'no answer' : fault;
  return String(status);
}

function tallyOf<T>(
  items: Iterable<T>,
  nameOf: (item: T) => string,
  names: readonly string[] = [],
): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const name of names) tally[name] = 0;
  for (const item of items) tally[nameOf(item)] = (tally[nameOf(item)] ?? 0) + 1;
  return tally;
}

function nothingDue(old: string): DrumlinError {
  return new DrumlinError(
    'NOTHING_DUE',
    `No page of ${old} is due.`,
    'Look at the last column of its refresh/schedule.tsv, or raise the budget of the schedule.',
  );
}

function noRefresh(dir: string): DrumlinError {
  return new DrumlinError(
    'REFRESH_FOLDER',
    `${dir} holds a crawl that is no refresh.`,
    'Choose a new or an empty folder with --dir.',
    { exitCode: EXIT.folder },
  );
}

function intoItself(dir: string): DrumlinError {
  return new DrumlinError(
    'REFRESH_FOLDER',
    `A refresh of ${dir} cannot be stored in the same folder.`,
    'Choose a new or an empty folder with --dir.',
    { exitCode: EXIT.folder },
  );
}

function nothingToResume(dir: string): DrumlinError {
  return new DrumlinError(
    'NO_REFRESH',
    `There is no collection to refresh, and no refresh in ${dir} to resume.`,
    'Name the folder of an old crawl: drumlin refresh OLD --dir NEW',
  );
}

function differs(dir: string, key: string, was: string, is: string): DrumlinError {
  const flag = key === 'old' ? 'the collection' : `--${key}`;
  return new DrumlinError(
    'REFRESH_DIFFERS',
    `${dir} holds a refresh in which ${flag} is ${was}, not ${is}.`,
    `Resume it without that, or choose another --dir.`,
    { exitCode: EXIT.folder },
  );
}
