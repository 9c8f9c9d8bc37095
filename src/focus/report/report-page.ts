/** The report of a book as a page: Table 2 of the paper, and its days. */
import { formatCount } from '../../base/units.ts';
import { facts, figure, page, section, table } from '../../report/page.ts';
import type { Day } from '../book/day.ts';
import { type Efficiency, RATIOS, ratiosOf } from './efficiency.ts';

/** D_PG/P is documents per page; the others are shares. */
const ratioText = (name: string, value: number | undefined): string => {
  if (value === undefined) return '-';
  return name.startsWith('D_PG') ? value.toFixed(3) : `${(100 * value).toFixed(2)} %`;
};

const PER_DAY = [
  ['Q per day', 'requests'],
  ['F per day', 'fetched'],
  ['N per day', 'fresh'],
  ['G per day', 'useful'],
] as const;

/** Table 2: a row for each figure, a column for each policy. */
export function table2(all: readonly Efficiency[]): string[][] {
  const head = [
    '',
    ...all.map(({ policy, days }) => `${policy} (${formatCount(days.length)} days)`),
  ];
  const counts = PER_DAY.map(([name, of]) => [
    name,
    ...all.map(({ totals, days }) => formatCount(totals[of] / days.length)),
  ]);
  const ratios = RATIOS.map(([name]) => [
    name,
    ...all.map(
      ({ ratios, dailyRatios }) =>
        `${ratioText(name, ratios[name])} (${ratioText(name, dailyRatios[name])})`,
    ),
  ]);
  return [head, ...counts, ...ratios];
}

const DAY_HEAD = [
  'day',
  'policy',
  'Q',
  'F',
  'N',
  'G',
  ...RATIOS.map(([name]) => name),
  'unread',
  'domains',
];

function dayRow(day: Day): string[] {
  const ratios = ratiosOf(day);
  const unread = Object.values(day.unread).reduce((sum, count) => sum + count, 0);
  return [
    day.time.slice(0, 16).replace('T', ' '),
    day.policy,
    ...[day.requests, day.fetched, day.fresh, day.useful].map(formatCount),
    ...RATIOS.map(([name]) => ratioText(name, ratios[name])),
    formatCount(unread),
    day.listed === undefined ? '-' : formatCount(day.listed),
  ];
}

export function reportPage(
  title: string,
  all: readonly Efficiency[],
  days: readonly Day[],
): string {
  const plots = [
    ['F/Q', 'Documents per request'],
    ['G/Q', 'Useful new documents per request'],
    ['G/N', 'Useful among the new documents'],
  ].map(([name, heading]) => section(heading, figure(daily(name, heading, all))));
  return page(title, [
    facts([`${formatCount(days.length)} days`, `${formatCount(all.length)} policies`]),
    section(
      'Policies',
      table(table2(all)),
      'Ratios of totals; in brackets the means of daily ratios, as the paper prints them.',
    ),
    ...plots,
    section('Days', table([DAY_HEAD, ...days.map(dayRow)])),
  ]);
}

function daily(name: string, title: string, all: readonly Efficiency[]) {
  return {
    title,
    x: { label: 'day of the policy', scale: 'linear' as const, format: formatCount },
    y: { label: name, scale: 'linear' as const, format: (value: number) => value.toFixed(3) },
    series: all.map(({ policy, days }, colour) => ({
      label: policy,
      colour,
      points: days.flatMap((day, i) => {
        const value = ratiosOf(day)[name];
        return value === undefined ? [] : [[i + 1, value] as const];
      }),
    })),
  };
}
