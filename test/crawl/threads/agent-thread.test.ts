import type { WorkerOptions } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DrumlinError } from '../../../src/base/errors.ts';
import {
  type AgentThread,
  type CoordinatorHandlers,
  startAgentThread,
} from '../../../src/crawl/threads/agent-thread.ts';
import { unpackPage } from '../../../src/crawl/threads/page-message.ts';
import { packError, unpackError } from '../../../src/crawl/threads/thread-error.ts';
import { ThreadLink } from '../../../src/crawl/threads/thread-link.ts';
import { portMesh } from '../../../src/crawl/transport/port-transport.ts';
import type { ActivityReport } from '../../../src/crawl/transport/quiescence.ts';
import type { TestResult, TestStart } from './agent-thread-main.ts';
import { TYPESCRIPT_THREAD } from './typescript-threads.ts';

const main = new URL('./agent-thread-main.ts', import.meta.url);
const silent: CoordinatorHandlers<number> = {
  progress: () => {},
  activity: () => {},
  limit: () => {},
  outcome: () => {},
  seedMoved: () => {},
  event: () => {},
  page: () => {},
  error: () => {},
};

function started(
  start: TestStart,
  handlers: Partial<CoordinatorHandlers<number>> = {},
  options: WorkerOptions = {},
): AgentThread<number, TestResult> {
  const agent = start.role === 'parcels' ? start.agent : 2;
  const transfer = start.role === 'parcels' ? start.ports.filter((port) => port !== undefined) : [];
  const thread = startAgentThread<TestStart, number, TestResult>(
    main,
    { agent, start, transfer, options: { ...TYPESCRIPT_THREAD, ...options } },
    { ...silent, ...handlers },
  );
  onTestFinished(() => thread.close(true));
  return thread;
}

describe('an agent in its thread', () => {
  test('reports its progress, waits for the answer to each page, and finishes when it is stopped', async () => {
    const told: unknown[] = [];
    let underWay = 0;
    const thread = started(
      { role: 'pages', count: 3 },
      {
        progress: (progress) => void told.push(progress),
        event: ({ name, facts }) => void told.push(`${name} ${JSON.stringify(facts)}`),
        page: async (packed) => {
          expect(++underWay).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          underWay--;
          const { headers, body, ...page } = unpackPage(packed);
          expect([
            headers.get('X-ONE'),
            headers.all('x-one'),
            [...headers.entries()].length,
          ]).toEqual(['1', ['1', '2'], 2]);
          expect(headers.get('absent')).toBeUndefined();
          expect([Buffer.from(body).toString(), body.buffer.byteLength]).toEqual(['large', 5]);
          told.push(page);
        },
        limit: (reason) => thread.stop(reason),
      },
    );
    expect(await thread.finished).toEqual({ pages: 3, stopped: 'max-pages' });
    const links = [{ url: 'http://example.org/next', kind: 'redirect', nofollow: false }];
    const page = (depth: number) => ({ url: 'http://example.org/', status: 200, links, depth });
    const event = (page: number) => `warning {"sentence":${page}}`;
    expect(told).toEqual([0, event(0), page(0), 1, event(1), page(1), 2, event(2), page(2)]);
    await thread.close();
  });

  test('answers a wave, handles a stop sent before it listens, and exits by itself', async () => {
    const reports: ActivityReport[] = [];
    const thread = started({ role: 'waits' }, { activity: (report) => void reports.push(report) });
    const answer = thread.activity();
    thread.stop('interrupted');
    expect(await answer).toEqual({ agent: 0, idle: true, sent: 1, received: 1 });
    expect(await thread.finished).toEqual({ pages: 0, stopped: 'interrupted' });
    await thread.close();
    expect(reports).toEqual([{ agent: 0, idle: true, sent: 1, received: 1 }]);
    await expect(thread.activity()).rejects.toThrow('Agent 2 ended');
  });

  test.each([
    'throws',
    'throws-late',
    'throws-uncaught',
  ] as const)('an error with a remedy arrives as it was thrown (%s)', async (role) => {
    const thread = started({ role });
    const error = await thread.finished.catch((error: unknown) => error);
    expect(error).toBeInstanceOf(DrumlinError);
    expect(error).toMatchObject({
      code: 'DISK_FULL',
      fact: 'The disk is full.',
      remedy: 'Make room.',
      exitCode: 4,
      cause: { message: 'ENOSPC' },
    });
  });

  test.each([
    ['breaks', 'TypeError', 'agent 2: x is not a function'],
    ['breaks-uncaught', 'RangeError', 'agent 2: out of reach'],
  ] as const)('an internal error names the agent, keeps its stack, and ends the thread whatever it left open (%s)', async (role, name, message) => {
    const thread = started({ role });
    const error = await thread.finished.catch((error: unknown) => error);
    await thread.close();
    expect(error).toMatchObject({ name, message });
    expect((error as Error).stack).toMatch(/^agent 2: .*\n +at .*agent-thread-main/);
  });

  test('a thread that exits without a report, or out of memory, is a failure that names the agent', async () => {
    const gone = started({ role: 'exits' });
    await expect(gone.finished).rejects.toMatchObject({
      code: 'AGENT_GONE',
      fact: /^Agent 2 .*exit code 7/,
      exitCode: 1,
    });
    await expect(gone.activity()).rejects.toMatchObject({ code: 'AGENT_GONE' });
    const small = started(
      { role: 'hoards' },
      {},
      { resourceLimits: { maxOldGenerationSizeMb: 24 } },
    );
    await expect(small.finished).rejects.toMatchObject({ code: 'AGENT_MEMORY', exitCode: 1 });
  });

  test('an ask rejects with the failure when the thread is gone before it could answer', async () => {
    const thread = started({ role: 'waits' });
    const answer = thread.activity();
    await thread.close(true);
    await expect(answer).rejects.toMatchObject({ code: 'AGENT_GONE' });
  });

  test('an error thrown by onPage comes back as the same object, once the agent has ended', async () => {
    const mine = new (class Mine extends Error {})('enough');
    const thread = started(
      { role: 'pages', count: 2 },
      {
        page: () => {
          throw mine;
        },
      },
    );
    expect(await thread.finished.catch((error: unknown) => error)).toBe(mine);
  });

  test('a handler that fails on either side ends the agent with its error', async () => {
    const here = started(
      { role: 'waits' },
      {
        activity: () => {
          throw new Error('no such report');
        },
      },
    );
    await expect(here.finished).rejects.toThrow('no such report');
    const there = started({ role: 'refuses-to-stop' });
    there.stop('interrupted');
    await expect(there.finished).rejects.toThrow('agent 2: no');
  });

  test('three threads exchange parcels over ports: all arrive once, in order, within a window', async () => {
    const parcels = 150;
    const reports: ActivityReport[] = [];
    let allIdle = () => {};
    const quiet = new Promise<void>((resolve) => {
      allIdle = resolve;
    });
    const threads = portMesh(3).map((ports, agent) =>
      started(
        { role: 'parcels', agent, ports, parcels },
        {
          activity: (report) => {
            if (reports.push(report) === 3) allIdle();
          },
        },
      ),
    );
    await Promise.race([quiet, Promise.all(threads.map(({ finished }) => finished))]);
    for (const thread of threads) thread.stop('finished');
    for (const { agent, finished } of threads) {
      const { log = [] } = await finished;
      for (const from of [(agent + 1) % 3, (agent + 2) % 3]) {
        const numbers = log
          .filter((line) => line.startsWith(`${from}:`))
          .map((line) => Number(line.split(/[: ]/)[1]));
        expect(numbers).toEqual(Array.from({ length: parcels }, (_, i) => i));
      }
    }
    const traffic = { idle: true, sent: 2 * parcels, received: 2 * parcels };
    expect(reports.sort((a, b) => a.agent - b.agent)).toEqual(
      [0, 1, 2].map((agent) => ({ agent, ...traffic })),
    );
  });
});

describe('a link between threads', () => {
  interface Echo {
    echo(text: string): string;
  }
  /** A port whose messages are delivered by hand. */
  class HandPort {
    readonly posted: unknown[] = [];
    deliver: (message: unknown) => void = () => {};
    postMessage(message: unknown): void {
      this.posted.push(message);
    }
    on(_event: 'message', listener: (message: unknown) => void): void {
      this.deliver = listener;
    }
  }

  test('calls the handler at once, so that the last message counts before the exit of its thread', () => {
    const port = new HandPort();
    const link = new ThreadLink<Echo, Echo>(port, () => {});
    const heard: string[] = [];
    const echo = (text: string) => {
      heard.push(text);
      return text;
    };
    port.deliver({ call: 'echo', argument: 'early' });
    link.serve({ echo });
    expect(heard).toEqual(['early']);
    port.deliver({ call: 'echo', argument: 'late' });
    expect(heard).toEqual(['early', 'late']);
  });

  test('answers an ask, and not a tell', async () => {
    const [here, there] = [new HandPort(), new HandPort()];
    const link = new ThreadLink<Echo, Echo>(here, () => {});
    new ThreadLink<Echo, Echo>(there, () => {}).serve({ echo: (text) => `${text}!` });
    link.tell('echo', 'told');
    const answers = [link.ask('echo', 'one'), link.ask('echo', 'two')];
    for (const message of here.posted) there.deliver(message);
    await new Promise((resolve) => setImmediate(resolve));
    for (const message of there.posted.reverse()) here.deliver(message);
    expect(await Promise.all(answers)).toEqual(['one!', 'two!']);
    expect(there.posted.length).toBe(2);
  });

  test('rejects calls to a thread that is gone', async () => {
    const link = new ThreadLink<Echo, Echo>(new HandPort(), () => {});
    const before = link.ask('echo', 'one');
    link.fail(new Error('gone'));
    link.fail(new Error('gone again'));
    await expect(before).rejects.toThrow(/^gone$/);
    await expect(link.ask('echo', 'two')).rejects.toThrow(/^gone$/);
  });
});

describe('an error sent between threads', () => {
  const travelled = (error: unknown) => unpackError(structuredClone(packError(error)));

  test('keeps the system code and its causes', () => {
    const system = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const error = travelled(new RangeError('outer', { cause: system }));
    expect(error).toMatchObject({
      name: 'RangeError',
      message: 'outer',
      cause: { code: 'ENOSPC', message: 'no space' },
    });
    expect('code' in error).toBe(false);
  });

  test('stops at a cause that refers to itself, and accepts values that are not errors', () => {
    const circular = new Error('round');
    circular.cause = circular;
    let depth = 0;
    for (let error: unknown = travelled(circular); error instanceof Error; error = error.cause)
      depth++;
    expect(depth).toBe(5);
    expect(travelled('plain words')).toMatchObject({ name: 'Error', message: 'plain words' });
    expect(travelled(undefined).message).toBe('undefined');
  });
});
