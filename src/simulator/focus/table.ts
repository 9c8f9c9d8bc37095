/** Table 2 of the paper from simulated days: ratios of totals, and means of daily ratios. */
import type { DayCounts } from './day.ts';
import type { FocusResult } from './run.ts';

/** Of the paper, for comparison. */
const PAPER: Readonly<Record<string, readonly string[]>> = {
  blacklist: ['15.28%', '1.98%', '0.29%', '20.33%', '0.11%', '0.750', '0.902'],
  whitelist: ['38.09%', '1.24%', '0.97%', '49.61%', '0.52%', '1.082', '0.934'],
  hybrid: ['15.64%', '0.79%', '0.29%', '32.47%', '0.07%', '1.021', '0.740'],
};

type Ratio = readonly [
  name: string,
  of: (day: DayCounts) => number,
  by: (day: DayCounts) => number,
];

const RATIOS: readonly Ratio[] = [
  ['F/Q', (d) => d.fetched, (d) => d.requests],
  ['N/F', (d) => d.fresh, (d) => d.fetched],
  ['G/F', (d) => d.useful, (d) => d.fetched],
  ['G/N', (d) => d.useful, (d) => d.fresh],
  ['G/Q', (d) => d.useful, (d) => d.requests],
  ['D_PG/P', (d) => d.usefulLinked, (d) => d.parents],
  ['P_G/P', (d) => d.usefulParents, (d) => d.parents],
];

export interface FocusRow {
  readonly policy: string;
  readonly requests: number;
  readonly fetched: number;
  readonly fresh: number;
  readonly useful: number;
  /** Ratios of the totals of all seeds and days, by name. */
  readonly ratios: Readonly<Record<string, number>>;
  /** Means of the ratios of single days. */
  readonly means: Readonly<Record<string, number>>;
  /** The share of the useful documents at depth 0, 1, 2, … */
  readonly depths: readonly number[];
  /** Useful documents per request at depth 0, 1, 2, … */
  readonly gains: readonly number[];
  /** Domains of the list before and after, on average over the seeds. */
  readonly listed: readonly [number, number];
  /** The most rounds through the parents that a seed took. */
  readonly rounds: number;
}

/** A row for each policy, over all seeds. */
export function focusRows(results: readonly FocusResult[]): FocusRow[] {
  const policies = [...new Set(results.map(({ policy }) => policy))];
  return policies.map((policy) =>
    rowOf(
      policy,
      results.filter((each) => each.policy === policy),
    ),
  );
}

function rowOf(policy: string, results: readonly FocusResult[]): FocusRow {
  const days = results.flatMap((result) => result.days);
  const sum = (of: (day: DayCounts) => number) => days.reduce((total, day) => total + of(day), 0);
  const mean = (values: readonly number[]) =>
    values.length > 0 ? values.reduce((a, b) => a + b, 0) / values.length : 0;
  const useful = sum((d) => d.useful);
  const deepest = days.reduce((depth, { byDepth }) => Math.max(depth, byDepth.length), 0);
  const usefulAt = Array.from({ length: deepest }, (_, depth) =>
    sum(({ byDepth }) => byDepth[depth] ?? 0),
  );
  return {
    policy,
    requests: sum((d) => d.requests),
    fetched: sum((d) => d.fetched),
    fresh: sum((d) => d.fresh),
    useful,
    ratios: Object.fromEntries(RATIOS.map(([name, of, by]) => [name, share(sum(of), sum(by))])),
    means: Object.fromEntries(
      RATIOS.map(([name, of, by]) => [
        name,
        mean(days.filter((day) => by(day) > 0).map((day) => of(day) / by(day))),
      ]),
    ),
    depths: usefulAt.map((count) => share(count, useful)),
    gains: usefulAt.map((count, depth) =>
      share(
        count,
        sum(({ requestsByDepth }) => requestsByDepth[depth] ?? 0),
      ),
    ),
    listed: [mean(results.map(({ listed }) => listed[0])), mean(results.map((r) => r.listed[1]))],
    rounds: results.reduce((most, { rounds }) => Math.max(most, rounds), 0),
  };
}

const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

const shown = (name: string, value: number): string =>
  name.includes('P_') || name.startsWith('D_') ? value.toFixed(3) : `${(100 * value).toFixed(2)}%`;

/** Lines of a table with tabs between its cells; a cell is `total (daily mean; paper)`. */
export function* focusLines(rows: readonly FocusRow[]): Generator<string> {
  const line = (name: string, of: (row: FocusRow) => string) => [name, ...rows.map(of)].join('\t');
  yield line('', ({ policy }) => policy);
  yield line('Q', ({ requests }) => String(requests));
  yield line('F', ({ fetched }) => String(fetched));
  yield line('N', ({ fresh }) => String(fresh));
  yield line('G', ({ useful }) => String(useful));
  for (const [i, [name]] of RATIOS.entries())
    yield line(name, ({ policy, ratios, means }) => {
      const paper = PAPER[policy]?.[i];
      return `${shown(name, ratios[name])} (${shown(name, means[name])}${paper ? `; ${paper}` : ''})`;
    });
  yield line('G by depth', ({ depths }) =>
    depths.map((part) => `${Math.round(100 * part)}%`).join(' '),
  );
  yield line('G/Q by depth', ({ gains }) => gains.map((gain) => shown('G/Q', gain)).join(' '));
  yield line(
    'list',
    ({ listed: [before, after] }) => `${before.toFixed(1)} to ${after.toFixed(1)}`,
  );
  yield line('rounds', ({ rounds }) => String(rounds));
}
