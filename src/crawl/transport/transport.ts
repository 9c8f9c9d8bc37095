/**
 * Parcels between agents, and the guarantees of their transport.
 *
 * Idea      The sender keeps a parcel until the receiver's checkpoint contains it. Then no agent
 *           needs to know about another's checkpoint, and a crash of either side loses nothing:
 *           what the receiver forgot is sent again, and what it remembers is recognised by its
 *           number and dropped.
 *
 *             sender                                   receiver
 *             send ──► keeps 7 8 9 ──── 7 8 9 ───────► processes 7 8 9, once and in order
 *                      keeps     9 ◄─── up to 8 ────── acknowledges what its checkpoint holds
 *                      └─ state(), in its own checkpoint
 *
 * Requires  The caller does not change bytes after sending them, and never uses an incarnation
 *           number twice (see `TransportOptions`). An agent's checkpoint holds its transport's
 *           `state()` together with the effects of the parcels processed, and with the state that
 *           made it send.
 * Ensures   Every parcel is processed at least once, and exactly once while no agent crashes;
 *           parcels of one sender are processed in the order sent. After a crash, the sender does
 *           its lost work again and sends it under new numbers, so receivers must tolerate
 *           repeated content (the sieve and every DRUM do).
 * Cost      Memory for unacknowledged parcels, about one window per agent; see `room`.
 */
import type { Bytes, Millis } from '../../base/units.ts';

/** The kinds of parcels; the receiver reads the bytes accordingly. */
export const PARCEL = {
  /** URLs for the owner of their domain: see url-parcel.ts. */
  urls: 0,
  /** Links between domains, for the owner of the target: see reputation/edges/edge-parcel.ts. */
  edges: 1,
  /** Links of sampled domains, for all agents: see reputation/edges/supporter-sample.ts. */
  sample: 2,
  /** The standing of the sender's domains, for all agents: see reputation/budget/standing.ts. */
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

/** The part of an agent's checkpoint that belongs to its transport. */
export interface TransportState {
  readonly agent: number;
  readonly agents: number;
  /** The last sequence processed from each agent; 0 if there is none. */
  readonly received: readonly number[];
  /** The parcels sent and not acknowledged, for each receiver in the order sent. */
  readonly unacknowledged: readonly KeptParcel[];
}

export interface TransportOptions {
  readonly agent: number;
  readonly agents: number;
  /**
   * The number of earlier runs of the crawl: 0, then 1, … It must be stored before anything is sent
   * under it. Otherwise a sender that falls back to its checkpoint would reuse the numbers of
   * parcels that it has forgotten, and the receiver would drop the new ones as repeats.
   */
  readonly incarnation?: number;
  /** The bytes that may be unacknowledged before `room` makes its callers wait. */
  readonly window?: Bytes;
  /** The state from the checkpoint; its unacknowledged parcels are sent again. */
  readonly state?: TransportState | undefined;
}

export interface Transport {
  readonly agent: number;
  readonly agents: number;

  /** Sends without waiting. The caller must not change the bytes afterwards. */
  send(to: number, kind: number, bytes: Uint8Array): void;
  /**
   * Resolves when less than the window is unacknowledged, or at the end. A producer of parcels
   * waits for it before making more; a receiver never does, or two agents would wait for each
   * other.
   */
  room(): Promise<void>;
  readonly hasRoom: boolean;
  /** Bytes sent and not acknowledged, to one agent or to all. */
  unacknowledgedBytes(to?: number): Bytes;

  /**
   * Passes every new parcel to `take`, one after the other, until `close`. A parcel counts as
   * received when the promise of `take` has settled; `onIdle` is called if no other has arrived by
   * then. Rejects with the error of `take`, or if parcels were lost on the way.
   */
  receive(take: TakeParcel, onIdle?: () => void): Promise<void>;
  /** Whether every parcel that arrived is processed. */
  readonly idle: boolean;
  /** Acknowledges a checkpoint with these `received`, after which the senders may forget them. */
  acknowledge(received: readonly number[]): void;
  /**
   * Bytes processed and not acknowledged. When they come near the window, senders are about to
   * wait: time for a checkpoint.
   */
  readonly owedBytes: Bytes;
  /** So much is owed that a checkpoint should come early. */
  readonly overdue: boolean;
  /** How long a small parcel waits for more: each message has its price. */
  readonly parcelAge: Millis;

  /** The state for the checkpoint; parcels are not copied. */
  state(): TransportState;
  /** Parcels sent and parcels processed in this run, with repeats: for `Quiescence`. */
  readonly traffic: Traffic;
  /** Stops sending and receiving. Unacknowledged parcels are still in `state`. */
  close(): void;
}

export type TakeParcel = (parcel: Parcel) => void | Promise<void>;

export interface Traffic {
  readonly sent: number;
  readonly received: number;
}
