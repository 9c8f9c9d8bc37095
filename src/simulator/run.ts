/**
 * The same web crawled once by each policy, and what came of it, sampled on the way.
 *
 * Ensures   the same settings give the same result, apart from what `machine` holds: time and memory of this process.
 */
import { join } from 'node:path';
import { DrumlinError, EXIT } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Bytes } from '../base/units.ts';
import type { CrawlConfig } from '../config/settings.ts';
import { Disk } from '../disk/disk.ts';
import type { KindName } from '../lab/kind.ts';
import type { Web } from '../lab/web.ts';
import { VirtualCrawl } from './crawl.ts';
import { POLICIES, type Policy } from './policies.ts';
import { KIND_NAMES, type KindTallies } from './tally.ts';

const SAMPLES = 200;

/** How a crawl stood after so many pages; counts are since its beginning. */
export interface Sample {
  readonly pages: number;
  /** Of virtual time. */
  readonly seconds: number;
  readonly pagesByKind: Readonly<Record<KindName, number>>;
  readonly useful: number;
  readonly domains: number;
  readonly lookUps: number;
  readonly lookUpsByKind: Readonly<Record<KindName, number>>;
  readonly urlsUnique: number;
  /** URLs that wait, in memory and on disk. */
  readonly queued: number;
  /** Hosts in memory with something to fetch. */
  readonly front: number;
  /** Moved between memory and the backlog's files. */
  readonly backlogBytes: Bytes;
  /** Moved between memory and the files about domains: budgets, edges, and URLs that wait for budget. */
  readonly domainBytes: Bytes;
  /** Moved between memory and all files. */
  readonly diskBytes: Bytes;
}

/** What another run need not find again. */
export interface MachineSample {
  /** Since the crawl began. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rss: Bytes;
  readonly heap: Bytes;
}

export interface PolicyResult {
  readonly policy: string;
  /** False when the web had no more to give. */
  readonly complete: boolean;
  readonly samples: readonly Sample[];
  readonly kinds: KindTallies;
  /** Requests for robots.txt; requests that were answered "not now"; URLs that robots.txt keeps us from. */
  readonly robots: number;
  readonly retries: number;
  readonly refused: number;
  /** One for each sample. */
  readonly machine: readonly MachineSample[];
}

export interface LabRunOptions {
  readonly web: Web;
  readonly policies: readonly string[];
  readonly pages: number;
  readonly config: CrawlConfig;
  /** For the files of one crawl after the other; must exist and be empty, and is so again afterwards. */
  readonly folder: string;
  readonly onProgress?: (policy: string, done: number) => void;
  readonly signal?: AbortSignal;
}

export async function runLab(options: LabRunOptions): Promise<PolicyResult[]> {
  const policies = options.policies.map((name) => [name, findPolicy(name)] as const);
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

async function runPolicy(
  name: string,
  policy: Policy,
  options: LabRunOptions,
): Promise<PolicyResult> {
  const { web, pages, config, onProgress, signal } = options;
  const disk = new Disk();
  const folder = join(options.folder, name);
  await disk.makeFolder(folder);
  const crawl = await VirtualCrawl.open({ web, policy, config, folder });
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
    return { policy: name, complete, samples, kinds, robots, retries, refused, machine };
  } finally {
    await crawl.close();
    await disk.removeFolder(folder);
  }
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
