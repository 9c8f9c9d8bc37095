/**
 * A comparison as sentences and as table cells, for the terminal and for the page. The first row of
 * a table is its heading.
 */
import { formatBytes, formatCount, formatDuration } from '../../base/units.ts';
import { countUpTo } from './compare.ts';
import type { Comparison, FoundList, MethodReport } from './compare-run.ts';

export const AGREEMENT_TEXT =
  "Below the diagonal, the share of the top that two rankings have in common. Above it, Kendall's τ over the nodes in either top; nodes missing from one top are tied behind it. 1 is the same order, −1 the reverse order, −0.67 nothing in common.";

/** What was compared, in short phrases. */
export function summaryOf({ nodes, arcs, top, bad, good, leftOut }: Comparison): string[] {
  const found = (name: string, list: FoundList | undefined) =>
    list
      ? [`${formatCount(list.found)} of ${formatCount(list.given)} ${name} names are in the graph`]
      : [];
  const trusted = `trusted ${leftOut === 1 ? 'node is' : 'nodes are'} left out of every ranking`;
  return [
    `${formatCount(nodes)} nodes`,
    `${formatCount(arcs)} arcs`,
    `rankings compared up to place ${formatCount(top)}`,
    ...found('bad', bad),
    ...found('good', good),
    ...(leftOut > 0 ? [`${formatCount(leftOut)} ${trusted}`] : []),
  ];
}

/** What each method costs, which bad nodes it admits, and how large its error is. */
export function methodRows({ methods, top, bad, good }: Comparison): string[][] {
  const depths = [10, 100, 1000, 10_000, 100_000].filter((r) => r < top).concat(top);
  const withErrors = methods.some(({ error }) => error);
  const heading = [
    ...['method', 'time', 'CPU', 'memory', 'read'],
    ...(bad ? ['first bad', ...depths.map((r) => `bad in ${short(r)}`)] : []),
    ...(good ? [`good in ${short(top)}`] : []),
    ...(withErrors ? ['mean error', 'worst error'] : []),
  ];
  const badCells = ({ badPlaces }: MethodReport) => [
    badPlaces.length > 0 ? formatCount(badPlaces[0]) : '–',
    ...depths.map((r) => formatCount(countUpTo(badPlaces, r))),
  ];
  const rows = methods.map((method) => [
    method.label,
    formatDuration(method.milliseconds),
    formatDuration(method.cpuMilliseconds),
    formatBytes(method.memoryBytes),
    formatBytes(method.bytesRead),
    ...(bad ? badCells(method) : []),
    ...(good ? [formatCount(method.goodPlaces.length)] : []),
    ...(withErrors ? [percent(method.error?.mean), percent(method.error?.worst)] : []),
  ]);
  return [heading, ...rows];
}

/** How much the tops of each two methods have in common: AGREEMENT_TEXT explains it. */
export function agreementRows({ methods, overlap, kendallTau }: Comparison): string[][] {
  const rows = methods.map(({ label }, i) => [
    label,
    ...methods.map((_, j) => {
      if (i === j) return '';
      return j < i ? percent(overlap[i][j]) : kendallTau[i][j].toFixed(2).replace('-', '−');
    }),
  ]);
  return [['shared \\ τ', ...methods.map(({ label }) => label)], ...rows];
}

export function percent(value: number | undefined): string {
  if (value === undefined) return '–';
  const hundredths = value * 100;
  return `${hundredths >= 100 ? formatCount(hundredths) : Number(hundredths.toPrecision(2))} %`;
}

/** A short form: 12k, 3M. */
export function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return formatCount(value);
}
