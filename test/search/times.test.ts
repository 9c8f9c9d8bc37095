import { describe, expect, test } from 'vitest';
import { parseTime, rangeOf } from '../../src/search/query/times.ts';

/** Each form of a time, its first millisecond, and the first that is no longer in it. */
const FORMS: readonly [text: string, from: string, after: string][] = [
  ['2011', '2011-01-01T00:00Z', '2012-01-01T00:00Z'],
  ['2011-12', '2011-12-01T00:00Z', '2012-01-01T00:00Z'],
  ['2012-02', '2012-02-01T00:00Z', '2012-03-01T00:00Z'],
  ['2012-02-29', '2012-02-29T00:00Z', '2012-03-01T00:00Z'],
  ['2011-10-15 23:59', '2011-10-15T23:59Z', '2011-10-16T00:00Z'],
  ['2011-10-15T23:59:59Z', '2011-10-15T23:59:59Z', '2011-10-16T00:00Z'],
];

describe.each(FORMS)('the time %s', (text, from, after) => {
  const [first, last] = [Date.parse(from), Date.parse(after) - 1];

  test('is all of its year, month, day, minute or second', () => {
    expect(parseTime(text)).toEqual({ from: first, to: last });
  });

  test('as "at" is its end, and as a border begins and ends with it', () => {
    expect(rangeOf({ at: text }).range).toEqual({ from: last, to: last });
    expect(rangeOf({ from: text }).range).toEqual({ from: first, to: Infinity });
    expect(rangeOf({ to: text }).range).toEqual({ from: -Infinity, to: last });
    expect(rangeOf({ from: text, to: text }).range).toEqual({ from: first, to: last });
  });
});

test.each([
  '2011-02-29',
  '2011-13',
  '2011-10-15T24:00',
  '2011-10-15T10:60',
  'now',
  '',
])('%j is no time', (text) => expect(() => parseTime(text)).toThrow('is not a time'));

test.each([
  { at: '2011', from: '2010' },
  { at: '2011', to: '2012' },
  { from: '2012', to: '2011' },
])('%j is refused', (asked) => expect(() => rangeOf(asked)).toThrow());
