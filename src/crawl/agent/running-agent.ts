/**
 * An agent from its start to its end: opened, assembled, resumed from its last checkpoint, run,
 * closed. It does not know in which thread it runs.
 */
import { type Clock, paceOf } from '../../base/clock.ts';
import { compileFilters, type FilterSet } from '../../filter/filter-set.ts';
import type { Host } from '../../frontier/host.ts';
import { restoreSnapshot } from '../../frontier/snapshot.ts';
import { canonicalise } from '../../url/canonical.ts';
import type { Ask } from '../planned/ask.ts';
import type { AgentOrders } from '../record/agent-orders.ts';
import type { AgentProgress, CountersState, EndReason } from '../record/counters.ts';
import type { SeedMove } from '../record/seed-move.ts';
import type { Vitals } from '../record/vitals.ts';
import type { ActivityReport } from '../transport/quiescence.ts';
import { ownSeeds } from './agent-tuning.ts';
import { type Assembly, assemble } from './assemble.ts';
import {
  type AgentStart,
  type AgentSurroundings,
  closeOpened,
  type OpenAgent,
  openAgent,
  type Restored,
} from './open-agent.ts';

export async function runAgent(
  start: AgentStart,
  around: AgentSurroundings,
): Promise<RunningAgent> {
  const opened = await openAgent(start, around);
  try {
    const assembly = assemble(start, around, opened);
    const { restored } = opened;
    if (restored) restore(restored, assembly, paceOf(around.clock), start.planned);
    await assembly.decisions.obey();
    // Seeds that were known at the last checkpoint are in it; later ones are not.
    const newSeeds = start.seeds.slice(restored?.state.seeds ?? 0);
    assembly.admission.discover(ownSeeds(newSeeds, start), 0, undefined);
    // The sieve lets each through once in the life of the crawl. They need not lie in scope.
    const sitemaps = start.config.sitemap.flatMap((text) => canonicalise(text) ?? []);
    if (!start.planned && sitemaps.length > 0)
      assembly.admission.discover(ownSeeds(sitemaps, start), 0, undefined, 0, true);
    for (const outcome of opened.outcomes?.known ?? []) around.onOutcome(outcome);
    return new RunningAgent(around, opened, assembly);
  } catch (error) {
    await closeOpened(opened);
    throw error;
  }
}

function restore(
  { state, image }: Restored,
  assembly: Assembly,
  clock: Clock,
  planned: boolean,
): void {
  const { frontier, politeness, admission, movedSeeds, reputation } = assembly;
  frontier.restore(state.frontier);
  const now = clock.now();
  // A checkpoint of the future: the clock was ahead, and so are all times that it has written.
  const ahead = Math.max(0, (state.pace ?? state.savedAt) - now);
  const readyAt = (host: Host) => now + politeness.hostDelay(host);
  // In a planned crawl the coordinator asks again for what was queued.
  restoreSnapshot(image.frontier, frontier, readyAt, ahead, !planned);
  for (const batch of image.discovered) admission.restore(batch);
  movedSeeds.restore(state.moved);
  reputation?.restore(state.standings ?? []);
}

class RunningAgent {
  /** What the agent has counted, when it has ended; rejects when it fails. */
  readonly result: Promise<AgentProgress>;
  readonly #around: AgentSurroundings;
  readonly #opened: OpenAgent;
  readonly #assembly: Assembly;

  /** Starts the loops. */
  constructor(around: AgentSurroundings, opened: OpenAgent, assembly: Assembly) {
    this.#around = around;
    this.#opened = opened;
    this.#assembly = assembly;
    this.result = this.#run();
    this.result.catch(() => {}); // reported to those who await it
  }

  /** What earlier runs have counted, up to the checkpoint that this one began with. */
  get before(): Pick<CountersState, 'pages' | 'bytes'> {
    return this.#opened.restored?.state.counters ?? { pages: 0, bytes: 0 };
  }

  stop(reason: EndReason): void {
    this.#assembly.agent.stop(reason);
  }

  conclude(): void {
    this.#assembly.agent.conclude();
  }

  activity(): ActivityReport {
    return this.#assembly.agent.activity();
  }

  progress(): AgentProgress {
    return this.#assembly.progress.progress();
  }

  /** Also adds a sample to the series of the crawl: to be called a few times a second. */
  vitals(): Vitals {
    return this.#assembly.progress.vitals();
  }

  /** Another agent reports that a seed has moved. */
  seedMoved(move: SeedMove): void {
    this.#assembly.movedSeeds.learn(move);
  }

  /** Adds URLs to request, in this order. Requires a planned crawl. */
  ask(asks: readonly Ask[]): void {
    this.#assembly.ask(asks);
  }

  /** Applies what the operator has changed; resolves when a checkpoint holds it. */
  tune(orders: AgentOrders): Promise<void> {
    const { agent, tune } = this.#assembly;
    return agent.order(() => tune(orders));
  }

  /** Replaces the filters. */
  filters(set: FilterSet): void {
    Object.assign(this.#assembly.filters, compileFilters(set, this.#around.predicates));
  }

  async #run(): Promise<AgentProgress> {
    const { folder, store, client, earlierPages, outcomes, skipLog, lines } = this.#opened;
    const { browsers } = this.#opened;
    const { agent, reputation } = this.#assembly;
    try {
      await agent.run();
      await store.close();
      return this.progress();
    } catch (error) {
      await store.close().catch(() => {}); // the first failure is the one to report
      throw error;
    } finally {
      await browsers?.close();
      await client.close();
      await earlierPages?.close();
      await outcomes?.close();
      await skipLog?.close();
      await lines?.close();
      await reputation?.end();
      await folder?.close();
    }
  }
}
