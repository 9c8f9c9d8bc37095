/**
 * What agents send each other, and what whoever carries it must promise.
 *
 * Idea      The sender keeps a parcel until the receiver's checkpoint contains it. Then no agent needs to know about
 *           another's checkpoint, and a crash of either side loses nothing: what the receiver forgot is sent again, and
 *           what it remembers is recognised by its number and dropped.
 *
 *             sender                                   receiver
 *             send ──► keeps 7 8 9 ──── 7 8 9 ───────► takes 7 8 9 in, once and in order
 *                      keeps     9 ◄─── up to 8 ────── acknowledges what its checkpoint holds
 *                      └─ state(), in its own checkpoint
 *
 * Requires  of the caller: bytes that were sent are not changed any more; one incarnation number never serves twice
 *           (see `TransportOptions`); an agent's checkpoint holds its transport's `state()` together with whatever
 *           the parcels taken in led to, and whatever made it send.
 * Ensures   every parcel is taken in at least once, and exactly once while no agent crashes; parcels of one sender in
 *           the order sent. After a crash of the sender its lost work is done and sent anew under new numbers,
 *           so takers must bear repeats of content (the sieve and every DRUM do).
 * Cost      of memory: what is not acknowledged yet, about a window for each agent; see `room`.
 */
import type { Bytes } from '../../base/units.ts';

/** What a parcel is about; its taker reads the bytes accordingly. */
export const PARCEL = {
  /** URLs for the owner of their domain: see url-parcel.ts. */
  urls: 0,
  /** Links between domains, for the owner of the target: see reputation/edge-parcel.ts. */
  edges: 1,
  /** Links of sampled domains, for everybody: see reputation/supporter-sample.ts. */
  sample: 2,
  /** Where the sender's domains stand, for everybody: see reputation/standing.ts. */
  standing: 3,
} as const;

export interface Parcel {
  readonly from: number;
  /** Rises with every parcel of one sender to one receiver. */
  readonly sequence: number;
  readonly kind: number;
  readonly bytes: Uint8Array;
}

/** A parcel that its receiver has not acknowledged. */
export interface KeptParcel {
  readonly to: number;
  readonly sequence: number;
  readonly kind: number;
  readonly bytes: Uint8Array;
}

/** What an agent's checkpoint holds of its transport. */
export interface TransportState {
  readonly agent: number;
  readonly agents: number;
  /** The last sequence taken in of each agent; 0 when nothing was. */
  readonly received: readonly number[];
  /** What was sent and not acknowledged, for each receiver in the order sent. */
  readonly unacknowledged: readonly KeptParcel[];
}

export interface TransportOptions {
  readonly agent: number;
  readonly agents: number;
  /**
   * How often the crawl was begun before: 0, then 1, … The count must be stored before anything is sent under it. A sender that
   * falls back to its checkpoint would otherwise give new parcels the numbers of those it has forgotten, and the
   * receiver, which has not, would drop them.
   */
  readonly incarnation?: number;
  /** How many bytes may be unacknowledged before `room` makes its callers wait. */
  readonly window?: Bytes;
  /** From the checkpoint: what it says was not acknowledged is sent again. */
  readonly state?: TransportState | undefined;
}

export interface Transport {
  readonly agent: number;
  readonly agents: number;

  /** Sends without waiting. The bytes are the transport's from now on: nobody may change them. */
  send(to: number, kind: number, bytes: Uint8Array): void;
  /**
   * Settles when less than the window is unacknowledged, or at the end. Whoever makes parcels waits for it before making more;
   * whoever takes them in never does, or two agents would wait for each other.
   */
  room(): Promise<void>;
  readonly hasRoom: boolean;
  /** Bytes sent and not acknowledged, to one agent or to all. */
  unacknowledgedBytes(to?: number): Bytes;

  /**
   * Hands every new parcel to `take`, one after the other, until `close`. A parcel counts as received when the promise of
   * `take` has settled; `onIdle` is called when it was the last that had arrived. Rejects with what `take` throws, and
   * when parcels were lost on the way.
   */
  receive(take: TakeParcel, onIdle?: () => void): Promise<void>;
  /** Nothing that arrived waits or is being taken in. */
  readonly idle: boolean;
  /** Says that a checkpoint with these `received` is stored: their senders may forget. Call it after every checkpoint. */
  acknowledge(received: readonly number[]): void;
  /** Bytes taken in and not acknowledged. When they near the window senders are about to wait: time for a checkpoint. */
  readonly owedBytes: Bytes;

  /** For the checkpoint; parcels are not copied. */
  state(): TransportState;
  /** Parcels put on the way, and parcels that arrived and were dealt with, in this run and with repeats: for `Quiescence`. */
  readonly traffic: Traffic;
  /** Sends and takes in no more. What was not acknowledged is still in `state`. */
  close(): void;
}

export type TakeParcel = (parcel: Parcel) => void | Promise<void>;

export interface Traffic {
  readonly sent: number;
  readonly received: number;
}
