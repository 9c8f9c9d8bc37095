/**
 * What one agent has sent another and must keep: the sender's half of the transport's promise, without any wire.
 *
 * Idea      A sequence number is an incarnation and a count within it, in one safe integer. Numbers rise over all runs of a
 *           crawl, although a run that goes on from a checkpoint does not know how far the one before it came.
 * Ensures   numbers rise by one within an incarnation, the first ends in 1; what is kept is what was sent and never
 *           acknowledged, in order.
 * Cost      O(1) a parcel; acknowledged ones are dropped in one sweep each.
 */
import type { Bytes } from '../../base/units.ts';
import type { KeptParcel } from './transport.ts';

/** Parcels that one agent can send another in one run: at a thousand a second, for seven weeks. */
const SPAN = 2 ** 32;
/** Larger ones would leave the safe integers. */
export const MOST_INCARNATIONS = 2 ** 21;

/** Whether a sequence is the first of its incarnation. */
export function isFirst(sequence: number): boolean {
  return sequence % SPAN === 1;
}

export class Outbox {
  readonly #to: number;
  #kept: KeptParcel[];
  #bytes: Bytes = 0;
  #last: number;

  /** `kept` are parcels of earlier incarnations that were not acknowledged. */
  constructor(to: number, incarnation: number, kept: readonly KeptParcel[] = []) {
    this.#to = to;
    this.#last = incarnation * SPAN;
    this.#kept = [...kept];
    for (const parcel of kept) this.#bytes += parcel.bytes.length;
    if (kept.length > 0 && kept[kept.length - 1].sequence > this.#last) {
      throw new Error(
        `Incarnation ${incarnation} was used before: parcels to agent ${to} bear its numbers.`,
      );
    }
  }

  /** Bytes sent and not acknowledged. */
  get bytes(): Bytes {
    return this.#bytes;
  }

  get kept(): readonly KeptParcel[] {
    return this.#kept;
  }

  /** Numbers a parcel and keeps it. */
  add(kind: number, bytes: Uint8Array): KeptParcel {
    const parcel = { to: this.#to, sequence: ++this.#last, kind, bytes };
    this.#kept.push(parcel);
    this.#bytes += bytes.length;
    return parcel;
  }

  /** Forgets everything up to `sequence`. An old acknowledgement says nothing new. */
  acknowledge(sequence: number): void {
    let acknowledged = 0;
    while (acknowledged < this.#kept.length && this.#kept[acknowledged].sequence <= sequence) {
      this.#bytes -= this.#kept[acknowledged++].bytes.length;
    }
    if (acknowledged > 0) this.#kept = this.#kept.slice(acknowledged);
  }
}
