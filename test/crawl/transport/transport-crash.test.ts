/**
 * The guarantees of the transport in a model of a crawl: agents discover things for each other,
 * make checkpoints at any time, and fall back to them when the process is killed. No discovery is
 * lost.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryTransports } from '../../../src/crawl/transport/memory-transport.ts';
import type { Transport, TransportState } from '../../../src/crawl/transport/transport.ts';
import {
  decodeTransportState,
  encodeTransportState,
  undelivered,
} from '../../../src/crawl/transport/transport-state.ts';

const AGENTS = 3;
/**
 * Each agent discovers things 0 to 29 in order; thing `t` of agent `a` is for agent (a + 1 + t % 2)
 * % 3.
 */
const THINGS = 30;

interface Checkpoint {
  readonly found: number;
  readonly owned: readonly string[];
  readonly transport: Uint8Array | undefined;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

class ModelCrawl {
  #checkpoints: Checkpoint[] = Array.from({ length: AGENTS }, () => ({
    found: 0,
    owned: [],
    transport: undefined,
  }));
  #found: number[] = [];
  owned: Set<string>[] = [];
  #transports: Transport[] = [];
  #incarnation = 0;

  constructor() {
    this.#open();
  }

  /** Discovers the next few things, and sends those for one receiver in one parcel. */
  find(agent: number, count: number): void {
    const parcels = new Map<number, string[]>();
    const end = Math.min(this.#found[agent] + count, THINGS);
    for (let thing = this.#found[agent]; thing < end; thing++) {
      const to = (agent + 1 + (thing % 2)) % AGENTS;
      parcels.set(to, [...(parcels.get(to) ?? []), `${agent}/${thing}`]);
    }
    this.#found[agent] = end;
    for (const [to, things] of parcels)
      this.#transports[agent].send(to, 0, Buffer.from(things.join(' ')));
  }

  /** Stores a checkpoint; the senders may learn of it before the next crash, or not. */
  checkpoint(agent: number, tell: boolean): void {
    const state = this.#transports[agent].state();
    const owned = [...this.owned[agent]];
    this.#checkpoints[agent] = {
      found: this.#found[agent],
      owned,
      transport: Buffer.concat(encodeTransportState(state)),
    };
    if (tell) this.#transports[agent].acknowledge(state.received);
  }

  crash(): void {
    for (const transport of this.#transports) transport.close();
    this.#open();
  }

  async finish(): Promise<void> {
    for (let agent = 0; agent < AGENTS; agent++) this.find(agent, THINGS);
    const sum = (counter: 'sent' | 'received') =>
      this.#transports.reduce((n, { traffic }) => n + traffic[counter], 0);
    while (sum('sent') !== sum('received')) await turn();
  }

  /** Everything is acknowledged when all agents have made a checkpoint. */
  async unacknowledgedAfterCuts(): Promise<number> {
    for (let agent = 0; agent < AGENTS; agent++) this.checkpoint(agent, true);
    await turn();
    return this.#transports.reduce((sum, transport) => sum + transport.unacknowledgedBytes(), 0);
  }

  #open(): void {
    const states = this.#checkpoints.map(
      ({ transport }) => transport && decodeTransportState(transport, 'the checkpoint'),
    );
    this.#found = this.#checkpoints.map(({ found }) => found);
    const owned = this.#checkpoints.map(({ owned }) => new Set(owned));
    this.owned = owned;
    this.#transports = memoryTransports(AGENTS, { incarnation: this.#incarnation++, states });
    for (const [agent, transport] of this.#transports.entries()) {
      void transport.receive(({ bytes }) => {
        for (const thing of Buffer.from(bytes).toString().split(' ')) owned[agent].add(thing);
      });
    }
  }
}

const agent = fc.nat(AGENTS - 1);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ find: agent, count: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 4, arbitrary: fc.record({ checkpoint: agent, tell: fc.boolean() }) },
  { weight: 4, arbitrary: fc.constant('pause' as const) },
  { weight: 2, arbitrary: fc.constant('crash' as const) },
);

describe('agents that crash', () => {
  test('lose no discovery, whenever they made checkpoints and whenever they were killed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const crawl = new ModelCrawl();
        for (const step of steps) {
          if (step === 'pause') await turn();
          else if (step === 'crash') crawl.crash();
          else if ('find' in step) crawl.find(step.find, step.count);
          else crawl.checkpoint(step.checkpoint, step.tell);
        }
        await crawl.finish();
        const all = crawl.owned.map(() => new Set<string>());
        for (let a = 0; a < AGENTS; a++) {
          for (let thing = 0; thing < THINGS; thing++)
            all[(a + 1 + (thing % 2)) % AGENTS].add(`${a}/${thing}`);
        }
        expect(crawl.owned).toEqual(all);
        expect(await crawl.unacknowledgedAfterCuts()).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the state of a transport', () => {
  const sequence = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const state: fc.Arbitrary<TransportState> = fc.integer({ min: 1, max: 4 }).chain((agents) =>
    fc.record({
      agent: fc.nat(agents - 1),
      agents: fc.constant(agents),
      received: fc.array(sequence, { minLength: agents, maxLength: agents }),
      unacknowledged: fc.array(
        fc.record({
          to: fc.nat(agents - 1),
          sequence,
          kind: fc.nat(),
          bytes: fc.uint8Array({ maxLength: 9 }),
        }),
        { maxLength: 5 },
      ),
    }),
  );

  test('is decoded from its bytes unchanged', () => {
    fc.assert(
      fc.property(state, (state) => {
        expect(decodeTransportState(Buffer.concat(encodeTransportState(state)), 'x')).toEqual(
          state,
        );
      }),
    );
  });

  test('truncated, extended or of another kind is rejected with the name of its file', () => {
    const whole = Buffer.concat(
      encodeTransportState({
        agent: 1,
        agents: 2,
        received: [4, 0],
        unacknowledged: [{ to: 0, sequence: 9, kind: 0, bytes: Uint8Array.of(1, 2, 3) }],
      }),
    );
    for (let length = 0; length < whole.length; length++) {
      expect(() => decodeTransportState(whole.subarray(0, length), 'a/parcels')).toThrow(
        'a/parcels',
      );
    }
    expect(() =>
      decodeTransportState(Buffer.concat([whole, Buffer.alloc(1)]), 'a/parcels'),
    ).toThrow('a/parcels');
    const other = Uint8Array.from(whole);
    other[6] ^= 1;
    expect(() => decodeTransportState(other, 'a/parcels')).toThrow(
      'does not hold the state of a transport',
    );
    const newer = Uint8Array.from(whole);
    newer[4] = 2;
    expect(() => decodeTransportState(newer, 'a/parcels')).toThrow(
      'holds format v2; this build reads v1',
    );
  });

  test('of all agents together yields the parcels that no checkpoint holds', () => {
    const parcel = (to: number, sequence: number) => ({
      to,
      sequence,
      kind: 0,
      bytes: Uint8Array.of(sequence),
    });
    const states: TransportState[] = [
      {
        agent: 0,
        agents: 3,
        received: [0, 5, 0],
        unacknowledged: [parcel(1, 3), parcel(1, 4), parcel(2, 1)],
      },
      { agent: 1, agents: 3, received: [3, 0, 0], unacknowledged: [parcel(0, 5), parcel(0, 6)] },
      { agent: 2, agents: 3, received: [1, 0, 0], unacknowledged: [] },
    ];
    expect(undelivered(states).map(({ from, sequence }) => [from, sequence])).toEqual([
      [0, 4],
      [1, 6],
    ]);
  });
});
