import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { xxh64 } from '../../../src/base/xxh64.ts';
import type { DomainView } from '../../../src/reputation/budget/budget-expression.ts';
import {
  atFirst,
  budgets,
  parseBudget,
  shutsOut,
} from '../../../src/reputation/budget/budget-policy.ts';
import { newRecord } from '../../../src/reputation/budget/domain-record.ts';
import { SCORES, Standing } from '../../../src/reputation/budget/standing.ts';

const view = (more: Partial<DomainView>): DomainView => ({
  ...{ name: 'example.com', rank: Infinity, score: 0, inDegree: 0, supporters: 0, cash: 0 },
  ...{ spam: 0, domains: 1_000_000, mean: 4 },
  ...more,
});
const budget = (policy: string, more: Partial<DomainView>) =>
  parseBudget(policy).budget(view(more));

describe('irlbot', () => {
  test('is linear in the rank from 10,000 down to 10 for the best 10,000, and 10 for the rest', () => {
    expect(
      [1, 5000, 9999, 10_000, 10_001, Infinity].map((rank) => budget('irlbot', { rank })),
    ).toEqual([10_000, 5005, 11, 10, 10, 10]);
  });

  test('accepts other numbers, by name or in order', () => {
    for (const policy of [
      'irlbot(top=101, least=5, most=1005)',
      'irlbot(101, 5, 1005)',
      'irlbot(101, most=1005, least=5)',
    ]) {
      expect([1, 51, 101, 102].map((rank) => budget(policy, { rank }))).toEqual([1005, 505, 5, 5]);
    }
  });

  test('accepts a percentage of all domains for the top', () => {
    const policy = 'irlbot(top=1%, most=1000)';
    expect([1, 10, 11].map((rank) => budget(policy, { rank, domains: 1000 }))).toEqual([
      1000, 10, 10,
    ]);
    expect([1, 2].map((rank) => budget(policy, { rank, domains: 3 }))).toEqual([1000, 10]);
  });
});

test('proportional gives the mean to a domain with the mean score, within its limits', () => {
  expect([4, 8, 0, 1e9].map((score) => budget('proportional', { score }))).toEqual([
    10, 20, 1, 10_000,
  ]);
  expect(budget('proportional(100, 7, 150)', { score: 8 })).toBe(150);
  expect(budget('proportional', { score: 8, mean: 0 })).toBe(1);
});

test('inverse gives most to domains that are unknown', () => {
  expect([4, 8, 0, 1e9].map((score) => budget('inverse', { score }))).toEqual([10, 5, 1000, 1]);
});

test('equal gives every domain the same', () => {
  expect([budget('equal', {}), budget('equal(77)', { rank: 1 })]).toEqual([10, 77]);
});

test('before anything is ranked, every domain that could get a budget has at least one', () => {
  const first = (policy: string) =>
    atFirst(parseBudget(policy)).budget(view({ domains: 0, mean: 0 }));
  expect(['top(1000, 50)', 'score > 10 ? 7 : 0', 'equal(3)', 'irlbot'].map(first)).toEqual([
    1, 1, 3, 10,
  ]);
  expect(['equal(0)', 'irlbot * boost(.com=0)'].map(first)).toEqual([0, 0]);
});

test('top gives the others nothing', () => {
  expect([1, 1000, 1001, Infinity].map((rank) => budget('top(1000, 50)', { rank }))).toEqual([
    50, 50, 0, 0,
  ]);
});

test('boosts multiply, by the longest suffix that fits', () => {
  const policy = 'equal(10) * boost(.edu=4, .uk=2, .ac.uk=3, .xyz=0.5)';
  const names = ['mit.edu', 'bbc.uk', 'ox.ac.uk', 'spam.xyz', 'example.com', 'notedu.com', 'myedu'];
  expect(names.map((name) => budget(policy, { name }))).toEqual([40, 20, 30, 5, 10, 10, 10]);
});

test('policies combine like numbers', () => {
  expect(budget('max(irlbot, equal(50))', { rank: 10_000 })).toBe(50);
  expect(budget('min(irlbot, 500) * boost(.com=2)', { rank: 1 })).toBe(1000);
  expect(budget('in > 5 ? irlbot : 1', { rank: 1, inDegree: 3 })).toBe(1);
});

test('a budget is whole, not negative and bounded, whatever the arithmetic gives', () => {
  const odd = ['0 / 0', '1 / 0', '-1 / 0', '-5', '2.4', '2.5', '0.4', 'log(0 - 1)', '1e300 ^ 2'];
  expect(odd.map((policy) => budget(policy, {}))).toEqual([0, 1e9, 0, 0, 2, 3, 0, 0, 1e9]);
});

describe('options that make no sense are refused', () => {
  test.each([
    ['irlbot(bottom=3)', 8, 'It takes top, least, most'],
    ['irlbot(1, 2, 3, 4)', 17, 'does not take this'],
    ['irlbot(top=3, top=4)', 15, 'top was given already'],
    ['irlbot(5, top=4)', 11, 'top was given already'],
    ['irlbot(least=3%)', 8, 'cannot be a share'],
    ['irlbot(top=0)', 8, 'must have a place'],
    ['irlbot(least=50, most=40)', 18, 'least (50) is more than the most (40)'],
    ['irlbot(most=5)', 8, 'least (10) is more than the most (5)'],
    ['equal(.edu=3)', 7, 'does not take this'],
    ['boost(edu=3)', 7, 'not a suffix'],
    ['boost(3)', 7, 'not a suffix'],
    ['boost(.edu=3, .edu=4)', 15, '.edu has a factor already'],
    ['irlbt', 1, 'Did you mean "irlbot"?'],
  ])('%s', (text, column, what) => {
    expect(() => parseBudget(text)).toThrow(`Column ${column} of`);
    expect(() => parseBudget(text)).toThrow(what);
  });
});

const number = fc.oneof(fc.nat(20_000), fc.double({ min: 1, max: 1e6, noNaN: true }));
const policy = fc.oneof(
  fc.constantFrom('irlbot', 'proportional', 'inverse', 'equal', 'top', 'boost()'),
  fc
    .tuple(number, number, number)
    .map(([top, a, b]) => `irlbot(${top + 1}, ${Math.min(a, b)}, ${Math.max(a, b)})`),
  number.map((share) => `top(top=${share / 1e6}%, each=7)`),
  number.map((each) => `equal(${each})`),
  number.map((factor) => `boost(.com=${factor}, .edu=2)`),
);
const combined = fc.oneof(
  policy,
  fc.tuple(policy, fc.constantFrom('+', '*', '-', '/'), policy).map((parts) => parts.join(' ')),
  fc.tuple(policy, policy).map(([a, b]) => `max(${a}, ${b})`),
  fc.tuple(policy, policy).map(([a, b]) => `rank < 100 ? ${a} : ${b}`),
);

test('a policy is printed as it was written, without more parentheses than it needs', () => {
  const policy = 'max(irlbot, top(5, each=7))*(boost(.edu=4))+(equal(3) )';
  expect(String(parseBudget(policy))).toBe(
    'max(irlbot, top(5, each=7)) * boost(.edu=4) + equal(3)',
  );
  expect(String(parseBudget('irlbot(top=0.1%)'))).toBe('irlbot(top=0.1%)');
  // The longest possible policy stays readable.
  const longest = String(parseBudget(`1${'+irlbot'.repeat(249)}`));
  expect(String(parseBudget(longest))).toBe(longest);
});

test('a printed policy is parsed to the same policy', () => {
  fc.assert(
    fc.property(combined, fc.integer({ min: 1, max: 20_000 }), fc.nat(50), (text, rank, score) => {
      const first = parseBudget(text);
      const again = parseBudget(String(first));
      expect(String(again)).toBe(String(first));
      const domain = view({ rank, score });
      expect(again.budget(domain)).toBe(first.budget(domain));
      expect(Number.isInteger(first.budget(domain)) && first.budget(domain) >= 0).toBe(true);
    }),
    { numRuns: 500 },
  );
});

describe('budgets of domains at a standing', () => {
  const names = ['first.example', 'second.example', 'third.example'];
  const recordOf = (name: string, inDegree: number) => ({ ...newRecord(name, 0), inDegree });
  const standing = async () => {
    async function* records() {
      for (const [i, name] of names.entries())
        yield { key: xxh64(name), record: recordOf(name, 30 - 10 * i) };
    }
    return Standing.of(records(), SCORES.in, 3);
  };
  const policy = parseBudget('irlbot(top=3, least=10, most=1000)');

  test('follow the rank of the score that was asked for', async () => {
    const budgetOf = budgets(policy, await standing(), 'in');
    expect(names.map((name, i) => budgetOf(recordOf(name, 30 - 10 * i)))).toEqual([1000, 505, 10]);
    expect(budgetOf(recordOf('fourth.example', 25))).toBe(505);
    expect(budgetOf(recordOf('fourth.example', 3))).toBe(10);
    expect(budgets(policy, await standing(), 'none')(recordOf(names[0], 30))).toBe(10);
    expect(budgets(policy, Standing.none, 'in')(recordOf(names[0], 30))).toBe(10);
  });

  test('are what the operator decided', async () => {
    const budgetOf = budgets(policy, await standing(), 'in');
    const third = recordOf(names[2], 10);
    expect(budgetOf({ ...third, override: 77 })).toBe(77);
    expect(budgetOf({ ...third, override: 'blocked' })).toBe(0);
    expect(budgetOf({ ...third, override: 'trusted' })).toBe(1000);
    const proportional = budgets(parseBudget('proportional'), await standing(), 'in');
    expect(proportional({ ...third, override: 'trusted' })).toBe(15);
    expect(
      budgets(parseBudget('inverse'), await standing(), 'in')({ ...third, override: 'trusted' }),
    ).toBe(20);
  });
});

describe('spam', () => {
  test('is a variable of expressions, and 0 without verdicts', () => {
    expect(budget('100 * (1 - spam)^2', { spam: 0.5 })).toBe(25);
    expect(budget('100 * (1 - spam)^2', {})).toBe(100);
  });
});

describe('a verdict on spam', () => {
  const policy = parseBudget('spam < 0.9 ? proportional(power=2) * (1 - spam)^2 : 0');
  const price = budgets(policy, Standing.none, 'in');
  const of = (pages: number, spam: number, more = {}) =>
    price({ ...newRecord('a.example', 0), ...{ pages, spam }, ...more });

  test('by the name alone shuts no domain out', () => {
    expect([0, 1, 2, 400].map((pages) => of(pages, 0.9))).toEqual([1, 0, 0, 0]);
    expect(of(0, 0.2)).toBe(1);
    expect(of(0, 0.9, { override: 'blocked' })).toBe(0);
    const none = budgets(parseBudget('0 * (1 - spam)'), Standing.none, 'in');
    expect(none({ ...newRecord('a.example', 0), spam: 0.9 })).toBe(0);
  });

  test('shuts a domain out if it leaves nothing to the best of domains', () => {
    expect(shutsOut(policy, 'a.example', 0.9)).toBe(true);
    expect(shutsOut(policy, 'a.example', 0.89)).toBe(false);
    const soft = parseBudget('proportional(power=2) * (1 - spam)^2');
    expect([0.9, 0.99, 0.999].map((spam) => shutsOut(soft, 'a.example', spam))).toEqual([
      ...[false, false, true],
    ]);
    // The policy leaves nothing to anybody: that is not the verdict's doing.
    expect(shutsOut(parseBudget('0 * spam'), 'a.example', 1)).toBe(false);
    expect(shutsOut(parseBudget('boost(.edu=0) * 9'), 'a.edu', 1)).toBe(false);
  });

  test('on an exchange of links is 1, with the rank that looks for exchanges', () => {
    const shy = parseBudget('spam < 0.9 ? 10 : 0');
    const record = { ...newRecord('a.test', 0), pages: 5, spam: 0.1, exchangesLinks: true };
    expect(budgets(shy, Standing.none, 'trusted')(record)).toBe(0);
    expect(budgets(shy, Standing.none, 'trusted')({ ...record, override: 'trusted' })).toBe(10);
    expect(budgets(shy, Standing.none, 'trusted')({ ...record, exchangesLinks: false })).toBe(10);
    // A crawl that is resumed with another rank finds no exchanges, and must not keep old ones.
    expect(budgets(shy, Standing.none, 'in')(record)).toBe(10);
  });

  test('that shuts a domain out leaves it no budget at any rank, whatever the policy', () => {
    const odd = parseBudget('rank > 10 ? 5 : spam > 0.5 ? 0 : 100');
    const record = { ...newRecord('a.example', 0), pages: 1, spam: 0.6 };
    expect(odd.budget({ ...view({}), rank: 11, spam: 0.6 })).toBe(5);
    expect(budgets(odd, Standing.none, 'in')(record)).toBe(0);
    expect(budgets(odd, Standing.none, 'in')({ ...record, override: 7 })).toBe(7);
    expect(budgets(odd, Standing.none, 'in')({ ...record, override: 'trusted' })).toBe(100);
  });
});
