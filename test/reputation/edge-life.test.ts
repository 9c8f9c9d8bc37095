/** Two agents whose links between domains age, beside a naive model of what counts. */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flatOut } from '../../src/base/pacer.ts';
import { xxh64 } from '../../src/base/xxh64.ts';
import { resolveConfig } from '../../src/config/settings.ts';
import { openReputation } from '../../src/crawl/state/agent-folder.ts';
import { handOverReputation } from '../../src/crawl/state/handover-reputation.ts';
import { agentOf } from '../../src/crawl/transport/routing.ts';
import { Disk } from '../../src/disk/disk.ts';
import { parseBudget } from '../../src/reputation/budget/budget-policy.ts';
import type { RankName } from '../../src/reputation/budget/standing.ts';
import { EdgeGatherer } from '../../src/reputation/edges/edge-gatherer.ts';
import { Reputation } from '../../src/reputation/reputation.ts';
import type { ReputationFolder, ReputationState } from '../../src/reputation/reputation-folder.ts';
import { partitionOfFingerprint } from '../../src/url/fingerprint.ts';
import { PackedUrls } from '../../src/url/packed-urls.ts';
import { FaultyFileSystem } from '../disk/faulty-file-system.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { virtualClock } from '../fetch/virtual-clock.ts';

const LIFE = 40_000;
/**
 * Between two crawls of the model: what was seen one phase ago counts, what was two ago does not.
 */
const PHASE = 0.9 * LIFE;
const NAMES = Array.from({ length: 12 }, (_, i) => `d${i}.test`);

/** All agents of a crawl, in one process. */
class Crew {
  readonly clock = virtualClock();
  readonly #dir = temporaryFolder();
  readonly #rank: RankName;
  #count: number;
  #moves = 0;
  folders: ReputationFolder[] = [];
  agents: Reputation[] = [];

  constructor(rank: RankName, count: number) {
    this.#rank = rank;
    this.#count = count;
  }

  async open(at: readonly (ReputationState | undefined)[] = []): Promise<void> {
    this.folders = await this.#openFolders(this.#count, at);
    this.agents = this.folders.map((folder, agent) => this.#agentOf(folder, agent));
  }

  async #openFolders(
    count: number,
    at: readonly (ReputationState | undefined)[],
  ): Promise<ReputationFolder[]> {
    const config = resolveConfig({
      rank: this.#rank,
      rankSample: 1,
      edgeLife: LIFE,
      domainMemory: '8Mi',
    });
    const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
    return Promise.all(
      Array.from({ length: count }, (_, agent) =>
        openReputation(
          disk,
          join(this.#dir, `${this.#moves}-${agent}`),
          config,
          { clock: this.clock },
          at[agent],
        ),
      ),
    );
  }

  #agentOf({ book, edges, sample }: ReputationFolder, agent: number): Reputation {
    const count = this.#count;
    const ownerOf = (partition: number) => agentOf(partition, count);
    const cache = { owners: count, ownerOf, cash: false, cache: 2 ** 12 };
    return new Reputation({
      ...{ agent, agents: count, rank: this.#rank, policy: parseBudget('equal(1)') },
      ...{ edges, sample, book, clock: this.clock, pacer: flatOut, onBudgets: () => {} },
      seeds: [],
      isOurs: (key) => ownerOf(partitionOfFingerprint(key)) === agent,
      gatherer: new EdgeGatherer(cache),
      send: (to, message, bytes) => this.agents[to].receive(agent, message, bytes),
    });
  }

  /** Any agent may have fetched the page. */
  page(source: number, target: number): void {
    const by = this.agents[source % this.#count];
    const links = PackedUrls.of([`http://${NAMES[target]}/`]);
    by.page(xxh64(NAMES[source]), `http://${NAMES[source]}/`, links);
  }

  async wait(time: number): Promise<void> {
    const steps = 8;
    for (let i = 0; i < steps; i++) {
      for (const agent of this.agents) while (await agent.step());
      this.clock.advance(time / steps);
    }
  }

  async rank(): Promise<void> {
    for (const agent of [...this.agents, ...this.agents]) await agent.deliver();
    for (const agent of this.agents) await agent.rankNow();
  }

  async restart(): Promise<void> {
    for (const agent of [...this.agents, ...this.agents]) await agent.deliver();
    const states: ReputationState[] = [];
    for (const [i, folder] of this.folders.entries()) {
      this.agents[i].collect();
      states.push(JSON.parse(JSON.stringify(await folder.freeze())));
      await folder.discardOlder(states[i]);
    }
    await this.close();
    this.clock.advance(50 * LIFE);
    await this.open(states);
  }

  /** Continues with another number of agents. */
  async repartition(count: number): Promise<void> {
    for (const agent of [...this.agents, ...this.agents]) await agent.deliver();
    for (const agent of this.agents) await agent.write();
    const old = this.folders;
    this.#moves++;
    const heirs = await this.#openFolders(count, []);
    const ownerOf = (key: bigint) => heirs[agentOf(partitionOfFingerprint(key), count)];
    for (const folder of old) await handOverReputation(folder, heirs, ownerOf);
    for (const folder of old) await folder.close();
    this.#count = count;
    this.folders = heirs;
    this.agents = heirs.map((folder, agent) => this.#agentOf(folder, agent));
  }

  async scores(): Promise<Map<string, { inDegree: number; supporters: number }>> {
    const all = new Map<string, { inDegree: number; supporters: number }>();
    for (const { book } of this.folders) {
      for await (const { record } of book.records()) {
        const { name, inDegree, supporters = 0 } = record;
        if (inDegree > 0 || supporters > 0) all.set(name, { inDegree, supporters });
      }
    }
    return all;
  }

  async close(): Promise<void> {
    for (const agent of this.agents) await agent.end();
    for (const folder of this.folders) await folder.close();
  }
}

type Link = readonly [source: number, target: number];

/** In-degree and supporters at level two, counted by their definitions. */
function naive(links: readonly Link[], counts: boolean) {
  const sourcesOf = (target: number) =>
    new Set(links.filter(([, to]) => to === target).map(([from]) => from));
  const all = new Map<string, { inDegree: number; supporters: number }>();
  for (const [target, name] of NAMES.entries()) {
    const direct = sourcesOf(target);
    const second = new Set([...direct].flatMap((source) => [...sourcesOf(source)]));
    const supporters = [...second].filter((one) => one !== target && !direct.has(one)).length;
    if (direct.size > 0)
      all.set(name, { inDegree: direct.size, supporters: counts ? supporters : 0 });
  }
  return all;
}

const link = fc.tuple(fc.nat(6), fc.nat(6)).filter(([from, to]) => from !== to);
const phase = fc.record({
  links: fc.array(link, { maxLength: 20 }),
  after: fc.constantFrom('wait', 'restart', 'repartition'),
});

test('a link counts in in-degrees and supporters for as long as its life, whoever owns its target', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(phase, { minLength: 3, maxLength: 4 }),
      fc.constantFrom<RankName>('tse', 'in'),
      fc.integer({ min: 1, max: 3 }),
      async (phases, rank, count) => {
        const crew = new Crew(rank, count);
        await crew.open();
        for (const [i, { links, after }] of phases.entries()) {
          for (const [source, target] of links) crew.page(source, target);
          await crew.rank();
          const counted = [...links, ...(phases[i - 1]?.links ?? [])];
          expect(await crew.scores()).toEqual(naive(counted, rank === 'tse'));
          if (after === 'restart') await crew.restart();
          // A move ends no period: what it moves ages from there.
          if (after === 'repartition') await crew.repartition(1 + ((count + i) % 3));
          await crew.wait(PHASE);
        }
        await crew.close();
      },
    ),
    { numRuns: 4 },
  );
});

test('a link that is seen again and again never expires', async () => {
  const crew = new Crew('in', 2);
  await crew.open();
  for (let phase = 0; phase < 4; phase++) {
    crew.page(0, 1);
    await crew.rank();
    expect(await crew.scores()).toEqual(naive([[0, 1]], false));
    await crew.wait(PHASE);
  }
  await crew.close();
});

test('links that expire are a reason to rank, and the ranking is announced to other agents', async () => {
  const crew = new Crew('in', 2);
  await crew.open();
  crew.page(0, 1);
  await crew.rank();
  expect(crew.agents.map(({ standing }) => standing.keys.length)).toEqual([1, 1]);
  const { wakeAt } = crew.agents[0];
  expect(wakeAt).toBe(crew.clock.now() + LIFE / 4);
  await crew.wait(2 * LIFE);
  expect(await crew.scores()).toEqual(new Map());
  expect(crew.agents.map(({ standing }) => standing.keys.length)).toEqual([0, 0]);
  await crew.close();
});

test('an exchange of links moves with its record, and is none when nothing links to it any more', async () => {
  const crew = new Crew('trusted', 2);
  await crew.open();
  const exchanges = async () => {
    const found: string[] = [];
    for (const { book } of crew.folders)
      for await (const { record } of book.records())
        if (record.exchangesLinks) found.push(record.name);
    return found;
  };
  /** As a ranking leaves an exchange that no trust reaches. */
  const mark = async () => {
    for (const { book } of crew.folders) {
      for await (const { key, record } of book.records())
        if (record.name === NAMES[0]) book.setSupporters(key, 0, true);
      await book.flush();
    }
  };
  crew.page(1, 0);
  await crew.rank();
  await mark();
  await crew.repartition(3);
  expect(await exchanges()).toEqual([NAMES[0]]);
  await crew.wait(3 * LIFE);
  await mark();
  await crew.rank();
  expect(await exchanges()).toEqual([]);
  await crew.close();
});
