/** The main module of an agent's thread. */
import { systemClockFrom } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import { Disk } from '../disk/disk.ts';
import { loadPredicates } from '../filter/predicates.ts';
import { runAgent } from './agent/running-agent.ts';
import type { AgentReport, ThreadedStart } from './crew.ts';
import { limitGarbage } from './heap-growth.ts';
import type { AgentProgress } from './record/counters.ts';
import { serveAgentThread } from './threads/agent-thread.ts';
import { packPage } from './threads/page-message.ts';
import { portTransport } from './transport/port-transport.ts';

const REPORT_EVERY: Millis = 250;

await serveAgentThread<ThreadedStart, AgentReport, AgentProgress>(async (start, coordinator) => {
  const { agent, agents, incarnation, ports, wantsPages, wantsErrors, ownsProcess } = start;
  const { clockOrigin } = start;
  if (ownsProcess) limitGarbage();
  const running = await runAgent(start, {
    clock: systemClockFrom(clockOrigin),
    disk: new Disk(),
    connect: (state) => portTransport({ agent, agents, incarnation, state }, ports),
    log: { event: (name, facts) => coordinator.tell('event', { name, facts }) },
    onIdle: (report) => coordinator.tell('activity', report),
    onOutcome: (outcome) => coordinator.tell('outcome', outcome),
    onLimit: (reason) => coordinator.tell('limit', reason),
    onSeedMoved: (move) => coordinator.tell('seedMoved', move),
    onError: wantsErrors ? (failure) => coordinator.ask('error', failure) : undefined,
    predicates: await loadPredicates(start.config.predicates),
    onPage: wantsPages ? (page) => coordinator.ask('page', packPage(page)) : undefined,
  });
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
    }),
  };
});
