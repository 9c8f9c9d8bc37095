/** Agents that send each other links, and when they rank domains again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { flatOut } from '../../src/base/pacer.ts';
import { xxh64 } from '../../src/base/xxh64.ts';
import { resolveConfig } from '../../src/config/settings.ts';
import { openReputation } from '../../src/crawl/state/agent-folder.ts';
import { agentOf } from '../../src/crawl/transport/routing.ts';
import { Disk } from '../../src/disk/disk.ts';
import { parseBudget } from '../../src/reputation/budget/budget-policy.ts';
import { EdgeGatherer } from '../../src/reputation/edges/edge-gatherer.ts';
import { Reputation } from '../../src/reputation/reputation.ts';
import type { ReputationFolder, ReputationState } from '../../src/reputation/reputation-folder.ts';
import { partitionOfFingerprint } from '../../src/url/fingerprint.ts';
import { PackedUrls } from '../../src/url/packed-urls.ts';
import { type VirtualClock, virtualClock } from '../fetch/virtual-clock.ts';

const settings = { rankSample: 1, budget: 'top(1, each=5)' };
const ownerOf = (partition: number): number => agentOf(partition, 2);
const isOurs = (agent: number) => (key: bigint) => ownerOf(partitionOfFingerprint(key)) === agent;
/** Domains of each agent. */
const DOMAINS = [0, 1].map((agent) =>
  Array.from({ length: 40 }, (_, i) => `d${i}.test`).filter((name) => isOurs(agent)(xxh64(name))),
);

let dir: string;
let clock: VirtualClock;
let folders: ReputationFolder[];
let agents: Reputation[];

beforeEach(() => open('tse'));
afterEach(close);

/** Two agents with empty folders. */
async function open(rank: 'tse' | 'trusted', { budget = settings.budget, seeds = [''] } = {}) {
  dir = mkdtempSync(join(tmpdir(), 'drumlin-reputation-'));
  clock = virtualClock();
  agents = [];
  folders = [];
  for (const agent of [0, 1]) await openOne(agent, rank, { budget, seeds });
}

/** An agent with an empty folder, or in the place of another at its checkpoint. */
async function openOne(
  agent: number,
  rank: 'tse' | 'trusted',
  { budget = settings.budget, seeds = [''] } = {},
  at?: ReputationState,
): Promise<void> {
  const config = resolveConfig({ ...settings, rank, budget });
  const folder = await openReputation(new Disk(), join(dir, String(agent)), config, {}, at);
  folders[agent] = folder;
  const { book, edges, sample } = folder;
  const gatherer = new EdgeGatherer({ owners: 2, ownerOf, cash: false, cache: 2 ** 12 });
  agents[agent] = new Reputation({
    ...{ agent, agents: 2, rank, seeds: seeds.map((name) => xxh64(name)) },
    ...{ policy: parseBudget(budget), isOurs: isOurs(agent) },
    ...{ gatherer, edges, sample, book, clock, pacer: flatOut, onBudgets: () => {} },
    send: (to, message, bytes) => agents[to].receive(agent, message, bytes),
  });
}

async function close(): Promise<void> {
  for (const agent of agents) await agent.end();
  for (const folder of folders) await folder.close();
  rmSync(dir, { recursive: true });
}

/** Agent `by` has fetched a page of `from` that links to `to`. */
async function link(by: number, from: string, to: string): Promise<void> {
  agents[by].page(xxh64(from), `http://${from}/`, [`http://${to}/`]);
  for (const agent of [...agents, ...agents]) await agent.deliver();
}

test('there is reason to rank again when new links are known, also links that only other agents received', async () => {
  const [[target, ...ours], [theirs, source]] = DOMAINS;
  expect(agents.map(({ hasNews }) => hasNews)).toEqual([false, false]);
  await link(1, source, target);
  expect(agents.map(({ hasNews }) => hasNews)).toEqual([true, true]);
  for (const agent of agents) await agent.rankNow();
  expect(agents.map(({ hasNews }) => hasNews)).toEqual([false, false]);
  await link(0, ours[0], theirs);
  // Their owners count the links to their domains; but such a link may support a supporter of ours.
  expect(agents.map(({ hasNews }) => hasNews)).toEqual([true, true]);
  await link(0, ours[0], theirs);
  for (const agent of agents) {
    agent.rankSoon();
    while (await agent.step());
  }
  expect(agents.map(({ hasNews }) => hasNews)).toEqual([false, false]);
});

test('domains are ranked from twenty links on, while little else is known', async () => {
  const [[agent], [target]] = [agents, DOMAINS[0]];
  const sources = Array.from({ length: 20 }, (_, i) => `source${i}.test`);
  for (const source of sources.slice(1)) await link(0, source, target);
  while (await agent.step());
  expect(agent.hasNews).toBe(true);
  await link(0, sources[0], target);
  while (await agent.step());
  expect(agent.hasNews).toBe(false);
});

test('a ranking that starts because nothing else is to do still keeps to its share of the time', async () => {
  const [[target, other], [source]] = DOMAINS;
  await link(1, source, target);
  const [agent] = agents;
  agent.rankSoon();
  const ranking = agent.step();
  clock.advance(1000);
  await ranking;
  while (await agent.step());
  await link(1, source, other);
  agent.rankSoon();
  expect(await agent.step()).toBe(false);
  expect(agent.hasNews).toBe(true);
  expect(agent.wakeAt).toBe(clock.now() + 10_000);
  clock.advance(10_000);
  while (await agent.step());
  expect(agent.hasNews).toBe(false);
});

test('an agent that is resumed knows the standings that it has received: the best of its own domains is not the best of all', async () => {
  const [[ours, near], [best, middle]] = DOMAINS;
  for (const source of ['a.test', 'b.test']) await link(1, source, middle);
  await link(1, middle, best);
  await link(0, 'a.test', near);
  await link(0, near, ours);
  for (const agent of [1, 0]) await agents[agent].rankNow();
  const budgets = () => [best, ours].map((name) => agents[0].budgetOf(xxh64(name)));
  expect(budgets()).toEqual([5, 0]);
  const [{ standings }] = agents;
  const checkpoint = await folders[0].freeze();
  await agents[0].end();
  await folders[0].close();
  await openOne(0, 'tse', {}, checkpoint);
  agents[0].restore(standings);
  expect(budgets()).toEqual([5, 0]);
  await agents[0].rankNow();
  expect(budgets()).toEqual([5, 0]);
  expect(agents[0].standings).toEqual(standings);
});

test('turns go by what the operator decided, and otherwise by the budget of the rank', async () => {
  const [[first, middle, other, trusted, given], [source]] = DOMAINS;
  await link(0, middle, first);
  await link(1, source, middle);
  for (const agent of agents) await agent.rankNow();
  const [agent] = agents;
  const [{ book }] = folders;
  book.setOverride(trusted, 'trusted', 0);
  book.setOverride(given, 3, 0);
  const budgetOf = (name: string) => agent.turnBudgetOf({ name, hash: xxh64(name) });
  expect([first, other, trusted, given].map(budgetOf)).toEqual([5, 0, 5, 3]);
});

test('domains that exchange links get nothing where verdicts count, unless the operator has named them', async () => {
  await close();
  const budget = 'spam < 0.9 ? proportional(power=2) : 0';
  const all = DOMAINS.flat();
  const [seed, exchanges, honest] = [all[0], all.slice(1, 8), all.slice(8, 20)];
  // More seeds than are trusted: the one that exchanges links is not among the best.
  await open('trusted', { budget, seeds: [seed, ...honest] });
  const links = (names: readonly string[]) => names.map((name) => `http://${name}/`);
  const fetched = (name: string, targets: readonly string[]) => {
    const by = isOurs(0)(xxh64(name)) ? 0 : 1;
    agents[by].page(xxh64(name), `http://${name}/`, links(targets));
    agents[by].fetched(xxh64(name));
    agents[by].setSpam(xxh64(name), 0.1);
  };
  for (const group of [[seed, ...exchanges], honest])
    for (const name of group) fetched(name, group);
  for (const agent of [...agents, ...agents]) await agent.deliver();
  for (const agent of agents) await agent.rankNow();
  const shut = (name: string) =>
    agents.some((agent) => agent.shutsOut({ name, hash: xxh64(name) }, 0.1));
  expect(exchanges.filter(shut)).toEqual(exchanges);
  expect([seed, ...honest].filter(shut)).toEqual([]);
  const budgets = new Map<string, number>();
  for (const { book } of folders)
    for await (const { record } of book.records()) budgets.set(record.name, record.budget);
  expect(exchanges.map((name) => budgets.get(name))).toEqual(exchanges.map(() => 0));
  expect([seed, ...honest].filter((name) => !budgets.get(name))).toEqual([]);
  for (const { book } of folders) book.setOverride(exchanges[0], 'trusted', 0);
  expect(exchanges.filter(shut)).toEqual(exchanges.slice(1));
});

test('a link that is found again counts again only where it carries cash', () => {
  const gathered = (rank: 'opic' | 'tse'): number => {
    let links = 0;
    const gatherer = { page: (_, __, found) => (links += found.length), waiting: 0 } as Pick<
      EdgeGatherer,
      'page' | 'waiting'
    >;
    const { book, edges, sample } = folders[0];
    const reputation = new Reputation({
      ...{ agent: 0, agents: 1, rank, seeds: [], policy: parseBudget(settings.budget) },
      ...{ edges, sample, book, clock, pacer: flatOut, onBudgets: () => {}, send: () => {} },
      isOurs: () => true,
      gatherer: gatherer as EdgeGatherer,
    });
    for (let i = 0; i < 3; i++)
      reputation.page(xxh64('a.test'), 'http://a.test/', PackedUrls.of(['http://b.test/']));
    return links;
  };
  expect(gathered('tse')).toBe(1);
  expect(gathered('opic')).toBe(3);
});
