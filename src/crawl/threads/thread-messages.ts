/**
 * What the coordinator and its agents have to say to each other.
 *
 *   coordinator                                          agent, in its own thread
 *   startAgentThread ── start (settings, ports, shared tables) ──► serveAgentThread
 *   AgentThread      ── stop(reason), conclude, filters, activity? ─►  AgentCalls
 *                    ◄─ progress, activity, event, limit, page?, error?  CoordinatorCalls
 *   finished         ◄─ finished(result) or failed(error) ───────
 *
 * A question mark awaits an answer: the agent waits for the answer to a page, so a slow `onPage` slows its fetching.
 */
import type { FilterSet } from '../../filter/filter-set.ts';
import type { EndReason } from '../record/counters.ts';
import type { EventName, Facts } from '../record/log-events.ts';
import type { SeedMove } from '../record/seed-move.ts';
import type { CrawlFailure } from '../store/page.ts';
import type { ActivityReport } from '../transport/quiescence.ts';
import type { PackedPage } from './page-message.ts';
import type { PackedError } from './thread-error.ts';

/** What the coordinator wants of an agent. */
export interface AgentCalls {
  /** Start nothing new, end what is under way, hand on what others are to have. */
  stop(reason: EndReason): void;
  /** All have: finish. */
  conclude(): void;
  /** Report now: an answer in a wave of `Quiescence`. */
  activity(): ActivityReport;
  /** A seed has moved, another agent found: the scope is larger. */
  seedMoved(move: SeedMove): void;
  /** From now on these decide. */
  filters(set: FilterSet): void;
}

/** What an agent wants of the coordinator. */
export interface CoordinatorCalls<Progress, Result> {
  progress(progress: Progress): void;
  /** The agent has become idle. */
  activity(report: ActivityReport): void;
  /** A limit of the whole crawl is reached: all agents are to stop. */
  limit(reason: EndReason): void;
  /** A seed has moved, and the scope with it. */
  seedMoved(move: SeedMove): void;
  /** A line for the crawl's log. */
  event(event: LogEvent): void;
  /** For the user's `onPage`; answered when its promise has settled. */
  page(page: PackedPage): void;
  /** For the user's `onError`, in the same way. */
  error(failure: CrawlFailure): void;
  /** The last words of an agent that came to its end. */
  finished(result: Result): void;
  /** The last words of one that could not go on. */
  failed(error: PackedError): void;
}

export interface LogEvent<Name extends EventName = EventName> {
  readonly name: Name;
  readonly facts: Facts<Name>;
}
