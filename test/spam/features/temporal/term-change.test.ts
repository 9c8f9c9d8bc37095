import { expect, test } from 'vitest';
import {
  termChange,
  termChangeSets,
  termChangesOf,
} from '../../../../src/spam/features/temporal/term-change.ts';

test('changes of a weight over three snapshots are those of the paper, the newest counting most', () => {
  const weights = [1, 4, 2];
  expect(termChange('ave', weights)).toBeCloseTo(7 / 3, 12);
  expect(termChange('avediff', weights)).toBeCloseTo(2.5, 12);
  expect(termChange('dev', weights)).toBeCloseTo((16 / 9 + 25 / 9 + 1 / 9) / 2, 12);
  expect(termChange('devdiff', weights)).toBeCloseTo(0.5, 12);
  expect(termChange('decay', weights)).toBeCloseTo(Math.LN2 * (0.25 * 1 + 0.5 * 4 + 2), 12);
});

test('few snapshots have fewer changes: no variance of one value', () => {
  expect(termChangesOf(1)).toEqual(['ave', 'decay']);
  expect(termChangesOf(2)).toEqual(['ave', 'avediff', 'dev', 'decay']);
  expect(termChangesOf(3)).toEqual(['ave', 'avediff', 'dev', 'devdiff', 'decay']);
});

test('changes of sets of weights are sets of the same terms, for each site', () => {
  const snapshot = (...values: number[][]) => ({
    name: 'bm25',
    columns: ['cheap', 'pill'],
    values: values.map((column) => Float64Array.from(column)),
  });
  const sets = termChangeSets([snapshot([1, 0, 3], [0, 0, 0]), snapshot([2, 0, 0], [0, 5, 0])]);
  expect(sets.map(({ name }) => name)).toEqual(['ave', 'avediff', 'dev', 'decay']);
  for (const { columns } of sets) expect(columns).toEqual(['cheap', 'pill']);
  expect(sets[0].values.map((column) => [...column])).toEqual([
    [1.5, 0, 1.5],
    [0, 2.5, 0],
  ]);
  expect(sets[1].values.map((column) => [...column])).toEqual([
    [1, 0, 3],
    [0, 5, 0],
  ]);
});
