/**
 * The agents of a crawl, and the coordinator's part: to start them, to know when all have finished,
 * to stop them together.
 *
 * Idea      Only the coordinator can know that no agent will send another anything more, so it
 *           tells agents when to finish. Agents report when they are idle. When all seem to be, the
 *           coordinator asks all of them once more (see `Quiescence`). A limit that one agent
 *           reaches stops all; so does a failure. Stopped agents still hand on what others own. The
 *           coordinator learns in the same way when all of it has arrived, and concludes the crawl.
 * Ensures   `finished` resolves when every agent has ended, with the counts of each; it rejects
 *           with the first failure.
 */
import { extname } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { type Clock, clockOrigin } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import type { Disk } from '../disk/disk.ts';
import type { FilterSet } from '../filter/filter-set.ts';
import type { Predicates } from '../filter/predicate.ts';
import { fingerprint, partitionOfFingerprint } from '../url/fingerprint.ts';
import type { Network } from './agent/client-setup.ts';
import type { AgentStart } from './agent/open-agent.ts';
import { runAgent } from './agent/running-agent.ts';
import type { Ask, Asker, Outcome } from './planned/ask.ts';
import type { AgentOrders } from './record/agent-orders.ts';
import type { AgentProgress, EndReason } from './record/counters.ts';
import type { EventLog } from './record/log.ts';
import type { SeedMove } from './record/seed-move.ts';
import type { Vitals } from './record/vitals.ts';
import type { RequestHooks } from './store/hooks.ts';
import type { CrawlFailure, Page } from './store/page.ts';
import { startAgentThread } from './threads/agent-thread.ts';
import { unpackPage } from './threads/page-message.ts';
import { type AgentPorts, portMesh, portTransport } from './transport/port-transport.ts';
import { type ActivityReport, Quiescence } from './transport/quiescence.ts';
import { agentOf } from './transport/routing.ts';

/** What a thread is started with: the agent's start, and its ports to the other agents. */
export interface ThreadedStart extends AgentStart {
  readonly ports: AgentPorts;
  readonly wantsPages: boolean;
  readonly wantsErrors: boolean;
  readonly ownsProcess: boolean;
  /** So that the clocks of all agents agree. */
  readonly clockOrigin: Millis;
}

interface CrewOptions extends RequestHooks {
  readonly clock: Clock;
  /** For agents in the caller's thread. */
  readonly disk: Disk;
  readonly log: EventLog;
  readonly onPage: ((page: Page) => void | Promise<void>) | undefined;
  readonly onError: ((failure: CrawlFailure) => void | Promise<void>) | undefined;
  /** What filters of agents in the caller's thread may ask. */
  readonly predicates: Predicates;
  readonly onSeedMoved: (move: SeedMove) => void;
  /** Run agents in the caller's thread, by the caller's clock, instead of in their own threads. */
  readonly here: boolean;
  /** How agents in the caller's thread reach servers. Default: the system's sockets. */
  readonly network?: Network | undefined;
  /** Connects the agents with each other. Default: message ports. */
  readonly mesh?: typeof portMesh | undefined;
  /** Decides what is requested in a planned crawl; undefined in others. */
  readonly asker: Asker | undefined;
  /** The limit that ended the crawl, if one did. */
  readonly limitReached: () => EndReason | undefined;
  /** Nothing but this crawl runs in the process. */
  readonly ownsProcess: boolean;
}

/** What an agent reports of itself, a few times a second. */
export interface AgentReport {
  readonly progress: AgentProgress;
  readonly vitals: Vitals;
}

/** An agent, wherever it runs. */
interface Member {
  stop(reason: EndReason): void;
  conclude(): void;
  /** Asks for a report, and records it before any that the agent makes later. */
  activity(): ActivityReport | Promise<ActivityReport>;
  seedMoved(move: SeedMove): void;
  filters(set: FilterSet): void;
  /** Resolves when a checkpoint holds the change. */
  tune(orders: AgentOrders): Promise<void>;
  ask(asks: readonly Ask[]): void;
  /** The last report, if there is one. */
  lastReport(): AgentReport | undefined;
  readonly finished: Promise<AgentProgress>;
}

/**
 * Megabytes for young objects in an agent's thread: at least, at most, and for each request at
 * once. A third of it is the space that fills up; V8 rounds that up to a power of two, and has two
 * of them in memory. A page allocates about 60 KB while it is in progress. If the space fills up
 * twice meanwhile, V8 treats these objects as old.
 */
const YOUNG = { least: 12, most: 48, each: 3 / 32 };
/**
 * Megabytes for all objects of an agent, in a process that runs other things too (see
 * heap-growth.ts): twenty times what an agent keeps alive. Below 2,048 V8 lets garbage grow to the
 * size of the live objects; above, to three times that size.
 */
const OLD = 2000;

const youngFor = (fetches: number): number =>
  Math.max(YOUNG.least, Math.min(YOUNG.most, Math.floor(fetches * YOUNG.each)));

export class Crew {
  readonly #options: CrewOptions;
  readonly #quiescence: Quiescence;
  readonly #members: Member[] = [];
  #end: EndReason | undefined;
  #concluded = false;
  /** The outcomes of earlier runs, until all agents have reported theirs. */
  #outcomes: Outcome[] | undefined = [];

  private constructor(agents: number, options: CrewOptions) {
    this.#quiescence = new Quiescence(agents);
    this.#options = options;
  }

  static async start(starts: readonly AgentStart[], options: CrewOptions): Promise<Crew> {
    const crew = new Crew(starts.length, options);
    const mesh = (options.mesh ?? portMesh)(starts.length);
    try {
      for (const start of starts) {
        const ports = mesh[start.agent];
        crew.#members.push(
          options.here ? await crew.#beginHere(start, ports) : crew.#beginThread(start, ports),
        );
      }
      await crew.#beginAsking();
      // A limit may have been reached, or the end of the crawl, while the last agents started.
      if (crew.#end !== undefined) for (const member of crew.#members) member.stop(crew.#end);
    } catch (error) {
      crew.#giveUp();
      await crew.finished().catch(() => {}); // the first failure is the one to report
      throw error;
    }
    return crew;
  }

  /** Resolves when every agent has ended; rejects with the first failure. */
  async finished(): Promise<{ end: EndReason; agents: AgentProgress[] }> {
    let failure: { error: unknown } | undefined;
    const agents = await Promise.all(
      this.#members.map(({ finished }) =>
        finished.catch((error) => {
          failure ??= { error };
          this.#giveUp();
        }),
      ),
    );
    if (failure) throw failure.error;
    return { end: this.#end ?? 'finished', agents: agents.flatMap((agent) => agent ?? []) };
  }

  /** Begins nothing new; requests under way may end, for a while. */
  stop(reason: EndReason): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#options.log.event('crawl-stopping', { reason });
    for (const member of this.#members) member.stop(reason);
    // Agents that were idle before the stop have nothing new to report.
    if (this.#options.asker) void this.#confirmEnd();
  }

  /** Replaces the filters of all agents. */
  setFilters(set: FilterSet): void {
    for (const member of this.#members) member.filters(set);
  }

  /** Hands a change to all agents; resolves when each has a checkpoint with it. */
  async tune(orders: AgentOrders): Promise<void> {
    await Promise.all(this.#members.map((member) => member.tune(orders)));
  }

  /** The last report of each agent that has made one. */
  reports(): AgentReport[] {
    return this.#members.flatMap((member) => member.lastReport() ?? []);
  }

  get size(): number {
    return this.#members.length;
  }

  /** Why the crawl is stopping; undefined while it is not. */
  get ending(): EndReason | undefined {
    return this.#end;
  }

  async #beginHere(start: AgentStart, ports: AgentPorts): Promise<Member> {
    const { clock, disk, log, onPage, onError, predicates, network } = this.#options;
    const { beforeRequest, onResponse, beforeLoad, afterLoad } = this.#options;
    const { agent, agents, incarnation } = start;
    const running = await runAgent(start, {
      clock,
      disk,
      log,
      onPage,
      onError,
      ...{ beforeRequest, onResponse, beforeLoad, afterLoad },
      predicates,
      network,
      connect: (state) => portTransport({ agent, agents, incarnation, state }, ports),
      onOutcome: (outcome) => this.#heard(outcome),
      onIdle: (report) => this.#idle(report),
      onLimit: (reason) => this.stop(reason),
      onSeedMoved: (move) => this.#seedMoved(agent, move),
    });
    return {
      stop: (reason) => running.stop(reason),
      conclude: () => running.conclude(),
      activity: () => this.#recorded(running.activity()),
      seedMoved: (move) => running.seedMoved(move),
      filters: (set) => running.filters(set),
      tune: (orders) => running.tune(orders),
      ask: (asks) => running.ask(asks),
      lastReport: () => ({ progress: running.progress(), vitals: running.vitals() }),
      finished: running.result,
    };
  }

  #beginThread(start: AgentStart, ports: AgentPorts): Member {
    const { log, onPage, onError, ownsProcess } = this.#options;
    const { agent } = start;
    let last: AgentReport | undefined;
    const threaded: ThreadedStart = {
      ...start,
      ports,
      wantsPages: onPage !== undefined,
      wantsErrors: onError !== undefined,
      ownsProcess,
      clockOrigin,
    };
    const thread = startAgentThread<ThreadedStart, AgentReport, AgentProgress>(
      threadMain(),
      {
        agent,
        start: threaded,
        transfer: ports.filter((port): port is MessagePort => port !== undefined),
        options: {
          resourceLimits: {
            maxYoungGenerationSizeMb: youngFor(start.config.fetches),
            ...(!ownsProcess && { maxOldGenerationSizeMb: OLD }),
          },
        },
      },
      {
        progress: (report) => {
          last = report;
        },
        activity: (report) => this.#idle(report),
        outcome: (outcome) => this.#heard(outcome),
        limit: (reason) => this.stop(reason),
        event: ({ name, facts }) => log.event(name, facts),
        page: async (page) => onPage?.(unpackPage(page)),
        error: async (failure) => onError?.(failure),
        seedMoved: (move) => this.#seedMoved(agent, move),
      },
    );
    return {
      stop: (reason) => thread.stop(reason),
      conclude: () => thread.conclude(),
      activity: async () => this.#recorded(await thread.activity()),
      seedMoved: (move) => thread.seedMoved(move),
      filters: (set) => thread.filters(set),
      tune: (orders) => thread.tune(orders),
      ask: (asks) => thread.ask(asks),
      lastReport: () => last,
      finished: thread.finished,
    };
  }

  /**
   * In a planned crawl: waits until every agent runs and has reported its earlier outcomes, then
   * lets the asker begin.
   */
  async #beginAsking(): Promise<void> {
    const { asker } = this.#options;
    if (!asker) return;
    // The answer comes after all that an agent reported when it started.
    await Promise.all(
      this.#members.map((member) => Promise.race([member.activity(), member.finished])),
    );
    const known = this.#outcomes;
    this.#outcomes = undefined;
    await asker.begin(
      known ?? [],
      (asks) => this.#send(asks),
      () => this.stop('finished'),
    );
  }

  /** Each ask goes to the agent that owns its domain. */
  #send(asks: readonly Ask[]): void {
    const parts = this.#members.map((): Ask[] => []);
    for (const ask of asks)
      parts[agentOf(partitionOfFingerprint(fingerprint(ask.url)), parts.length)].push(ask);
    for (const [agent, part] of parts.entries())
      if (part.length > 0) this.#members[agent].ask(part);
  }

  #heard(outcome: Outcome): void {
    if (this.#outcomes) this.#outcomes.push(outcome);
    else this.#options.asker?.heard(outcome);
  }

  #idle(report: ActivityReport): void {
    this.#quiescence.report(report);
    void this.#confirmEnd();
  }

  async #confirmEnd(): Promise<void> {
    while (this.#quiescence.needsConfirmation && !this.#concluded) {
      this.#quiescence.beginWave();
      const wasStopped = this.#end !== undefined;
      try {
        const answers = await Promise.all(this.#members.map((member) => member.activity()));
        if (!this.#quiescence.endWave(answers)) continue;
        if (wasStopped) this.#conclude();
        else if (!this.#options.asker) this.stop(this.#options.limitReached() ?? 'finished');
        // An asker ends the crawl itself, and may have done so during this wave.
        else if (this.#end === undefined) return;
      } catch {
        return; // an agent is gone: `finished` rejects with the reason
      }
    }
  }

  /** At once: a report that the agent makes a moment later must not be overwritten by this one. */
  #recorded(report: ActivityReport): ActivityReport {
    this.#quiescence.report(report);
    return report;
  }

  #conclude(): void {
    this.#concluded = true;
    for (const member of this.#members) member.conclude();
  }

  /** An agent has failed: the others end without waiting for it. */
  #giveUp(): void {
    this.stop('interrupted');
    // An agent that started after a limit was reached may not know it.
    for (const member of this.#members) member.stop(this.#end ?? 'interrupted');
    this.#conclude();
  }

  /** Reports a move to all agents but the one that discovered it. */
  #seedMoved(by: number, move: SeedMove): void {
    for (const [agent, member] of this.#members.entries()) if (agent !== by) member.seedMoved(move);
    this.#options.onSeedMoved(move);
  }
}

/** `agent-main` has this file's extension: .js in a build, .ts where a loader runs the sources. */
function threadMain(): URL {
  const extension = extname(new URL(import.meta.url).pathname);
  return new URL(`./agent-main${extension}`, import.meta.url);
}
