import { expect, test } from 'vitest';
import { termChange, termChangesOf } from '../../../../src/spam/features/temporal/term-change.ts';

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
