/**
 * The parcels that one agent has received from another: the receiver's half of the transport's
 * guarantees, independent of the connection.
 *
 * Ensures   A parcel is new exactly once. A repeat is recognised by its number. A gap in the
 *           numbers is an error, because a parcel that fills it later would look like a repeat.
 * Cost      O(1) per parcel; memory for two numbers per parcel until it is acknowledged.
 */
import type { Bytes } from '../../base/units.ts';
import { isFirst } from './outbox.ts';

export class Inbox {
  readonly #from: number;
  #received: number;
  #acknowledged: number;
  /** Received since the last acknowledgement: sequence and bytes, in order. */
  #owed: { readonly sequence: number; readonly bytes: Bytes }[] = [];
  #owedBytes: Bytes = 0;

  /** `received` is the last sequence that the checkpoint holds: it counts as acknowledged. */
  constructor(from: number, received = 0) {
    this.#from = from;
    this.#received = received;
    this.#acknowledged = received;
  }

  /** The last sequence processed. */
  get received(): number {
    return this.#received;
  }

  /** The last sequence in a checkpoint here, which the sender need not keep. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Bytes processed that the sender still keeps. */
  get owedBytes(): Bytes {
    return this.#owedBytes;
  }

  /** Whether the parcel must be processed; throws if an earlier one is missing. */
  isNew(sequence: number): boolean {
    if (sequence <= this.#received) return false;
    if (sequence === this.#received + 1 || isFirst(sequence)) return true;
    throw new Error(
      `Agent ${this.#from} sent parcel ${sequence} after ${this.#received}: those between were lost.`,
    );
  }

  /** Call it when the parcel is processed. */
  took(sequence: number, bytes: Bytes): void {
    this.#received = sequence;
    this.#owed.push({ sequence, bytes });
    this.#owedBytes += bytes;
  }

  /** Call it when a checkpoint holds all up to `sequence`; returns whether that is new. */
  acknowledge(sequence: number): boolean {
    if (sequence > this.#received) {
      throw new Error(
        `Parcel ${sequence} of agent ${this.#from} is acknowledged but was not received.`,
      );
    }
    if (sequence <= this.#acknowledged) return false;
    this.#acknowledged = sequence;
    let settled = 0;
    while (settled < this.#owed.length && this.#owed[settled].sequence <= sequence) {
      this.#owedBytes -= this.#owed[settled++].bytes;
    }
    this.#owed = this.#owed.slice(settled);
    return true;
  }
}
