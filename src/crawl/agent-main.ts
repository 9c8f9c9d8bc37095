/** Where an agent's thread begins. */
import { systemClock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import { Disk } from '../disk/disk.ts';
import { loadPredicates } from '../filter/predicates.ts';
import { runAgent } from './agent/agent-run.ts';
import { limitGarbage } from './agent/garbage.ts';
import type { ThreadedStart, Told } from './crew.ts';
import type { AgentProgress } from './record/counters.ts';
import { serveAgentThread } from './threads/agent-thread.ts';
import { packPage } from './threads/page-message.ts';
import { portTransport } from './transport/port-transport.ts';

const PROGRESS_EVERY: Millis = 250;

await serveAgentThread<ThreadedStart, Told, AgentProgress>(async (start, coordinator) => {
  const { agent, agents, incarnation, ports, wantsPages, wantsErrors, ownsProcess } = start;
  if (ownsProcess) limitGarbage();
  const running = await runAgent(start, {
    clock: systemClock,
    disk: new Disk(),
    connect: (state) => portTransport({ agent, agents, incarnation, state }, ports),
    log: { event: (name, facts) => coordinator.tell('event', { name, facts }) },
    onIdle: (report) => coordinator.tell('activity', report),
    onLimit: (reason) => coordinator.tell('limit', reason),
    onSeedMoved: (move) => coordinator.tell('seedMoved', move),
    onError: wantsErrors ? (failure) => coordinator.ask('error', failure) : undefined,
    predicates: await loadPredicates(start.config.predicates),
    onPage: wantsPages ? (page) => coordinator.ask('page', packPage(page)) : undefined,
  });
  const told = (): Told => ({ progress: running.progress(), vitals: running.vitals() });
  const tell = setInterval(() => coordinator.tell('progress', told()), PROGRESS_EVERY);
  const result = running.result.finally(() => {
    clearInterval(tell);
    coordinator.tell('progress', told());
  });
  return { ...running, result };
});
