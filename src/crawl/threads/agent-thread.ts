/**
 * An agent's thread, from both ends: the coordinator starts and watches it, the thread serves calls
 * and reports how it ended.
 *
 * Ensures   `finished` settles for every thread: with the agent's result; with the error that it
 *           threw, a `DrumlinError` as such; or with a failure that names the agent, after an
 *           uncaught exception, out of memory, or an exit without a report. Calls to a thread that
 *           is gone reject with the same failure. A failed thread is terminated.
 */
import { once } from 'node:events';
import {
  parentPort,
  type TransferListItem,
  Worker,
  type WorkerOptions,
  workerData,
} from 'node:worker_threads';
import { DrumlinError, EXIT, systemCode } from '../../base/errors.ts';
import type { FilterSet } from '../../filter/filter-set.ts';
import type { Ask } from '../planned/ask.ts';
import type { AgentOrders } from '../record/agent-orders.ts';
import type { EndReason } from '../record/counters.ts';
import type { SeedMove } from '../record/seed-move.ts';
import type { ActivityReport } from '../transport/quiescence.ts';
import { packError, unpackError } from './thread-error.ts';
import { type Handlers, ThreadLink } from './thread-link.ts';
import type { AgentCalls, CoordinatorCalls } from './thread-messages.ts';

/** How the coordinator handles an agent's messages; `finished` reports its end. */
export type CoordinatorHandlers<Progress> = Omit<
  Handlers<CoordinatorCalls<Progress, never>>,
  'finished' | 'failed'
>;

/** The coordinator's handle of an agent. */
export class AgentThread<Progress, Result> {
  readonly agent: number;
  readonly finished: Promise<Result>;
  readonly #worker: Worker;
  readonly #gone: Promise<unknown>;
  readonly #link: ThreadLink<AgentCalls, CoordinatorCalls<Progress, Result>>;
  #ofUser: { readonly error: unknown } | undefined;
  #outcome!: { resolve(result: Result): void; reject(error: unknown): void };

  constructor(worker: Worker, agent: number, handlers: CoordinatorHandlers<Progress>) {
    this.agent = agent;
    this.#worker = worker;
    this.finished = new Promise((resolve, reject) => {
      this.#outcome = { resolve, reject };
    });
    this.finished.catch(() => {}); // not unhandled, even if the caller never awaits it
    this.#link = new ThreadLink(worker, (error) => this.#fail(error));
    this.#link.serve({
      ...handlers,
      page: (page) => this.#handOver(() => handlers.page(page)),
      error: (failure) => this.#handOver(() => handlers.error(failure)),
      finished: (result) => this.#outcome.resolve(result),
      failed: (error) => this.#fail(this.#ofUser?.error ?? namingAgent(agent, unpackError(error))),
    });
    worker.on('error', (error) => this.#fail(uncaught(agent, error)));
    worker.on('messageerror', (error) => this.#fail(namingAgent(agent, error)));
    worker.on('exit', (code) => this.#fail(goneSilently(agent, code)));
    this.#gone = once(worker, 'exit');
    this.#gone.catch(() => {}); // an error event: `finished` reports it
  }

  stop(reason: EndReason): void {
    this.#link.tell('stop', reason);
  }

  conclude(): void {
    this.#link.tell('conclude', undefined);
  }

  seedMoved(move: SeedMove): void {
    this.#link.tell('seedMoved', move);
  }

  filters(set: FilterSet): void {
    this.#link.tell('filters', set);
  }

  tune(orders: AgentOrders): Promise<void> {
    return this.#link.ask('tune', orders);
  }

  ask(asks: readonly Ask[]): void {
    this.#link.tell('ask', asks);
  }

  activity(): Promise<ActivityReport> {
    return this.#link.ask('activity', undefined);
  }

  /** Waits until the thread is gone; `now` terminates it. */
  async close(now = false): Promise<void> {
    if (now) await this.#worker.terminate();
    await this.#gone.catch(() => {});
  }

  /**
   * An error thrown by `onPage` or `onError` ends the agent in order; then the user gets the same
   * error object back, not a copy.
   */
  async #handOver(call: () => void | Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#ofUser ??= { error };
      throw error;
    }
  }

  /**
   * Only the first failure counts, and none after the result. A failed agent has saved what it
   * could; nothing that it left open must keep the process alive.
   */
  #fail(error: unknown): void {
    this.#outcome.reject(error);
    this.#link.fail(error);
    void this.#worker.terminate();
  }
}

interface ThreadStart<Start> {
  readonly agent: number;
  /** Plain data; ports in it must be in `transfer`. */
  readonly start: Start;
  readonly transfer?: readonly TransferListItem[];
  /** Options of the worker, such as memory limits. */
  readonly options?: WorkerOptions;
}

/** Starts the thread of an agent; `main` calls `serveAgentThread`. */
export function startAgentThread<Start, Progress, Result>(
  main: URL,
  { agent, start, transfer = [], options }: ThreadStart<Start>,
  handlers: CoordinatorHandlers<Progress>,
): AgentThread<Progress, Result> {
  const worker = new Worker(main, {
    name: `agent ${agent}`,
    ...options,
    workerData: start,
    transferList: [...transfer],
  });
  return new AgentThread(worker, agent, handlers);
}

/** The agent's handle of the coordinator. */
export type Coordinator<Progress, Result> = ThreadLink<
  CoordinatorCalls<Progress, Result>,
  AgentCalls
>;

export interface ServedAgent<Result> extends Handlers<AgentCalls> {
  readonly result: Promise<Result>;
}

/** The main function of an agent's thread: `run` starts the agent, and returns its handlers. */
export async function serveAgentThread<Start, Progress, Result>(
  run: (
    start: Start,
    coordinator: Coordinator<Progress, Result>,
  ) => ServedAgent<Result> | Promise<ServedAgent<Result>>,
): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('An agent is served in a worker thread only.');
  const link: Coordinator<Progress, Result> = new ThreadLink(port, (error) => failed(error));
  const failed = (error: unknown) => link.tell('failed', packError(error));
  try {
    const agent = await run(workerData as Start, link);
    link.serve(agent);
    link.tell('finished', await agent.result);
  } catch (error) {
    failed(error);
  }
  port.close();
}

/** Adds the agent to the message of an internal error; an error with a remedy stays as it is. */
function namingAgent(agent: number, error: Error): Error {
  if (error instanceof DrumlinError) return error;
  error.message = `agent ${agent}: ${error.message}`;
  error.stack = `agent ${agent}: ${error.stack}`;
  return error;
}

function uncaught(agent: number, error: unknown): Error {
  if (systemCode(error) !== 'ERR_WORKER_OUT_OF_MEMORY')
    return namingAgent(agent, unpackError(packError(error)));
  return new DrumlinError(
    'AGENT_MEMORY',
    `Agent ${agent} ran out of memory.`,
    'Use fewer --agents or less --sieve-memory, and resume: the pages fetched so far are in the folder.',
    { exitCode: EXIT.internal, cause: error },
  );
}

function goneSilently(agent: number, code: number): DrumlinError {
  return new DrumlinError(
    'AGENT_GONE',
    `Agent ${agent} ended without a report (exit code ${code}).`,
    'Please report this error; the pages fetched so far are in the folder.',
    { exitCode: EXIT.internal },
  );
}
