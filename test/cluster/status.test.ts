/** What is said of a cluster, from its book alone. */
import { expect, test } from 'vitest';
import { type AgentEntry, agentKey, newAgent } from '../../src/cluster/lease/agent-lease.ts';
import { change } from '../../src/cluster/lease/book.ts';
import { KEYS, workerKey } from '../../src/cluster/members/keys.ts';
import { View } from '../../src/cluster/members/view.ts';
import { clusterStatus, lookAtCluster } from '../../src/cluster/status.ts';
import { drainWorker, steerText, tuneCluster } from '../../src/cluster/steer.ts';
import { parseOverrides } from '../../src/reputation/budget/overrides.ts';
import { MemoryBook } from './lease/memory-book.ts';

/** A cluster of two agents, one of them run by `w1`, on a clock that stands until it is moved. */
async function smallCluster() {
  const book = new MemoryBook();
  let now = 0;
  await book.create(KEYS.crawl, { agents: 2, pace: 1, objects: 's3://bucket/x' });
  await book.create(KEYS.state, { phase: 'running', reason: 'finished', run: 1, startedAt: 5 });
  await book.create(workerKey('w1'), { host: 'one', pid: 1, draining: false, weight: 1, beat: 1 });
  await book.create(KEYS.leader, { worker: 'w1', term: 1, beat: 1 });
  await book.create(agentKey(0), { ...newAgent(2), worker: 'w1', epoch: 1, pages: 1000 });
  await book.create(agentKey(1), { ...newAgent(2), pages: 234 });
  const { view } = await View.open(
    book,
    () => now,
    () => {},
  );
  const status = () => clusterStatus(view, 'x', now, 'nats://a');
  const later = (millis: number) => {
    now += millis;
  };
  return { book, status, later };
}

const ON = 'x --brokers nats://a';

test('an agent without a worker is named, with what happens next', async () => {
  const { status } = await smallCluster();
  const { sentence, isTroubled, pages, agents, workers } = status();
  expect(sentence).toBe(
    `Running: 1 worker, 1,234 pages committed. Agent 1 has no worker: others take over within 22.0 s. Next, to stop it: drumlin cluster stop ${ON}`,
  );
  expect([isTroubled, pages]).toEqual([true, 1234]);
  expect(agents.map(({ worker }) => worker)).toEqual(['w1', '']);
  expect(workers).toMatchObject([{ worker: 'w1', leads: true, silent: false, agents: [0] }]);
});

test('a worker that renews nothing is gone after the time of a takeover, and so are its agents', async () => {
  const { status, later } = await smallCluster();
  later(21_999);
  expect(status().agents[0].worker).toBe('w1');
  later(1);
  const { agents, workers, sentence } = status();
  expect([agents[0].worker, workers[0].silent]).toEqual(['', true]);
  expect(sentence).toBe(
    `Running, but no worker is there; 1,234 pages committed. Next, to continue: drumlin cluster join ${ON} --dir FOLDER`,
  );
});

test('a look of seconds tells a worker that lives from one that died days ago', async () => {
  const { book } = await smallCluster();
  let now = 1e9;
  const beats = async (millis: number, alive: boolean) => {
    now += millis / 2;
    if (alive)
      for (const key of [workerKey('w1'), agentKey(0)])
        await change<{ beat: number }>(book, key, (entry) => entry && { ...entry, beat: 2 });
    now += millis / 2;
  };
  const looked = async (alive: boolean) => {
    const { view, now: at } = await lookAtCluster(
      book,
      () => now,
      (millis) => beats(millis, alive),
    );
    const { agents, workers } = clusterStatus(view, 'x', at, 'nats://a');
    return [agents[0].worker, workers[0].silent];
  };
  expect(await looked(true)).toEqual(['w1', false]);
  expect(await looked(false)).toEqual(['', true]);
});

test('a pause, an end and agents that have concluded are no trouble', async () => {
  const { book, status } = await smallCluster();
  await tuneCluster(book, 'console', { paused: true });
  await change<AgentEntry>(book, agentKey(1), (agent) => agent && { ...agent, done: 1 });
  expect(status()).toMatchObject({
    sentence: `Paused by the operator: 1 worker, 1,234 pages committed. Next, to continue: drumlin cluster set ${ON} paused=no`,
    isTroubled: false,
  });
  await change(book, KEYS.state, () => ({ phase: 'ended', reason: 'interrupted', run: 1 }));
  expect(status()).toMatchObject({
    sentence: `Not running: stopped by the user; 1,234 pages committed. Next, to run it again: drumlin cluster resume ${ON}`,
    isTroubled: false,
  });
});

test('only settings that a cluster can change are changed, and values are checked first', async () => {
  const { book } = await smallCluster();
  expect(await tuneCluster(book, 'console', { settings: { 'slow-delay': '3s' } })).toEqual([
    'slowDelay: 3s',
  ]);
  for (const settings of [{ 'max-pages': '5' }, { 'address-delay': '1s' }, { scope: 'host' }])
    await expect(tuneCluster(book, 'console', { settings })).rejects.toThrow('cannot change while');
  await expect(
    tuneCluster(book, 'console', { settings: { fetches: '3', delay: 'soon' } }),
  ).rejects.toThrow('delay');
  await tuneCluster(book, 'drumlin cluster set', { paused: true });
  expect((await book.get(KEYS.tuning))?.value).toEqual({
    ...{ number: 2, by: 'drumlin cluster set', settings: { slowDelay: '3s' }, paused: true },
  });
});

test('texts of two operators at once are both in the book', async () => {
  const { book } = await smallCluster();
  const names = ['a.test', 'b.test', 'c.test'];
  const block = (name: string) =>
    steerText(book, KEYS.domains, name, (before = '') => `${before}${name}\tblock\n`);
  await Promise.all(names.map(block));
  const { text } = (await book.get<{ text: string }>(KEYS.domains))?.value ?? { text: '' };
  expect([...parseOverrides(text, 'domains').keys()].sort()).toEqual(names);
});

test('a worker that there is not cannot be drained', async () => {
  const { book, status } = await smallCluster();
  await expect(drainWorker(book, 'nobody')).rejects.toThrow('no worker named "nobody"');
  await drainWorker(book, 'w1');
  expect(status().workers[0].draining).toBe(true);
});

test.each([
  [KEYS.filters, 'shedule: Matches(/x/)\n'],
  [KEYS.domains, 'example.org\tperhaps\n'],
] as const)('a file for %s that is none is refused, and the old one counts', async (key, text) => {
  const { book } = await smallCluster();
  await expect(steerText(book, key, 'console', () => text)).rejects.toThrow();
  expect(await book.get(key)).toBeUndefined();
});
