/**
 * The guarantees of every transport, whatever carries the parcels. To test a new transport, call
 * `transportConformance`.
 */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type {
  TakeParcel,
  Transport,
  TransportOptions,
  TransportState,
} from '../../../src/crawl/transport/transport.ts';

export interface Subject {
  readonly name: string;
  /** Messages are lost on the way: only what is sent again arrives. */
  readonly loses?: true;
  /** A transport for each agent, all connected. */
  open(agents: number, options?: OpenOptions): Transport[];
}

export interface OpenOptions extends Pick<TransportOptions, 'incarnation' | 'window'> {
  readonly states?: readonly (TransportState | undefined)[];
}

/** Collects the parcels of an agent as texts by sender; `close` throws if receiving failed. */
class Taker {
  readonly taken: string[] = [];
  readonly #loop: Promise<void>;

  constructor(transport: Transport, hold: TakeParcel = () => {}, onIdle?: () => void) {
    this.#loop = transport.receive(async (parcel) => {
      await hold(parcel);
      this.taken.push(`${parcel.from}:${parcel.kind}:${text(parcel.bytes)}`);
    }, onIdle);
    this.#loop.catch(() => {});
  }

  ended(): Promise<void> {
    return this.#loop;
  }
}

const bytes = (content: string) => Uint8Array.from(Buffer.from(content));
const text = (content: Uint8Array) => Buffer.from(content).toString();
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Waits until a condition holds, up to the time limit of the test. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

/** Whether every parcel sent is processed. */
async function settled(transports: readonly Transport[]): Promise<void> {
  const sum = (counter: 'sent' | 'received') =>
    transports.reduce((n, { traffic }) => n + traffic[counter], 0);
  await until(() => sum('sent') === sum('received'));
}

export function transportConformance(subject: Subject): void {
  describe(subject.name, () => {
    const opened = (agents: number, options?: OpenOptions): Transport[] => {
      const transports = subject.open(agents, options);
      onTestFinished(() => {
        for (const transport of transports) transport.close();
      });
      return transports;
    };

    test('every parcel is processed once, by its receiver, in the order of its sender', async () => {
      const parcel = fc.record({
        from: fc.nat(2),
        step: fc.integer({ min: 1, max: 2 }),
        kind: fc.nat(3),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(parcel, { maxLength: 30 }), async (parcels) => {
          const transports = subject.open(3);
          const takers = transports.map((transport) => new Taker(transport));
          const expected: string[][][] = [0, 1, 2].map(() => [[], [], []]);
          for (const [i, { from, step, kind }] of parcels.entries()) {
            const to = (from + step) % 3;
            transports[from].send(to, kind, bytes(`p${i}`));
            expected[to][from].push(`${from}:${kind}:p${i}`);
          }
          await settled(transports);
          for (const [to, { taken }] of takers.entries()) {
            const bySender = [0, 1, 2].map((from) =>
              taken.filter((entry) => entry.startsWith(`${from}:`)),
            );
            expect(bySender).toEqual(expected[to]);
          }
          for (const transport of transports) transport.close();
          await Promise.all(takers.map((taker) => taker.ended()));
        }),
        { numRuns: 30 },
      );
    });

    test('the sender keeps unacknowledged parcels, and no others', async () => {
      const transports = opened(2);
      const [a, b] = transports;
      new Taker(b);
      for (const content of ['one', 'two', 'three']) a.send(1, 0, bytes(content));
      await settled(transports);
      expect([a.unacknowledgedBytes(), a.unacknowledgedBytes(1), b.owedBytes]).toEqual([
        11, 11, 11,
      ]);
      expect(b.state().received).toEqual([3, 0]);
      b.acknowledge([2, 0]);
      await until(() => a.unacknowledgedBytes() === 5);
      expect(b.owedBytes).toBe(5);
      expect(
        a.state().unacknowledged.map((kept) => [kept.to, kept.sequence, text(kept.bytes)]),
      ).toEqual([[1, 3, 'three']]);
      b.acknowledge(b.state().received);
      await until(() => a.unacknowledgedBytes() === 0);
      expect(a.state().unacknowledged).toEqual([]);
    });

    test('room waits while a window is unacknowledged, and no longer', async () => {
      const transports = opened(2, { window: 10 });
      const [a, b] = transports;
      new Taker(b);
      await a.room();
      a.send(1, 0, bytes('123456789'));
      expect(a.hasRoom).toBe(true);
      a.send(1, 0, bytes('0'));
      expect(a.hasRoom).toBe(false);
      let entered = 0;
      const waiting = [a.room(), a.room()].map((room) => room.then(() => entered++));
      await settled(transports);
      await turn();
      expect(entered).toBe(0);
      b.acknowledge([1, 0]);
      await Promise.all(waiting);
      expect([entered, a.unacknowledgedBytes()]).toEqual([2, 1]);
    });

    test('close resolves room, ends receive, and keeps unacknowledged parcels', async () => {
      const [a, b] = opened(2, { window: 1 });
      const taker = new Taker(a);
      a.send(1, 0, bytes('kept'));
      const waiting = a.room();
      a.close();
      a.close();
      await Promise.all([waiting, taker.ended()]);
      expect(() => a.send(1, 0, bytes('late'))).toThrow('closed');
      expect(a.state().unacknowledged.map((kept) => text(kept.bytes))).toEqual(['kept']);
      b.close();
    });

    test('a parcel sent before its sender closed still arrives, or is kept for its next run', async () => {
      const [a, b] = opened(2);
      const taker = new Taker(b);
      for (let i = 0; i < 100; i++) a.send(1, 0, bytes(`${i}`));
      a.close();
      if (subject.loses) expect(a.state().unacknowledged.length).toBe(100);
      else await until(() => taker.taken.length === 100);
    });

    test('is idle only when every parcel is processed, and reports when it becomes idle', async () => {
      const [a, b] = opened(2);
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      expect(b.idle).toBe(true);
      a.send(1, 0, bytes('x'));
      a.send(1, 0, bytes('y'));
      await until(() => !b.idle);
      await turn();
      const receivedWhenIdle: number[] = [];
      const onIdle = () => receivedWhenIdle.push(b.traffic.received);
      const taker = new Taker(b, () => held, onIdle);
      await turn();
      expect([b.idle, b.traffic.received, b.state().received[0]]).toEqual([false, 0, 0]);
      release();
      await until(() => b.idle && (!subject.loses || b.traffic.received === 2));
      expect([taker.taken.length, b.traffic.received, b.state().received[0]]).toEqual([2, 2, 2]);
      expect(subject.loses ? receivedWhenIdle.slice(-1) : receivedWhenIdle).toEqual([2]);
    });

    test('an error of take ends receive with that error, and the parcel does not count as received', async () => {
      const [a, b] = opened(2);
      const taker = new Taker(b, () => {
        throw new Error('no room on the disk');
      });
      a.send(1, 0, bytes('x'));
      await expect(taker.ended()).rejects.toThrow('no room on the disk');
      expect(b.state().received).toEqual([0, 0]);
    });

    test('after a crash of the receiver, parcels missing in its checkpoint are sent again, the others are forgotten', async () => {
      const before = opened(2);
      const taker = new Taker(before[1]);
      before[0].send(1, 4, bytes('safe'));
      await settled(before);
      const checkpoint = before[1].state();
      before[0].send(1, 4, bytes('forgotten'));
      await settled(before);
      expect(taker.taken).toEqual(['0:4:safe', '0:4:forgotten']);
      const states = [before[0].state(), checkpoint];
      for (const transport of before) transport.close();

      const after = opened(2, { incarnation: 1, states });
      const again = new Taker(after[1]);
      expect(after[0].unacknowledgedBytes()).toBe(13);
      await settled(after);
      expect(again.taken).toEqual(['0:4:forgotten']);
      expect(after[0].state().unacknowledged.map((kept) => text(kept.bytes))).toEqual([
        'forgotten',
      ]);
    });

    test('after a crash of the sender, new parcels are not mistaken for those it has forgotten', async () => {
      const before = opened(2);
      new Taker(before[1]);
      const checkpoint = before[0].state();
      before[0].send(1, 0, bytes('forgotten by the sender'));
      await settled(before);
      const states = [checkpoint, before[1].state()];
      for (const transport of before) transport.close();

      const after = opened(2, { incarnation: 1, states });
      const taker = new Taker(after[1]);
      after[0].send(1, 0, bytes('something else'));
      await settled(after);
      expect(taker.taken).toEqual(['0:0:something else']);
    });

    test('a view of a large buffer arrives as the bytes of the view', async () => {
      const [a, b] = opened(2);
      const arrived: Uint8Array[] = [];
      void b.receive((parcel) => void arrived.push(parcel.bytes));
      a.send(1, 0, bytes('a large buffer').subarray(2, 7));
      a.send(1, 0, new Uint8Array(0));
      await until(() => arrived.length === 2);
      expect(arrived.map((view) => [text(view), view.buffer.byteLength])).toEqual([
        ['large', 5],
        ['', 0],
      ]);
    });

    test('a single agent needs no other', async () => {
      const [solo] = opened(1);
      const taker = new Taker(solo);
      await solo.room();
      expect([solo.idle, solo.traffic]).toEqual([true, { sent: 0, received: 0 }]);
      solo.acknowledge(solo.state().received);
      expect(solo.state()).toEqual({ agent: 0, agents: 1, received: [0], unacknowledged: [] });
      solo.close();
      await taker.ended();
    });

    test('rejects invalid calls', () => {
      const [a, b] = opened(2);
      expect(() => a.send(0, 0, bytes('x'))).toThrow('no link to agent 0');
      expect(() => a.send(2, 0, bytes('x'))).toThrow('no link to agent 2');
      expect(() => b.acknowledge([1, 0])).toThrow('was not received');
      expect(() => opened(3, { states: [a.state()] })).toThrow('The state of agent 0 of 2');
      expect(() => opened(2, { incarnation: 2 ** 21 })).toThrow('not the number of an incarnation');
    });
  });
}
