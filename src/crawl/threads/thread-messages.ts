/**
 * The messages between the coordinator and its agents.
 *
 *   coordinator                                          agent, in its own thread
 *   startAgentThread ── start (settings, ports, shared tables) ──► serveAgentThread
 *   AgentThread      ── stop(reason), conclude, filters, activity? ─►  AgentCalls
 *                    ◄─ progress, activity, event, limit, page?, error?  CoordinatorCalls
 *   finished         ◄─ finished(result) or failed(error) ───────
 *
 * A question mark means that the sender awaits an answer: an agent waits for the answer to a page,
 * so a slow `onPage` slows its fetching.
 */
import type { FilterSet } from '../../filter/filter-set.ts';
import type { Ask, Outcome } from '../planned/ask.ts';
import type { AgentOrders } from '../record/agent-orders.ts';
import type { EndReason } from '../record/counters.ts';
import type { EventName, Facts } from '../record/log-events.ts';
import type { SeedMove } from '../record/seed-move.ts';
import type { CrawlFailure } from '../store/page.ts';
import type { ActivityReport } from '../transport/quiescence.ts';
import type { PackedPage } from './page-message.ts';
import type { PackedError } from './thread-error.ts';

/** The calls from the coordinator to an agent. */
export interface AgentCalls {
  /** Start nothing new, end the requests under way, send what belongs to other agents. */
  stop(reason: EndReason): void;
  /** All agents have stopped: finish. */
  conclude(): void;
  /** Report now: an answer in a wave of `Quiescence`. */
  activity(): ActivityReport;
  /** Another agent discovered that a seed has moved: extend the scope. */
  seedMoved(move: SeedMove): void;
  /** Use these filters from now on. */
  filters(set: FilterSet): void;
  /** Apply what the operator has changed; answered when a checkpoint holds it. */
  tune(orders: AgentOrders): void;
  /** Request these URLs, in this order; only in a planned crawl. */
  ask(asks: readonly Ask[]): void;
}

/** The calls from an agent to the coordinator. */
export interface CoordinatorCalls<Progress, Result> {
  progress(progress: Progress): void;
  /** The agent has become idle. */
  activity(report: ActivityReport): void;
  /** A limit of the whole crawl is reached: all agents must stop. */
  limit(reason: EndReason): void;
  /** A seed has moved: the scope follows it. */
  seedMoved(move: SeedMove): void;
  /** What came of an ask; only in a planned crawl. */
  outcome(outcome: Outcome): void;
  /** A line for the crawl's log. */
  event(event: LogEvent): void;
  /** A page for the user's `onPage`; answered when its promise has settled. */
  page(page: PackedPage): void;
  /** A failure for the user's `onError`; answered when its promise has settled. */
  error(failure: CrawlFailure): void;
  /** The last message of an agent that has finished. */
  finished(result: Result): void;
  /** The last message of an agent that has failed. */
  failed(error: PackedError): void;
}

interface LogEvent<Name extends EventName = EventName> {
  readonly name: Name;
  readonly facts: Facts<Name>;
}
