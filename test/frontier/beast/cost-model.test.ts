import { describe, expect, test } from 'vitest';
import {
  beastTraffic,
  mostBeastTraffic,
  PAPER_BUDGETS,
  queuesAtEnd,
  twoQueuesTraffic,
} from '../../../src/frontier/beast/cost-model.ts';

describe('the example of the IRLbot paper, section 6.2', () => {
  test.each([
    [100e6, 3.8, 1],
    [8e9, 83, 16],
    [80e9, 826, 128],
  ])('%d pages', (pages, twoQueues, queues) => {
    const c = { ...PAPER_BUDGETS, pages };
    // The paper rounds some figures and truncates others.
    expect(Math.abs(twoQueuesTraffic(c) / 1e6 - twoQueues)).toBeLessThan(twoQueues < 10 ? 0.1 : 1);
    expect(beastTraffic(c) / 1e6).toBeLessThanOrEqual(8.2);
    expect(queuesAtEnd(c)).toBe(queues);
  });

  test('BEAST needs at most 8.2 MB/s, however large the crawl', () => {
    expect(mostBeastTraffic(PAPER_BUDGETS) / 1e6).toBeCloseTo(8.2, 1);
    expect(beastTraffic({ ...PAPER_BUDGETS, pages: 1e15 })).toBeCloseTo(
      mostBeastTraffic(PAPER_BUDGETS),
      -2,
    );
  });
});

test('a crawl of one round writes and reads each new URL once, and each page once', () => {
  const c = { ...PAPER_BUDGETS, pages: 1000, domains: 1000, budget: 10, pagesPerSecond: 1 };
  expect(beastTraffic(c)).toBeCloseTo(2 * c.urlBytes * c.uniqueLinks);
});

test('the queues double whenever as many rounds as there are queues are over', () => {
  const at = (rounds: number) =>
    queuesAtEnd({ ...PAPER_BUDGETS, pages: rounds * 100, domains: 10, budget: 10 });
  expect([1, 1.01, 3, 3.01, 7, 7.01, 15].map(at)).toEqual([1, 2, 2, 4, 4, 8, 8]);
});
