/** Which domains exchange links: against a naive model, and what a rival can and cannot do. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flatOut } from '../../../src/base/pacer.ts';
import { findExchanges } from '../../../src/rank/supporters/link-exchanges.ts';
import { walkTrust } from '../../../src/rank/supporters/trust-walk.ts';

type Arc = readonly [from: number, to: number];

/** Arcs as lists, each once, by source. */
function arcsOf(nodes: number, arcs: readonly Arc[]) {
  const links = new Map<number, Set<number>>();
  for (const [from, to] of arcs) {
    const own = links.get(from) ?? new Set();
    links.set(from, own.add(to));
  }
  const sources = [...links.keys()];
  const lists = sources.map((source) => [...(links.get(source) ?? [])]);
  const ends = lists.map((_, i) => lists.slice(0, i + 1).flat().length);
  const begins = ends.map((end, i) => end - lists[i].length);
  const linked = new Uint32Array(nodes);
  for (const target of lists.flat()) linked[target]++;
  return {
    links,
    linked,
    arcs: { nodes, sources, begins, ends, targets: Uint32Array.from(lists.flat()) },
  };
}

async function exchangesIn(nodes: number, all: readonly Arc[], seeds: readonly number[], p = 1) {
  const { links, linked, arcs } = arcsOf(nodes, all);
  const trust = await walkTrust(arcs, seeds, flatOut);
  const found = findExchanges({ arcs, trust, linked, p });
  return {
    found: arcs.sources.filter((_, i) => found[i]).sort((a, b) => a - b),
    links,
    linked,
    trust,
  };
}

/** Every member links to every other. */
const clique = (members: readonly number[]): Arc[] =>
  members.flatMap((a) => members.filter((b) => b !== a).map((b): Arc => [a, b]));

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
/** A seed, a thriving community that it links to, and an exchange that nobody else links to. */
const COMMUNITY = range(1, 20);
const EXCHANGE = range(20, 28);
const WEB: readonly Arc[] = [
  ...COMMUNITY.map((node): Arc => [0, node]),
  ...clique(COMMUNITY),
  ...clique(EXCHANGE),
];

describe('exchanges of links', () => {
  test('are unsupported domains with a quarter of their links to at least three of their like', async () => {
    const anyArcs = fc.array(fc.tuple(fc.nat(19), fc.nat(19)), { minLength: 40, maxLength: 220 });
    await fc.assert(
      fc.asyncProperty(anyArcs, fc.subarray(range(0, 20)), async (drawn, seeds) => {
        const arcs = drawn.filter(([from, to]) => from !== to);
        const { found, links, linked, trust } = await exchangesIn(20, arcs, seeds);
        const unsupported = new Set(
          range(0, 20).filter((i) => linked[i] >= 6 && 2 * trust.received[i] < trust.unit),
        );
        const enough = linked.filter((count) => count >= 6).length;
        const hasSpread = 2 * unsupported.size <= enough;
        const expected = [...unsupported].filter((node) => {
          const targets = [...(links.get(node) ?? [])];
          const partners = targets.filter((target) => unsupported.has(target)).length;
          return hasSpread && partners >= 3 && 4 * partners >= targets.length;
        });
        expect(found).toEqual(expected.sort((a, b) => a - b));
        const turned = await exchangesIn(20, [...arcs].reverse(), seeds);
        expect(turned.found).toEqual(found);
      }),
    );
  });

  test('are found in a group that trust does not reach, not in the community of the seed', async () => {
    expect((await exchangesIn(28, WEB, [0])).found).toEqual(EXCHANGE);
  });

  test('cannot be made of a rival by links to it', async () => {
    // Nodes 28 and 29: small sites that the community does not link to. All members of the exchange
    // link to both; 29 is also tricked into two links back.
    const attack = EXCHANGE.flatMap((node): Arc[] => [
      [node, 28],
      [node, 29],
    ]);
    const own: Arc[] = [
      [28, 1],
      [29, 1],
      [29, 20],
      [29, 21],
    ];
    expect((await exchangesIn(30, [...WEB, ...attack, ...own], [0])).found).toEqual(EXCHANGE);
  });

  test('are also sites without trust on which a rival can write links, and not diluted groups', async () => {
    const attack = EXCHANGE.map((node): Arc => [node, 28]);
    const written = [1, 20, 21, 22].map((node): Arc => [28, node]);
    const victim = await exchangesIn(29, [...WEB, ...attack, ...written], [0]);
    expect(victim.found).toEqual([...EXCHANGE, 28]);
    // Each member links to its 7 partners and to 22 others.
    const others = EXCHANGE.flatMap((node) => range(30, 52).map((to): Arc => [node, to]));
    const community = range(30, 52).map((to): Arc => [0, to]);
    expect((await exchangesIn(52, [...WEB, ...community, ...others], [0])).found).toEqual([]);
  });

  test('are cleared by a link from a domain that is trusted', async () => {
    // The whole trust of a member of the community goes to the first of the exchange.
    const link: Arc = [40, EXCHANGE[0]];
    const { found } = await exchangesIn(41, [...WEB, [0, 40], link], [0]);
    expect(found).not.toContain(EXCHANGE[0]);
  });

  test('are not looked for among the links of few sources, or where trust has not spread', async () => {
    expect((await exchangesIn(28, WEB, [0], 0.4)).found).toEqual([]);
    expect((await exchangesIn(28, WEB, [])).found).toEqual([]);
    expect((await exchangesIn(28, WEB, [EXCHANGE[0]])).found).toEqual([]);
  });
});
