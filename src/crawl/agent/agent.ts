/**
 * The agent: one event loop that takes the URLs of its domains through their whole life. Wiring only; every step is a module
 * of its own.
 *
 *    ┌──────────────────────────── other agents ◄──┬──────────────────────────────────────────────────────┐
 *    ▼                                             │                                                      │
 *  inbox ─► admission (scope ─► recent cache ─► route ─► sieve) ─► distributor ─► naming (DNS) ─► visits (robots ─► fetch ─► store ─► parse)
 *
 * Loops run side by side. Each sleeps on a signal and is woken by what the loop before it achieved. An agent with nothing left
 * to do says so and waits: another agent may send it something. The coordinator knows when all have finished. An agent that was stopped
 * hands on what others are to have, and waits once more: its last ranking is by all links that any of them has found.
 */
import type { Clock } from '../../base/clock.ts';
import { Signal } from '../../base/signal.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import type { Distributor } from '../../frontier/distributor.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import type { Supply } from '../../frontier/supply.ts';
import type { Message, Reputation } from '../../reputation/reputation.ts';
import type { EndReason } from '../record/counters.ts';
import type { Allowance } from '../transport/allowance.ts';
import type { ActivityReport } from '../transport/quiescence.ts';
import { PARCEL, type Parcel, type Transport } from '../transport/transport.ts';
import { unpackKeyedBatch } from '../transport/url-parcel.ts';
import type { Admission } from './admission.ts';
import type { Naming } from './host-resolver.ts';
import { type VisitLimits, type VisitTools, visit } from './visit.ts';

/** How long requests under way may go on after a stop, before their connections are cut. */
const GRACE: Millis = 3000;
/** Senders keep what is owed to them, and wait when it is too much (see `Transport.room`): then a checkpoint comes early. */
const OWED_MUCH: Bytes = 6 * 2 ** 20;
/** How soon to look again whether another agent gave back a page of the crawl's limit. */
const LOOK_AGAIN: Millis = 250;

/** What parcels are called that are about domains. */
const MESSAGES: Readonly<Record<number, Message>> = {
  [PARCEL.edges]: 'edges',
  [PARCEL.sample]: 'sample',
  [PARCEL.standing]: 'standing',
};

export interface AgentParts {
  readonly clock: Clock;
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly supply: Supply;
  /** Only in the order of budgets. */
  readonly reputation: Reputation | undefined;
  readonly distributor: Distributor;
  readonly naming: Naming;
  readonly transport: Transport;
  readonly allowance: Allowance;
  readonly tools: VisitTools;
  /** Stores a consistent cut of the agent, if it keeps any. */
  readonly checkpoint: () => Promise<void>;
  readonly checkpointEvery: Millis;
  /** What the coordinator is told. */
  readonly onIdle: (report: ActivityReport) => void;
  readonly onLimit: (reason: EndReason) => void;
}

export class Agent {
  readonly #parts: AgentParts;
  readonly #links: Signal;
  readonly #names: Signal;
  readonly #work: Signal;
  #distributing = false;
  #checkpointAt: Millis;
  /** What the coordinator was told last. */
  #reported = '';
  #end: EndReason | undefined;
  /** It was stopped, and has handed on all that it had; */
  #handedOn = false;
  /** nor will anybody else send anything. */
  #concluded = false;
  #failure: { error: unknown } | undefined;
  #cancelGrace: (() => void) | undefined;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#links = new Signal(parts.clock);
    this.#names = new Signal(parts.clock);
    this.#work = new Signal(parts.clock);
    this.#checkpointAt = parts.clock.now() + parts.checkpointEvery;
  }

  /** Runs until `stop`. Rejects when the agent cannot go on. */
  async run(): Promise<EndReason> {
    const { naming, transport } = this.#parts;
    const over = () => this.#end !== undefined;
    const receiving = transport
      .receive(
        (parcel) => this.#receive(parcel),
        () => this.#work.notify(),
      )
      .catch((error) => this.#fail(error));
    await Promise.all(
      [
        this.#distribute(),
        naming.run(this.#names, () => this.#work.notify(), over),
        this.#visits(),
      ].map((loop) => loop.catch((error) => this.#fail(error))),
    );
    this.#cancelGrace?.();
    if (!this.#failure) await this.#settle().catch((error) => this.#fail(error));
    transport.close();
    await receiving;
    if (this.#failure) throw this.#failure.error;
    await this.#parts.checkpoint();
    return this.#end ?? 'finished';
  }

  /** Starts nothing new; what is under way may end, for a while. */
  stop(reason: EndReason): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#parts.admission.end();
    this.#cancelGrace = this.#parts.clock.after(GRACE, () => void this.#parts.tools.client.close());
    for (const signal of [this.#links, this.#names, this.#work]) signal.notify();
  }

  /** All agents have been stopped and nothing is on its way between them, or never will be: the end. */
  conclude(): void {
    this.#concluded = true;
    this.#work.notify();
  }

  /** Whether there is anything left to do here, for the coordinator who asks. */
  activity(): ActivityReport {
    const activity = this.#activity();
    // Told that there is, he must be told when there is no longer, even if nothing else has changed since he last was.
    if (!activity.idle) this.#reported = '';
    return activity;
  }

  #activity(): ActivityReport {
    const { transport } = this.#parts;
    return { agent: transport.agent, idle: this.#isIdle(), ...transport.traffic };
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.stop('interrupted');
    this.#work.notify();
  }

  /** Hands everything on and has it decided, so that the summary can tell how much is left; ranks domains a last time. */
  async #settle(): Promise<void> {
    const { admission, supply, reputation } = this.#parts;
    for (;;) {
      // Also where nobody waits for it any more: the last checkpoint can send nothing.
      await admission.carry(true);
      await reputation?.deliver();
      if (this.#concluded || this.#failure) break;
      this.#handedOn = true;
      this.#reportIdle();
      await this.#work.wait();
      this.#handedOn = false;
    }
    if (this.#failure) return;
    await supply.decide();
    await reputation?.rankNow();
  }

  #receive({ from, kind, bytes }: Parcel): void {
    const { admission, reputation } = this.#parts;
    if (kind === PARCEL.urls) admission.receive(unpackKeyedBatch(bytes));
    else reputation?.receive(from, MESSAGES[kind], bytes);
    this.#links.notify();
  }

  /** Carries links to the sieve and what is novel to the workbench; makes checkpoints in between. */
  async #distribute(): Promise<void> {
    const { admission, supply, reputation, distributor, frontier } = this.#parts;
    while (this.#end === undefined) {
      this.#distributing = true;
      // Nobody to fetch for means that others may wait for what is still on its way from here.
      if (await admission.carry(frontier.turnsOut === 0)) supply.offered();
      const progressed = await distributor.step();
      await reputation?.step();
      if (frontier.turnsOut === 0 && frontier.queued === 0 && distributor.idle) {
        await reputation?.deliver();
        if (this.#mayStandBetter()) reputation?.rankSoon();
      }
      await this.#checkpointIfDue();
      this.#distributing = false;
      // Only news wakes the fetchers: two loops that woke each other for nothing would never sleep. To have become
      // idle is news too, since it may be what the end of the crawl was waiting for.
      if (progressed || this.#isIdle()) {
        this.#names.notify();
        this.#work.notify();
      }
      if (!progressed && !(admission.hasWork && frontier.turnsOut === 0)) {
        const wakeAt = Math.min(
          distributor.wakeAt,
          admission.wakeAt,
          reputation?.wakeAt ?? Infinity,
        );
        await this.#links.wait(Math.min(wakeAt, this.#checkpointAt));
      }
    }
  }

  async #checkpointIfDue(): Promise<void> {
    const { clock, transport, checkpoint, checkpointEvery } = this.#parts;
    const owedMuch = OWED_MUCH / Math.max(1, transport.agents - 1);
    if (clock.now() < this.#checkpointAt && transport.owedBytes < owedMuch) return;
    await checkpoint();
    this.#checkpointAt = clock.now() + checkpointEvery;
  }

  /** Hands out turns while there are any. */
  async #visits(): Promise<void> {
    const { clock, frontier, admission, distributor, allowance, onLimit } = this.#parts;
    const tools = { ...this.#parts.tools, ...this.#limits() };
    while (this.#end === undefined) {
      const turn = this.#mayVisit() ? frontier.acquire(clock.now()) : undefined;
      if (turn) {
        visit(turn, tools)
          .catch((error) => this.#fail(error))
          .finally(() => {
            // A host whose address has grown old is to be resolved again.
            this.#names.notify();
            this.#work.notify();
          });
        continue;
      }
      const limit = allowance.exhausted;
      if (limit) onLimit(limit);
      this.#reportIdle();
      if (this.#mayVisit()) frontier.starved();
      if (admission.hasWork || distributor.hasWork || this.#mayStandBetter()) this.#links.notify();
      await this.#work.wait(this.#nextTurn());
    }
    while (frontier.turnsOut > 0) await this.#work.wait();
  }

  #reportIdle(): void {
    const activity = this.#activity();
    const report = JSON.stringify(activity);
    if (activity.idle && report !== this.#reported) this.#parts.onIdle(activity);
    this.#reported = report;
  }

  #nextTurn(): Millis {
    const { clock, frontier, allowance } = this.#parts;
    if (!allowance.available) return clock.now() + LOOK_AGAIN;
    return this.#mayVisit() ? frontier.nextReadyAt() : Infinity;
  }

  #mayVisit(): boolean {
    const { frontier, tools, allowance } = this.#parts;
    return frontier.turnsOut < tools.config.fetches && allowance.available;
  }

  #isIdle(): boolean {
    const { admission, distributor, reputation, naming, frontier, transport } = this.#parts;
    if (reputation?.idle === false || !admission.idle || !transport.idle) return false;
    // What waits to be fetched waits for another run.
    if (this.#end !== undefined) return this.#handedOn;
    if (this.#distributing || frontier.turnsOut > 0 || frontier.queued > 0) return false;
    return naming.idle && distributor.idle && !this.#mayStandBetter();
  }

  /** What waits had no budget when domains were ranked last, and links have been found since. */
  #mayStandBetter(): boolean {
    const { supply, reputation, distributor, frontier } = this.#parts;
    if (frontier.turnsOut > 0 || frontier.queued > 0 || !distributor.idle) return false;
    return reputation?.hasNews === true && supply.waiting > 0;
  }

  #limits(): VisitLimits {
    const { allowance } = this.#parts;
    return {
      stopping: () => this.#end !== undefined,
      claimPage: () => this.#end === undefined && allowance.claim(),
      settleClaim: (gotPage, bytes) => allowance.closeClaim(gotPage, bytes),
      foundLinks: () => {
        if (this.#mayVisit()) this.#links.notify();
      },
    };
  }
}
