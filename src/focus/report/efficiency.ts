/**
 * Table 2 of the paper: what the requests of each policy found.
 *
 * Idea      Two kinds of means. Ratios of totals: all documents by all requests. Means of daily
 *           ratios: each day counts the same. They differ where days differ; the paper's own rows
 *           agree only as the latter.
 */
import type { Day } from '../book/day.ts';

type Count =
  | 'requests'
  | 'fetched'
  | 'fresh'
  | 'useful'
  | 'parents'
  | 'usefulParents'
  | 'usefulLinked';

const COUNTS: readonly Count[] = [
  ...(['requests', 'fetched', 'fresh', 'useful'] as const),
  ...(['parents', 'usefulParents', 'usefulLinked'] as const),
];

/** Ratios by their names in the paper. */
export const RATIOS: readonly (readonly [name: string, of: Count, by: Count])[] = [
  ['F/Q', 'fetched', 'requests'],
  ['N/F', 'fresh', 'fetched'],
  ['G/F', 'useful', 'fetched'],
  ['G/N', 'useful', 'fresh'],
  ['G/Q', 'useful', 'requests'],
  ['D_PG/P', 'usefulLinked', 'parents'],
  ['P_G/P', 'usefulParents', 'parents'],
];

export interface Efficiency {
  readonly policy: string;
  readonly days: readonly Day[];
  readonly totals: Readonly<Record<Count, number>>;
  /** Undefined where the divisor is 0. */
  readonly ratios: Readonly<Record<string, number | undefined>>;
  /** Means over the days whose divisor is not 0. */
  readonly dailyRatios: Readonly<Record<string, number | undefined>>;
}

/** Policies in the order of their first day. */
export function efficiencies(days: readonly Day[]): Efficiency[] {
  return [...new Set(days.map(({ policy }) => policy))].map((policy) => {
    const own = days.filter((day) => day.policy === policy);
    const totals = Object.fromEntries(
      COUNTS.map((count) => [count, own.reduce((sum, day) => sum + day[count], 0)]),
    ) as Record<Count, number>;
    return {
      policy,
      days: own,
      totals,
      ratios: ratiosOf(totals),
      dailyRatios: Object.fromEntries(
        RATIOS.map(([name, of, by]) => [name, mean(own.map((day) => ratio(day[of], day[by])))]),
      ),
    };
  });
}

/** The ratios of a day, or of totals. */
export const ratiosOf = (counts: Readonly<Record<Count, number>>) =>
  Object.fromEntries(RATIOS.map(([name, of, by]) => [name, ratio(counts[of], counts[by])]));

const ratio = (of: number, by: number): number | undefined => (by > 0 ? of / by : undefined);

function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return ratio(
    known.reduce((sum, value) => sum + value, 0),
    known.length,
  );
}
