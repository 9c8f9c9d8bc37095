import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addSeries,
  MOST,
  type Sample,
  Series,
  type SeriesState,
  stretches,
} from '../../../src/crawl/record/series.ts';

const NOTHING: Sample = {
  ...{ pages: 0, bytes: 0, errors: 0, retries: 0, spam: 0 },
  ...{ fetching: 0, front: 0, queued: 0, backlog: 0 },
};

interface Step {
  readonly wait: number;
  readonly pages: number;
  readonly queued: number;
}

const step = fc.record({
  wait: fc.nat({ max: 5000 }),
  pages: fc.nat({ max: 9 }),
  queued: fc.nat({ max: 99 }),
});
const steps = fc.array(step, { maxLength: 500, size: 'max' });

/** Applies steps, some of which start another run. */
function seriesOf(
  life: readonly Step[],
  restartEvery: number,
  start = 1_700_000_000_000,
): { state: SeriesState; pages: number; now: number } {
  let now = start;
  let series = new Series(now);
  let counted = 0;
  let pages = 0;
  for (const [i, { wait, pages: more, queued }] of life.entries()) {
    now += wait;
    if (i % restartEvery === restartEvery - 1) {
      const stored: SeriesState = JSON.parse(JSON.stringify(series.state));
      series = new Series(now, stored);
      counted = 0;
    }
    counted += more;
    pages += more;
    series.sample(now, { ...NOTHING, pages: counted, queued });
  }
  return { state: series.state, pages, now };
}

const sum = (state: SeriesState, column: 'pages' | 'millis') =>
  stretches(state).reduce((all, stretch) => all + stretch[column], 0);

describe('the series of a crawl', () => {
  test('holds all counts in order, in at most MOST stretches, for any steps', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 2, max: 400 }), (life, restartEvery) => {
        const { state, pages } = seriesOf(life, restartEvery);
        expect(sum(state, 'pages')).toBe(pages);
        expect(state.at.length).toBeLessThanOrEqual(MOST);
        expect(state.at).toEqual([...new Set(state.at)].sort((a, b) => a - b));
        if (life.length > 0) expect(stretches(state).at(-1)?.queued).toBe(life.at(-1)?.queued);
      }),
      { numRuns: 50 },
    );
  });

  test('becomes coarser by itself: the length of a stretch is a second, doubled repeatedly', () => {
    const life = Array.from({ length: 4000 }, () => ({ wait: 1000, pages: 3, queued: 1 }));
    const { state } = seriesOf(life, Infinity);
    expect(state.every).toBe(16_000);
    expect(state.at.length).toBeGreaterThan(MOST / 2 - 1);
    expect(sum(state, 'pages')).toBe(12_000);
    expect(sum(state, 'millis')).toBe(4_000_000);
  });

  test('counts no time between runs, and little of the time in which the machine slept', () => {
    const first = new Series(1_000_000);
    first.sample(1_002_000, { ...NOTHING, pages: 5 });
    const second = new Series(90_000_000, first.state);
    second.sample(90_001_000, { ...NOTHING, pages: 2 });
    expect(sum(second.state, 'millis')).toBe(3000);
    second.sample(99_000_000, { ...NOTHING, pages: 3 });
    expect(sum(second.state, 'millis')).toBe(63_000);
  });

  test('continues in order when the clock was set back between two runs', () => {
    const first = new Series(5_000_000);
    first.sample(5_001_000, { ...NOTHING, pages: 5 });
    const second = new Series(1_000_000, first.state);
    second.sample(1_001_000, { ...NOTHING, pages: 2 });
    expect(second.state.at).toEqual([5001]);
    expect(sum(second.state, 'pages')).toBe(7);
  });

  test('of several agents together holds the counts of all', () => {
    const start = fc.integer({ min: 1_700_000_000_000, max: 1_700_000_900_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(steps, start), { maxLength: 3 }), (agents) => {
        const all = agents.map(([life, at]) => seriesOf(life, 50, at));
        const together = addSeries(all.map(({ state }) => state));
        expect(together.at.length).toBeLessThanOrEqual(MOST);
        expect(sum(together, 'pages')).toBe(all.reduce((pages, one) => pages + one.pages, 0));
      }),
      { numRuns: 50 },
    );
  });

  test('of several agents adds up the queued URLs, even for an agent without a recent sample', () => {
    const steady = new Series(1_000_000);
    for (let i = 0; i < 5; i++) steady.sample(1_000_000 + 1000 * i, { ...NOTHING, queued: 10 });
    const busy = new Series(1_000_000);
    busy.sample(1_000_000, { ...NOTHING, queued: 7 });
    busy.sample(1_004_000, { ...NOTHING, queued: 8 });
    expect(stretches(addSeries([steady.state, busy.state])).map(({ queued }) => queued)).toEqual([
      17, 17, 17, 17, 18,
    ]);
  });
});
