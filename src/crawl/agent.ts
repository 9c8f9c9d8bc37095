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
import { type VisitLimits, type VisitTools, visit } from './visit.ts';

/** How long requests under way may go on after a stop, before their connections are cut. */
const GRACE: Millis = 3000;

export interface AgentParts {
  readonly clock: Clock;
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly naming: Naming;
  readonly tools: VisitTools;
}

export class Agent {
  readonly #parts: AgentParts;
  readonly #links: Signal;
  readonly #names: Signal;
  readonly #work: Signal;
  /** Pages that may still be claimed, and claims of which it is not known yet whether they bring one. */
  #pagesLeft: number;
  #claims = 0;
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
    if (this.#failure) {
      await admission.settle().catch(() => {}); // what can still be saved; the first failure is the one to tell
      throw this.#failure.error;
    }
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
    const { clock, frontier, admission } = this.#parts;
    const tools = { ...this.#parts.tools, ...this.#limits() };
    while (this.#end === undefined) {
      const turn = this.#mayVisit() ? frontier.acquire(clock.now()) : undefined;
      if (turn) {
        visit(turn, tools)
          .catch((error) => this.#fail(error))
          .finally(() => this.#work.notify());
        continue;
      }
      if (this.#exhausted()) return this.stop('finished');
      if (this.#pagesLeft === 0 && this.#claims === 0) return this.stop('max-pages');
      if (admission.hasWork) this.#links.notify();
      await this.#work.wait(this.#mayVisit() ? frontier.nextReadyAt() : Infinity);
    }
    while (frontier.turnsOut > 0) await this.#work.wait();
  }

  #mayVisit(): boolean {
    const { frontier, tools } = this.#parts;
    return this.#pagesLeft > 0 && frontier.turnsOut < tools.config.fetches;
  }

  #exhausted(): boolean {
    const { admission, naming, frontier } = this.#parts;
    return frontier.turnsOut === 0 && frontier.queued === 0 && naming.idle && admission.idle;
  }

  #limits(): VisitLimits {
    return {
      stopping: () => this.#end !== undefined,
      claimPage: () => {
        if (this.#end !== undefined || this.#pagesLeft === 0) return false;
        this.#pagesLeft--;
        this.#claims++;
        return true;
      },
      settleClaim: (gotPage) => {
        this.#claims--;
        if (!gotPage) this.#pagesLeft++;
      },
      foundLinks: () => {
        if (this.#mayVisit()) this.#links.notify();
      },
    };
  }
}
