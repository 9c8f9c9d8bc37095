/** What an agent counts while it crawls, and the summary that a user and a program read at the end. */
import type { Bytes, Millis } from '../../base/units.ts';

/** Why a crawl came to its end. */
export type EndReason = 'finished' | 'max-pages' | 'max-bytes' | 'max-time' | 'interrupted';

export type Tally = Record<string, number>;

/** Plain data. */
export interface CountersState {
  /** Responses received, robots.txt aside. */
  readonly pages: number;
  readonly bytes: Bytes;
  /** Links found, with repeats. */
  readonly urlsSeen: number;
  /** Pages whose payload had been seen before. */
  readonly duplicates: number;
  /** Pages that were not stored again: the archive had their payload. */
  readonly revisits: number;
  /** URLs that robots.txt keeps us from. */
  readonly disallowed: number;
  readonly statuses: Readonly<Tally>;
  /** Pages by what servers say they are, `text/html` and the like. */
  readonly types: Readonly<Tally>;
  /** Requests and look-ups that will be made again, by what went wrong. */
  readonly retries: Readonly<Tally>;
  /** URLs given up, by what went wrong. */
  readonly errors: Readonly<Tally>;
  /** Links not followed, by the limit or pattern that kept them out. */
  readonly refused: Readonly<Tally>;
  /**
   * Pages like others (`near-duplicate`, `soft-404`), links rewritten as was learned from such (`link-rewritten`), and URLs that were made up to
   * learn more (`soft-404-question`).
   */
  readonly alike: Readonly<Tally>;
}

/** What was counted, and nothing of what else is told with it. */
export function countersOf(told: CountersState): CountersState {
  const { pages, bytes, urlsSeen, duplicates, revisits, disallowed } = told;
  const { statuses, types, retries, errors, refused, alike } = told;
  return {
    pages,
    bytes,
    urlsSeen,
    duplicates,
    revisits,
    disallowed,
    statuses,
    types,
    retries,
    errors,
    refused,
    alike,
  };
}

const MOST_TYPES = 64;
const TYPE = /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,80}$/;

/** The type without its parameters. */
function typeName(contentType: string | undefined): string {
  if (contentType === undefined || contentType === '') return 'none';
  const end = contentType.indexOf(';');
  const name = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  return TYPE.test(name) ? name : 'others';
}

export class Counters implements CountersState {
  pages = 0;
  bytes: Bytes = 0;
  urlsSeen = 0;
  duplicates = 0;
  revisits = 0;
  disallowed = 0;
  readonly statuses: Tally = {};
  readonly types: Tally = {};
  readonly retries: Tally = {};
  readonly errors: Tally = {};
  readonly refused: Tally = {};
  readonly alike: Tally = {};

  countStatus(status: number): void {
    count(this.statuses, String(status), 1);
  }

  /** Servers can name as many as they like: those beyond the first are counted together. */
  countType(contentType: string | undefined): void {
    const name = typeName(contentType);
    const known = Object.hasOwn(this.types, name) || Object.keys(this.types).length < MOST_TYPES;
    count(this.types, known ? name : 'others', 1);
  }

  countError(fault: string, urls = 1): void {
    count(this.errors, fault, urls);
  }

  countRetry(fault: string): void {
    count(this.retries, fault, 1);
  }

  countRefused(reason: string, urls = 1): void {
    count(this.refused, reason, urls);
  }

  countAlike(what: string, times = 1): void {
    count(this.alike, what, times);
  }
}

function count(tally: Tally, name: string, by: number): void {
  if (by > 0) tally[name] = (tally[name] ?? 0) + by;
}

/** An agent as it stands: what it has counted, and what it has before it. */
export interface AgentProgress extends CountersState {
  /** Requests under way. */
  readonly fetching: number;
  /** URLs that wait, in memory and on disk. */
  readonly queued: number;
  /** Those of them that wait on disk. */
  readonly backlog: number;
  /** Hosts with something to fetch in memory. */
  readonly front: number;
  readonly hosts: number;
  readonly domains: number;
  readonly urlsUnique: number;
  /**
   * What had to make room for newer in this run: `digests` of stored pages (`--dedup-memory`), `pages` that others are compared with
   * (`--similarity-memory`).
   */
  readonly forgotten: Readonly<Tally>;
}

/** All that a tally has counted. */
export const total = (tally: Readonly<Tally>): number =>
  Object.values(tally).reduce((sum, n) => sum + n, 0);

/** The numbers of all together: what is told by name is added by name. */
export function addUp<Numbers extends CountersState>(parts: readonly Numbers[]): Numbers {
  const sum: Record<string, number | Tally> = {};
  for (const part of parts) {
    for (const [key, value] of Object.entries(part) as [string, number | Readonly<Tally>][]) {
      if (typeof value === 'number') sum[key] = ((sum[key] as number) ?? 0) + value;
      else {
        sum[key] ??= {};
        for (const [name, n] of Object.entries(value)) count(sum[key] as Tally, name, n);
      }
    }
  }
  return sum as unknown as Numbers;
}

export interface Summary extends CountersState {
  readonly end: EndReason;
  /** Null when nothing was kept. */
  readonly dir: string | null;
  readonly agents: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly pagesPerCpuSecond: number;
  readonly maxRssBytes: Bytes;
  readonly urlsUnique: number;
  readonly urlsQueued: number;
  readonly hosts: number;
  readonly domains: number;
  /** See `AgentProgress`. */
  readonly forgotten: Readonly<Tally>;
}

/** Time and processor time from here on, of all threads. */
export class Stopwatch {
  readonly #startedAt = performance.now();
  readonly #cpuAtStart = process.cpuUsage();

  elapsed(): Millis {
    return performance.now() - this.#startedAt;
  }

  cpuSeconds(): number {
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    return (user + system) / 1e6;
  }
}

export function summarise(
  end: EndReason,
  dir: string,
  agents: readonly AgentProgress[],
  watch: Stopwatch,
): Summary {
  const { fetching: _, front: __, backlog: ___, queued, ...sum } = addUp(agents);
  const cpuSeconds = watch.cpuSeconds();
  return {
    end,
    dir: dir || null,
    agents: agents.length,
    seconds: watch.elapsed() / 1000,
    cpuSeconds,
    pagesPerCpuSecond: sum.pages / cpuSeconds,
    maxRssBytes: process.resourceUsage().maxRSS * 1024,
    urlsQueued: queued,
    ...sum,
  };
}
