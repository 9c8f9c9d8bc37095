/** The main module of an agent's thread. */
import { systemClockFrom } from '../base/clock.ts';
import { Disk } from '../disk/disk.ts';
import { loadPredicates } from '../filter/predicates.ts';
import { runAgent } from './agent/running-agent.ts';
import type { AgentReport, ThreadedStart } from './crew.ts';
import { limitGarbage } from './heap-growth.ts';
import type { AgentProgress } from './record/counters.ts';
import { reportsTo, servedBy } from './thread-ends.ts';
import { serveAgentThread } from './threads/agent-thread.ts';
import { packPage } from './threads/page-message.ts';
import { portTransport } from './transport/port-transport.ts';

await serveAgentThread<ThreadedStart, AgentReport, AgentProgress>(async (start, coordinator) => {
  const { agent, agents, incarnation, ports, wantsPages, wantsErrors, ownsProcess } = start;
  const { clockOrigin } = start;
  if (ownsProcess) limitGarbage();
  const running = await runAgent(start, {
    clock: systemClockFrom(clockOrigin),
    disk: new Disk(),
    connect: (state) => portTransport({ agent, agents, incarnation, state }, ports),
    ...reportsTo(coordinator),
    onError: wantsErrors ? (failure) => coordinator.ask('error', failure) : undefined,
    predicates: await loadPredicates(start.config.predicates),
    onPage: wantsPages ? (page) => coordinator.ask('page', packPage(page)) : undefined,
  });
  return servedBy(running, coordinator);
});
