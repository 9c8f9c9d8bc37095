/**
 * Keeps the delay of a host that is asked by its owner, in turns, and now and then by any agent: a
 * robots.txt may redirect to any host.
 *
 * Idea      Each host has a slot in shared memory (`SlotTable`). A turn holds the slot of its host,
 *           and leaves there when the host may be asked again. A request out of turn takes the
 *           same slot, so it comes neither beside a turn nor before the host is ready; the next
 *           turn waits for the delay after it. Only the owner knows the Crawl-delay: it is in a
 *           second table, which never forgets the longest.
 * Requires  one table for all agents of a crawl, also for a single one.
 * Ensures   between two requests to a host, in turn or not, its delay passes: what the user asks
 *           and what its robots.txt asked when the owner last read it. Where two hosts have one
 *           slot, requests out of turn wait longer than they must, turns only for such requests
 *           and for the end of other turns.
 * Cost      1.5 MiB; about a microsecond a turn.
 */

import type { Millis } from '../../base/units.ts';
import type { HostTable } from '../../frontier/workbench.ts';
import { type SharedSlots, type SlotOptions, SlotTable, shareSlots } from './shared-slots.ts';

/** The shared memory of the table, as plain data for every agent's thread. */
export interface SharedHosts {
  readonly slots: SharedSlots;
  /** By slot: the longest Crawl-delay of its hosts. */
  readonly crawlDelays: Uint32Array;
}

const LONGEST: Millis = 2 ** 32 - 1;
/** The time until another look at a host that is being asked. */
const RETRY: Millis = 250;

export function shareHosts(options: SlotOptions = {}): SharedHosts {
  const slots = shareSlots({ retry: RETRY, ...options });
  const crawlDelays = new Uint32Array(new SharedArrayBuffer(4 * slots.words.length));
  return { slots, crawlDelays };
}

export class SharedHostTable implements HostTable {
  readonly #slots: SlotTable;
  readonly #crawlDelays: Uint32Array;

  constructor(shared: SharedHosts, agent: number) {
    this.#slots = new SlotTable(shared.slots, agent);
    this.#crawlDelays = shared.crawlDelays;
  }

  entered(name: string, readyAt: Millis, crawlDelay: Millis): void {
    this.#learn(name, crawlDelay);
    this.#slots.pause(name, readyAt);
  }

  tryTake(name: string, now: Millis): Millis {
    return this.#slots.takeTurn(name, now);
  }

  giveBack(name: string, readyAt: Millis, crawlDelay: Millis): void {
    this.#learn(name, crawlDelay);
    this.#slots.giveBack(name, readyAt);
  }

  tryAsk(name: string, now: Millis): Millis {
    return this.#slots.take(name, now);
  }

  asked(name: string, now: Millis, delay: Millis): void {
    const crawlDelay = Atomics.load(this.#crawlDelays, this.#slots.slotOf(name));
    this.#slots.giveBack(name, now + Math.max(delay, crawlDelay), true);
  }

  /** Before the slot is given back: the next turn that takes it knows the delay. */
  #learn(name: string, crawlDelay: Millis): void {
    if (crawlDelay === 0) return;
    const slot = this.#slots.slotOf(name);
    const delay = Math.min(Math.ceil(crawlDelay), LONGEST);
    for (;;) {
      const known = Atomics.load(this.#crawlDelays, slot);
      if (known >= delay) return;
      if (Atomics.compareExchange(this.#crawlDelays, slot, known, delay) === known) return;
    }
  }
}
