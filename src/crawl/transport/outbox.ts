/**
 * The parcels that one agent has sent another and must keep: the sender's half of the transport's
 * guarantees, independent of the connection.
 *
 * Idea      A sequence number is an incarnation and a count within it, in one safe integer. Numbers
 *           rise over all runs of a crawl, although a resumed run does not know how many parcels
 *           the run before it sent after its checkpoint.
 * Ensures   Numbers rise by one within an incarnation, from count 1 on. Kept are the parcels sent
 *           and never acknowledged, in order.
 * Cost      O(1) per parcel; acknowledged parcels are dropped in one sweep.
 */
import type { Bytes } from '../../base/units.ts';
import type { KeptParcel } from './transport.ts';

/** Parcels that one agent can send another in one run: 1,000 per second for seven weeks. */
const SPAN = 2 ** 32;
/** Larger incarnations would exceed the safe integers. */
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

  /** Forgets everything up to `sequence`. An old acknowledgement changes nothing. */
  acknowledge(sequence: number): void {
    let acknowledged = 0;
    while (acknowledged < this.#kept.length && this.#kept[acknowledged].sequence <= sequence) {
      this.#bytes -= this.#kept[acknowledged++].bytes.length;
    }
    if (acknowledged > 0) this.#kept = this.#kept.slice(acknowledged);
  }
}
