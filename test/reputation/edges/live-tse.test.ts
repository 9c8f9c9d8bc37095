/** Live TSE is offline TSE: the same graph gives the same numbers, to the last bit. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flatOut } from '../../../src/base/pacer.ts';
import { xxh64 } from '../../../src/base/xxh64.ts';
import { agentOf } from '../../../src/crawl/transport/routing.ts';
import type { Frozen } from '../../../src/disk/checkpoint.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { importGraph } from '../../../src/graph/io/import.ts';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { rank } from '../../../src/rank/index.ts';
import { DomainEdges, type DomainEdgesState } from '../../../src/reputation/edges/domain-edges.ts';
import { estimateSupporters } from '../../../src/reputation/edges/live-tse.ts';
import {
  type SampleState,
  SupporterSample,
} from '../../../src/reputation/edges/supporter-sample.ts';
import { partitionOf } from '../../../src/url/fingerprint.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { TINY as TINY_DRUM } from '../../drum/tiny-geometry.ts';
import { mediumGraph, returningGraph } from '../../rank/supporters/naive.ts';
import { TINY } from './edges-life.ts';

/** A few dozen edges fill everything. */
const GEOMETRY = {
  ...TINY_DRUM,
  keyChunk: 160,
  textChunk: 340,
  bucketKeys: 60,
  window: 512,
  stagedEntries: 50,
  stagedBytes: 900,
};
const LIMITS = { ...TINY, partPairs: 16, window: 256, blockSources: 20 };

type NamedArc = readonly [source: string, target: string];

const nameOf = (node: number) => `domain-${node}.example`;
const named = (arcs: readonly (readonly [number, number])[]) =>
  arcs.map(([source, target]): NamedArc => [nameOf(source), nameOf(target)]);

/** The part of a crawl's agent that deals with edges. */
class Agent {
  readonly #disk = new Disk(new FaultyFileSystem({ skipSync: true }));
  readonly #folders = { edges: temporaryFolder(), sample: temporaryFolder() };
  readonly #settings: { readonly p: number; readonly seed: number };
  edges!: DomainEdges;
  sample!: SupporterSample;
  #cut: { edges?: Frozen<DomainEdgesState>; sample?: Frozen<SampleState> } = {};

  constructor(settings: { readonly p: number; readonly seed: number }) {
    this.#settings = settings;
  }

  async open(): Promise<this> {
    const disk = this.#disk;
    this.edges = await DomainEdges.open({
      ...{
        disk,
        folder: this.#folders.edges,
        memory: 0,
        geometry: GEOMETRY,
        limits: LIMITS,
        pacer: flatOut,
      },
      at: this.#cut.edges,
    });
    const folder = this.#folders.sample;
    this.sample = await SupporterSample.open({
      disk,
      folder,
      ...this.#settings,
      most: 5000,
      at: this.#cut.sample,
    });
    return this;
  }

  /** Sends new arcs to the others. */
  async tick(others: readonly Agent[]): Promise<void> {
    await this.edges.flush();
    for (let edges = await this.edges.take(); edges; edges = await this.edges.take()) {
      const parcel = this.sample.offer(edges);
      if (parcel) for (const other of others) other.sample.receive(parcel);
    }
  }

  /** Kills it right after a checkpoint, and resumes from there. */
  async restart(): Promise<void> {
    this.#cut = { edges: await this.edges.freeze(), sample: await this.sample.freeze() };
    await this.close();
    await this.open();
  }

  async estimates(
    into: Map<bigint, number>,
    atOnce: number,
    seeds?: readonly bigint[],
  ): Promise<void> {
    const options = { atOnce, seeds };
    for await (const batch of estimateSupporters(this.edges.lists(), this.sample, options)) {
      for (let i = 0; i < batch.length; i++) {
        expect(into.has(batch.targets[i])).toBe(false);
        into.set(batch.targets[i], batch.supporters[i]);
      }
    }
  }

  async close(): Promise<void> {
    await this.edges.close();
    await this.sample.close();
  }
}

/**
 * What agents estimate when the arcs come in this order, in `ticks` ticks, with a restart after
 * each.
 */
async function liveTse(
  arcs: readonly NamedArc[],
  settings: {
    p: number;
    seed: number;
    agents: number;
    ticks: number;
    atOnce?: number;
    seeds?: readonly string[] | undefined;
  },
): Promise<Map<bigint, number>> {
  const agents: Agent[] = [];
  for (let i = 0; i < settings.agents; i++) agents.push(await new Agent(settings).open());
  const perTick = Math.ceil(arcs.length / settings.ticks);
  for (let tick = 0; tick < settings.ticks; tick++) {
    for (const [source, target] of arcs.slice(tick * perTick, (tick + 1) * perTick)) {
      agents[agentOf(partitionOf(target), agents.length)].edges.add(xxh64(target), xxh64(source));
    }
    for (const agent of agents) await agent.tick(agents.filter((other) => other !== agent));
    for (const agent of agents) await agent.restart();
  }
  const estimates = new Map<bigint, number>();
  for (const agent of agents) {
    const seeds = settings.seeds?.map((name) => xxh64(name));
    await agent.estimates(estimates, settings.atOnce ?? 8192, seeds);
    await agent.close();
  }
  return estimates;
}

/** The same through an edge list, an imported graph and the ranker. */
async function offlineTse(
  arcs: readonly NamedArc[],
  p: number,
  seed: number,
  seeds?: readonly string[],
): Promise<Map<bigint, number>> {
  const folder = temporaryFolder();
  const list = join(folder, 'edges.txt');
  writeFileSync(list, arcs.map((arc) => `${arc.join('\t')}\n`).join(''));
  const disk = new Disk(new FaultyFileSystem({ skipSync: true }));
  await importGraph([list], join(folder, 'graph'), { format: 'edges', names: true, disk });
  const graph = await openGraph(join(folder, 'graph'));
  const by = seeds ? { by: 'trusted', seeds } : { by: 'tse' };
  const { scores } = await rank(graph, { ...by, p, seed, sample: 'name' });
  const linked = new Set(
    arcs.filter(([source, target]) => source !== target).map(([, target]) => target),
  );
  const byKey = new Map<bigint, number>();
  let node = 0;
  for await (const name of graph.names.all()) {
    // A domain without an in-link, except from itself, is not among the targets and has no
    // supporters.
    if (linked.has(name)) byKey.set(xxh64(name), scores[node]);
    else expect(scores[node]).toBe(0);
    node++;
  }
  await graph.close();
  return byKey;
}

const inOrder = (scores: Map<bigint, number>) => [...scores].sort(([a], [b]) => (a < b ? -1 : 1));

describe('live TSE', () => {
  test('gives every domain what offline TSE gives it, for any agents, order, repeats and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(
        mediumGraph.map(({ arcs }) => named(arcs)),
        fc.infiniteStream(fc.nat()),
        fc.constantFrom(0.1, 0.5, 1),
        fc.nat(100),
        fc.constantFrom(1, 3),
        fc.integer({ min: 1, max: 4 }),
        async (arcs, numbers, p, seed, agents, ticks) => {
          const any = () => numbers.next().value as number;
          const found = [...arcs, ...arcs.filter(() => any() % 2 === 0)]
            .map((arc) => ({ arc, at: any() }))
            .sort((a, b) => a.at - b.at)
            .map(({ arc }) => arc);
          const live = await liveTse(found, { p, seed, agents, ticks, atOnce: 1 + (any() % 20) });
          expect(inOrder(live)).toEqual(inOrder(await offlineTse(arcs, p, seed)));
        },
      ),
      { numRuns: 9 },
    );
  });

  test('gives trusted supporters as offline does, to the last bit, wherever trust begins', async () => {
    const seeds = fc.uniqueArray(fc.nat(130), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(
        returningGraph.map(({ arcs }) => named(arcs)),
        fc.infiniteStream(fc.nat()),
        fc.record({
          p: fc.constantFrom(0.1, 0.5, 1),
          seed: fc.nat(9),
          agents: fc.constantFrom(1, 3),
        }),
        seeds.map((nodes) => nodes.map(nameOf)),
        async (arcs, numbers, { p, seed, agents }, seeds) => {
          const any = () => numbers.next().value as number;
          const found = arcs.map((arc) => ({ arc, at: any() })).sort((a, b) => a.at - b.at);
          const live = await liveTse(
            found.map(({ arc }) => arc),
            { p, seed, agents, seeds, ticks: 2, atOnce: 1 + (any() % 20) },
          );
          expect(inOrder(live)).toEqual(inOrder(await offlineTse(arcs, p, seed, seeds)));
        },
      ),
      { numRuns: 7 },
    );
  });

  test('is SUPP when every domain is drawn: each supporter once, no in-neighbour, not the domain itself', async () => {
    // z and w support x through y; so does v, but it also links to x. x supports itself through u.
    const arcs = named([
      [1, 2],
      [2, 0],
      [3, 2],
      [4, 2],
      [4, 0],
      [0, 5],
      [5, 0],
      [1, 5],
    ]);
    const live = await liveTse(arcs, { p: 1, seed: 1, agents: 1, ticks: 1 });
    expect(live.get(xxh64(nameOf(0)))).toBe(2);
  });

  test('gives zeros as long as no domain is drawn', async () => {
    const live = await liveTse(
      named([
        [1, 2],
        [2, 3],
        [3, 4],
      ]),
      { p: 1e-9, seed: 1, agents: 1, ticks: 1 },
    );
    expect([...live.values()]).toEqual([0, 0, 0]);
  });

  test('leaves the graph unchanged when it is stopped in the middle', async () => {
    const agent = await new Agent({ p: 1, seed: 1 }).open();
    for (let i = 1; i < 100; i++) agent.edges.add(xxh64(nameOf(i % 7)), xxh64(nameOf(i)));
    await agent.tick([]);
    for await (const batch of estimateSupporters(agent.edges.lists(), agent.sample, {
      atOnce: 2,
    })) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
    const estimates = new Map<bigint, number>();
    await agent.estimates(estimates, 8);
    expect(estimates.size).toBe(7);
    await agent.close();
  });

  test('lets other work run', async () => {
    const agent = await new Agent({ p: 1, seed: 1 }).open();
    for (let i = 1; i < 100; i++) agent.edges.add(xxh64(nameOf(i % 7)), xxh64(nameOf(i)));
    await agent.tick([]);
    let pauses = 0;
    const pacer = { pause: async () => void pauses++ };
    const batches = estimateSupporters(agent.edges.lists(), agent.sample, { pacer });
    for await (const batch of batches) expect(batch.length).toBe(7);
    expect(pauses).toBeGreaterThan(5);
    await agent.close();
  });
});
