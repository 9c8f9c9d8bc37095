/** The counters of an agent, and the summary of a crawl for users and programs. */
import type { Bytes, Millis } from '../../base/units.ts';

/** Why a crawl ended. */
export type EndReason = 'finished' | 'max-pages' | 'max-bytes' | 'max-time' | 'interrupted';

export type Tally = Record<string, number>;

/** The counters as plain data. */
export interface CountersState {
  /** Responses received, robots.txt aside. */
  readonly pages: number;
  readonly bytes: Bytes;
  /**
   * Requests for pages that were sent, with those that failed or were repeated; absent in
   * checkpoints of earlier versions.
   */
  readonly requests?: number;
  /** Links discovered, with repeats. */
  readonly urlsSeen: number;
  /** Pages whose payload was seen before. */
  readonly duplicates: number;
  /** Pages stored as a reference, because the archive already holds their payload. */
  readonly revisits: number;
  /** URLs skipped because of robots.txt. */
  readonly disallowed: number;
  readonly statuses: Readonly<Tally>;
  /** Pages by content type, such as `text/html`. */
  readonly types: Readonly<Tally>;
  /** Requests and look-ups that will be tried again, by fault. */
  readonly retries: Readonly<Tally>;
  /** URLs that failed after the last retry, by fault. */
  readonly errors: Readonly<Tally>;
  /**
   * What was skipped because of a limit, a pattern or a filter, by reason. A reason counts links,
   * URLs or pages: see `SKIP_REASONS`.
   */
  readonly refused: Readonly<Tally>;
  /**
   * Pages similar to others (`near-duplicate`, `soft-404`), links rewritten by a learned rule
   * (`link-rewritten`), and URLs invented to learn more (`soft-404-question`).
   */
  readonly alike: Readonly<Tally>;
  /**
   * Pages whose body was cut, by cause: `length` (`--max-body`), `time`, `disconnect`, `decoding`
   * (stored whole, but too large when decoded).
   */
  readonly truncated: Readonly<Tally>;
  /**
   * With verdicts on spam: `verdicts` given, `pages` of domains that were spam by their last
   * verdict, `found` and `cleared` domains. Absent without.
   */
  readonly spam?: Readonly<Tally>;
  /**
   * With rendering: `pages` rendered, `gained` (links or text), `cut` (out of time), `requests` of
   * these pages, `cached` answers, and what failed or was refused, by reason. Absent without.
   */
  readonly render?: Readonly<Tally>;
  /** Requisites received: images, styles, scripts, … Absent where none were. */
  readonly requisites?: number;
}

/** Only the counters of an object that may hold more. */
export function countersOf(told: CountersState): CountersState {
  const { pages, bytes, urlsSeen, duplicates, revisits, disallowed } = told;
  // A status file of an earlier version has no `truncated`.
  const { requests, statuses, types, retries, errors, refused, alike, spam, requisites } = told;
  const { truncated = {}, render } = told;
  return {
    pages,
    bytes,
    ...(requests !== undefined && { requests }),
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
    truncated,
    ...(spam && { spam }),
    ...(render && { render }),
    ...(requisites !== undefined && { requisites }),
  };
}

const MOST_TYPES = 64;
const TYPE = /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,80}$/;

/** The content type without its parameters. */
function typeName(contentType: string | undefined): string {
  if (contentType === undefined || contentType === '') return 'none';
  const end = contentType.indexOf(';');
  const name = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  return TYPE.test(name) ? name : 'others';
}

export class Counters implements CountersState {
  pages = 0;
  bytes: Bytes = 0;
  requests = 0;
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
  readonly truncated: Tally = {};
  declare spam?: Tally;
  declare requisites?: number;
  declare render?: Tally;

  countStatus(status: number): void {
    count(this.statuses, String(status), 1);
  }

  /**
   * Servers can invent any number of types: after the first `MOST_TYPES`, all others count as one.
   */
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

  countSkipped(reason: string, urls = 1): void {
    count(this.refused, reason, urls);
  }

  countTruncated(why: string): void {
    count(this.truncated, why, 1);
  }

  countAlike(what: string, times = 1): void {
    count(this.alike, what, times);
  }

  countRequisite(): void {
    this.requisites = (this.requisites ?? 0) + 1;
  }

  /** The tally exists from the first count: a crawl without rendering has none. */
  countRender(what: string): void {
    this.render ??= {};
    count(this.render, what, 1);
  }

  /** The tally exists from the first count: a crawl without verdicts has none. */
  countSpam(what: string): void {
    this.spam ??= {};
    count(this.spam, what, 1);
  }
}

function count(tally: Tally, name: string, by: number): void {
  if (by > 0) tally[name] = (tally[name] ?? 0) + by;
}

/** The current state of an agent: its counters and its queues. */
export interface AgentProgress extends CountersState {
  /** Requests under way. */
  readonly fetching: number;
  /** Queued URLs, in memory and on disk. */
  readonly queued: number;
  /** Queued URLs on disk. */
  readonly backlog: number;
  /** Hosts in memory that can be fetched soon. */
  readonly front: number;
  readonly hosts: number;
  readonly domains: number;
  readonly urlsUnique: number;
  /**
   * Entries dropped from memory for newer ones in this run: `digests` of stored pages
   * (`--dedup-memory`), and `pages` for comparison with others (`--similarity-memory`).
   */
  readonly forgotten: Readonly<Tally>;
}

/** The progress of an agent that has done nothing. */
export const NOTHING_YET: AgentProgress = {
  ...new Counters(),
  fetching: 0,
  queued: 0,
  backlog: 0,
  front: 0,
  hosts: 0,
  domains: 0,
  urlsUnique: 0,
  forgotten: {},
};

/** The sum of a tally. */
export const total = (tally: Readonly<Tally>): number =>
  Object.values(tally).reduce((sum, n) => sum + n, 0);

/** Adds up the numbers of all parts; tallies are added by name. */
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
  /** The folder of the crawl; null for a crawl that keeps nothing. */
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
  /** Entries dropped from memory for newer ones: see `AgentProgress`. */
  readonly forgotten: Readonly<Tally>;
}

/** Elapsed time and CPU time of all threads, from its construction on. */
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
