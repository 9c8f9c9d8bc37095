/**
 * The transport between agents of a cluster, over a wire that may lose, repeat, delay and reorder
 * messages.
 *
 *   sender                          wire                         receiver
 *   send ─► keeps 7 8 9 ── 7 · 9 ───────────────► has 7; 9 comes after 8: asks for a resend
 *           from 8 on   ◄─ resend, have 7 ──────
 *           8 9 again ──── 8 9 ─────────────────► processes 8, 9
 *           keeps 7 8 9 ◄─ have 9 (a receipt) ───  nothing more is sent again, all are kept
 *           keeps none  ◄─ committed key ────────  its checkpoint is safe: received up to 9
 *
 * Idea      The sender keeps a parcel until the *committed* checkpoint of the receiver holds it, so
 *           it can always send it again. Then a broker need not store parcels, and nothing that a
 *           broker forgets is lost. A receipt only stops the repeats. Every parcel names the one
 *           before it that is still kept: the receiver takes it only if it has that one. So a gap
 *           is seen across incarnations of the sender too.
 * Requires  `peer` is called with the epoch and the committed `received` of every agent, whenever
 *           one of them changes, and in that order. An heir has a higher epoch, and at least the
 *           committed state.
 * Ensures   The guarantees of transport.ts, if of each message sent again and again one arrives.
 * Cost      A message a parcel; a receipt only where none travels back with a parcel in time.
 */
import type { Clock } from '../../base/clock.ts';
import type { Bytes, Millis } from '../../base/units.ts';
import { requireFit } from '../../crawl/transport/fit.ts';
import { Inbox } from '../../crawl/transport/inbox.ts';
import { Outbox } from '../../crawl/transport/outbox.ts';
import type {
  KeptParcel,
  Parcel,
  TakeParcel,
  Traffic,
  Transport,
  TransportOptions,
  TransportState,
} from '../../crawl/transport/transport.ts';
import { decodeFrame, encodeFrame, type ParcelFrame } from './frames.ts';

interface ClusterTransportOptions extends TransportOptions {
  readonly clock: Clock;
  /** Carries a message to an agent, if all goes well. */
  readonly post: (to: number, frame: Uint8Array) => void;
  /** Called when parcels up to these are committed. */
  readonly onAcknowledged?: (received: readonly number[]) => void;
  readonly timing?: Partial<Timing>;
  /** The largest piece of a parcel in one message. */
  readonly mostBytes?: Bytes;
}

interface Timing {
  /** A parcel without receipt is sent again after this time; the time doubles, up to `longest`. */
  readonly retry: Millis;
  readonly longest: Millis;
  /** A receipt travels alone if no parcel went back within this time. */
  readonly receipt: Millis;
  /** A small parcel waits this long for more. */
  readonly parcelAge: Millis;
}

const TIMING: Timing = { retry: 4000, longest: 16_000, receipt: 1000, parcelAge: 1000 };
/** Unacknowledged from one commit to the next, which are a minute apart. */
const WINDOW: Bytes = 64 * 2 ** 20;
/** Sent again in one go, so that a lost receipt does not cost a whole window. */
const MOST_AGAIN: Bytes = 2 ** 20;
/** Below the payload that brokers accept by default, 1 MiB. */
const MOST_BYTES: Bytes = 900 * 1024;

/** What this agent knows of another one. */
class Peer {
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  epoch = 0;
  /** The last sequence that the peer has received, as far as we know. */
  receipt = 0;
  /** Parcels of this run, those of the checkpoint included. */
  ordinals: number;
  firstOrdinal = new Map<number, number>();
  retryAt: Millis = Infinity;
  retryAfter: Millis;
  /** The last sequence that waits to be processed, or is. */
  arrived: number;
  /** The epoch and the last ordinal of the peer's parcels that count as received. */
  fromEpoch = -1;
  covered = 0;
  /** Pieces of a parcel that is not whole yet. */
  pieces: { readonly sequence: number; readonly parts: Uint8Array[] } | undefined;
  owesReceiptAt: Millis = Infinity;
  askedAt: Millis = -Infinity;

  constructor(
    agent: number,
    incarnation: number,
    kept: readonly KeptParcel[],
    received: number,
    retry: Millis,
  ) {
    this.outbox = new Outbox(agent, incarnation, kept);
    this.inbox = new Inbox(agent, received);
    this.arrived = received;
    this.ordinals = kept.length;
    for (const [i, { sequence }] of kept.entries()) this.firstOrdinal.set(sequence, i + 1);
    this.retryAfter = retry;
  }

  /** The last parcel that is kept; 0 if there is none. */
  get head(): number {
    return this.outbox.kept.at(-1)?.sequence ?? 0;
  }
}

export class ClusterTransport implements Transport {
  readonly agent: number;
  readonly agents: number;
  readonly parcelAge: Millis;
  readonly #options: ClusterTransportOptions;
  readonly #timing: Timing;
  readonly #window: Bytes;
  readonly #mostBytes: Bytes;
  readonly #epoch: number;
  readonly #peers = new Map<number, Peer>();
  readonly #arrived: (Parcel & { readonly ordinal: number; readonly epoch: number })[] = [];
  #unacknowledged: Bytes = 0;
  #waitingForRoom: (() => void)[] = [];
  #wakeReceiver: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #timerAt: Millis = Infinity;
  #receiving = false;
  #closed = false;

  constructor(options: ClusterTransportOptions) {
    const { agent, agents, incarnation = 0, window = WINDOW, state } = options;
    requireFit(options);
    this.agent = agent;
    this.agents = agents;
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.parcelAge = this.#timing.parcelAge;
    this.#window = window;
    this.#mostBytes = options.mostBytes ?? MOST_BYTES;
    this.#epoch = incarnation;
    for (let other = 0; other < agents; other++) {
      if (other === agent) continue;
      const kept = state?.unacknowledged.filter(({ to }) => to === other) ?? [];
      const received = state?.received[other] ?? 0;
      const peer = new Peer(other, incarnation, kept, received, this.#timing.retry);
      this.#peers.set(other, peer);
      this.#unacknowledged += peer.outbox.bytes;
      if (kept.length > 0) this.#resendAt(peer, this.#now());
    }
  }

  // —— Sending ——

  send(to: number, kind: number, bytes: Uint8Array): void {
    if (this.#closed) throw new Error('The transport is closed: nothing can be sent.');
    const peer = this.#peer(to);
    const after = peer.head;
    const parcel = peer.outbox.add(kind, bytes);
    peer.firstOrdinal.set(parcel.sequence, ++peer.ordinals);
    this.#unacknowledged += bytes.length;
    this.#post(peer, parcel, after);
    if (peer.retryAt === Infinity) this.#resendAt(peer, this.#now() + peer.retryAfter);
  }

  get hasRoom(): boolean {
    return this.#unacknowledged < this.#window || this.#closed;
  }

  async room(): Promise<void> {
    while (!this.hasRoom) await new Promise<void>((wake) => this.#waitingForRoom.push(wake));
  }

  unacknowledgedBytes(to?: number): Bytes {
    return to === undefined ? this.#unacknowledged : this.#peer(to).outbox.bytes;
  }

  /** What the key of another agent says: who has it, and which of our parcels are safe there. */
  peer(agent: number, epoch: number, received: number): void {
    if (agent === this.agent || this.#closed) return;
    const peer = this.#peer(agent);
    if (epoch < peer.epoch) return;
    this.#forget(peer, received);
    if (epoch > peer.epoch) {
      // An heir has what was committed, and perhaps no more.
      peer.epoch = epoch;
      peer.receipt = received;
      peer.retryAfter = this.#timing.retry;
      if (peer.head > received) this.#resendAt(peer, this.#now());
    } else peer.receipt = Math.max(peer.receipt, received);
  }

  #forget(peer: Peer, received: number): void {
    const before = peer.outbox.bytes;
    peer.outbox.acknowledge(received);
    this.#unacknowledged -= before - peer.outbox.bytes;
    for (const sequence of peer.firstOrdinal.keys()) {
      if (sequence > received) break;
      peer.firstOrdinal.delete(sequence);
    }
    if (this.hasRoom) this.#letIn();
  }

  /** `after` is the parcel before it that is kept. */
  #post(peer: Peer, { sequence, kind, bytes, to }: KeptParcel, after: number): void {
    const pieces = Math.max(1, Math.ceil(bytes.length / this.#mostBytes));
    const ordinal = peer.firstOrdinal.get(sequence) ?? 0;
    for (let piece = 0; piece < pieces; piece++) {
      const part = bytes.subarray(piece * this.#mostBytes, (piece + 1) * this.#mostBytes);
      const about = { type: 'parcel', kind, sequence, after, ordinal, piece, pieces } as const;
      const { arrived: have } = peer;
      this.#options.post(to, encodeFrame({ ...about, epoch: this.#epoch, have, bytes: part }));
    }
    peer.owesReceiptAt = Infinity;
  }

  /** Sends again what the peer is not known to have. */
  #resend(peer: Peer): void {
    let [after, again] = [0, 0];
    for (const parcel of peer.outbox.kept) {
      if (parcel.sequence > peer.receipt) {
        this.#post(peer, parcel, after);
        again += parcel.bytes.length;
        if (again > MOST_AGAIN) break;
      }
      after = parcel.sequence;
    }
    if (again === 0 && peer.head <= peer.receipt) {
      peer.retryAt = Infinity;
      return;
    }
    this.#resendAt(peer, this.#now() + peer.retryAfter);
    peer.retryAfter = Math.min(2 * peer.retryAfter, this.#timing.longest);
  }

  #resendAt(peer: Peer, at: Millis): void {
    peer.retryAt = at;
    this.#wakeAt(at);
  }

  // —— Receiving ——

  /** A message of another agent has arrived. */
  deliver(from: number, bytes: Uint8Array): void {
    const peer = this.#peers.get(from);
    const frame = this.#closed ? undefined : decodeFrame(bytes);
    if (!peer || !frame) return;
    this.#gotReceipt(peer, frame.epoch, frame.have, frame.type === 'resend');
    if (frame.type === 'parcel') this.#gotParcel(from, peer, frame);
  }

  /** Only the agent of the current epoch can say what the agent has. */
  #gotReceipt(peer: Peer, epoch: number, have: number, again: boolean): void {
    if (epoch < peer.epoch) return;
    if (have > peer.receipt) {
      peer.receipt = have;
      peer.retryAfter = this.#timing.retry;
    }
    if (peer.head <= peer.receipt) peer.retryAt = Infinity;
    else if (again) this.#resend(peer);
  }

  #gotParcel(from: number, peer: Peer, frame: ParcelFrame): void {
    const { epoch, sequence, after, ordinal } = frame;
    if (sequence <= peer.arrived) {
      this.#cover(peer, epoch, sequence <= peer.inbox.received ? ordinal : 0);
      this.#oweReceipt(peer, this.#timing.receipt / 4);
      return;
    }
    const whole = after > peer.arrived ? 'gap' : assemble(peer, frame);
    if (whole === 'gap') this.#askAgain(from, peer);
    if (whole === 'gap' || whole === 'more') return;
    peer.arrived = sequence;
    this.#arrived.push({ from, sequence, kind: frame.kind, bytes: whole, ordinal, epoch });
    this.#oweReceipt(peer, this.#timing.receipt);
    this.#wakeReceiver?.();
  }

  /** At most one question in the time of a receipt: many parcels may follow a gap. */
  #askAgain(from: number, peer: Peer): void {
    const now = this.#now();
    if (now < peer.askedAt + this.#timing.receipt / 4) return;
    peer.askedAt = now;
    const receipt = { type: 'resend', epoch: this.#epoch, have: peer.arrived } as const;
    this.#options.post(from, encodeFrame(receipt));
  }

  #oweReceipt(peer: Peer, within: Millis): void {
    peer.owesReceiptAt = Math.min(peer.owesReceiptAt, this.#now() + within);
    this.#wakeAt(peer.owesReceiptAt);
  }

  /** Counts parcels as received, each once however often it came. */
  #cover(peer: Peer, epoch: number, ordinal: number): void {
    if (epoch < peer.fromEpoch) return;
    if (epoch > peer.fromEpoch) [peer.fromEpoch, peer.covered] = [epoch, 0];
    peer.covered = Math.max(peer.covered, ordinal);
  }

  async receive(take: TakeParcel, onIdle: () => void = () => {}): Promise<void> {
    if (this.#receiving) throw new Error('Parcels are being received already.');
    this.#receiving = true;
    while (!this.#closed) {
      // It stays first in the queue until it is processed, so that `idle` never misses it.
      const parcel = this.#arrived[0];
      if (!parcel) {
        await this.#arrival();
        continue;
      }
      await take(parcel);
      const peer = this.#peer(parcel.from);
      peer.inbox.took(parcel.sequence, parcel.bytes.length);
      this.#cover(peer, parcel.epoch, parcel.ordinal);
      this.#arrived.shift();
      if (this.idle) onIdle();
    }
  }

  get idle(): boolean {
    return this.#arrived.length === 0;
  }

  acknowledge(received: readonly number[]): void {
    let isNew = false;
    for (const [from, { inbox }] of this.#peers)
      if (inbox.acknowledge(received[from])) isNew = true;
    if (isNew && !this.#closed) this.#options.onAcknowledged?.(received);
  }

  get owedBytes(): Bytes {
    let bytes = 0;
    for (const { inbox } of this.#peers.values()) bytes += inbox.owedBytes;
    return bytes;
  }

  /** Half of what one sender may keep for us, if it has as much for all others. */
  get overdue(): boolean {
    const share = this.#window / 2 / Math.max(1, this.agents - 1);
    for (const { inbox } of this.#peers.values()) if (inbox.owedBytes > share) return true;
    return false;
  }

  // —— State ——

  state(): TransportState {
    return {
      agent: this.agent,
      agents: this.agents,
      received: this.received,
      unacknowledged: [...this.#peers.values()].flatMap(({ outbox }) => outbox.kept),
    };
  }

  /** The last sequence processed from each agent. */
  get received(): number[] {
    return this.#each((peer) => peer.inbox.received);
  }

  /** The last sequence sent to each agent and not committed there; 0 if there is none. */
  get heads(): number[] {
    return this.#each((peer) => peer.head);
  }

  #each(of: (peer: Peer) => number): number[] {
    return Array.from({ length: this.agents }, (_, agent) => {
      const peer = this.#peers.get(agent);
      return peer ? of(peer) : 0;
    });
  }

  get traffic(): Traffic {
    let [sent, received] = [0, 0];
    for (const { ordinals, covered } of this.#peers.values()) {
      sent += ordinals;
      received += covered;
    }
    return { sent, received };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelTimer?.();
    this.#wakeReceiver?.();
    this.#letIn();
  }

  #peer(agent: number): Peer {
    const peer = this.#peers.get(agent);
    if (!peer)
      throw new Error(`Agent ${this.agent} of ${this.agents} has no link to agent ${agent}.`);
    return peer;
  }

  #letIn(): void {
    for (const wake of this.#waitingForRoom.splice(0)) wake();
  }

  async #arrival(): Promise<void> {
    await new Promise<void>((wake) => {
      this.#wakeReceiver = wake;
    });
    this.#wakeReceiver = undefined;
  }

  // —— Time ——

  #now(): Millis {
    return this.#options.clock.now();
  }

  #wakeAt(at: Millis): void {
    if (at >= this.#timerAt || this.#closed) return;
    this.#cancelTimer?.();
    this.#timerAt = at;
    this.#cancelTimer = this.#options.clock.after(Math.max(0, at - this.#now()), () => this.#due());
  }

  #due(): void {
    this.#timerAt = Infinity;
    if (this.#closed) return;
    const now = this.#now();
    let next = Infinity;
    for (const [agent, peer] of this.#peers) {
      if (peer.retryAt <= now) this.#resend(peer);
      if (peer.owesReceiptAt <= now) {
        peer.owesReceiptAt = Infinity;
        const receipt = { type: 'receipt', epoch: this.#epoch, have: peer.arrived } as const;
        this.#options.post(agent, encodeFrame(receipt));
      }
      next = Math.min(next, peer.retryAt, peer.owesReceiptAt);
    }
    if (next < Infinity) this.#wakeAt(next);
  }
}

/** The whole parcel, if this was its last piece. */
function assemble(peer: Peer, { sequence, piece, pieces, bytes }: ParcelFrame) {
  if (pieces === 1) return bytes;
  if (piece === 0) peer.pieces = { sequence, parts: [] };
  const begun = peer.pieces;
  if (begun?.sequence !== sequence || begun.parts.length !== piece) {
    return begun?.sequence === sequence && piece < begun.parts.length ? 'more' : 'gap';
  }
  begun.parts.push(bytes);
  if (begun.parts.length < pieces) return 'more';
  peer.pieces = undefined;
  const whole = new Uint8Array(begun.parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of begun.parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
