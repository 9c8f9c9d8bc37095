/**
 * What the main modules of agents' threads share: how an agent reports to its coordinator, and how
 * it follows the coordinator's calls.
 */
import type { Millis } from '../base/units.ts';
import type { AgentSurroundings } from './agent/open-agent.ts';
import type { runAgent } from './agent/running-agent.ts';
import type { AgentReport } from './crew.ts';
import type { AgentProgress } from './record/counters.ts';
import type { Coordinator, ServedAgent } from './threads/agent-thread.ts';

type ToCoordinator = Coordinator<AgentReport, AgentProgress>;
type Running = Awaited<ReturnType<typeof runAgent>>;

const REPORT_EVERY: Millis = 250;

/** The reports of an agent as messages. */
export function reportsTo(
  coordinator: ToCoordinator,
): Pick<AgentSurroundings, 'log' | 'onIdle' | 'onOutcome' | 'onLimit' | 'onSeedMoved'> {
  return {
    log: { event: (name, facts) => coordinator.tell('event', { name, facts }) },
    onIdle: (report) => coordinator.tell('activity', report),
    onOutcome: (outcome) => coordinator.tell('outcome', outcome),
    onLimit: (reason) => coordinator.tell('limit', reason),
    onSeedMoved: (move) => coordinator.tell('seedMoved', move),
  };
}

/** Serves the coordinator's calls, and reports progress until the agent has ended. */
export function servedBy(
  running: Running,
  coordinator: ToCoordinator,
  onEnd: () => void = () => {},
): ServedAgent<AgentProgress> {
  const report = () =>
    coordinator.tell('progress', { progress: running.progress(), vitals: running.vitals() });
  const timer = setInterval(report, REPORT_EVERY);
  return {
    stop: (reason) => running.stop(reason),
    conclude: () => running.conclude(),
    activity: () => running.activity(),
    seedMoved: (move) => running.seedMoved(move),
    filters: (set) => running.filters(set),
    tune: (orders) => running.tune(orders),
    ask: (asks) => running.ask(asks),
    result: running.result.finally(() => {
      clearInterval(timer);
      report();
      onEnd();
    }),
  };
}
