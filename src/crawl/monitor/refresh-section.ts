/** The part of a report about a refresh: what was found, at what cost, and Table 1 of LiveRank. */
import { formatCount } from '../../base/units.ts';
import { beside, figure, type Html, section, table } from '../../report/page.ts';
import type { RefreshSummary } from '../planned/refresh-summary.ts';

export function refreshSections(summary: RefreshSummary): Html {
  return beside([
    section('Refresh', table(foundRows(summary))),
    section(
      'Pages by answer',
      table(answerRows(summary)),
      'As in Table 1 of LiveRank; shares are of the pages tested.',
    ),
    section('Verdicts', table(verdictRows(summary))),
    section('Living pages found', foundFigure(summary)),
    section(
      'Cost',
      costFigure(summary),
      'Tests for each living page, when a share of all living pages is found. The number of living pages is estimated from the sample.',
    ),
  ]);
}

function foundRows(summary: RefreshSummary): string[][] {
  const { old, by, test, alpha, pages, sample, tested, alive, dead, unknown, requests } = summary;
  const { living, wanted } = summary;
  const whole = (value: number) => formatCount(Math.round(value));
  return [
    ['', ''],
    ['collection', old],
    ['pages', formatCount(pages)],
    ['order, test', `${by}, ${test}`],
    ['sample', formatCount(sample)],
    ['tested', formatCount(tested)],
    ['requests', formatCount(requests)],
    ['alive', formatCount(alive)],
    ['dead', formatCount(dead)],
    ['unknown', formatCount(unknown)],
    ...(living
      ? [
          [
            'estimated alive',
            `${whole(living.living)} (${whole(living.low)} to ${whole(living.high)})`,
          ],
        ]
      : []),
    ...(wanted === undefined ? [] : [[`wanted (${percent(alpha)})`, formatCount(wanted)]]),
  ];
}

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 2 : 1)} %`;

function answerRows({ tested, statuses, verdicts }: RefreshSummary): string[][] {
  const count = (...names: string[]) => names.reduce((sum, name) => sum + (statuses[name] ?? 0), 0);
  const named = count('404', 'no answer', 'redirect', '200', '304');
  const { unchanged = 0, changed = 0, moved = 0 } = verdicts;
  const row = (status: string, what: string, pages: number) => [
    ...[status, what, formatCount(pages)],
    percent(tested === 0 ? 0 : pages / tested),
  ];
  return [
    ['status', 'description', 'pages', 'share'],
    row('404', 'page not found', count('404')),
    row('no answer', 'host not found', count('no answer')),
    row('301, 302, …', 'redirect', count('redirect')),
    row('its target', 'living page of its own', moved),
    row('200, 304', 'page exists', count('200', '304')),
    row('true 200', 'page really exists', unchanged + changed),
    row('others', 'other errors', tested - named),
    row('total', 'pages tested', tested),
  ];
}

function verdictRows({ verdicts, tested }: RefreshSummary): string[][] {
  const rows = Object.entries(verdicts).map(([verdict, pages]) => [
    ...[verdict, formatCount(pages)],
    percent(tested === 0 ? 0 : pages / tested),
  ]);
  return [['verdict', 'pages', 'share'], ...rows];
}

const whole = (value: number): string => formatCount(Math.round(value));

function foundFigure({ curve }: RefreshSummary): Html {
  const points = curve.map(({ tested, alive }) => [tested, alive] as const);
  return figure({
    title: 'Living pages found',
    x: { label: 'pages tested', scale: 'linear', format: whole },
    y: { label: 'alive', scale: 'linear', format: whole },
    series: [{ label: 'alive', colour: 0, points }],
  });
}

function costFigure({ curve, living }: RefreshSummary): Html {
  const all = living?.living ?? 0;
  const points = curve
    .filter(({ alive }) => alive > 0 && all > 0)
    .map(({ tested, alive }) => [Math.min(1, alive / all), tested / alive] as const);
  return figure({
    title: 'Cost',
    x: {
      label: 'share of the living pages',
      scale: 'linear',
      format: (share) => `${Math.round(100 * share)} %`,
    },
    y: { label: 'tests for each', scale: 'linear', format: (cost) => cost.toFixed(1) },
    series: [{ label: 'cost', colour: 1, points }],
  });
}
