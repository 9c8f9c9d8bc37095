/** What rendering was good for, host by host. */
import { expect, test } from 'vitest';
import { RenderLearner } from '../../src/render/learned.ts';

test('a host whose first pages gained nothing is left alone, but for one page in 64', () => {
  const learner = new RenderLearner();
  for (let i = 0; i < 3; i++) {
    expect(learner.worthwhile('a.test')).toBe(true);
    learner.learn('a.test', false);
  }
  const tried = Array.from({ length: 128 }, () => learner.worthwhile('a.test'));
  expect(tried.filter(Boolean)).toHaveLength(2);
});

test('a host with a page that found no place waits, whatever was rendered before', () => {
  const learner = new RenderLearner();
  learner.learn('a.test', false);
  expect(learner.expects('a.test')).toBe(false);
  learner.suspect('a.test');
  expect(learner.expects('a.test')).toBe(true);
  learner.learn('a.test', false);
  expect(learner.expects('a.test')).toBe(false);
  learner.suspect('b.test');
  expect(learner.expects('b.test')).toBe(true);
});

test('hosts that were not seen for long are forgotten', () => {
  const learner = new RenderLearner(2);
  for (const host of ['a', 'b', 'c']) learner.learn(host, true);
  expect(['a', 'b', 'c'].map((host) => learner.expects(host))).toEqual([false, true, true]);
});
