/**
 * The agent: one event loop that takes URLs through their whole life. Wiring only; every step is a module of its own.
 *
 *    ┌─────────────────────────────────────────────────────────────────────┐
 *    ▼                                                                     │
 *  admission (recent cache ─► sieve ─► frontier) ─► naming (DNS) ─► visits (robots ─► fetch ─► store ─► parse)
 *
 * Three loops run side by side. Each sleeps on a signal and is woken by what the loop before it achieved; the crawl
 * has finished when none of them has anything left.
 */
import type { Clock } from '../clock.ts';
import type { Frontier } from '../frontier/frontier.ts';
import type { Millis } from '../units.ts';
import type { Admission } from './admission.ts';
import type { EndReason } from './counters.ts';
import type { Naming } from './naming.ts';
import { Signal } from './signal.ts';
import { type VisitTools, visit } from './visit.ts';

/** How long requests under way may go on after a stop, before their connections are cut. */
const GRACE: Millis = 3000;

export interface AgentParts {
  readonly clock: Clock;
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly naming: Naming;
  readonly tools: Omit<VisitTools, 'claimPage' | 'returnPage' | 'stopping'>;
}

export class Agent {
  readonly #parts: AgentParts;
  readonly #links: Signal;
  readonly #names: Signal;
  readonly #work: Signal;
  #pagesLeft: number;
  #end: EndReason | undefined;
  #failure: { error: unknown } | undefined;
  #cancelTimers: (() => void)[] = [];

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#pagesLeft = parts.tools.config.maxPages;
    this.#links = new Signal(parts.clock);
    this.#names = new Signal(parts.clock);
    this.#work = new Signal(parts.clock);
  }

  /** Runs until nothing is left, a limit is reached, or `stop`. Rejects when the crawl cannot go on. */
  async run(): Promise<EndReason> {
    const { clock, admission, naming, tools } = this.#parts;
    const { maxTime } = tools.config;
    if (maxTime !== Infinity) this.#cancelTimers.push(clock.after(maxTime, () => this.stop('max-time')));
    const over = () => this.#end !== undefined;
    await Promise.all(
      [
        admission.run(this.#links, () => this.#wakeFetchers(), over),
        naming.run(this.#names, () => this.#work.notify(), over),
        this.#visits(),
      ].map((loop) => loop.catch((error) => this.#fail(error))),
    );
    for (const cancel of this.#cancelTimers) cancel();
    if (this.#failure) throw this.#failure.error;
    await admission.settle();
    return this.#end ?? 'finished';
  }

  /** Starts nothing new; what is under way may end, for a while. */
  stop(reason: EndReason): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#cancelTimers.push(this.#parts.clock.after(GRACE, () => void this.#parts.tools.client.close()));
    for (const signal of [this.#links, this.#names, this.#work]) signal.notify();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.stop('interrupted');
  }

  #wakeFetchers(): void {
    this.#names.notify();
    this.#work.notify();
  }

  /** Hands out turns while there are any; ends when everything has been done. */
  async #visits(): Promise<void> {
    const { clock, frontier, tools } = this.#parts;
    const turnTools: VisitTools = {
      ...tools,
      claimPage: () => this.#claimPage(),
      returnPage: () => void this.#pagesLeft++,
      stopping: () => this.#end !== undefined,
    };
    while (this.#end === undefined) {
      const turn = frontier.turnsOut < tools.config.fetches ? frontier.acquire(clock.now()) : undefined;
      if (turn) {
        visit(turn, turnTools).then(
          () => this.#work.notify(),
          (error) => this.#fail(error),
        );
        continue;
      }
      if (this.#exhausted()) return this.stop('finished');
      if (this.#parts.admission.hasWork) this.#links.notify();
      await this.#work.wait(frontier.turnsOut < tools.config.fetches ? frontier.nextReadyAt() : Infinity);
    }
    while (frontier.turnsOut > 0) await this.#work.wait();
  }

  #exhausted(): boolean {
    const { admission, naming, frontier } = this.#parts;
    return frontier.turnsOut === 0 && frontier.queued === 0 && naming.idle && admission.idle;
  }

  #claimPage(): boolean {
    if (this.#end !== undefined) return false;
    if (this.#pagesLeft === 0) {
      this.stop('max-pages');
      return false;
    }
    this.#pagesLeft--;
    return true;
  }
}
