/** Choices in the library have literal types: a wrong word does not compile. */
import { expect, test } from 'vitest';
import { RANKING_METHODS, type RankingMethod, type RankRequest } from '../../src/api/graph.ts';
import type { CrawlOptions, StreamOptions } from '../../src/api/index.ts';
import { type LabOptions, SCENARIOS, type ScenarioName } from '../../src/api/lab.ts';
import type { RefreshOptions, TestOrder } from '../../src/api/refresh.ts';
import { SETTING_ROWS } from '../../src/config/settings.ts';
import { ORDER_NAMES } from '../../src/refresh/orders/registry.ts';

/** The compiler checks each line: an error that does not happen is an error. */
function wrong(): readonly unknown[] {
  // @ts-expect-error
  const scope: StreamOptions = { seeds: 'http://a.test/', scope: 'hst' };
  // @ts-expect-error
  const store: StreamOptions = { seeds: 'http://a.test/', store: 'wrc' };
  // @ts-expect-error
  const nofollow: CrawlOptions = { nofollow: 'ignore' };
  // @ts-expect-error
  const lab: LabOptions = { scenario: 'cleen' };
  // @ts-expect-error
  const rank: RankRequest = { by: 'pagrank' };
  // @ts-expect-error
  const refresh: RefreshOptions = { old: 'a', dir: 'b', by: 'pagrank' };
  return [scope, store, nofollow, lab, rank, refresh];
}

test('the types hold the same names as the lists', () => {
  expect(wrong()).toHaveLength(6);
  const scenarios: Record<ScenarioName, true> = {
    ...{ clean: true, mixed: true, spam: true, attack: true },
    ...{ hostile: true, site: true, papers: true, scripted: true },
  };
  expect(SCENARIOS).toEqual(Object.keys(scenarios));
  const orders: Record<TestOrder, true> = {
    ...{ random: true, in: true, pagerank: true, pa: true },
    ...{ 'pa+-': true, asf: true, bfs: true, ai: true },
  };
  expect(ORDER_NAMES).toEqual(Object.keys(orders));
  const methods: Record<RankingMethod, true> = {
    ...{ in: true, opic: true, pagerank: true, trustrank: true, cheirank: true, '2drank': true },
    ...{ hits: true, supp: true, 'supp-a': true, 'supp-b': true, qvs: true, 'bit-vector': true },
    ...{ harmonic: true, hyperball: true, tse: true, trusted: true, grouped: true, live: true },
  };
  expect([...RANKING_METHODS].sort()).toEqual(Object.keys(methods).sort());
});

test('every setting with few values has them as its type', () => {
  for (const [, { type }] of SETTING_ROWS)
    if (type.choices) expect(type.code).toBe(type.choices.map((word) => `'${word}'`).join(' | '));
});
