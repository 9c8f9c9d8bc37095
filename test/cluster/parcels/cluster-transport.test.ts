/** The transport of a cluster on wires that do what networks do. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { ClusterTransport } from '../../../src/cluster/parcels/cluster-transport.ts';
import { decodeFrame, encodeFrame } from '../../../src/cluster/parcels/frames.ts';
import type { Transport } from '../../../src/crawl/transport/transport.ts';
import {
  type OpenOptions,
  transportConformance,
} from '../../crawl/transport/transport-conformance.ts';
import { virtualClock } from '../../fetch/virtual-clock.ts';

interface Faults {
  /** The shares of messages that are lost, that come twice, and that come late. */
  readonly lost: number;
  readonly twice: number;
  readonly late: number;
}

const TIMING = { retry: 8, longest: 30, receipt: 4, parcelAge: 0 };

/** Transports on one wire; commits reach the others as the keys of agents do. */
function wired(faults: Faults, mostBytes = 4) {
  let seed = 1;
  const random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  return (agents: number, { states, ...options }: OpenOptions = {}): Transport[] => {
    const transports: ClusterTransport[] = [];
    const epoch = (options.incarnation ?? 0) + 1;
    const committed = (agent: number, received: readonly number[]) =>
      queueMicrotask(() => {
        for (const other of transports)
          if (other.agent !== agent) other.peer(agent, epoch, received[other.agent]);
      });
    const post = (from: number) => (to: number, frame: Uint8Array) => {
      const copies = random() < faults.lost ? 0 : random() < faults.twice ? 2 : 1;
      for (let i = 0; i < copies; i++) {
        const deliver = () => transports[to].deliver(from, frame);
        if (random() < faults.late) setTimeout(deliver, 12 * random());
        else queueMicrotask(deliver);
      }
    };
    for (let agent = 0; agent < agents; agent++) {
      transports.push(
        new ClusterTransport({
          ...{ ...options, agent, agents, state: states?.[agent], clock: systemClock },
          ...{ timing: TIMING, mostBytes, post: post(agent) },
          onAcknowledged: (received) => committed(agent, received),
        }),
      );
      const state = states?.[agent];
      if (state) committed(agent, state.received);
    }
    return transports;
  };
}

transportConformance({
  name: 'cluster transports on a wire without faults',
  open: wired({ lost: 0, twice: 0, late: 0 }, 2 ** 16),
});
transportConformance({
  name: 'cluster transports on a wire that loses, repeats and delays messages, in pieces of four bytes',
  loses: true,
  open: wired({ lost: 0.25, twice: 0.2, late: 0.3 }),
});

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** One agent, and what it posts; frames of others are made by hand. */
function alone(clock: Clock = systemClock) {
  const posted: { to: number; frame: Uint8Array }[] = [];
  const transport = new ClusterTransport({
    ...{ agent: 1, agents: 2, incarnation: 1, clock, timing: TIMING },
    post: (to, frame) => void posted.push({ to, frame }),
  });
  const taken: string[] = [];
  void transport.receive(({ bytes }) => void taken.push(text(bytes)));
  return { transport, posted, taken };
}

const parcel = (sequence: number, after: number, content: string, epoch = 1) =>
  encodeFrame({
    ...{ type: 'parcel', kind: 0, sequence, after, ordinal: 0, piece: 0, pieces: 1 },
    ...{ epoch, have: 0, bytes: Buffer.from(content) },
  });

describe('a receiver', () => {
  test('takes the first parcel of an incarnation only after the one that it names: the predecessor check', async () => {
    const { transport, posted, taken } = alone();
    const first = 2 ** 32 + 1;
    transport.deliver(0, parcel(first, 7, 'new'));
    await turn();
    expect(taken).toEqual([]);
    expect(posted.map(({ frame }) => decodeFrame(frame))).toMatchObject([
      { type: 'resend', have: 0 },
    ]);
    transport.deliver(0, parcel(7, 0, 'kept'));
    transport.deliver(0, parcel(first, 7, 'new'));
    await turn();
    expect(taken).toEqual(['kept', 'new']);
    transport.close();
  });

  test('drops what an owner of before sends after its heir has begun', async () => {
    const { transport, taken } = alone();
    transport.deliver(0, parcel(2 ** 32 + 1, 0, 'of the heir', 2));
    transport.deliver(0, parcel(5, 0, 'of the one before'));
    await turn();
    expect(taken).toEqual(['of the heir']);
    transport.close();
  });

  test('ignores bytes that are no message', () => {
    const { transport, taken } = alone();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        if (bytes.length > 0) bytes[0] = Math.max(4, bytes[0]);
        transport.deliver(0, bytes);
      }),
    );
    expect(taken).toEqual([]);
    transport.close();
  });
});

describe('a sender', () => {
  test('sends an heir everything that is not committed, although the one before had it', async () => {
    const { transport, posted } = alone();
    transport.peer(0, 3, 0);
    transport.send(0, 0, Buffer.from('a'));
    transport.send(0, 0, Buffer.from('b'));
    const have = 2 ** 32 + 2;
    transport.deliver(0, encodeFrame({ type: 'receipt', epoch: 3, have }));
    posted.length = 0;
    transport.peer(0, 4, 2 ** 32 + 1);
    // The last words of the one before.
    transport.deliver(0, encodeFrame({ type: 'receipt', epoch: 3, have }));
    while (posted.length === 0) await turn();
    const again = posted.map(({ frame }) => decodeFrame(frame));
    expect(again).toMatchObject([{ sequence: have, after: 0 }]);
    transport.close();
  });

  test('sends nothing again that the receiver has, and keeps it until it is committed', async () => {
    const clock = virtualClock();
    const pass = async (time: number) => {
      await turn();
      clock.advance(time);
      await turn();
    };
    const { transport, posted } = alone(clock);
    transport.send(0, 0, Buffer.from('a'));
    await pass(TIMING.longest);
    expect(posted.length).toBeGreaterThan(1);
    transport.deliver(0, encodeFrame({ type: 'receipt', epoch: 1, have: 2 ** 32 + 1 }));
    posted.length = 0;
    await pass(10 * TIMING.longest);
    expect(posted).toEqual([]);
    expect(transport.heads).toEqual([2 ** 32 + 1, 0]);
    transport.peer(0, 1, 2 ** 32 + 1);
    expect([transport.heads, transport.state().unacknowledged]).toEqual([[0, 0], []]);
    transport.close();
  });
});

test('a frame is decoded from its bytes unchanged', () => {
  const number = fc.nat();
  const frame = fc.record({
    type: fc.constant('parcel' as const),
    ...{ kind: fc.nat(255), piece: fc.nat(65535), pieces: fc.nat(65535), ordinal: number },
    ...{ epoch: number, have: number, sequence: fc.maxSafeNat(), after: fc.maxSafeNat() },
    bytes: fc.uint8Array({ maxLength: 9 }),
  });
  fc.assert(
    fc.property(frame, (made) => {
      expect(decodeFrame(encodeFrame(made))).toEqual(made);
    }),
  );
});
