import { beforeAll, describe, expect, test } from 'vitest';
import { MemoryBook } from '../../../src/simulator/focus/memory-book.ts';
import { POLICIES } from '../../../src/simulator/focus/policies.ts';
import { type FocusOptions, type FocusResult, runFocus } from '../../../src/simulator/focus/run.ts';
import { type FocusRow, focusLines, focusRows } from '../../../src/simulator/focus/table.ts';

const OPTIONS: FocusOptions = {
  ...{ policies: POLICIES, days: 4, requests: 2400, history: 12_000, depth: 2, recheck: 0 },
  ...{ seed: 2, domains: 400, pages: 80 },
};

describe('a simulated focused crawl', () => {
  let results: FocusResult[];
  let rows: Map<string, FocusRow>;
  beforeAll(async () => {
    results = await runFocus(OPTIONS);
    rows = new Map(focusRows(results).map((row) => [row.policy, row]));
  });
  const row = (policy: string) => rows.get(policy) ?? expect.fail(policy);

  test('gives each policy the same requests', () => {
    expect(results.map(({ days }) => days.length)).toEqual([4, 4, 4, 4]);
    expect([...rows.values()].map(({ requests }) => requests)).toEqual([2400, 2400, 2400, 2400]);
  });

  test('finds more documents with the whitelist, and more useful ones among them', () => {
    const [white, black] = [row('whitelist').ratios, row('blacklist').ratios];
    expect(white['F/Q']).toBeGreaterThan(1.5 * black['F/Q']);
    expect(white['G/Q']).toBeGreaterThan(black['G/Q']);
  });

  test('requests no known document before its time, and counts useful ones by depth', async () => {
    expect(row('whitelist').depths.length).toBeLessThanOrEqual(3);
    const options = { ...OPTIONS, days: 1, recheck: 90, depth: 3, batch: 1 };
    const [deep] = focusRows(await runFocus({ ...options, policies: ['whitelist'] }));
    expect(deep.ratios['N/F']).toBe(1);
    expect(deep.depths[0]).toBe(0);
    expect(deep.depths.length).toBe(4);
    expect(deep.depths.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(deep.gains[3]).toBeGreaterThan(0);
    expect(deep.gains[3]).toBeLessThan(1);
  });

  test('ends a day when every parent was a seed, even if requests are left', async () => {
    const [{ days }] = await runFocus({
      ...{ ...OPTIONS, policies: ['whitelist'], days: 1, requests: 5000, history: 400 },
      ...{ domains: 60, pages: 10 },
    });
    expect(days[0].requests).toBeLessThan(5000);
  });

  test('is the same every time', async () => {
    const policies = ['adaptive'] as const;
    const [again] = await runFocus({ ...OPTIONS, policies, history: 3000, requests: 400 });
    const [once] = await runFocus({ ...OPTIONS, policies, history: 3000, requests: 400 });
    expect(again).toEqual(once);
  });

  test('prints Table 2', () => {
    const lines = [...focusLines([...rows.values()])];
    expect(lines[0]).toBe('\tblacklist\twhitelist\thybrid\tadaptive');
    expect(lines.find((line) => line.startsWith('G/N'))).toMatch(/; 20\.33%\).*; 49\.61%\)/);
  });
});

describe('the book in memory', () => {
  test('counts a citation when the cited document is found, before or after', () => {
    const book = new MemoryBook();
    book.addReference('http://a.test/1.pdf', 'a.test');
    expect(book.domain('a.test')).toMatchObject({ quality: 0, wanted: 1 });
    expect(book.addDocument('http://a.test/1.pdf', 'a.test', true, 1)).toBe(true);
    book.addReference('http://a.test/1.pdf', 'a.test');
    expect(book.domain('a.test')).toMatchObject({ documents: 1, quality: 2, wanted: 0 });
    expect(book.addDocument('http://a.test/1.pdf', 'a.test', true, 2)).toBe(false);
  });

  test('a copy changes by itself', () => {
    const book = new MemoryBook();
    book.addDocument('http://a.test/1.pdf', 'a.test', true, 1);
    const copy = book.copy();
    copy.addDocument('http://a.test/2.pdf', 'a.test', true, 1);
    expect([book.documents.size, book.domain('a.test').documents]).toEqual([1, 1]);
  });
});
