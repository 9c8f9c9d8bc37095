/** The keys of the book that are not about one agent, and their values. */
import type { Millis } from '../../base/units.ts';
import type { CrawlOptions } from '../../config/settings.ts';
import type { EndReason } from '../../crawl/record/counters.ts';
import type { SeedMove } from '../../crawl/record/seed-move.ts';

export const KEYS = {
  crawl: 'crawl',
  state: 'state',
  leader: 'leader',
  placement: 'placement',
  pages: 'pages',
  moved: 'moved',
  filters: 'filters',
  domains: 'domains',
  tuning: 'tuning',
} as const;

export const workerKey = (worker: string): string => `worker.${worker}`;

/** What a cluster crawls. It never changes. */
export interface ClusterCrawl {
  readonly format: 1;
  /** All workers must have the version of the program and the public suffixes of the creator. */
  readonly version: string;
  readonly suffixes: string;
  readonly agents: number;
  /** Without passwords, and without a folder: each worker has its own. */
  readonly settings: CrawlOptions;
  /** Where checkpoints and pages go, such as s3://bucket/prefix. */
  readonly objects: string;
  /** Whether the delay of an address counts for all workers together, or for each by itself. */
  readonly addressScope: 'cluster' | 'agent';
  /** 1; less where all times of leases are to be shorter, as in tests. */
  readonly pace: number;
  readonly createdAt: Millis;
}

export type Phase = 'running' | 'stopping' | 'concluding' | 'ended';

export interface ClusterState {
  readonly phase: Phase;
  /** Why it ends; 'finished' while it runs. */
  readonly reason: EndReason;
  /** Counts how often the crawl was started, from 1. */
  readonly run: number;
  readonly startedAt: Millis;
}

export interface WorkerEntry {
  readonly host: string;
  readonly pid: number;
  /** It takes no agents, and gives back those that it has. */
  readonly draining: boolean;
  /** The share of agents that it should have, beside the others. */
  readonly weight: number;
  /** Changes with every renewal. */
  readonly beat: number;
}

export interface LeaderEntry {
  /** '' after the leader has ended in order: the next worker that looks takes the lead. */
  readonly worker: string;
  readonly term: number;
  readonly beat: number;
}

/** Which worker is to run each agent; '' for none. */
export interface Placement {
  readonly workers: readonly string[];
}

/** The pages of the limit that no agent has, and those that each agent has had. */
export interface PageGrants {
  readonly left: number;
  readonly granted: readonly number[];
  /** The epoch of the owner of each agent that last asked: a former owner changes nothing. */
  readonly epochs: readonly number[];
}

export interface Moved {
  readonly moves: readonly SeedMove[];
}

/** A file of the operator: filters.txt or domains.tsv of a crawl. */
export interface SteeredText {
  readonly text: string;
  /** What wrote it: `console`, `drumlin cluster steer`. */
  readonly by?: string;
}

/** What the operator changes while the cluster runs, beside filters and domains. */
export interface ClusterTuning {
  /** Grows with every write. */
  readonly number: number;
  /** What wrote it last: `console`, `drumlin cluster set`. */
  readonly by: string;
  /** Values in place of those of the crawl, as text. */
  readonly settings: Readonly<Record<string, string>>;
  /** Nothing is fetched until this is false. */
  readonly paused: boolean;
}
