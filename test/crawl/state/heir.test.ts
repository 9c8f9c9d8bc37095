/**
 * What agents know of the whole crawl, when their number changes: nothing is lost or counted twice.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Counters } from '../../../src/crawl/record/counters.ts';
import type { AgentState } from '../../../src/crawl/state/agent-folder.ts';
import { stateOf } from '../../../src/crawl/state/heir.ts';
import '../../property-seed.ts';

const state = (agent: number, own: fc.Arbitrary<object>) =>
  own.map((given) => ({
    archive: [0, 1].map((n) => ({
      file: `drumlin-20260101000000-0000${n}-${agent}.warc.gz`,
      length: 10 * agent + n,
    })),
    lines: [{ file: `crawl-log-${agent}`, length: agent }],
    ...given,
  })) as unknown as fc.Arbitrary<AgentState>;

const own = fc.record({
  savedAt: fc.nat(9),
  seeds: fc.nat(9),
  frontier: fc.record({ required: fc.nat(9) }),
  counters: fc.nat(9).map((pages) => ({ ...new Counters(), pages, statuses: { 200: pages } })),
  moved: fc.array(fc.nat(9).map((n) => [`http://a${n}/`, 'http://b/'])),
});
/** The agents of a crawl; some died before their first checkpoint. */
const crawls = fc
  .integer({ min: 1, max: 5 })
  .chain((agents) =>
    fc.tuple(
      ...Array.from({ length: agents }, (_, i) =>
        fc.oneof({ weight: 4, arbitrary: state(i, own) }, fc.constant(undefined)),
      ),
    ),
  );
const least = (numbers: number[]) => numbers.reduce((a, b) => Math.min(a, b));
const most = (numbers: number[]) => numbers.reduce((a, b) => Math.max(a, b), 0);

describe('when agents become others', () => {
  test('each archive file and each file of lines has one heir, agent 0 where its own is gone', () => {
    fc.assert(
      fc.property(crawls, fc.integer({ min: 1, max: 5 }), (states, to) => {
        const heirs = Array.from({ length: to }, (_, agent) => stateOf(agent, to, states));
        for (const kind of ['archive', 'lines'] as const) {
          const before = states.flatMap((each) => each?.[kind] ?? []);
          const after = heirs.flatMap((each) => each[kind] ?? []);
          expect(after).toHaveLength(before.length);
          expect(new Set(after)).toEqual(new Set(before));
          for (const [agent, heir] of heirs.entries())
            for (const { file } of heir[kind] ?? []) {
              const writer = Number(/(\d+)(?:\.warc\.gz)?$/.exec(file)?.[1]);
              expect(agent).toBe(writer < to ? writer : 0);
            }
        }
      }),
    );
  });

  test('counts are the sums, times the latest, and the seeds those that every agent has', () => {
    fc.assert(
      fc.property(crawls, fc.integer({ min: 1, max: 5 }), (states, to) => {
        const known = states.flatMap((each) => each ?? []);
        const heirs = Array.from({ length: to }, (_, agent) => stateOf(agent, to, states));
        const pages = known.reduce((sum, { counters }) => sum + counters.pages, 0);
        expect(heirs.map(({ counters }) => counters.pages)).toEqual(
          heirs.map((_, agent) => (agent === 0 ? pages : 0)),
        );
        for (const heir of heirs) {
          expect(heir.seeds).toBe(least(states.map((each) => each?.seeds ?? 0)));
          expect(heir.savedAt).toBe(most(known.map(({ savedAt }) => savedAt)));
          expect(heir.required).toBe(most(known.map(({ frontier }) => frontier.required)));
          const moves = known.flatMap(({ moved }) => moved.map((move) => move.join(' ')));
          expect(heir.moved.map((move) => move.join(' '))).toEqual([...new Set(moves)]);
        }
      }),
    );
  });
});
