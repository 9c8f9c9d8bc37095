import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { xxh64 } from '../../../src/base/xxh64.ts';
import { agentOf } from '../../../src/crawl/transport/routing.ts';
import { EdgeGatherer } from '../../../src/reputation/edges/edge-gatherer.ts';
import { type EdgeParcel, unpackEdges } from '../../../src/reputation/edges/edge-parcel.ts';
import { partitionOf } from '../../../src/url/fingerprint.ts';

const nameOf = (i: number) => `d${i}.example`;
const domain = fc.nat(12).map(nameOf);
const page = fc.record({
  source: domain,
  targets: fc.array(domain, { maxLength: 12, size: 'max' }),
});
const OWNERS = 3;
/** A cache in which no set overflows with all the edges of these tests; at 4,096 bytes some do. */
const LARGE = 16_384;
/** The URL of a page of the domain. */
const urlOf = (name: string) => `http://www.${name}/`;
const linksTo = (names: readonly string[]) =>
  names.map((name, i) => `https://h${i % 2}.${name}/${i}`);

function gatherer(options: { cash: boolean; cache: number }): EdgeGatherer {
  return new EdgeGatherer({
    owners: OWNERS,
    ownerOf: (partition) => agentOf(partition, OWNERS),
    ...options,
  });
}

interface Drained {
  /** `target<source`, once for each time it was sent. */
  readonly edges: string[];
  readonly cash: Map<string, number>;
}

/** What all owners are sent. Each target goes to its own owner, once per parcel. */
function drain(from: EdgeGatherer, hasCash: boolean): Drained {
  const drained: Drained = { edges: [], cash: new Map() };
  for (let owner = 0; owner < OWNERS; owner++) {
    const bytes = from.drain(owner);
    if (!bytes) continue;
    const parcel = unpackEdges(bytes);
    const names = Array.from({ length: parcel.length }, (_, i) => parcel.nameOf(i));
    expect(new Set(names).size).toBe(names.length);
    expect(parcel.cash !== undefined).toBe(hasCash);
    for (const [i, name] of names.entries()) {
      expect(agentOf(partitionOf(name), OWNERS)).toBe(owner);
      expect(parcel.targets[i]).toBe(xxh64(name));
      for (let at = i === 0 ? 0 : parcel.ends[i - 1]; at < parcel.ends[i]; at++) {
        drained.edges.push(`${name}<${parcel.sources[at]}`);
      }
      if (parcel.cash) drained.cash.set(name, parcel.cash[i]);
    }
    expect(from.drain(owner)).toBeUndefined();
  }
  expect(from.waiting).toBe(0);
  return drained;
}

describe('gathering edges', () => {
  test('sends every edge, once per parcel, and all cash, for any pages, drains and cache', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(page, { maxLength: 8 }), { maxLength: 6 }),
        fc.boolean(),
        fc.constantFrom(0, 32, LARGE),
        (rounds, hasCash, cache) => {
          const gathering = gatherer({ cash: hasCash, cache });
          const sent = new Set<string>();
          for (const pages of rounds) {
            const edges = new Set<string>();
            const cash = new Map<string, number>();
            for (const { source, targets } of pages) {
              gathering.page(xxh64(source), urlOf(source), linksTo(targets));
              const others = new Set(targets.filter((target) => target !== source));
              for (const target of others) {
                edges.add(`${target}<${xxh64(source)}`);
                cash.set(target, (cash.get(target) ?? 0) + 1 / others.size);
              }
            }
            const { waiting } = gathering;
            const drained = drain(gathering, hasCash);
            expect(waiting).toBe(drained.edges.length + drained.cash.size);
            expect(new Set(drained.edges).size).toBe(drained.edges.length);
            for (const edge of drained.edges) expect(edges.has(edge)).toBe(true);
            // An edge that is missing was sent before.
            for (const edge of edges)
              if (!drained.edges.includes(edge)) expect(sent.has(edge)).toBe(true);
            if (cache === 0) expect(drained.edges.length).toBe(edges.size);
            // The large cache forgets none of these few edges, so nothing is sent twice.
            if (cache === LARGE)
              for (const edge of drained.edges) expect(sent.has(edge)).toBe(false);
            for (const edge of drained.edges) sent.add(edge);
            if (hasCash) expect([...drained.cash].sort()).toEqual([...cash].sort());
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  test('remembers a limited number of names, and forgets none that has something to send', () => {
    const gathering = gatherer({ cash: false, cache: 0 });
    const names = Array.from({ length: 40_000 }, (_, i) => nameOf(i));
    const sent = () => {
      const parcels = [0, 1, 2].flatMap((owner) =>
        unpackEdges(gathering.drain(owner) ?? new Uint8Array(16)),
      );
      const sum = (of: (parcel: EdgeParcel) => number) =>
        parcels.reduce((total, next) => total + of(next), 0);
      return { targets: sum(({ length }) => length), edges: sum(({ sources }) => sources.length) };
    };
    const page = (source: bigint, to: readonly string[]) =>
      gathering.page(source, urlOf('a.test'), linksTo(to));
    page(7n, names);
    page(8n, names);
    expect(sent()).toEqual({ targets: 40_000, edges: 80_000 });
    page(
      9n,
      names.map((name) => `other-${name}`),
    );
    page(9n, names);
    page(7n, names);
    expect(sent()).toEqual({ targets: 80_000, edges: 120_000 });
  });

  test('a page that links to no other domain gives nothing', () => {
    const gathering = gatherer({ cash: true, cache: 0 });
    const own = ['http://www.a.example/2', 'http://www.a.example:81/', 'https://a.example/'];
    gathering.page(xxh64('a.example'), 'http://www.a.example/', own);
    gathering.page(xxh64('a.example'), 'http://www.a.example/', []);
    expect(drain(gathering, true).edges).toEqual([]);
  });
});

describe('a parcel of edges', () => {
  const parcel = () => {
    const gathering = new EdgeGatherer({ owners: 1, ownerOf: () => 0, cash: true, cache: 0 });
    gathering.page(7n, urlOf('c.example'), linksTo(['a.example', 'b.example']));
    return gathering.drain(0) ?? new Uint8Array(0);
  };

  test('is read at any alignment', () => {
    const bytes = parcel();
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    const read = unpackEdges(shifted.subarray(3));
    expect([read.nameOf(0), read.nameOf(1), ...read.sources, ...(read.cash ?? [])]).toEqual([
      ...['a.example', 'b.example', 7n, 7n, 0.5, 0.5],
    ]);
  });

  test('is refused when it is too short or too long', () => {
    const bytes = parcel();
    for (let length = 0; length < bytes.length; length++) {
      expect(() => unpackEdges(bytes.slice(0, length))).toThrow('incomplete');
    }
    expect(() => unpackEdges(Uint8Array.of(...bytes, 0))).toThrow('incomplete');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80, size: 'max' }), (noise) => {
        try {
          unpackEdges(noise);
        } catch (error) {
          expect((error as Error).message).toContain('incomplete');
        }
      }),
    );
  });
});
