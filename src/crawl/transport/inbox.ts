/**
 * What one agent has received of another: the receiver's half of the transport's promise, without any wire.
 *
 * Ensures   a parcel is new once. A repeat is recognised by its number; a hole in the numbers is an error, because
 *           whoever filled it would be taken for a repeat.
 * Cost      O(1) a parcel; memory for two numbers a parcel until it is acknowledged.
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

  /** The last sequence taken in. */
  get received(): number {
    return this.#received;
  }

  /** The last sequence that is safe here, and that the sender need not keep. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Bytes taken in that the sender still keeps. */
  get owedBytes(): Bytes {
    return this.#owedBytes;
  }

  /** Whether the parcel must be taken in; throws when one before it never came. */
  isNew(sequence: number): boolean {
    if (sequence <= this.#received) return false;
    if (sequence === this.#received + 1 || isFirst(sequence)) return true;
    throw new Error(
      `Agent ${this.#from} sent parcel ${sequence} after ${this.#received}: those between were lost.`,
    );
  }

  /** The parcel has been taken in. */
  took(sequence: number, bytes: Bytes): void {
    this.#received = sequence;
    this.#owed.push({ sequence, bytes });
    this.#owedBytes += bytes;
  }

  /** Everything up to `sequence` is in a checkpoint; returns whether that is news to the sender. */
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
