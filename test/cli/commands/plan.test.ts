import { expect, test } from 'vitest';
import {
  type BudgetRow,
  budgetTable,
  type PlanRow,
  plan,
  planTables,
} from '../../../src/cli/commands/plan.ts';

test('without options it prints Tables 2 and 3 of the paper', () => {
  const [second, third] = planTables({});
  expect(second.map((r) => Math.round(r.mercator.overhead))).toEqual([12, 94, 918, 9156, 91542]);
  expect(second.map((r) => Math.floor(r.drum.overhead * 100) / 100)).toEqual([
    2.26, 2.35, 3.28, 12.5, 104.77,
  ]);
  expect(third.map((r) => r.memory)).toEqual([...Array(5).fill(4e9), ...Array(5).fill(8e9)]);
  expect(third.slice(5).map((r) => Number(r.drum.overhead.toFixed(1)))).toEqual([
    2.3, 2.7, 3.3, 3.3, 3.7,
  ]);
  expect(Math.floor(third[9].drum.pagesPerSecond)).toBe(4192);
});

test('the table has aligned columns, and names the best disk for each memory', () => {
  const text = plan({ pages: '1M,10M', memory: '128M,1G', disk: '1T' });
  const [checks, budgets] = text.trimEnd().split('\n\n');
  const lines = checks.split('\n');
  expect(lines).toHaveLength(2 + 4 + 2);
  expect(new Set(lines.slice(1, 6).map((line) => line.length)).size).toBe(1);
  expect(lines.at(-1)).toMatch(
    /^Best for 1\.0 GB: 4\.8 TB of disk, 977 buckets, each sorted in 333 MB\.$/,
  );
  expect(budgets.split('\n')).toHaveLength(2 + 2);
  expect(
    new Set(
      budgets
        .split('\n')
        .slice(1)
        .map((line) => line.length),
    ).size,
  ).toBe(1);
});

test('--json holds every figure', () => {
  const text = plan({ pages: '5G', memory: '2G', bandwidth: '50M', json: true });
  const { checks: rows, budgets }: { checks: PlanRow[]; budgets: BudgetRow[] } = JSON.parse(text);
  expect(budgets).toMatchObject([{ pages: 5e9, queues: 8 }]);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ pages: 5e9, memory: 2e9, disk: 4.39e12, optimalBuckets: 1953 });
  expect(rows[0].drum.pagesPerSecond).toBeCloseTo(50e6 / (rows[0].drum.overhead * 110 * 59), 6);
});

test('without numbers budgets are those of the example in section 6.2 of the paper', () => {
  const rows = budgetTable({});
  expect(rows.map(({ pages }) => pages)).toEqual([100e6, 8e9, 80e9]);
  expect(rows.map(({ queues }) => queues)).toEqual([1, 16, 128]);
  expect(rows.map(({ twoQueues }) => Number((twoQueues / 1e6).toPrecision(2)))).toEqual([
    3.8, 83, 830,
  ]);
  expect(plan({}).split('\n').at(-2)).toMatch(
    /^80,000,000,000 +220 +128 +827 MB\/s +8\.2 MB\/s +8\.2 MB\/s$/,
  );
});

test('domains, budget, new links, rate and URL bytes are those that are given', () => {
  const flags = {
    pages: '1M',
    domains: '1k',
    budget: '10',
    newLinks: '3',
    rate: '50',
    urlBytes: '100',
  };
  const [one] = budgetTable(flags);
  expect(one).toMatchObject({ rounds: 100, queues: 64, twoQueues: 2 * 50 * 100 * 2 * 100 });
  expect(one.mostBeast).toBe(2 * 50 * 100 * 5);
});

test('a disk that grows is as large as the hashes of the crawl', () => {
  expect(planTables({ pages: '80G', disk: 'grows' })[0][0].disk).toBeCloseTo(
    (8 * 59 * 80e9) / 9,
    -6,
  );
});

test.each([
  [{ pages: 'many' }],
  [{ pages: '0' }],
  [{ memory: '1Q' }],
  [{ disk: 'large' }],
  [{ newShare: '2' }],
  [{ newShare: '1/0' }],
  [{ links: '-1' }],
  [{ domains: '0' }],
  [{ budget: 'none' }],
  [{ newLinks: '1' }],
  [{ newLinks: 'six' }],
  [{ rate: '0' }],
])('%o is rejected, with the form it should have', (flags) => {
  expect(() => plan(flags)).toThrow(expect.objectContaining({ code: 'VALUE' }));
});
