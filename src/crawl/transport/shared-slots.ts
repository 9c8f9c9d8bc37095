/**
 * Slots in shared memory that the agents of one machine hold in turns.
 *
 * Idea      A table of 64-bit words; the hash of a key selects its slot. The word holds the time
 *           until which the slot is not free, and the agent that holds it. An agent that wants a
 *           slot swaps it from free to held in one atomic step.
 *
 *             63     62      61       60           48 47                                  0
 *             ┌──────┬───────┬────────┬───────────────┬────────────────────────────────────┐
 *             │ held │ asked │ wanted │ agent         │ ms: ready at, or end of the lease  │
 *             └──────┴───────┴────────┴───────────────┴────────────────────────────────────┘
 *
 *           There are two ways to take a slot. `take` obeys every ready time. `takeTurn` is for the
 *           only agent that has turns of its key. It keeps the ready times of its turns itself, so
 *           it obeys only those that a `take` has left (asked), and a pause of another key in the
 *           slot does not concern it. A `take` that is refused leaves a mark (wanted); the next
 *           `takeTurn` removes the mark and lets the other go first.
 * Requires  One clock for all agents; an agent gives each key back that it took.
 * Ensures   While no hold outlives the lease, no two agents hold one key at the same time, and an
 *           agent does not hold one key twice. `take` comes no sooner than the ready time of any
 *           earlier hold of the key, `takeTurn` no sooner than that of any earlier `take`. The slot
 *           of a dead holder becomes free when the lease ends. A clock that is set back makes
 *           agents wait longer, never shorter.
 * Cost      8 bytes a slot; about a microsecond to take and give back. Two keys in one slot delay
 *           each other, unless one agent holds both.
 */
import type { Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';

/** The shared memory of a table, as plain data for every agent's thread. */
export interface SharedSlots {
  readonly words: BigUint64Array;
  readonly lease: Millis;
  readonly retry: Millis;
}

export interface SlotOptions {
  /** Number of slots, a power of two. */
  readonly slots?: number;
  /** The longest time of a hold; must exceed any turn. */
  readonly lease?: Millis;
  /** Time until another try for a slot that another agent holds. */
  readonly retry?: Millis;
}

const HELD = 1n << 63n;
const ASKED = 1n << 62n;
const WANTED = 1n << 61n;
const AGENT_SHIFT = 48n;
const TIME = (1n << AGENT_SHIFT) - 1n;
const LATEST: Millis = Number(TIME);
const MOST_AGENTS = 1 << 13;

export function shareSlots(options: SlotOptions = {}): SharedSlots {
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

/** A slot that this agent holds, for one key or for several. */
interface Hold {
  readonly slot: number;
  /** The word in the slot: if it is another one, the lease has ended. */
  word: bigint;
  keys: number;
  /** The latest ready time of the slot: from before the hold, or of keys given back since. */
  until: Millis;
  /** That time is one that turns obey too. */
  asked: boolean;
}

export class SlotTable {
  readonly #shared: SharedSlots;
  readonly #holder: bigint;
  readonly #mask: bigint;
  readonly #byKey = new Map<string, Hold>();
  readonly #bySlot = new Map<number, Hold>();

  constructor(shared: SharedSlots, agent: number) {
    if (!Number.isInteger(agent) || agent < 0 || agent >= MOST_AGENTS)
      throw new Error(`There is no agent ${agent}.`);
    this.#shared = shared;
    this.#holder = HELD | (BigInt(agent) << AGENT_SHIFT);
    this.#mask = BigInt(shared.words.length - 1);
  }

  slotOf(key: string): number {
    return Number(xxh64(key) & this.#mask);
  }

  /** Takes a key and returns 0; or returns when to try again, and leaves a mark. */
  take(key: string, now: Millis): Millis {
    return this.#take(key, now, false);
  }

  /** Takes a key of which only this agent has turns; or returns when to try again. */
  takeTurn(key: string, now: Millis): Millis {
    return this.#take(key, now, true);
  }

  #take(key: string, now: Millis, isTurn: boolean): Millis {
    const { words, retry } = this.#shared;
    if (this.#byKey.has(key)) return now + retry;
    const slot = this.slotOf(key);
    for (;;) {
      const word = Atomics.load(words, slot);
      const mine = this.#bySlot.get(slot);
      const again =
        mine && (word & ~WANTED) === mine.word
          ? this.#share(mine, word, key, now, isTurn)
          : this.#takeFree(slot, word, key, now, isTurn);
      if (again !== undefined) return again;
    }
  }

  /** This agent holds the slot, for another key. Undefined when the word has changed. */
  #share(mine: Hold, word: bigint, key: string, now: Millis, isTurn: boolean): Millis | undefined {
    if (mine.until > now && (mine.asked || !isTurn)) return mine.until;
    const taken = this.#wordAt(now);
    if (!this.#swap(mine.slot, word, taken | (word & WANTED))) return undefined;
    mine.word = taken;
    mine.keys++;
    this.#byKey.set(key, mine);
    return 0;
  }

  #takeFree(
    slot: number,
    word: bigint,
    key: string,
    now: Millis,
    isTurn: boolean,
  ): Millis | undefined {
    const { retry } = this.#shared;
    const until = Number(word & TIME);
    const isHeld = word >= HELD;
    if (until > now && (isHeld || !isTurn || (word & ASKED) !== 0n)) {
      if (!isTurn && !this.#swap(slot, word, word | WANTED)) return undefined;
      return isHeld ? Math.min(until, now + retry) : until;
    }
    if (isTurn && (word & WANTED) !== 0n)
      return this.#swap(slot, word, word & ~WANTED) ? now + 2 * retry : undefined;
    const taken = this.#wordAt(now);
    if (!this.#swap(slot, word, taken)) return undefined;
    const before = isHeld ? 0 : until;
    const hold: Hold = { slot, word: taken, keys: 1, until: before, asked: false };
    this.#bySlot.set(slot, hold);
    this.#byKey.set(key, hold);
    return 0;
  }

  /** The word of a slot that this agent takes now. */
  #wordAt(now: Millis): bigint {
    return this.#holder | toTime(now + this.#shared.lease);
  }

  /** Gives a key back, ready at `readyAt`; `asked` when turns are to obey that time too. */
  giveBack(key: string, readyAt: Millis, asked = false): void {
    const hold = this.#byKey.get(key);
    if (!hold) throw new Error(`${key} is given back but was not taken`);
    this.#byKey.delete(key);
    hold.until = Math.max(hold.until, readyAt);
    hold.asked ||= asked;
    if (--hold.keys > 0) return;
    if (this.#bySlot.get(hold.slot) === hold) this.#bySlot.delete(hold.slot);
    const free = toTime(hold.until) | (hold.asked ? ASKED : 0n);
    for (;;) {
      const word = Atomics.load(this.#shared.words, hold.slot);
      // The lease has ended and another agent holds the slot now: that agent gives it back.
      if ((word & ~WANTED) !== hold.word) return;
      if (this.#swap(hold.slot, word, free | (word & WANTED))) return;
    }
  }

  /** Moves the ready time of a key that is not held to `readyAt`, if that is later. */
  pause(key: string, readyAt: Millis): void {
    const slot = this.slotOf(key);
    for (;;) {
      const word = Atomics.load(this.#shared.words, slot);
      if (word >= HELD || Number(word & TIME) >= readyAt) return;
      if (this.#swap(slot, word, (word & ~TIME) | toTime(readyAt))) return;
    }
  }

  #swap(slot: number, from: bigint, to: bigint): boolean {
    return Atomics.compareExchange(this.#shared.words, slot, from, to) === from;
  }
}

function toTime(time: Millis): bigint {
  return BigInt(Math.min(Math.ceil(time), LATEST));
}
