/**
 * Keeps the delay of an address whose hosts belong to several agents of one machine.
 *
 * Idea      Each address has a slot in shared memory (`SlotTable`): the hash of its text selects
 *           it.
 * Requires  one text per address.
 * Ensures   no two agents hold one address at the same time, and none takes it before its ready
 *           time, under the conditions of `SlotTable`.
 * Cost      1 MiB. With `a` addresses held or inside their delay, a turn hits the slot of another
 *           one with probability a / slots, 0.5 % for 600 addresses.
 */

import type { Millis } from '../../base/units.ts';
import type { AddressTable } from '../../frontier/workbench.ts';
import { type SharedSlots, type SlotOptions, SlotTable, shareSlots } from './shared-slots.ts';

/** The shared memory of the table, as plain data for every agent's thread. */
export type SharedAddresses = SharedSlots;

/**
 * `retry` is the address delay: an address that another agent holds cannot be ready before.
 */
export const shareAddresses = (options: SlotOptions = {}): SharedAddresses => shareSlots(options);

export class SharedAddressTable implements AddressTable {
  readonly #slots: SlotTable;

  constructor(shared: SharedAddresses, agent: number) {
    this.#slots = new SlotTable(shared, agent);
  }

  tryTake(ip: string, now: Millis): Millis {
    return this.#slots.take(ip, now);
  }

  giveBack(ip: string, readyAt: Millis): void {
    this.#slots.giveBack(ip, readyAt);
  }
}
