/**
 * An address that hosts of two agents share still keeps its delay, on one machine.
 *
 * Idea      A table in shared memory, one 64-bit word a slot; an address has the slot its hash points at. The word says
 *           until when the slot is not to be taken, and by whom it is held. Whoever wants to fetch swaps it from free
 *           to held in one atomic step.
 *
 *             63     62            48 47                                                  0
 *             ┌──────┬───────────────┬──────────────────────────────────────────────────────┐
 *             │ held │ agent         │ milliseconds: ready at, or the end of the lease      │
 *             └──────┴───────────────┴──────────────────────────────────────────────────────┘
 *
 * Requires  one clock for all agents; one text per address; an agent holds an address once at a time (its workbench sees to
 *           that).
 * Ensures   no two agents hold one address at once, and none takes it before the ready time it was given back with, while
 *           no hold outlives the lease. The slot of a holder that died is free when the lease is over. A clock that is set
 *           back makes everybody wait longer, as the workbench does, and nobody less.
 * Cost      1 MiB; about a microsecond a turn. Two addresses in one slot wait for each other: with `a` addresses held or
 *           cooling down, a turn meets such a stranger with probability a / slots, 0.5 % at 600 of them.
 */

import type { Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { AddressTable } from '../../frontier/workbench.ts';

/** Plain data, to be handed to every agent's thread. */
export interface SharedAddresses {
  readonly words: BigUint64Array;
  readonly lease: Millis;
  readonly retry: Millis;
}

export interface SharedAddressOptions {
  /** A power of two. */
  readonly slots?: number;
  /** Longer than any turn. */
  readonly lease?: Millis;
  /** When to look again at an address that another holds: the address delay, before which it cannot be ready anyway. */
  readonly retry?: Millis;
}

const HELD = 1n << 63n;
const AGENT_SHIFT = 48n;
const TIME = (1n << AGENT_SHIFT) - 1n;
const LATEST: Millis = Number(TIME);
const MOST_AGENTS = 1 << 15;

export function shareAddresses(options: SharedAddressOptions = {}): SharedAddresses {
  const { slots = 2 ** 17, lease = 300_000, retry = 500 } = options;
  if (!Number.isInteger(Math.log2(slots)))
    throw new Error(`${slots} slots are not a power of two.`);
  // Less than a few milliseconds would be a loop that turns on the spot while another fetches.
  return {
    words: new BigUint64Array(new SharedArrayBuffer(8 * slots)),
    lease,
    retry: Math.max(retry, 10),
  };
}

export class SharedAddressTable implements AddressTable {
  readonly #shared: SharedAddresses;
  readonly #holder: bigint;
  readonly #mask: bigint;
  /** What this agent wrote into the slots of the addresses it holds: a slot that no longer says so outlived its lease. */
  readonly #held = new Map<string, bigint>();

  constructor(shared: SharedAddresses, agent: number) {
    if (!Number.isInteger(agent) || agent < 0 || agent >= MOST_AGENTS)
      throw new Error(`There is no agent ${agent}.`);
    this.#shared = shared;
    this.#holder = HELD | (BigInt(agent) << AGENT_SHIFT);
    this.#mask = BigInt(shared.words.length - 1);
  }

  tryTake(ip: string, now: Millis): Millis {
    const { words, lease, retry } = this.#shared;
    const slot = this.#slotOf(ip);
    const taken = this.#holder | toTime(now + lease);
    for (;;) {
      const word = Atomics.load(words, slot);
      const until = Number(word & TIME);
      if (until > now) {
        return word >= HELD ? Math.min(until, now + retry) : until;
      }
      if (Atomics.compareExchange(words, slot, word, taken) === word) {
        this.#held.set(ip, taken);
        return 0;
      }
    }
  }

  giveBack(ip: string, readyAt: Millis): void {
    const taken = this.#held.get(ip);
    if (taken === undefined) throw new Error(`${ip} is given back but was not taken`);
    this.#held.delete(ip);
    // Fails when the lease was over and another has taken the slot: it is the other's to give back.
    Atomics.compareExchange(this.#shared.words, this.#slotOf(ip), taken, toTime(readyAt));
  }

  #slotOf(ip: string): number {
    return Number(xxh64(ip) & this.#mask);
  }
}

function toTime(time: Millis): bigint {
  return BigInt(Math.min(Math.ceil(time), LATEST));
}
