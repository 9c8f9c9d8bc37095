import { expect, test } from 'vitest';
import type { Day } from '../../src/focus/book/day.ts';
import { efficiencies } from '../../src/focus/report/efficiency.ts';
import { reportPage, table2 } from '../../src/focus/report/report-page.ts';

const day = (policy: string, counts: Partial<Day>): Day => ({
  source: 0,
  policy,
  time: '2026-03-14T15:09:26.000Z',
  requests: 0,
  fetched: 0,
  fresh: 0,
  useful: 0,
  parents: 0,
  usefulParents: 0,
  usefulLinked: 0,
  unread: {},
  ...counts,
});

test('ratios of totals and means of daily ratios differ where days differ', () => {
  const days = [
    day('whitelist', { requests: 100, fetched: 50, fresh: 10, useful: 10, parents: 4 }),
    day('whitelist', { requests: 900, fetched: 90, fresh: 90, useful: 45, usefulLinked: 3 }),
    day('hybrid', { requests: 10 }),
  ];
  const [whitelist, hybrid] = efficiencies(days);
  expect(whitelist.ratios['F/Q']).toBeCloseTo(0.14);
  expect(whitelist.dailyRatios['F/Q']).toBeCloseTo(0.3);
  expect(whitelist.ratios['G/N']).toBeCloseTo(0.55);
  expect(whitelist.dailyRatios['G/N']).toBeCloseTo(0.75);
  expect(whitelist.ratios['D_PG/P']).toBeCloseTo(0.75);
  expect(hybrid.ratios['G/N']).toBeUndefined();
  expect(table2([whitelist, hybrid])[5]).toEqual(['F/Q', '14.00 % (30.00 %)', '0.00 % (0.00 %)']);
  const html = reportPage('A <book>', [whitelist, hybrid], days);
  expect(html).toContain('A &lt;book&gt;');
  expect(html.match(/<svg viewBox/g)?.length).toBeGreaterThan(2);
});
