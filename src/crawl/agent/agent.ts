/**
 * The agent: one event loop that takes the URLs of its domains through their whole life. Here are
 * its loops only; every step is a module of its own, and `assemble.ts` puts them together.
 *
 *                 other agents ◄──────────── parcels ────────────┐
 *                      │                                         │
 *                      ▼                                         │
 *   1 receive ─► admission (scope ─► recent cache ─► route) ─────┘
 *                      │    ▲
 *   2 distribute    sieve   └────────────── links ───────────────┐
 *                      ▼                                         │
 *                supply ─► frontier ◄─► backlog                  │
 *                      │                                         │
 *   3 resolve     names ─► addresses                             │
 *                      ▼                                         │
 *   4 turns       workbench ─► robots ─► fetch ─► intake: parse ─► commit
 *
 * Four loops run side by side: `receive` of the transport, `#distribute`, `run` of the host
 * resolver, and `#runTurns`. Each sleeps until another has work for it or a time has come.
 * Checkpoints are made by `#distribute`, between two steps.
 *
 * An agent without work reports that it is idle and waits: another agent may send it URLs. The
 * coordinator knows when all are idle. An agent that was stopped hands on what other agents own and
 * waits once more, so that its last ranking counts all links that any agent has discovered.
 */
import type { Clock } from '../../base/clock.ts';
import { Signal } from '../../base/signal.ts';
import type { Millis } from '../../base/units.ts';
import type { Distributor } from '../../frontier/distributor.ts';
import type { Frontier, HostTurn } from '../../frontier/frontier.ts';
import type { Supply } from '../../frontier/supply.ts';
import type { Message, Reputation } from '../../reputation/reputation.ts';
import type { HostResolver } from '../hosts/host-resolver.ts';
import type { EndReason } from '../record/counters.ts';
import { failureOf } from '../record/internal-errors.ts';
import type { ActivityReport } from '../transport/quiescence.ts';
import { PARCEL, type Parcel, type Transport } from '../transport/transport.ts';
import { unpackKeyedBatch } from '../transport/url-parcel.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { FetchPermits } from './fetch-permits.ts';
import type { Admission } from './link-admission.ts';
import type { Turns } from './turn.ts';

/** How long requests under way may last after a stop, before their connections are closed. */
const GRACE: Millis = 3000;
/**
 * When the first checkpoint of a run is made. The time to the next doubles, up to the interval: a
 * crawl whose runs are all shorter than the interval still makes progress.
 */
const FIRST_CHECKPOINT: Millis = 1000;
/** How soon to check whether another agent has given back a page of the crawl's limit. */
const CHECK_CLAIMS_AFTER: Millis = 250;

/** The names of parcels about domains. */
const MESSAGES: Readonly<Record<number, Message>> = {
  [PARCEL.edges]: 'edges',
  [PARCEL.sample]: 'sample',
  [PARCEL.standing]: 'standing',
};

/** What the loops sleep on. */
export class AgentSignals {
  /** Links were discovered, or the frontier wants more: wakes `#distribute`. */
  readonly links: Signal;
  /** A host needs an address: wakes the host resolver. */
  readonly names: Signal;
  /** A host may be ready, or a turn has ended: wakes `#runTurns`. */
  readonly turns: Signal;

  constructor(clock: Clock) {
    this.links = new Signal(clock);
    this.names = new Signal(clock);
    this.turns = new Signal(clock);
  }

  wakeAll(): void {
    for (const signal of [this.links, this.names, this.turns]) signal.notify();
  }
}

interface AgentParts {
  readonly clock: Clock;
  readonly signals: AgentSignals;
  readonly permits: FetchPermits;
  readonly transport: Transport;
  readonly admission: Admission;
  readonly supply: Supply;
  /** Only in the order of budgets. */
  readonly reputation: Reputation | undefined;
  readonly distributor: Distributor;
  readonly frontier: Frontier;
  readonly hostResolver: HostResolver;
  readonly turns: Pick<Turns, 'run'>;
  readonly checkpointer: Pick<Checkpointer, 'write' | 'writeLast' | 'busy'>;
  readonly checkpointEvery: Millis;
  /** Gives the last verdicts on spam. */
  readonly concludeSpam: () => Promise<void>;
  /** Ends the requests under way. */
  readonly closeConnections: () => void;
  /** Reports to the coordinator that there is no work. */
  readonly onIdle: (report: ActivityReport) => void;
  /** Reports to the coordinator that the limit of the crawl is reached. */
  readonly onLimit: (reason: EndReason) => void;
}

/** A change that the operator wants, and whom to report to when it is part of a checkpoint. */
interface Order {
  apply(): void;
  done(): void;
}

export class Agent {
  readonly #parts: AgentParts;
  #distributing = false;
  #checkpointAt: Millis;
  /** From the last checkpoint to the next. */
  #checkpointAfter: Millis;
  /** The last report to the coordinator. */
  #reported = '';
  /** The agent was stopped, and has handed on all that it had. */
  #handedOn = false;
  /** All agents have handed on what they had, so that nothing more arrives. */
  #concluded = false;
  #turnsUnderWay = 0;
  #failure: { error: unknown } | undefined;
  /** Changes to apply at the next checkpoint. */
  readonly #orders: Order[] = [];
  #cancelGrace: (() => void) | undefined;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#checkpointAfter = Math.min(FIRST_CHECKPOINT, parts.checkpointEvery);
    this.#checkpointAt = parts.clock.now() + this.#checkpointAfter;
  }

  /** Runs until `stop`. Rejects when the agent fails. */
  async run(): Promise<EndReason> {
    const { signals, permits, transport, hostResolver, checkpointer } = this.#parts;
    const wakeTurns = () => signals.turns.notify();
    const receiving = this.#mayFail(() =>
      transport.receive((parcel) => this.#receive(parcel), wakeTurns),
    );
    await Promise.all([
      this.#mayFail(() => this.#distribute()),
      this.#mayFail(() => hostResolver.run(signals.names, wakeTurns, () => permits.stopping)),
      this.#mayFail(() => this.#runTurns()),
    ]);
    // A turn that failed to give its host back still counts in the frontier: these are the real.
    while (this.#turnsUnderWay > 0) await signals.turns.wait();
    this.#cancelGrace?.();
    if (!this.#failure) await this.#mayFail(() => this.#handOnAll());
    transport.close();
    await receiving;
    if (this.#failure) throw this.#failure.error;
    await checkpointer.writeLast();
    return permits.end ?? 'finished';
  }

  /** Begins nothing new; requests under way may end, for a while. */
  stop(reason: EndReason): void {
    const { clock, signals, permits, admission, closeConnections } = this.#parts;
    if (permits.stopping) return;
    permits.stop(reason);
    this.#cancelGrace = clock.after(GRACE, closeConnections);
    try {
      admission.end();
    } catch (error) {
      // Otherwise the loops would sleep for ever.
      this.#fail(error);
    }
    signals.wakeAll();
  }

  /** Applies a change and writes a checkpoint with it, at once; resolves when it is written. */
  order(apply: () => void): Promise<void> {
    return new Promise((done) => {
      this.#orders.push({ apply, done });
      this.#parts.signals.links.notify();
    });
  }

  /** All agents have stopped and no parcel is under way between them: the agent may end. */
  conclude(): void {
    this.#concluded = true;
    this.#parts.signals.turns.notify();
  }

  /** Whether there is work left here, for a coordinator that asks. */
  activity(): ActivityReport {
    const activity = this.#activity();
    // After reporting work, always report the next idle state, even if it equals the last one.
    if (!activity.idle) this.#reported = '';
    return activity;
  }

  #activity(): ActivityReport {
    const { transport } = this.#parts;
    return { agent: transport.agent, idle: this.#isIdle(), ...transport.traffic };
  }

  /** Does a part of the agent's work. If it fails, the agent fails, and its other parts end. */
  async #mayFail(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error: failureOf(error) };
    this.stop('interrupted');
    this.#parts.signals.turns.notify();
  }

  /**
   * Hands on everything that was discovered, until all agents have done so. Then lets the sieve
   * decide about what is left, so that the summary can count it, and ranks domains a last time.
   */
  async #handOnAll(): Promise<void> {
    const { signals, admission, supply, reputation, concludeSpam } = this.#parts;
    for (;;) {
      // Also after the conclusion: the last checkpoint can send nothing.
      await admission.carry(true);
      await reputation?.deliver();
      if (this.#concluded || this.#failure) break;
      this.#handedOn = true;
      this.#reportIdle();
      await signals.turns.wait();
      this.#handedOn = false;
    }
    if (this.#failure) return;
    await supply.decide();
    await concludeSpam();
    await reputation?.rankNow();
  }

  #receive({ from, kind, bytes }: Parcel): void {
    const { signals, admission, reputation } = this.#parts;
    if (kind === PARCEL.urls) admission.receive(unpackKeyedBatch(bytes));
    else reputation?.receive(from, MESSAGES[kind], bytes);
    signals.links.notify();
  }

  /** Carries links to the sieve and new URLs to the frontier; makes checkpoints in between. */
  async #distribute(): Promise<void> {
    const { signals, permits, admission, supply, reputation, distributor, frontier } = this.#parts;
    const { checkpointer } = this.#parts;
    while (!permits.stopping) {
      this.#distributing = true;
      // Without a turn under way here, other agents may wait for the parcels of this one.
      if (await admission.carry(frontier.turnsOut === 0)) supply.offered();
      const progressed = await distributor.step();
      await reputation?.step();
      if (frontier.turnsOut === 0 && frontier.queued === 0 && distributor.idle) {
        await reputation?.deliver();
        if (this.#mayRankBetter()) reputation?.rankSoon();
      }
      await this.#checkpointIfDue();
      this.#distributing = false;
      // Only news wakes the other loops: two loops that woke each other for nothing would never
      // sleep. To become idle is news too: the end of the crawl may wait for it.
      if (progressed || this.#isIdle()) {
        signals.names.notify();
        signals.turns.notify();
      }
      // Orders wait for a checkpoint that is still being kept elsewhere, and it for this loop.
      if (
        !progressed &&
        (this.#orders.length === 0 || checkpointer.busy) &&
        !(admission.hasWork && frontier.turnsOut === 0)
      )
        await signals.links.wait(this.#nextDistribution());
    }
  }

  #nextDistribution(): Millis {
    const { admission, reputation, distributor, checkpointer } = this.#parts;
    const rankAt = reputation?.wakeAt ?? Infinity;
    const checkpointAt = checkpointer.busy ? Infinity : this.#checkpointAt;
    return Math.min(distributor.wakeAt, admission.wakeAt, rankAt, checkpointAt);
  }

  async #checkpointIfDue(): Promise<void> {
    const { clock, transport, checkpointer, checkpointEvery } = this.#parts;
    if (checkpointer.busy) return;
    const isDue = clock.now() >= this.#checkpointAt || transport.overdue;
    if (!isDue && this.#orders.length === 0) return;
    const orders = this.#orders.splice(0);
    for (const { apply } of orders) apply();
    await checkpointer.write();
    for (const { done } of orders) done();
    if (orders.length > 0) this.#parts.signals.wakeAll();
    this.#checkpointAfter = Math.min(2 * this.#checkpointAfter, checkpointEvery);
    this.#checkpointAt = clock.now() + this.#checkpointAfter;
  }

  /** Begins a turn for every host that is ready, while fetchers are free. */
  async #runTurns(): Promise<void> {
    const { clock, signals, permits, frontier, admission, distributor, onLimit } = this.#parts;
    while (!permits.stopping) {
      const turn = permits.mayBeginTurn ? frontier.acquire(clock.now()) : undefined;
      if (turn) {
        this.#runTurn(turn);
        continue;
      }
      const limit = permits.limitReached;
      if (limit) onLimit(limit);
      this.#reportIdle();
      if (permits.mayBeginTurn) frontier.starved();
      if (admission.hasWork || distributor.hasWork || this.#mayRankBetter()) signals.links.notify();
      await signals.turns.wait(this.#nextTurn());
    }
  }

  #runTurn(turn: HostTurn): void {
    const { signals, turns } = this.#parts;
    this.#turnsUnderWay++;
    void this.#mayFail(() => turns.run(turn)).then(() => {
      this.#turnsUnderWay--;
      // A host whose addresses have expired is to be resolved again.
      signals.names.notify();
      signals.turns.notify();
    });
  }

  #reportIdle(): void {
    const activity = this.#activity();
    const report = JSON.stringify(activity);
    if (activity.idle && report !== this.#reported) this.#parts.onIdle(activity);
    this.#reported = report;
  }

  #nextTurn(): Millis {
    const { clock, permits, frontier } = this.#parts;
    if (permits.mustLookAgain) return clock.now() + CHECK_CLAIMS_AFTER;
    return permits.mayBeginTurn ? frontier.nextReadyAt() : Infinity;
  }

  #isIdle(): boolean {
    const { permits, transport, admission, reputation, distributor, hostResolver, frontier } =
      this.#parts;
    if (reputation?.idle === false || !admission.idle || !transport.idle) return false;
    // Once stopped, queued URLs are left for a resumed crawl.
    if (permits.stopping) return this.#handedOn;
    if (this.#distributing || frontier.turnsOut > 0) return false;
    // At the limit of pages only requisites are fetched, as far as they are at hand.
    if (permits.onlyRequisites) return frontier.requisites === 0 && !distributor.hasWork;
    if (frontier.queued > 0) return false;
    return hostResolver.idle && distributor.idle && !this.#mayRankBetter();
  }

  /** All queued URLs had no budget at the last ranking, and links were discovered since. */
  #mayRankBetter(): boolean {
    const { supply, reputation, distributor, frontier } = this.#parts;
    if (frontier.turnsOut > 0 || frontier.queued > 0 || !distributor.idle) return false;
    return reputation?.hasNews === true && supply.queued > 0;
  }
}
