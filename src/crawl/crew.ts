/**
 * The agents of a crawl, and the coordinator's part: to start them, to know when all have finished, to stop them together.
 *
 * Idea      An agent finishes when it is told to, because only the coordinator can know that no other will send it anything more:
 *           agents report when they have nothing to do, and when it looks as if nobody had, all are asked once more (see
 *           `Quiescence`). A limit that one agent reaches stops all; so does a failure. Agents that were stopped still hand on what
 *           others are to have; in the same way it is found out when all of it has arrived, and they may conclude.
 * Ensures   `finished` settles when every agent has: with what each of them counted, or with the first failure.
 */
import { extname } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../base/clock.ts';
import type { Disk } from '../disk/disk.ts';
import type { FilterSet } from '../filter/filter-set.ts';
import type { Predicates } from '../filter/predicate.ts';
import { type AgentStart, runAgent } from './agent/agent-run.ts';
import type { AgentProgress, EndReason } from './record/counters.ts';
import type { EventLog } from './record/log.ts';
import type { SeedMove } from './record/seed-move.ts';
import type { Vitals } from './record/vitals.ts';
import type { CrawlFailure, Page } from './store/page.ts';
import { startAgentThread } from './threads/agent-thread.ts';
import { unpackPage } from './threads/page-message.ts';
import { type AgentPorts, portMesh, portTransport } from './transport/port-transport.ts';
import { type ActivityReport, Quiescence } from './transport/quiescence.ts';

/** What a thread is started with: the agent's start, and its ways to the others. */
export interface ThreadedStart extends AgentStart {
  readonly ports: AgentPorts;
  readonly wantsPages: boolean;
  readonly wantsErrors: boolean;
  readonly ownsProcess: boolean;
}

export interface CrewOptions {
  readonly clock: Clock;
  /** Of agents in the caller's thread. */
  readonly disk: Disk;
  readonly log: EventLog;
  readonly onPage: ((page: Page) => void | Promise<void>) | undefined;
  readonly onError: ((failure: CrawlFailure) => void | Promise<void>) | undefined;
  /** What filters of agents in the caller's thread may ask. */
  readonly predicates: Predicates;
  readonly onSeedMoved: (move: SeedMove) => void;
  /** In the caller's thread, and by his clock, instead of in threads of their own. */
  readonly here: boolean;
  /** Only agents run in this process, and what starts them. */
  readonly ownsProcess: boolean;
}

/** What an agent tells of itself, a few times a second. */
export interface Told {
  readonly progress: AgentProgress;
  readonly vitals: Vitals;
}

/** An agent, wherever it runs. */
interface Member {
  stop(reason: EndReason): void;
  conclude(): void;
  activity(): ActivityReport | Promise<ActivityReport>;
  seedMoved(move: SeedMove): void;
  filters(set: FilterSet): void;
  /** The last that is known. */
  told(): Told | undefined;
  readonly finished: Promise<AgentProgress>;
}

/**
 * Megabytes for young objects in an agent's thread. A page lives for a moment; with V8's usual 16 it is collected so often that
 * what is in the middle of its moment is taken for old.
 */
const YOUNG = 32;
/**
 * Megabytes that an agent may take for objects in all, where V8 is somebody else's to set (see garbage.ts): twenty times what lives. Below
 * 2,048 V8 lets garbage grow to as much as lives, above to three times as much.
 */
const OLD = 2000;

export class Crew {
  readonly #options: CrewOptions;
  readonly #quiescence: Quiescence;
  readonly #members: Member[] = [];
  #end: EndReason | undefined;
  #concluded = false;

  private constructor(agents: number, options: CrewOptions) {
    this.#quiescence = new Quiescence(agents);
    this.#options = options;
  }

  static async start(starts: readonly AgentStart[], options: CrewOptions): Promise<Crew> {
    const crew = new Crew(starts.length, options);
    const mesh = portMesh(starts.length);
    try {
      for (const start of starts) {
        const ports = mesh[start.agent];
        crew.#members.push(
          options.here ? await crew.#beginHere(start, ports) : crew.#beginThread(start, ports),
        );
      }
      // A limit may have been reached, or an end found, while the last of them were still being started.
      if (crew.#end !== undefined) for (const member of crew.#members) member.stop(crew.#end);
    } catch (error) {
      crew.#giveUp();
      await crew.finished().catch(() => {}); // the first failure is the one to tell
      throw error;
    }
    return crew;
  }

  /** Settles when every agent has finished. */
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

  /** Starts nothing new; what is under way may end, for a while. */
  stop(reason: EndReason): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#options.log.event('crawl-stopping', { reason });
    for (const member of this.#members) member.stop(reason);
  }

  /** From now on these decide. */
  setFilters(set: FilterSet): void {
    for (const member of this.#members) member.filters(set);
  }

  /** What is known of each agent. */
  told(): Told[] {
    return this.#members.flatMap((member) => member.told() ?? []);
  }

  get size(): number {
    return this.#members.length;
  }

  /** Why it is coming to its end, if so. */
  get ending(): EndReason | undefined {
    return this.#end;
  }

  async #beginHere(start: AgentStart, ports: AgentPorts): Promise<Member> {
    const { clock, disk, log, onPage, onError, predicates } = this.#options;
    const { agent, agents, incarnation } = start;
    const running = await runAgent(start, {
      clock,
      disk,
      log,
      onPage,
      onError,
      predicates,
      connect: (state) => portTransport({ agent, agents, incarnation, state }, ports),
      onIdle: (report) => this.#idle(report),
      onLimit: (reason) => this.stop(reason),
      onSeedMoved: (move) => this.#seedMoved(agent, move),
    });
    const told = () => ({ progress: running.progress(), vitals: running.vitals() });
    return { ...running, told, finished: running.result };
  }

  #beginThread(start: AgentStart, ports: AgentPorts): Member {
    const { log, onPage, onError, ownsProcess } = this.#options;
    const { agent } = start;
    let last: Told | undefined;
    const threaded: ThreadedStart = {
      ...start,
      ports,
      wantsPages: onPage !== undefined,
      wantsErrors: onError !== undefined,
      ownsProcess,
    };
    const thread = startAgentThread<ThreadedStart, Told, AgentProgress>(
      threadMain(),
      {
        agent,
        start: threaded,
        transfer: ports.filter((port): port is MessagePort => port !== undefined),
        options: {
          resourceLimits: {
            maxYoungGenerationSizeMb: YOUNG,
            ...(!ownsProcess && { maxOldGenerationSizeMb: OLD }),
          },
        },
      },
      {
        progress: (told) => {
          last = told;
        },
        activity: (report) => this.#idle(report),
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
      activity: () => thread.activity(),
      seedMoved: (move) => thread.seedMoved(move),
      filters: (set) => thread.filters(set),
      told: () => last,
      finished: thread.finished,
    };
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
        const answers = await Promise.all(this.#members.map((member) => this.#ask(member)));
        if (!this.#quiescence.endWave(answers)) continue;
        if (wasStopped) this.#conclude();
        else this.stop('finished');
      } catch {
        return; // an agent is gone: `finished` tells how
      }
    }
  }

  async #ask(member: Member): Promise<ActivityReport> {
    const answer = await member.activity();
    this.#quiescence.report(answer);
    return answer;
  }

  #conclude(): void {
    this.#concluded = true;
    for (const member of this.#members) member.conclude();
  }

  /** One of them is missing: the others have nobody to wait for. */
  #giveUp(): void {
    this.stop('interrupted');
    // Who was begun after a limit had been reached may not have been told.
    for (const member of this.#members) member.stop(this.#end ?? 'interrupted');
    this.#conclude();
  }

  /** The agent that found it knows already. */
  #seedMoved(by: number, move: SeedMove): void {
    for (const [agent, member] of this.#members.entries()) if (agent !== by) member.seedMoved(move);
    this.#options.onSeedMoved(move);
  }
}

/** The neighbour has this file's extension: .js where it was built, .ts where a loader runs the sources. */
function threadMain(): URL {
  const extension = extname(new URL(import.meta.url).pathname);
  return new URL(`./agent-main${extension}`, import.meta.url);
}
