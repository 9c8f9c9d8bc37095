import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TrapRules } from '../../src/duplicates/trap-rules.ts';

const ORIGIN = 'http://example.org';

/** Observes `times` pairs, each with a new value. */
function observe(
  rules: TrapRules,
  rule: string,
  isSame: boolean,
  times: number,
  from = 0,
): (string | undefined)[] {
  return Array.from(
    { length: times },
    (_, i) =>
      rules.observe(ORIGIN, rule, isSame, `sid=a${from + i}x`, `sid=b${from + i}x`, 0).change,
  );
}

/** The share of URLs that a rule rewrites: one in 128 passes. */
const shareRewritten = (rules: TrapRules, urlOf: (i: number) => string): number => {
  const urls = Array.from({ length: 1000 }, (_, i) => urlOf(i));
  return urls.filter((url) => rules.rewrite(url) !== url).length / urls.length;
};

describe('a rule', () => {
  test('holds after eight pairs with the same text, and not before', () => {
    const rules = new TrapRules();
    expect(observe(rules, '?sid', true, 7)).toEqual(Array(7).fill(undefined));
    expect(shareRewritten(rules, (i) => `${ORIGIN}/a?sid=${i}z`)).toBe(0);
    expect(observe(rules, '?sid', true, 1)).toEqual(['learned']);
    expect(shareRewritten(rules, (i) => `${ORIGIN}/a?sid=${i}z`)).toBeGreaterThan(0.98);
    expect(shareRewritten(rules, (i) => `http://elsewhere.org/a?sid=${i}z`)).toBe(0);
    expect(shareRewritten(rules, (i) => `${ORIGIN}/a?other=${i}z`)).toBe(0);
  });

  test('replaces the part by that of the first page, and leaves one URL in about 128 unchanged', () => {
    const rules = new TrapRules();
    observe(rules, '?sid', true, 8);
    const rewritten = Array.from({ length: 2000 }, (_, i) =>
      rules.rewrite(`${ORIGIN}/p${i}?sid=${i}q&x=1`),
    );
    const unchanged = rewritten.filter((url, i) => url === `${ORIGIN}/p${i}?sid=${i}q&x=1`).length;
    expect(unchanged).toBeGreaterThan(3);
    expect(unchanged).toBeLessThan(40);
    expect(rewritten.filter((url, i) => url === `${ORIGIN}/p${i}?sid=a0x&x=1`).length).toBe(
      2000 - unchanged,
    );
  });

  test('drops the part if a page without it has the same text', () => {
    const rules = new TrapRules();
    observe(rules, '?sid', true, 4);
    rules.observe(ORIGIN, '?sid', true, undefined, 'sid=zz', 0);
    observe(rules, '?sid', true, 4, 4);
    const urls = Array.from({ length: 50 }, (_, i) => rules.rewrite(`${ORIGIN}/a?sid=${i}q`));
    expect(urls).toContain(`${ORIGIN}/a`);
    expect(urls.some((url) => url.includes('a0x'))).toBe(false);
  });

  test('does not hold if texts differ, and is withdrawn when they begin to differ', () => {
    const rules = new TrapRules();
    observe(rules, '?id', false, 1);
    expect(observe(rules, '?id', true, 19)).toEqual(Array(19).fill(undefined));
    expect(observe(rules, '?id', true, 1)).toEqual(['learned']);
    const changes = observe(rules, '?id', false, 4);
    expect(changes.filter(Boolean)).toEqual(['withdrawn']);
    expect(shareRewritten(rules, (i) => `${ORIGIN}/a?id=${i}z`)).toBe(0);
  });

  test('for a folder drops everything below it', () => {
    const rules = new TrapRules();
    for (let i = 0; i < 8; i++) rules.observe(ORIGIN, '/archive/**', true, undefined, 'more', 0);
    const urls = Array.from({ length: 20 }, (_, i) =>
      rules.rewrite(`${ORIGIN}/archive/${'more/'.repeat(i + 1)}`),
    );
    expect(urls).toContain(`${ORIGIN}/archive/`);
    expect(rules.rewrite(`${ORIGIN}/archive/`)).toBe(`${ORIGIN}/archive/`);
    expect(rules.rewrite(`${ORIGIN}/other/more/`)).toBe(`${ORIGIN}/other/more/`);
  });
});

describe('numbers', () => {
  const observeYears = (
    rules: TrapRules,
    years: readonly (readonly [number, number])[],
    isSame: boolean,
  ) =>
    years.map(
      ([one, other]) =>
        rules.observe(ORIGIN, '/calendar/#', isSame, String(one), String(other), one % 32).change,
    );

  test('within the range that chooses the page stay, and those beyond become one', () => {
    const rules = new TrapRules();
    observeYears(
      rules,
      [
        [2024, 2025],
        [2025, 2028],
      ],
      false,
    );
    const beyond = Array.from({ length: 40 }, (_, i) => [2030 + i, 2031 + i] as const);
    expect(observeYears(rules, beyond, true).filter(Boolean)).toEqual(['learned']);
    for (let year = 2024; year <= 2028; year++) {
      for (let month = 1; month <= 12; month++) {
        expect(rules.rewrite(`${ORIGIN}/calendar/${year}/${month}`)).toBe(
          `${ORIGIN}/calendar/${year}/${month}`,
        );
      }
    }
    expect(shareRewritten(rules, (i) => `${ORIGIN}/calendar/${2031 + i}/1`)).toBeGreaterThan(0.98);
    expect(
      new Set(
        Array.from({ length: 200 }, (_, i) => rules.rewrite(`${ORIGIN}/calendar/${3000 + i}/1`)),
      ),
    ).toContain(`${ORIGIN}/calendar/2030/1`);
  });

  test('do not become one if only one text was repeated: it may be the text of empty pages', () => {
    const rules = new TrapRules();
    const see = (from: number, textOf: (i: number) => number) =>
      Array.from({ length: 100 }, (_, i) => from + i).map(
        (i) => rules.observe(ORIGIN, '?day', true, `day=${i}`, `day=${i + 1}`, textOf(i)).change,
      );
    expect(see(0, () => 7).filter(Boolean)).toEqual([]);
    expect(see(100, (i) => i % 4).filter(Boolean)).toEqual(['learned']);
  });

  test('pairs within the range are no evidence', () => {
    const rules = new TrapRules();
    observeYears(rules, [[1, 1000]], false);
    const within = Array.from({ length: 200 }, (_, i) => [i + 1, i + 2] as const);
    expect(observeYears(rules, within, true)).toEqual(Array(200).fill(undefined));
  });

  test('a rule that finds another text only widens its range', () => {
    const rules = new TrapRules();
    observeYears(
      rules,
      Array.from({ length: 40 }, (_, i) => [100 + i, 101 + i] as const),
      true,
    );
    expect(observeYears(rules, [[500, 501]], false)).toEqual([undefined]);
    expect(rules.rewrite(`${ORIGIN}/calendar/500/`)).toBe(`${ORIGIN}/calendar/500/`);
    expect(shareRewritten(rules, (i) => `${ORIGIN}/calendar/${600 + i}/`)).toBeGreaterThan(0.98);
  });
});

describe('memory', () => {
  test('is bounded in hosts: those without rules are evicted first, then the least recently used', () => {
    const rules = new TrapRules(10);
    const learnAt = (origin: string) => {
      for (let i = 0; i < 8; i++) rules.observe(origin, '?sid', true, `sid=${i}x`, `sid=${i}y`, 0);
    };
    learnAt('http://kept.org');
    for (let i = 0; i < 50; i++) rules.observe(`http://h${i}.org`, '?x', true, 'x=1a', 'x=2a', 0);
    expect(shareRewritten(rules, (i) => `http://kept.org/?sid=${i}q`)).toBeGreaterThan(0.9);
    for (let i = 0; i < 50; i++) learnAt(`http://l${i}.org`);
    expect(shareRewritten(rules, (i) => `http://kept.org/?sid=${i}q`)).toBe(0);
    expect(rules.encode().length).toBeLessThan(10 * 100);
  });

  test('of a host is bounded in rules, and one that holds stays', () => {
    const rules = new TrapRules();
    observe(rules, '?sid', true, 8);
    for (let i = 0; i < 500; i++) observe(rules, `?p${i}`, true, 1);
    expect(shareRewritten(rules, (i) => `${ORIGIN}/a?sid=${i}z`)).toBeGreaterThan(0.98);
    expect(rules.encode().length).toBeLessThan(24 * 60);
  });

  test('gives the same answers after storing and restoring, for any observations', () => {
    const step = fc.record({
      host: fc.constantFrom('http://a.org', 'http://b.org'),
      rule: fc.constantFrom('?sid', '?page', '/c/#', '/d/**'),
      isSame: fc.boolean(),
      earlier: fc.constantFrom(undefined, '1', 'page=5', 'sid=é', 'x'),
      later: fc.constantFrom('2', 'page=900', 'sid=z'),
      times: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
        const rules = new TrapRules();
        for (const { host, rule, isSame, earlier, later, times } of steps) {
          for (let i = 0; i < times; i++) rules.observe(host, rule, isSame, earlier, later, i % 32);
        }
        const again = new TrapRules();
        again.restore(rules.encode());
        expect(again.encode()).toEqual(rules.encode());
        const urls = Array.from({ length: 60 }, (_, i) => [
          `http://a.org/c/${i}/?page=${i}&sid=${i}`,
          `http://b.org/d/${i}/x/`,
        ]).flat();
        expect(urls.map((url) => again.rewrite(url))).toEqual(
          urls.map((url) => rules.rewrite(url)),
        );
      }),
      { numRuns: 40 },
    );
  });
});
