/**
 * Keeps the delay of an address whose hosts belong to several agents of one machine.
 *
 * Idea      A table in shared memory, one 64-bit word per slot; the hash of an address selects its
 *           slot. The word holds the time until which the slot is not free, and the agent that
 *           holds it. An agent that wants to fetch swaps it from free to held in one atomic step.
 *
 *             63     62            48 47                                                  0
 *             ┌──────┬───────────────┬──────────────────────────────────────────────────────┐
 *             │ held │ agent         │ milliseconds: ready at, or the end of the lease      │
 *             └──────┴───────────────┴──────────────────────────────────────────────────────┘
 *
 * Requires  One clock for all agents; one text per address; an agent holds an address at most once
 *           at a time (its workbench ensures that).
 * Ensures   While no hold outlives the lease, no two agents hold one address at the same time, and
 *           none takes it before its ready time. The slot of a dead holder becomes free when the
 *           lease ends. A clock that is set back makes agents wait longer, as in the workbench,
 *           never shorter.
 * Cost      1 MiB; about a microsecond per turn. Two addresses in one slot delay each other: with
 *           `a` addresses held or inside their delay, a turn hits such a slot with probability
 *           a / slots, 0.5 % for 600 addresses.
 */

import type { Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { AddressTable } from '../../frontier/workbench.ts';

/** The shared memory of the table, as plain data for every agent's thread. */
export interface SharedAddresses {
  readonly words: BigUint64Array;
  readonly lease: Millis;
  readonly retry: Millis;
}

export interface SharedAddressOptions {
  /** Number of slots, a power of two. */
  readonly slots?: number;
  /** The longest time of a hold; must exceed any turn. */
  readonly lease?: Millis;
  /**
   * Time until another try for an address that another agent holds: the address delay, because the
   * address cannot be ready before.
   */
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
  // A shorter retry would be a busy loop while another agent fetches.
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
  /**
   * The words that this agent wrote into the slots of the addresses it holds: if a slot holds
   * another word, the lease has ended.
   */
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
    // Fails if the lease has ended and another agent holds the slot now: that agent gives it back.
    Atomics.compareExchange(this.#shared.words, this.#slotOf(ip), taken, toTime(readyAt));
  }

  #slotOf(ip: string): number {
    return Number(xxh64(ip) & this.#mask);
  }
}

function toTime(time: Millis): bigint {
  return BigInt(Math.min(Math.ceil(time), LATEST));
}
