/** What the console of a cluster sees, on a book in memory and workers that answer or do not. */
import { expect, onTestFinished, test } from 'vitest';
import { type AgentEntry, agentKey, newAgent } from '../../src/cluster/lease/agent-lease.ts';
import { change } from '../../src/cluster/lease/book.ts';
import { KEYS, workerKey } from '../../src/cluster/members/keys.ts';
import type { WorkerReport } from '../../src/cluster/members/worker-report.ts';
import { ClusterWatch } from '../../src/console/cluster/cluster-watch.ts';
import { NOTHING_YET } from '../../src/crawl/record/counters.ts';
import { MemoryBook } from '../cluster/lease/memory-book.ts';

class SilentBook extends MemoryBook {
  isSilent = false;

  override async get<Value>(key: string) {
    if (this.isSilent) throw new Error('timeout');
    return super.get<Value>(key);
  }
}

const WORKER = { host: 'one', pid: 1, draining: false, weight: 1, beat: 1 };

function reportOf(agent: number, pages: number): WorkerReport {
  const progress = { ...NOTHING_YET, pages: 7, queued: 3, vitals: { top: [] } };
  return {
    progress: progress as unknown as WorkerReport['progress'],
    agents: [{ agent, epoch: 1, idle: false, pages, bytes: 10 * pages, queued: 3 }],
    ...{ memory: 100, cpuSeconds: 1 },
  };
}

/** Two agents of two workers; what each worker reports can be changed. */
async function watched() {
  const book = new SilentBook();
  const reports = new Map<string, WorkerReport>();
  let now = 1000;
  await book.create(KEYS.crawl, { agents: 2, pace: 1, objects: 's3://bucket/x', settings: {} });
  await book.create(KEYS.state, { phase: 'running', reason: 'finished', run: 1, startedAt: 5 });
  for (const [agent, worker] of ['w0', 'w1'].entries()) {
    await book.create(workerKey(worker), WORKER);
    await book.create(agentKey(agent), { ...newAgent(2), worker, epoch: 1, pages: 100 });
  }
  const watch = await ClusterWatch.open({
    ...{ name: 'x', book, brokers: 'nats://a', even: () => now },
    clock: { now: () => now, after: () => () => {} },
    ask: async (worker) => reports.get(worker) ?? Promise.reject(new Error('no answer')),
  });
  onTestFinished(() => watch.close());
  const look = async () => {
    now += 2000;
    await watch.look();
    return watch.overview;
  };
  return { book, reports, watch, look };
}

test('a worker that does not answer counts with what it has committed', async () => {
  const { reports, look } = await watched();
  reports.set('w0', reportOf(0, 150));
  const { counters, committed, workers, waiting } = await look();
  expect([counters.pages, committed.pages, waiting]).toEqual([250, 200, 3]);
  expect(workers).toMatchObject([{ answers: true }, { answers: false }]);
});

test('counts never fall, also when pages after the last commit are lost', async () => {
  const { reports, look, watch } = await watched();
  reports.set('w0', reportOf(0, 150));
  await look();
  reports.delete('w0');
  expect((await look()).counters.pages).toBe(250);
  reports.set('w0', reportOf(0, 120));
  expect((await look()).counters.pages).toBe(250);
  reports.set('w0', reportOf(0, 160));
  expect((await look()).counters.pages).toBe(260);
  const counts = watch.history().map(({ pages }) => pages);
  expect(counts.reduce((sum, pages) => sum + pages, 0)).toBe(60);
  expect(Math.min(...counts)).toBe(0);
});

test('brokers that do not answer are said to, and the last facts stay', async () => {
  const { book, look } = await watched();
  book.isSilent = true;
  expect(await look()).toMatchObject({
    ...{ state: 'silent', trouble: true },
    sentence: expect.stringContaining('The brokers do not answer (timeout).'),
    committed: { pages: 200 },
  });
  book.isSilent = false;
  expect((await look()).state).toBe('running');
});

test('takeovers, commits and workers that come and go are events, numbered without gaps', async () => {
  const { book, watch, look } = await watched();
  expect(watch.events.end).toBe(0);
  const agent = (changed: Partial<AgentEntry>) =>
    change<AgentEntry>(book, agentKey(0), (before) => before && { ...before, ...changed });
  await agent({ beat: 5 });
  await agent({ commits: 1, pages: 120 });
  await agent({ epoch: 2, worker: 'w1' });
  await book.create(workerKey('w2'), WORKER);
  await book.delete(workerKey('w0'));
  await look();
  const { lines, end } = watch.events.page({ count: 10 });
  expect(lines.map(({ event }) => event)).toEqual([
    ...['worker-left', 'worker-joined', 'agent-taken', 'agent-committed'],
  ]);
  expect([end, watch.events.after(3).lines]).toEqual([4, [lines[0]]]);
  expect(watch.events.page({ event: 'agent-taken', count: 10 }).lines).toMatchObject([
    { agent: 0, epoch: 2, worker: 'w1', before: 'w0' },
  ]);
  expect(watch.events.page({ before: 2, count: 1 })).toMatchObject({
    lines: [lines[2]],
    before: 1,
  });
});
