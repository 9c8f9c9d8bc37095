/**
 * Crawls the same web once by each policy, and samples the results on the way.
 *
 * Ensures   the same settings give the same result, except for `machine`: the time and memory of
 *           this process.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Bytes, Millis } from '../base/units.ts';
import type { CrawlConfig } from '../config/settings.ts';
import { Disk } from '../disk/disk.ts';
import type { KindName } from '../lab/kind.ts';
import type { Web } from '../lab/web.ts';
import type { LiveModel } from '../spam/live/live-model.ts';
import { VirtualCrawl } from './crawl.ts';
import { POLICIES, type Policy, WITH_SPAM } from './policies.ts';
import { KIND_NAMES, type KindTallies } from './tally.ts';

const SAMPLES = 200;

/** The state of a crawl after `pages`; counts are since its beginning. */
export interface Sample {
  readonly pages: number;
  /** Seconds of virtual time. */
  readonly seconds: number;
  readonly pagesByKind: Readonly<Record<KindName, number>>;
  readonly useful: number;
  readonly domains: number;
  readonly lookUps: number;
  readonly lookUpsByKind: Readonly<Record<KindName, number>>;
  readonly urlsUnique: number;
  /** URLs queued in memory and on disk. */
  readonly queued: number;
  /** Hosts in memory with queued URLs. */
  readonly front: number;
  /** Bytes read from and written to the backlog's files. */
  readonly backlogBytes: Bytes;
  /** Bytes read from and written to the files of domains: budgets, edges, URLs without budget. */
  readonly domainBytes: Bytes;
  /** Bytes read from and written to all files. */
  readonly diskBytes: Bytes;
}

/** Figures that differ from run to run. */
export interface MachineSample {
  /** Seconds of real time since the crawl began. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rss: Bytes;
  readonly heap: Bytes;
}

export interface PolicyResult {
  readonly policy: string;
  /** False when the web had fewer pages. */
  readonly complete: boolean;
  readonly samples: readonly Sample[];
  readonly kinds: KindTallies;
  /** Requests for robots.txt. */
  readonly robots: number;
  /** Requests for pages that were answered "not now". */
  readonly retries: number;
  /** URLs that robots.txt disallows. */
  readonly refused: number;
  /** One for each of `samples`. */
  readonly machine: readonly MachineSample[];
  /** Only with a takeover. */
  readonly takeover?: TakeoverResult;
}

/** What the domains that were taken over got from then on. */
interface TakeoverResult {
  /** Pages of all domains since the takeover. */
  readonly pages: number;
  /** Those of domains that were taken over. */
  readonly expired: number;
  /** Their share of all budgets at the end. */
  readonly budgets: number;
}

interface LabRunOptions {
  readonly web: Web;
  readonly policies: readonly string[];
  readonly pages: number;
  readonly config: CrawlConfig;
  /** Required by policies with verdicts on spam. */
  readonly spamModel?: LiveModel | undefined;
  /** When domains of the kind `expired` are taken over, since the beginning; never by default. */
  readonly takeoverAt?: Millis | undefined;
  /**
   * For the files of one crawl after the other. Must exist and be empty; is empty again at the end.
   */
  readonly folder: string;
  readonly onProgress?: (policy: string, done: number) => void;
  readonly signal?: AbortSignal;
}

export async function runLab(options: LabRunOptions): Promise<PolicyResult[]> {
  const policies = options.policies.map((name) => [name, findPolicy(name)] as const);
  const judging = options.policies.find((name) => name.endsWith(WITH_SPAM));
  if (judging !== undefined && !options.spamModel) throw noModel(judging);
  const results: PolicyResult[] = [];
  for (const [name, policy] of policies) results.push(await runPolicy(name, policy, options));
  return results;
}

export function findPolicy(name: string): Policy {
  if (Object.hasOwn(POLICIES, name)) return POLICIES[name];
  const known = Object.keys(POLICIES);
  throw new DrumlinError(
    'POLICY',
    `There is no policy "${name}".`,
    `Choose among ${known.join(', ')}; did you mean "${nearest(name, known)}"?`,
  );
}

const noModel = (policy: string) =>
  new DrumlinError(
    'SPAM_MODEL',
    `The policy "${policy}" needs a spam model.`,
    'Name one with --spam: a file of "drumlin spam train" on the sets content and names.',
  );

async function runPolicy(
  name: string,
  policy: Policy,
  options: LabRunOptions,
): Promise<PolicyResult> {
  const { web, pages, config, spamModel, takeoverAt, onProgress, signal } = options;
  const disk = new Disk();
  const folder = join(options.folder, name);
  await disk.makeFolder(folder);
  const crawl = await VirtualCrawl.open({ web, policy, config, spamModel, takeoverAt, folder });
  try {
    const watch = startWatch();
    const samples: Sample[] = [];
    const machine: MachineSample[] = [];
    let complete = true;
    for (let i = 1; i <= SAMPLES && complete; i++) {
      complete = await crawl.run(Math.ceil((pages * i) / SAMPLES));
      samples.push(sampleOf(crawl));
      machine.push(watch());
      onProgress?.(name, crawl.tally.pages / pages);
      if (signal?.aborted) throw interrupted();
    }
    const { kinds, robots, retries, disallowed: refused } = crawl.tally;
    return {
      ...{ policy: name, complete, samples, kinds, robots, retries, refused, machine },
      ...(takeoverAt !== undefined && {
        takeover: sinceTakeover(samples, takeoverAt, await crawl.budgetShare('expired')),
      }),
    };
  } finally {
    await crawl.close();
    await disk.removeFolder(folder);
  }
}

function sinceTakeover(
  samples: readonly Sample[],
  takeoverAt: Millis,
  budgets: number,
): TakeoverResult {
  const before = samples.findLast(({ seconds }) => 1000 * seconds < takeoverAt);
  const last = samples[samples.length - 1];
  return {
    pages: last.pages - (before?.pages ?? 0),
    expired: last.pagesByKind.expired - (before?.pagesByKind.expired ?? 0),
    budgets,
  };
}

function interrupted(): DrumlinError {
  return new DrumlinError('INTERRUPTED', 'Stopped before the end.', 'Nothing was kept.', {
    exitCode: EXIT.interrupted,
  });
}

function sampleOf({ tally, elapsed, frontier, waiting, urlsUnique, meters }: VirtualCrawl): Sample {
  const byKind = (count: 'pages' | 'lookUps') =>
    Object.fromEntries(KIND_NAMES.map((kind) => [kind, tally.kinds[kind][count]])) as Record<
      KindName,
      number
    >;
  const moved = Object.values(meters).map(({ read, written }) => read + written);
  const { backlog, domains } = meters;
  return {
    pages: tally.pages,
    seconds: elapsed / 1000,
    pagesByKind: byKind('pages'),
    useful: tally.useful,
    domains: tally.domains,
    lookUps: tally.lookUps,
    lookUpsByKind: byKind('lookUps'),
    urlsUnique,
    queued: frontier.queued + waiting,
    front: frontier.front,
    backlogBytes: backlog.read + backlog.written,
    domainBytes: domains.read + domains.written,
    diskBytes: moved.reduce((sum, bytes) => sum + bytes, 0),
  };
}

function startWatch(): () => MachineSample {
  const startedAt = performance.now();
  const cpuAtStart = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpuAtStart);
    const { rss, heapUsed } = process.memoryUsage();
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, cpuSeconds: (user + system) / 1e6, rss, heap: heapUsed };
  };
}
