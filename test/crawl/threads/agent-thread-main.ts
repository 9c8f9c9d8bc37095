/** Agents for the tests of threads: each plays the role in its start message. */
import { setTimeout as after } from 'node:timers/promises';
import { DrumlinError, EXIT } from '../../../src/base/errors.ts';
import type { Page } from '../../../src/crawl/store/page.ts';
import { type ServedAgent, serveAgentThread } from '../../../src/crawl/threads/agent-thread.ts';
import { packPage } from '../../../src/crawl/threads/page-message.ts';
import { type AgentPorts, portTransport } from '../../../src/crawl/transport/port-transport.ts';

export type TestStart =
  | { readonly role: 'pages'; readonly count: number }
  | {
      readonly role:
        | 'throws'
        | 'throws-late'
        | 'breaks'
        | 'breaks-uncaught'
        | 'throws-uncaught'
        | 'exits'
        | 'hoards';
    }
  | { readonly role: 'waits' | 'refuses-to-stop' }
  | {
      readonly role: 'parcels';
      readonly agent: number;
      readonly ports: AgentPorts;
      readonly parcels: number;
    };

export interface TestResult {
  readonly pages: number;
  readonly stopped?: string;
  readonly log?: readonly string[];
}

const page: Page = {
  url: 'http://example.org/',
  status: 200,
  headers: {
    get: () => undefined,
    all: () => [],
    entries: () => [
      ['X-One', '1'],
      ['x-one', '2'],
    ],
  },
  body: Buffer.from('a large buffer').subarray(2, 7),
  links: [{ url: 'http://example.org/next', kind: 'redirect', nofollow: false }],
  depth: 3,
};

const activity = () => ({ agent: 0, idle: true, sent: 1, received: 1 });
const seedMoved = () => {};
const filters = () => {};
const ask = () => {};
const tune = () => {};
const conclude = () => {};
const ignoreStop = () => {};
const diskFull = () =>
  new DrumlinError('DISK_FULL', 'The disk is full.', 'Make room.', {
    exitCode: EXIT.disk,
    cause: new Error('ENOSPC'),
  });

/** Allocates more heap than a thread with a limit has. */
function hoard(): never {
  for (const hoarded: unknown[] = []; ; ) hoarded.push(new Array(10_000).fill(Math.random()));
}

await serveAgentThread<TestStart, number, TestResult>(
  (start, coordinator): ServedAgent<TestResult> => {
    let stopped = (_reason: string) => {};
    const stop = new Promise<string>((resolve) => {
      stopped = resolve;
    });
    const served = (result: Promise<TestResult>): ServedAgent<TestResult> => ({
      activity,
      seedMoved,
      filters,
      ask,
      tune,
      conclude,
      stop: stopped,
      result,
    });
    switch (start.role) {
      case 'pages':
        return served(sendPages(start.count));
      case 'waits':
        coordinator.tell('activity', activity());
        return served(stop.then((reason) => ({ pages: 0, stopped: reason })));
      case 'refuses-to-stop':
        return {
          activity,
          seedMoved,
          filters,
          ask,
          tune,
          conclude,
          stop: () => {
            throw new Error('no');
          },
          result: new Promise(() => {}),
        };
      case 'throws':
        throw diskFull();
      case 'throws-late':
        return served(after(5).then(() => Promise.reject(diskFull())));
      case 'breaks':
        setInterval(() => {}, 1000); // would keep the thread alive
        throw new TypeError('x is not a function');
      case 'throws-uncaught':
        setImmediate(() => {
          throw diskFull();
        });
        return served(stop.then(() => ({ pages: 0 })));
      case 'breaks-uncaught':
        void Promise.reject(new RangeError('out of reach'));
        return served(stop.then(() => ({ pages: 0 })));
      case 'exits':
        setImmediate(() => process.exit(7));
        return {
          activity,
          seedMoved,
          filters,
          ask,
          tune,
          conclude,
          stop: ignoreStop,
          result: new Promise(() => {}),
        };
      case 'hoards':
        setImmediate(hoard);
        return {
          activity,
          seedMoved,
          filters,
          ask,
          tune,
          conclude,
          stop: ignoreStop,
          result: new Promise(() => {}),
        };
      case 'parcels':
        return served(exchangeParcels(start.agent, start.ports, start.parcels));
    }

    async function sendPages(count: number): Promise<TestResult> {
      for (let i = 0; i < count; i++) {
        coordinator.tell('progress', i);
        coordinator.tell('event', { name: 'warning', facts: { sentence: i } });
        await coordinator.ask('page', packPage({ ...page, depth: i }));
      }
      coordinator.tell('limit', 'max-pages');
      return { pages: count, stopped: await stop };
    }

    /**
     * Sends parcels to both others while it processes theirs; waits for room, acknowledges when
     * idle.
     */
    async function exchangeParcels(
      agent: number,
      ports: AgentPorts,
      parcels: number,
    ): Promise<TestResult> {
      const transport = portTransport({ agent, agents: 3, window: 2000 }, ports);
      const log: string[] = [];
      const acknowledge = () => transport.acknowledge(transport.state().received);
      const receiving = transport.receive(
        ({ from, bytes }) => void log.push(`${from}:${Buffer.from(bytes)}`),
        acknowledge,
      );
      const sending = async () => {
        for (let i = 0; i < parcels; i++) {
          for (const to of [(agent + 1) % 3, (agent + 2) % 3]) {
            await transport.room();
            transport.send(
              to,
              0,
              Uint8Array.from(Buffer.from(`${i} `.padEnd(100 + (i % 50), '.'))),
            );
          }
        }
        while (log.length < 2 * parcels || transport.unacknowledgedBytes() > 0) await after(1);
      };
      await Promise.race([receiving, sending()]);
      coordinator.tell('activity', { agent, idle: transport.idle, ...transport.traffic });
      await stop;
      transport.close();
      return { pages: 0, log };
    }
  },
);
