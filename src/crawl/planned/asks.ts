/**
 * The open asks of an agent: its supply of URLs in a planned crawl, in place of sieve and budgets.
 *
 * Requires  one caller; URLs of the agent's domains, in canonical form.
 * Ensures   URLs come out in the order in which they were asked for. Each ask has one outcome,
 *           which is logged and reported in the step in which the page is committed, or has failed.
 * Cost      the open asks in memory. The coordinator limits them (`--front-urls`).
 */
import type { Clock } from '../../base/clock.ts';
import type { Discovery } from '../../frontier/queue/discovered-url.ts';
import { Fifo } from '../../frontier/queue/fifo.ts';
import type { Supply } from '../../frontier/supply.ts';
import { hostOf } from '../../url/parts.ts';
import type { Ask, Outcome } from './ask.ts';
import type { OutcomeLog } from './outcome-log.ts';

/** URLs handed out at once. */
const BATCH = 64;

/** The part of an outcome that an ask does not give. */
export type Facts = Omit<Outcome, 'url' | 'method' | 'time'>;

export class Asks implements Supply {
  readonly chooses = false;
  readonly undecided = 0;
  readonly nextAt = 0;
  /** No URL comes from the sieve. */
  readonly taken = 0;
  readonly #clock: Clock;
  readonly #log: OutcomeLog;
  readonly #report: (outcome: Outcome) => void;
  /** Asks that are not in the frontier yet. */
  readonly #queue = new Fifo<Ask>();
  /** Open asks by host, then by URL. */
  readonly #open = new Map<string, Map<string, Ask>>();

  /** `report` is called with each outcome. */
  constructor(clock: Clock, log: OutcomeLog, report: (outcome: Outcome) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#report = report;
  }

  get queued(): number {
    return this.#queue.length;
  }

  get idle(): boolean {
    return this.#queue.length === 0;
  }

  offered(): void {}

  async decide(): Promise<void> {}

  async take(): Promise<readonly Discovery[] | undefined> {
    if (this.idle) return undefined;
    const batch: Discovery[] = [];
    while (batch.length < BATCH) {
      const ask = this.#queue.shift();
      if (!ask) break;
      // An ask may have an outcome already: its host was given up.
      if (this.of(ask.url)) batch.push({ url: ask.url, depth: 0, redirects: 0 });
    }
    return batch;
  }

  add(asks: readonly Ask[]): void {
    for (const ask of asks) {
      const host = hostOf(ask.url);
      const open = this.#open.get(host) ?? new Map<string, Ask>();
      this.#open.set(host, open.set(ask.url, ask));
      this.#queue.push(ask);
    }
  }

  /** The open ask for a URL. */
  of(url: string): Ask | undefined {
    return this.#open.get(hostOf(url))?.get(url);
  }

  /** Closes the ask for a URL, if there is one. */
  settle(url: string, facts: Facts): void {
    const host = hostOf(url);
    const open = this.#open.get(host);
    const ask = open?.get(url);
    if (!open || !ask) return;
    open.delete(url);
    if (open.size === 0) this.#open.delete(host);
    const outcome = { url, method: ask.method, time: this.#clock.now(), ...facts };
    this.#log.add(outcome);
    this.#report(outcome);
  }

  /** Closes all asks for a host, except one that is being fetched. */
  settleHost(host: string, fault: string, except?: string): void {
    for (const url of [...(this.#open.get(host)?.keys() ?? [])])
      if (url !== except) this.settle(url, { fault });
  }
}
