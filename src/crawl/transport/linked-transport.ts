/**
 * The transport over links. A link carries messages between two agents, reliably and in order:
 * message ports do, and so does plain memory in tests.
 *
 * Ensures   The guarantees of transport.ts, given such links. At the start each side acknowledges
 *           what its checkpoint holds, and sends again what the other has not acknowledged.
 * Cost      One message per parcel, one per acknowledgement.
 */
import type { Bytes, Millis } from '../../base/units.ts';
import { requireFit } from './fit.ts';
import { Inbox } from './inbox.ts';
import { Outbox } from './outbox.ts';
import type {
  Parcel,
  TakeParcel,
  Traffic,
  Transport,
  TransportOptions,
  TransportState,
} from './transport.ts';

/** A message on a link: a parcel, or the acknowledgement of everything up to a sequence. */
export type LinkMessage = Omit<Parcel, 'from'> | { readonly acknowledged: number };

/** One agent's end of the link to another: reliable, in order. */
interface Link {
  post(message: LinkMessage): void;
  close(): void;
}

/**
 * Opens the link to a peer. The link calls `deliver` with each message of the peer, never before
 * this function has returned.
 */
export type OpenLink = (peer: number, deliver: (message: LinkMessage) => void) => Link;

interface Peer {
  readonly link: Link;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
}

/** Enough for the parcels between two checkpoints at 1,000 pages per second; see docs/agents.md. */
const WINDOW: Bytes = 16 * 2 ** 20;
/**
 * How much may be received since the last checkpoint before another is made early: senders keep
 * what no checkpoint of the receiver holds, and wait when it is too much (see `Transport.room`).
 */
const MOST_OWED: Bytes = 6 * 2 ** 20;
/** A message port costs little. */
const PARCEL_AGE: Millis = 100;

export class LinkedTransport implements Transport {
  readonly agent: number;
  readonly agents: number;
  readonly parcelAge = PARCEL_AGE;
  readonly #window: Bytes;
  readonly #peers = new Map<number, Peer>();
  /** Parcels that arrived and are not processed yet, in order. */
  readonly #arrived: Parcel[] = [];
  #sent = 0;
  #received = 0;
  #unacknowledged: Bytes = 0;
  #waitingForRoom: (() => void)[] = [];
  #wakeReceiver: (() => void) | undefined;
  #receiving = false;
  #closed = false;

  constructor(options: TransportOptions, open: OpenLink) {
    const { agent, agents, incarnation = 0, window = WINDOW, state } = options;
    requireFit(options);
    this.agent = agent;
    this.agents = agents;
    this.#window = window;
    for (let peer = 0; peer < agents; peer++) {
      if (peer === agent) continue;
      const kept = state?.unacknowledged.filter(({ to }) => to === peer);
      this.#peers.set(peer, {
        link: open(peer, (message) => this.#deliver(peer, message)),
        outbox: new Outbox(peer, incarnation, kept),
        inbox: new Inbox(peer, state?.received[peer]),
      });
    }
    for (const peer of this.#peers.values()) this.#greet(peer);
  }

  send(to: number, kind: number, bytes: Uint8Array): void {
    if (this.#closed) throw new Error('The transport is closed: nothing can be sent.');
    const { outbox, link } = this.#peer(to);
    const { sequence } = outbox.add(kind, bytes);
    this.#unacknowledged += bytes.length;
    this.#sent++;
    link.post({ sequence, kind, bytes });
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

  async receive(take: TakeParcel, onIdle: () => void = () => {}): Promise<void> {
    if (this.#receiving) throw new Error('Parcels are being received already.');
    this.#receiving = true;
    while (!this.#closed) {
      // It stays first in the queue until it is processed, so that `idle` never misses it.
      if (this.#arrived.length === 0) await this.#arrival();
      else {
        await this.#takeIn(this.#arrived[0], take);
        this.#arrived.shift();
        if (this.idle) onIdle();
      }
    }
  }

  get idle(): boolean {
    return this.#arrived.length === 0;
  }

  acknowledge(received: readonly number[]): void {
    for (const [from, { inbox, link }] of this.#peers) {
      if (inbox.acknowledge(received[from]) && !this.#closed)
        link.post({ acknowledged: received[from] });
    }
  }

  get owedBytes(): Bytes {
    let bytes = 0;
    for (const { inbox } of this.#peers.values()) bytes += inbox.owedBytes;
    return bytes;
  }

  get overdue(): boolean {
    return this.owedBytes >= MOST_OWED / Math.max(1, this.agents - 1);
  }

  state(): TransportState {
    const peers = [...this.#peers.values()];
    return {
      agent: this.agent,
      agents: this.agents,
      received: Array.from(
        { length: this.agents },
        (_, from) => this.#peers.get(from)?.inbox.received ?? 0,
      ),
      unacknowledged: peers.flatMap(({ outbox }) => outbox.kept),
    };
  }

  get traffic(): Traffic {
    return { sent: this.#sent, received: this.#received };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { link } of this.#peers.values()) link.close();
    this.#wakeReceiver?.();
    this.#letIn();
  }

  #peer(agent: number): Peer {
    const peer = this.#peers.get(agent);
    if (!peer)
      throw new Error(`Agent ${this.agent} of ${this.agents} has no link to agent ${agent}.`);
    return peer;
  }

  #greet({ link, outbox, inbox }: Peer): void {
    if (inbox.acknowledged > 0) link.post({ acknowledged: inbox.acknowledged });
    for (const { sequence, kind, bytes } of outbox.kept) link.post({ sequence, kind, bytes });
    this.#sent += outbox.kept.length;
    this.#unacknowledged += outbox.bytes;
  }

  #deliver(from: number, message: LinkMessage): void {
    if (this.#closed) return;
    if ('acknowledged' in message) {
      const { outbox } = this.#peer(from);
      const before = outbox.bytes;
      outbox.acknowledge(message.acknowledged);
      this.#unacknowledged -= before - outbox.bytes;
      if (this.hasRoom) this.#letIn();
      return;
    }
    this.#arrived.push({ from, ...message });
    this.#wakeReceiver?.();
  }

  #letIn(): void {
    for (const wake of this.#waitingForRoom.splice(0)) wake();
  }

  /** A repeat needs no new acknowledgement: the greeting was one, and links lose nothing. */
  async #takeIn(parcel: Parcel, take: TakeParcel): Promise<void> {
    const { inbox } = this.#peer(parcel.from);
    if (inbox.isNew(parcel.sequence)) {
      await take(parcel);
      inbox.took(parcel.sequence, parcel.bytes.length);
    }
    this.#received++;
  }

  async #arrival(): Promise<void> {
    await new Promise<void>((wake) => {
      this.#wakeReceiver = wake;
    });
    this.#wakeReceiver = undefined;
  }
}
