/**
 * Which worker may ask an address? Hosts of agents on different machines may share one, and its
 * delay must hold for all of them.
 *
 * Idea      The hash of an address selects an agent; the worker that runs the agent is the grantor.
 *           It lends the address to one worker at a time. Inside of a worker, agents share the
 *           address as ever (`SharedAddressTable`). A hold is renewed as long as its worker wants
 *           it, so an address that only one worker wants costs a message a minute. When another
 *           wants it, the holder is asked to give it back: it ends its turn, and says when the
 *           address is ready. A holder that says nothing loses the address when its hold is over,
 *           and the delay after it.
 * Requires  Times are durations: a holder counts a hold from before it asked, the grantor from when
 *           it answered. `claims` are what other workers say that they hold.
 * Ensures   No two workers hold an address at the same time, and none before its delay after the
 *           last request of another. A new grantor lends nothing until every worker has said what
 *           it holds, or the longest hold is over.
 */
import type { Millis } from '../../base/units.ts';
import type { HoldTimes } from './hold-times.ts';

export interface HoldRequest {
  readonly ip: string;
  readonly worker: string;
  /** The delay of the address. */
  readonly delay: Millis;
}

/** Granted from the moment of the request; or when to ask again. */
export type HoldAnswer = { readonly granted: Millis } | { readonly again: Millis };

export interface Claim {
  readonly ip: string;
  /** How long the hold still lasts. */
  readonly left: Millis;
  readonly delay: Millis;
}

interface Hold {
  readonly worker: string;
  readonly since: Millis;
  until: Millis;
  delay: Millis;
  wanted: boolean;
}

/** Entries above which old ones are looked for. */
const MANY = 4096;

export class AddressGrantor {
  readonly #times: HoldTimes;
  readonly #now: () => Millis;
  readonly #holds = new Map<string, Hold>();
  /** Addresses that nobody holds, and that are not ready yet. */
  readonly #readyAt = new Map<string, Millis>();
  readonly #opensAt: Millis;
  readonly #askBack: (worker: string, ip: string) => void;
  #isOpen: boolean;

  /** `isFirst`: no grantor was there before. `askBack` tells a holder that another wants it. */
  constructor(
    times: HoldTimes,
    now: () => Millis,
    isFirst: boolean,
    askBack: (worker: string, ip: string) => void,
  ) {
    this.#times = times;
    this.#now = now;
    this.#opensAt = now() + times.hold;
    this.#isOpen = isFirst;
    this.#askBack = askBack;
  }

  get isOpen(): boolean {
    this.#isOpen ||= this.#now() >= this.#opensAt;
    return this.#isOpen;
  }

  /** A worker has said what it holds. */
  claimed(worker: string, claims: readonly Claim[]): void {
    const now = this.#now();
    for (const { ip, left, delay } of claims)
      this.#holds.set(ip, { worker, since: now, until: now + left, delay, wanted: false });
  }

  /** Every worker has said what it holds. */
  open(): void {
    this.#isOpen = true;
  }

  ask({ ip, worker, delay }: HoldRequest): HoldAnswer {
    const now = this.#now();
    const { hold, retry, keep } = this.#times;
    const held = this.#held(ip, now);
    if (held?.worker === worker) {
      // The others have waited: the holder gets no more time.
      if (held.wanted) return { again: retry };
      held.until = now + hold;
      held.delay = Math.max(held.delay, delay);
      return { granted: hold };
    }
    if (held) {
      if (!held.wanted && now - held.since >= keep) {
        held.wanted = true;
        this.#askBack(held.worker, ip);
      }
      return { again: Math.min(retry, Math.max(1, held.until + held.delay - now)) };
    }
    const readyAt = this.#readyAt.get(ip) ?? 0;
    if (readyAt > now) return { again: Math.min(readyAt - now, retry) };
    if (!this.isOpen) return { again: retry };
    this.#readyAt.delete(ip);
    this.#holds.set(ip, { worker, since: now, until: now + hold, delay, wanted: false });
    if (this.#holds.size + this.#readyAt.size > MANY) this.#tidy(now);
    return { granted: hold };
  }

  /** A holder gives an address back, which is ready after `readyIn`. */
  released(worker: string, ip: string, readyIn: Millis): void {
    if (this.#holds.get(ip)?.worker !== worker) return;
    this.#holds.delete(ip);
    this.#readyAt.set(ip, this.#now() + readyIn);
  }

  /** The hold on an address; one that has ended leaves the delay after it. */
  #held(ip: string, now: Millis): Hold | undefined {
    const held = this.#holds.get(ip);
    if (!held || now < held.until) return held;
    this.#holds.delete(ip);
    this.#readyAt.set(ip, held.until + held.delay);
    return undefined;
  }

  #tidy(now: Millis): void {
    for (const ip of [...this.#holds.keys()]) this.#held(ip, now);
    for (const [ip, readyAt] of this.#readyAt) if (readyAt <= now) this.#readyAt.delete(ip);
  }
}
