/** Links between domains that age: the edges and the sample beside naive models of them. */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flatOut } from '../../../src/base/pacer.ts';
import type { Frozen } from '../../../src/disk/checkpoint.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { arcWords } from '../../../src/reputation/edges/arc-set.ts';
import {
  DomainEdges,
  type DomainEdgesState,
  HELD_PERIODS,
} from '../../../src/reputation/edges/domain-edges.ts';
import {
  type SampleState,
  SupporterSample,
} from '../../../src/reputation/edges/supporter-sample.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { TINY as TINY_DRUM } from '../../drum/tiny-geometry.ts';
import { type VirtualClock, virtualClock } from '../../fetch/virtual-clock.ts';
import { keyOf, readLists, TINY } from './edges-life.ts';

const LIFE = 4000;
const PERIOD = LIFE / 4;
const quick = () => new Disk(new FaultyFileSystem({ skipSync: true }));

const domain = fc.nat(9);
const some = fc.array(fc.tuple(domain, domain), { maxLength: 12 });
const step = fc.oneof(
  { weight: 3, arbitrary: some.map((edges) => ({ do: 'add' as const, edges })) },
  { weight: 3, arbitrary: fc.nat(3 * PERIOD).map((time) => ({ do: 'wait' as const, time })) },
  {
    weight: 3,
    arbitrary: fc.constantFrom({ do: 'take' as const }, { do: 'lists' as const }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom({ do: 'checkpoint' as const }, { do: 'reopen' as const }),
  },
);

/** The time at which each edge was added last, by the clock of the edges. */
type Seen = ReadonlyMap<string, number>;

class AgingEdges {
  readonly #folder = temporaryFolder();
  readonly #clock: VirtualClock = virtualClock();
  edges!: DomainEdges;
  /** Time while it was open. */
  now = 0;
  seen = new Map<string, number>();
  #cut: { frozen: Frozen<DomainEdgesState>; seen: Seen; now: number } | undefined;

  static async begin(): Promise<AgingEdges> {
    const aging = new AgingEdges();
    await aging.open();
    return aging;
  }

  async open(): Promise<void> {
    this.edges = await DomainEdges.open({
      ...{ disk: quick(), folder: this.#folder, memory: 0, geometry: TINY_DRUM, limits: TINY },
      ...{ life: LIFE, clock: this.#clock, pacer: flatOut, at: this.#cut?.frozen },
    });
    this.seen = new Map(this.#cut?.seen);
    this.now = this.#cut?.now ?? 0;
  }

  add(target: number, source: number): void {
    this.edges.add(keyOf(target), keyOf(source));
    if (target !== source) this.seen.set(`${keyOf(target)}<${keyOf(source)}`, this.now);
  }

  async takeAll(): Promise<void> {
    await this.edges.flush();
    while (await this.edges.take());
  }

  async wait(time: number): Promise<void> {
    this.#clock.advance(time);
    this.now += time;
    if (this.#clock.now() < this.edges.turnsAt) return;
    await this.takeAll();
    expect(await this.edges.turn()).toBeGreaterThan(0);
    expect(this.edges.turnsAt).toBeGreaterThan(this.#clock.now());
  }

  async check(): Promise<void> {
    await this.takeAll();
    const found = await readLists(this.edges.lists());
    expect(new Set(found).size, 'each edge once').toBe(found.length);
    const listed = new Set(found);
    for (const [edge, time] of this.seen) {
      const age = this.now - time;
      if (age < HELD_PERIODS * PERIOD) expect(listed, `seen ${age} ago`).toContain(edge);
      if (age >= (HELD_PERIODS + 1) * PERIOD) expect(listed, `seen ${age} ago`).not.toContain(edge);
    }
    for (const edge of found) expect(this.seen.has(edge), `${edge} was added`).toBe(true);
  }

  async checkpoint(): Promise<void> {
    const frozen: Frozen<DomainEdgesState> = JSON.parse(JSON.stringify(await this.edges.freeze()));
    this.#cut = { frozen, seen: new Map(this.seen), now: this.now };
    await this.edges.discardOlder(frozen);
    expect(readdirSync(this.#folder).sort()).toEqual(Object.keys(frozen.files).sort());
  }

  /** A long time passes while it is closed: nothing ages. */
  async reopen(): Promise<void> {
    await this.edges.close();
    this.#clock.advance(100 * LIFE);
    await this.open();
  }
}

describe('edges with a life', () => {
  test('are listed once for as long as they live after they were added last, through restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
        const aging = await AgingEdges.begin();
        for (const next of steps) {
          if (next.do === 'add')
            for (const [target, source] of next.edges) aging.add(target, source);
          else if (next.do === 'wait') await aging.wait(next.time);
          else if (next.do === 'take') await aging.takeAll();
          else if (next.do === 'lists') await aging.check();
          else if (next.do === 'checkpoint') await aging.checkpoint();
          else await aging.reopen();
        }
        await aging.check();
        await aging.edges.close();
      }),
      { numRuns: 30 },
    );
  });

  test('go to a new owner with their ages', async () => {
    const aging = await AgingEdges.begin();
    for (let period = 0; period < 4; period++) {
      for (let source = 0; source < 8; source++) if (source >= period) aging.add(9, source);
      await aging.wait(PERIOD);
    }
    await aging.takeAll();
    const heir = await AgingEdges.begin();
    for (const age of aging.edges.ages) await heir.edges.adopt(age, aging.edges.listsAt(age));
    await heir.edges.adopt(1, aging.edges.listsAt(77));
    expect(heir.edges.ages).toEqual([4, 3, 2, 1]);
    heir.seen = new Map(Array.from(aging.seen, ([edge, time]) => [edge, time - aging.now]));
    for (let i = 0; i < 7; i++) {
      await heir.check();
      await heir.checkpoint();
      await heir.reopen();
      await heir.wait(PERIOD);
    }
    expect(await readLists(heir.edges.lists())).toEqual([]);
    await heir.edges.close();
    await aging.edges.close();
  });

  test('cannot turn while some were decided and not taken', async () => {
    const clock = virtualClock();
    const edges = await DomainEdges.open({
      ...{ disk: quick(), folder: temporaryFolder(), memory: 0, geometry: TINY_DRUM, limits: TINY },
      ...{ life: LIFE, clock },
    });
    edges.add(1n, 2n);
    await edges.flush();
    clock.advance(PERIOD);
    await expect(edges.turn()).rejects.toThrow('not taken');
    await edges.close();
  });

  test('without a life, the state has no trace of periods', async () => {
    const folder = temporaryFolder();
    const edges = await DomainEdges.open({
      ...{ disk: quick(), folder, memory: 0, geometry: TINY_DRUM, limits: TINY, life: Infinity },
    });
    for (let source = 2; source < 60; source++) edges.add(1n, BigInt(source));
    await edges.flush();
    while (await edges.take());
    expect(edges.turnsAt).toBe(Infinity);
    expect(edges.isAged).toBe(false);
    expect(JSON.stringify(await edges.freeze())).not.toMatch(/period|passed/);
    await edges.close();
  });
});

const arc = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 20 }));

describe('a sample of edges with a life', () => {
  test('holds the arcs that came in the periods that count, through restarts and handovers', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.array(arc, { maxLength: 15 }).map((arcs) => ({ arcs })) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 3 }).map((by) => ({ by })) },
      { weight: 3, arbitrary: fc.constantFrom('freeze', 'reopen', 'hand over') },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        let folder = temporaryFolder();
        const open = (at?: Frozen<SampleState>) =>
          SupporterSample.open({ disk: quick(), folder, p: 1, seed: 3, most: 500, aged: true, at });
        let sample = await open();
        let period = 0;
        let seen = new Map<string, number>();
        let cut: { at: Frozen<SampleState>; period: number; seen: Map<string, number> } | undefined;
        for (const next of steps) {
          if (next === 'freeze') {
            const at: Frozen<SampleState> = JSON.parse(JSON.stringify(await sample.freeze()));
            await sample.discardOlder(at);
            cut = { at, period, seen: new Map(seen) };
          } else if (next === 'reopen') {
            await sample.close();
            sample = await open(cut?.at);
            [period, seen] = [cut?.period ?? 0, new Map(cut?.seen)];
          } else if (next === 'hand over') {
            folder = temporaryFolder();
            cut = undefined;
            const heir = await open();
            for (const { bytes, age } of sample.parcels()) heir.receive(bytes, age);
            await sample.close();
            sample = heir;
            seen = new Map(Array.from(seen, ([key, last]) => [key, last - period]));
            period = 0;
          } else if ('by' in next) {
            sample.turn(next.by, HELD_PERIODS);
            period += next.by;
          } else {
            const list = next.arcs;
            sample.offer({
              length: list.length,
              sources: BigUint64Array.from(list, ([source]) => BigInt(source)),
              targets: BigUint64Array.from(list, ([, target]) => BigInt(target)),
            });
            for (const [source, target] of list) seen.set(`${source}>${target}`, period);
          }
          for (const [key, last] of seen) if (last < period - HELD_PERIODS) seen.delete(key);
          expect(contentOf(sample)).toEqual([...seen.keys()].sort());
        }
        await sample.close();
      }),
      { numRuns: 100 },
    );
  });
});

test('a sample remembers after a restart that an arc was renewed', async () => {
  const folder = temporaryFolder();
  const options = { folder, p: 1, seed: 3, most: 500, aged: true };
  const sample = await SupporterSample.open({ disk: quick(), ...options });
  const offer = () =>
    sample.offer({
      length: 1,
      sources: BigUint64Array.of(1n),
      targets: BigUint64Array.of(2n),
    });
  offer();
  sample.turn(1, HELD_PERIODS);
  await sample.freeze();
  offer();
  const at = await sample.freeze();
  await sample.close();
  const again = await SupporterSample.open({ disk: quick(), ...options, at });
  again.turn(HELD_PERIODS, HELD_PERIODS);
  expect(contentOf(again)).toEqual(['1>2']);
  again.turn(1, HELD_PERIODS);
  expect(contentOf(again)).toEqual([]);
  await again.close();
});

function contentOf(sample: SupporterSample): string[] {
  const found: string[] = [];
  for (const words of arcWords(sample.arcs()))
    for (let at = 0; at < words.length; at += 4) found.push(`${words[at]}>${words[at + 2]}`);
  return found.sort();
}
