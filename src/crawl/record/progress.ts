/** The current state of a crawl: the input of the view, the status file, metrics and health. */
import type { Bytes, Millis } from '../../base/units.ts';
import {
  type AgentProgress,
  addUp,
  type CountersState,
  countersOf,
  type EndReason,
} from './counters.ts';
import type { Vitals } from './vitals.ts';

/**
 * Counts are those of this run; hosts, domains and URLs discovered are those of the whole crawl.
 */
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
  /** Free space on the disk of the folder, a few seconds old; undefined while unknown. */
  readonly diskFree?: Bytes | undefined;
  /** The counts of earlier runs. */
  readonly before: CountersState;
  readonly vitals: Vitals;
  /** The operator has paused the crawl. */
  readonly paused?: boolean | undefined;
  /** Why the crawl is stopping; undefined while it is not. */
  readonly ending?: EndReason | undefined;
}

/** The counts of this run and all earlier ones: what a user sees of a crawl. */
export function inAll(now: CountersState & Pick<Progress, 'before'>): CountersState {
  return addUp([now.before, countersOf(now)]);
}
