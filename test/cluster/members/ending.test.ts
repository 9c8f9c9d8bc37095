/** The end of a cluster's crawl is never declared too early. */
import { describe, expect, test } from 'vitest';
import { type AgentLook, Ending, HandingOn } from '../../../src/cluster/members/ending.ts';

const AROUND = { agents: 2, epochs: [1, 1], pagesLeft: Infinity };
const look = (agent: number, change: Partial<AgentLook> = {}): AgentLook => ({
  ...{ agent, epoch: 1, idle: true, starved: false, safe: true, heads: [0, 0] },
  ...{ received: [0, 0], pages: 3, bytes: 9, queued: 0, ...change },
});
const quiet = [look(0), look(1)];

describe('a crawl is over', () => {
  test('after two equal waves in which all agents rest and have committed', () => {
    const ending = new Ending();
    expect(ending.wave(quiet, AROUND)).toBeUndefined();
    expect(ending.wave(quiet, AROUND)).toBe('finished');
  });

  const others: [string, AgentLook[], Partial<typeof AROUND>?][] = [
    ['an agent is busy', [look(0), look(1, { idle: false })]],
    ['a state is not committed', [look(0, { safe: false }), look(1)]],
    ['a parcel is in no committed checkpoint', [look(0, { heads: [0, 7] }), look(1)]],
    ['an agent has no owner', [look(0)]],
    ['an agent answers as an owner of before', quiet, { epochs: [1, 2] }],
    ['an agent was never taken', quiet, { epochs: [1, 0] }],
    [
      'an agent has URLs and pages are left',
      [look(0, { idle: false, starved: true }), look(1)],
      { pagesLeft: 4 },
    ],
  ];
  for (const [why, looks, around] of others) {
    test(`but not while ${why}`, () => {
      const ending = new Ending();
      for (let i = 0; i < 3; i++)
        expect(ending.wave(looks, { ...AROUND, ...around })).toBeUndefined();
    });
  }

  test('but not when something was received, or an owner changed, between the waves', () => {
    const ending = new Ending();
    ending.wave(quiet, AROUND);
    expect(ending.wave([look(0, { received: [0, 1] }), look(1)], AROUND)).toBeUndefined();
    ending.wave(quiet, AROUND);
    const heir = [look(0, { epoch: 2 }), look(1)];
    expect(ending.wave(heir, { ...AROUND, epochs: [2, 1] })).toBeUndefined();
  });

  test('when no page of the limit is left, and all agents have committed theirs', () => {
    const ending = new Ending();
    const spent = [look(0, { idle: false, starved: true }), look(1)];
    ending.wave(spent, { ...AROUND, pagesLeft: 0 });
    expect(ending.wave(spent, { ...AROUND, pagesLeft: 0 })).toBe('max-pages');
  });
});

test('agents have handed on everything when all that was sent has arrived, twice', () => {
  const handing = new HandingOn();
  const sent = [look(0, { heads: [0, 7] }), look(1)];
  expect([handing.wave(sent, AROUND), handing.wave(sent, AROUND)]).toEqual([false, false]);
  const arrived = [look(0, { heads: [0, 7] }), look(1, { received: [7, 0] })];
  expect([handing.wave(arrived, AROUND), handing.wave(arrived, AROUND)]).toEqual([false, true]);
});
