/**
 * An agent of a cluster by itself, in the thread of the test: what an heir waits for, what it
 * acknowledges.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { ClusterTransport } from '../../../src/cluster/parcels/cluster-transport.ts';
import { encodeFrame } from '../../../src/cluster/parcels/frames.ts';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import type { SavedCheckpoint } from '../../../src/crawl/agent/checkpointer.ts';
import type { AgentStart } from '../../../src/crawl/agent/open-agent.ts';
import { runAgent } from '../../../src/crawl/agent/running-agent.ts';
import { shareAllowance } from '../../../src/crawl/transport/allowance.ts';
import { shareHosts } from '../../../src/crawl/transport/host-table.ts';
import { packKeyedBatch } from '../../../src/crawl/transport/url-parcel.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { BatchBuilder } from '../../../src/drum/keyed-batch.ts';
import { loadPredicates } from '../../../src/filter/predicates.ts';
import { fastClock } from '../../crawl/fast-clock.ts';
import { type Handler, linking, type SmallSite, startSmallSite } from '../../crawl/small-site.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';

const sites: SmallSite[] = [];
const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const agent of running.splice(0)) await agent.stop();
  for (const site of sites.splice(0)) await site.close();
});

async function site(): Promise<SmallSite> {
  const made = await startSmallSite({ '/': linking('/a'), '/a': 'end' });
  sites.push(made);
  return made;
}

interface Around {
  readonly clock?: Clock;
  readonly heir?: AgentStart['heir'];
  readonly isOpen?: () => boolean;
  /** Settles when another checkpoint may be made. */
  readonly stage?: () => Promise<void>;
  /** Settles when the checkpoint counts. */
  readonly keep?: (saved: SavedCheckpoint) => Promise<boolean>;
}

async function started(
  seeds: string[],
  dir: string,
  options: CrawlOptions,
  around: Around = {},
  agents = 1,
) {
  const config = resolveConfig({ dir, allowPrivate: true, checkpoint: '100ms', ...options });
  const acknowledged: number[][] = [];
  let transport: ClusterTransport | undefined;
  let letGo = (_: boolean) => {};
  const stopped = new Promise<boolean>((resolve) => {
    letGo = resolve;
  });
  const { clock = systemClock } = around;
  const agent = await runAgent(
    {
      ...{ agent: 0, agents, incarnation: 1, config, seeds, moved: [], rescoped: false },
      ...{
        planned: false,
        paused: false,
        spam: undefined,
        extracts: [],
        addresses: undefined,
        hosts: shareHosts(),
      },
      ...{ allowance: shareAllowance({}), filters: { texts: {}, lists: [] } },
      heir: around.heir,
    },
    {
      clock,
      disk: new Disk(new FaultyFileSystem({ skipSync: true })),
      connect: (state) => {
        transport = new ClusterTransport({
          ...{ agent: 0, agents, incarnation: 1, state, clock, post: () => {} },
          onAcknowledged: (received) => void acknowledged.push([...received]),
        });
        return transport;
      },
      log: { event: () => {} },
      ...{ onIdle: () => {}, onLimit: () => {}, onOutcome: () => {}, onSeedMoved: () => {} },
      ...{ onPage: undefined, onError: undefined, predicates: await loadPredicates('') },
      cluster: {
        fence: {
          get open() {
            return around.isOpen?.() ?? true;
          },
          cut: false,
        },
        keeper: {
          keep: (saved) => ({
            staged: Promise.race([stopped, around.stage?.() ?? Promise.resolve()]).then(() => {}),
            kept: Promise.race([stopped, around.keep?.(saved) ?? Promise.resolve(true)]),
          }),
        },
        addresses: undefined,
      },
    },
  );
  const stop = async () => {
    letGo(true);
    agent.stop('interrupted');
    agent.conclude();
    await agent.result.catch(() => {});
  };
  running.push({ stop });
  return {
    agent,
    acknowledged,
    transport: transport as ClusterTransport,
    startedAt: performance.now(),
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((later) => setTimeout(later, 2));
}

describe("the heir's wait", () => {
  /** How long after its start an agent makes its first request, by a clock that runs fast. */
  async function firstRequestOf(heir: AgentStart['heir']): Promise<number> {
    const clock = fastClock(100);
    let askedAt: number | undefined;
    const made = await startSmallSite({
      '/robots.txt': (_, response) => {
        askedAt ??= clock.now();
        response.end();
      },
    });
    sites.push(made);
    const options = { delay: '5s', maxCrawlDelay: '60s' };
    const startedAt = clock.now();
    await started([`${made.origin}/`], temporaryFolder(), options, { heir, clock });
    await until(() => askedAt !== undefined);
    return Number(askedAt) - startedAt;
  }

  test('keeps an heir without any files from a host, for a Crawl-delay that it cannot know', async () => {
    expect(await firstRequestOf({ quiet: 12_000 })).toBeGreaterThanOrEqual(48_000);
  });

  test('is one full delay where the former owner has committed all that it knew', async () => {
    expect(await firstRequestOf({ quiet: Infinity })).toBeGreaterThanOrEqual(5000);
  });

  test('is for hosts in the host store too, whose times another clock has written', async () => {
    const clock = fastClock(100);
    const later: Clock = { ...clock, now: () => clock.now() + 3_600_000 };
    const askedAt: number[] = [];
    const noted = (text: string): Handler => {
      return (_, response) => {
        askedAt.push(later.now());
        response.writeHead(200, { 'content-type': 'text/html' }).end(text);
      };
    };
    const first = await startSmallSite({ '/': noted(''), '/a': noted('') }, '127.0.1.1');
    const second = await startSmallSite({ '/': linking(`${first.origin}/a`) }, '127.0.1.2');
    sites.push(first, second);
    const [dir, seeds] = [temporaryFolder(), [`${first.origin}/`, `${second.origin}/`]];
    // The first host leaves the memory before the second, which links to it, comes in.
    const options = { delay: '30s', addressDelay: 0, maxCrawlDelay: '30s', frontHosts: 1 };
    const { agent } = await started(seeds, dir, options, { clock });
    await until(() => agent.progress().pages === 2);
    await running.pop()?.stop();
    expect(askedAt).toHaveLength(1);
    const startedAt = later.now();
    await started(seeds, dir, options, { heir: { quiet: Infinity }, clock: later });
    await until(() => askedAt.length > 1);
    expect(askedAt[1] - startedAt).toBeGreaterThanOrEqual(30_000);
  });

  test('is not for the first owner of an agent', async () => {
    expect(await firstRequestOf(undefined)).toBeLessThan(40_000);
  });
});

test('an agent behind a closed fence asks nobody, and begins when it opens', async () => {
  const { origin, asked } = await site();
  let [open, looks] = [false, 0];
  const isOpen = () => {
    looks++;
    return open;
  };
  const around = { clock: fastClock(100), isOpen };
  const { agent } = await started([`${origin}/`], temporaryFolder(), { delay: 0 }, around);
  // The host could be asked: the agent looks at the fence again and again.
  await until(() => agent.progress().front > 0);
  const before = looks;
  await until(() => looks > before + 50);
  expect(asked).toEqual([]);
  open = true;
  await until(() => asked.includes('/a'));
});

describe('acknowledge after commit', () => {
  test('an agent acknowledges what it received when the checkpoint with it is committed, and not when that failed', async () => {
    const outcomes: ((isKept: boolean) => void)[] = [];
    const keep = () => new Promise<boolean>((settle) => outcomes.push(settle));
    const config = { delay: 0 };
    const dir = temporaryFolder();
    const { transport, acknowledged } = await started([], dir, config, { keep }, 2);
    const batch = new BatchBuilder();
    const bytes = packKeyedBatch(batch);
    const about = { type: 'parcel', kind: 0, after: 0, ordinal: 1, piece: 0, pieces: 1 } as const;
    transport.deliver(1, encodeFrame({ ...about, sequence: 1, epoch: 1, have: 0, bytes }));
    await until(() => transport.received[1] === 1 && outcomes.length > 0);
    expect([acknowledged, transport.owedBytes]).toEqual([[], bytes.length]);
    outcomes.shift()?.(false);
    await until(() => outcomes.length > 0);
    expect(acknowledged).toEqual([]);
    const settle = () => {
      for (const outcome of outcomes.splice(0)) outcome(true);
    };
    settle();
    await until(() => {
      settle();
      return acknowledged.length > 0;
    });
    expect(acknowledged[0]).toEqual([0, 1]);
  });
});

test('an order that comes while a checkpoint is being copied waits for it, and the agent lives on', async () => {
  const copies: (() => void)[] = [];
  const stage = () => new Promise<void>((copied) => copies.push(copied));
  const { agent } = await started([], temporaryFolder(), { delay: 0 }, { stage });
  await until(() => copies.length > 0);
  let isDone = false;
  const done = agent.tune({ settings: {}, paused: true, seeds: [] }).then(() => {
    isDone = true;
  });
  // A loop that did not wait would never let the event loop turn.
  await turn();
  expect(isDone).toBe(false);
  copies.shift()?.();
  await done;
});
