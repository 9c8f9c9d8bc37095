import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DrumlinError } from '../../../src/base/errors.ts';
import {
  type DomainView,
  type Expression,
  parseExpression,
} from '../../../src/reputation/budget/budget-expression.ts';
import { mutate, randomFrom } from '../../fuzz/mutation.ts';

const DOMAIN: DomainView = {
  name: 'example.edu',
  rank: 7,
  score: 50,
  inDegree: 40,
  supporters: 300,
  cash: 0.25,
  spam: 0.125,
  domains: 1000,
  mean: 5,
};
/** A policy that returns its arguments. */
const TERMS = {
  echo: (options: readonly { value: number }[]) => ({
    value: () => options[0]?.value ?? 0,
    toString: () => `echo(${options.map(({ value }) => value).join(', ')})`,
  }),
};
const parse = (text: string): Expression => parseExpression(text, TERMS);
const worth = (text: string): number => parse(text).value(DOMAIN);

describe('values', () => {
  test.each([
    ['10', 10],
    ['10k', 10_000],
    ['1.5M', 1.5e6],
    ['2e3', 2000],
    ['rank + score + in + supporters + cash + domains + mean', 7 + 50 + 40 + 300 + 0.25 + 1000 + 5],
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 3 - 2', 5],
    ['100 / 10 / 5', 2],
    ['2 ^ 3 ^ 2', 512],
    ['(2 ^ 3) ^ 2', 64],
    ['-2 ^ 2', -4],
    ['(-2) ^ 2', 4],
    ['2 ^ -1', 0.5],
    ['2 * -3 + 1', -5],
    ['--3', 3],
    ['min(3, 1, 2) + max(3, 1, 2)', 4],
    ['log(1) + sqrt(16)', 4],
    ['rank <= 7', 1],
    ['rank < 7', 0],
    ['rank == 7 ? 1 : 2', 1],
    ['rank != 7 ? 1 : 2', 2],
    ['rank > 10 ? 1 : rank > 5 ? 2 : 3', 2],
    ['rank >= 7 ? rank > 100 ? 1 : 2 : 3', 2],
    ['1 + (0 / 0 ? 1 : 2)', 3],
    ['echo(5) * 2', 10],
    ['echo', 0],
    [' rank<=1000?5000:10 ', 5000],
  ])('%s is %d', (text, value) => {
    expect(worth(text)).toBe(value);
  });

  test('a domain below the top has no finite rank', () => {
    expect(parse('rank <= 1000 ? 5000 : 10').value({ ...DOMAIN, rank: Infinity })).toBe(10);
    expect(parse('10k / rank').value({ ...DOMAIN, rank: Infinity })).toBe(0);
  });
});

describe('an expression that cannot be parsed is refused with its column', () => {
  test.each([
    ['', 1, 'it ends'],
    ['rank +', 7, 'it ends'],
    ['rnk', 1, 'Did you mean "rank"?'],
    ['10 + constructor', 6, 'there is no "constructor"'],
    ['2 3', 3, '"3" stands'],
    ['(1', 3, '")" is expected'],
    ['1 < 2 < 3', 7, 'chained'],
    ['rank ? 1', 9, '":" is expected'],
    ['log(1, 2)', 1, 'log does not take 2'],
    ['min', 4, '"(" is expected'],
    ['min()', 5, '")" stands'],
    ['1 & 2', 3, '"&" means nothing'],
    ['Rank', 1, 'lower case'],
    ['rank = 3', 6, '"=" stands'],
    ['.5', 1, '".5" stands'],
    ['1e999', 1, 'too large'],
    ['echo(x)', 7, '"=" is expected'],
    ['echo(1', 7, '")" is expected'],
    ['"🙂"', 1, 'means nothing'],
    [`${'('.repeat(60)}1`, 51, 'nested too deeply'],
    [`${'-'.repeat(60)}1`, 51, 'nested too deeply'],
    [`1${' ^ 1'.repeat(60)}`, 201, 'nested too deeply'],
    [`1${'+1'.repeat(250)}`, 501, 'too long'],
  ])('%s', (text, column, what) => {
    expect(() => parse(text)).toThrow(`Column ${column} of the budget`);
    expect(() => parse(text)).toThrow(what);
  });

  test('a long sum is not deep', () => {
    expect(worth(`1${'+1'.repeat(249)}`)).toBe(250);
  });
});

/** Expressions with every parenthesis, so that their meaning is beyond doubt. */
const written: fc.Arbitrary<string> = fc
  .letrec<{ any: string; leaf: string }>((tie) => ({
    leaf: fc.oneof(
      fc.constantFrom('rank', 'score', 'in', 'supporters', 'cash', 'domains', 'mean', 'echo(3)'),
      fc.nat(20).map(String),
      fc.double({ min: 0, max: 1e30, noNaN: true }).map(String),
    ),
    any: fc.oneof(
      { maxDepth: 5, depthSize: 'large' },
      tie('leaf'),
      fc
        .tuple(
          tie('any'),
          fc.constantFrom('+', '-', '*', '/', '^', '<', '<=', '>', '>=', '==', '!='),
          tie('any'),
        )
        .map(([a, sign, b]) => `((${a}) ${sign} (${b}))`),
      tie('any').map((a) => `(-(${a}))`),
      fc.tuple(tie('any'), tie('any'), tie('any')).map(([a, b, c]) => `((${a}) ? (${b}) : (${c}))`),
      fc.tuple(tie('any'), tie('any')).map(([a, b]) => `max(${a}, ${b})`),
      tie('any').map((a) => `sqrt(${a})`),
    ),
  }))
  .any.filter((text) => text.length <= 400);

test('a printed expression means the same, prints the same again, and has no more parentheses', () => {
  fc.assert(
    fc.property(written, (text) => {
      const expression = parse(text);
      const printed = String(expression);
      const again = parse(printed);
      expect(String(again)).toBe(printed);
      expect(again.value(DOMAIN)).toBe(expression.value(DOMAIN));
      expect(printed.length).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 300 },
  );
});

test('an expression with all parentheses has the value that JavaScript computes', () => {
  fc.assert(
    fc.property(written, (text) => {
      const value = worth(text);
      expect(typeof value).toBe('number');
      const { inDegree, ...rest } = DOMAIN;
      const names = { ...rest, in: inDegree };
      const source = text
        .replaceAll('echo(3)', '3')
        .replaceAll('^', '**')
        .replace(/\b(max|sqrt)\(/g, 'Math.$1(')
        .replace(/(?<!\.)\b[a-z]+\b(?!\()/g, (name) => (name in names ? `d['${name}']` : name));
      const model: number = Number(new Function('d', `return ${source}`)(names));
      expect(value).toBe(model);
    }),
    { numRuns: 300 },
  );
});

test('any text is parsed or refused with a remedy', () => {
  const random = randomFrom(8);
  const examples = [
    'rank <= 1000 ? 5000 : 10',
    'max(10, 200 * log(in + 1)) ^ 2',
    'echo(top=1%, .edu=4) * -3',
  ];
  const words = ['(', ')', '?', ':', 'rank', 'min(', '1e3', '%', '.edu=', '^', '-', '<=', 'echo'];
  const buffers = (texts: readonly string[]) => texts.map((text) => Buffer.from(text));
  for (let i = 0; i < 5000; i++) {
    const text = mutate(buffers(examples), buffers(words), random).toString('latin1');
    try {
      const expression = parse(text);
      expect(typeof expression.value(DOMAIN)).toBe('number');
      expect(String(parse(String(expression)))).toBe(String(expression));
    } catch (error) {
      expect(error).toBeInstanceOf(DrumlinError);
    }
  }
});
