/**
 * The progress of a worker, for its metrics: the sum over its agents.
 *
 * Idea      Agents come and go. The counts of those that have left are kept, so that no counter of
 *           a worker falls; their queues are counted where they run now. So the sum over all
 *           workers is that of the cluster.
 */
import type { Millis } from '../../base/units.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import type { AgentReport } from '../../crawl/crew.ts';
import { type AgentProgress, addUp, Counters, NOTHING_YET } from '../../crawl/record/counters.ts';
import type { Progress } from '../../crawl/record/progress.ts';
import { allVitals } from '../../crawl/record/vitals.ts';

type Limits = Pick<CrawlConfig, 'maxTime' | 'maxPages' | 'maxBytes' | 'checkpoint'>;

/** What an agent that has left does not have here any more. */
const NO_QUEUES = {
  ...{ fetching: 0, queued: 0, backlog: 0, front: 0, hosts: 0, domains: 0, urlsUnique: 0 },
};

export class WorkerProgress {
  readonly #startedAt: Millis;
  readonly #limits: Limits;
  #left: AgentProgress = NOTHING_YET;

  constructor(startedAt: Millis, { maxTime, maxPages, maxBytes, checkpoint }: Limits) {
    this.#startedAt = startedAt;
    this.#limits = { maxTime, maxPages, maxBytes, checkpoint };
  }

  /** An agent has left the worker; `last` is its last report. */
  left(last: AgentReport | undefined): void {
    if (last) this.#left = addUp([this.#left, { ...last.progress, ...NO_QUEUES }]);
  }

  /** `reports` of the agents that run here. */
  now(reports: readonly AgentReport[], at: Millis): Progress {
    const startedAt = this.#startedAt;
    return {
      ...addUp([this.#left, ...reports.map(({ progress }) => progress)]),
      ...this.#limits,
      ...{ at, startedAt, elapsed: at - startedAt, agents: reports.length },
      before: { ...new Counters() },
      vitals: allVitals(
        reports.map(({ vitals }) => vitals),
        startedAt,
      ),
    };
  }
}
