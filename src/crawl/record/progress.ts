/** The crawl as it stands: what the view, the status file, the metrics and the judgement of its health are made of. */
import type { Bytes, Millis } from '../../base/units.ts';
import {
  type AgentProgress,
  addUp,
  type CountersState,
  countersOf,
  type EndReason,
} from './counters.ts';
import type { Vitals } from './vitals.ts';

/** Counts are those of this run, but for hosts, domains and URLs known, which are the crawl's. */
export interface Progress extends AgentProgress {
  readonly at: Millis;
  readonly startedAt: Millis;
  readonly elapsed: Millis;
  readonly agents: number;
  readonly maxTime: Millis;
  readonly maxPages: number;
  readonly maxBytes: Bytes;
  /** Time between two checkpoints; 0 for a crawl that keeps nothing. */
  readonly checkpoint: Millis;
  /** Where the folder is, as of a few seconds ago; undefined while that is not known. */
  readonly diskFree?: Bytes | undefined;
  /** What was counted before this run. */
  readonly before: CountersState;
  readonly vitals: Vitals;
  /** Why it is coming to its end, if so. */
  readonly ending?: EndReason | undefined;
}

/** What was counted in this run and before it: what a person is told of a crawl, however often it was stopped. */
export function inAll(now: CountersState & Pick<Progress, 'before'>): CountersState {
  return addUp([now.before, countersOf(now)]);
}
