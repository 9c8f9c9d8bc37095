/** The HTML report of a run of the lab. */

import { formatBytes, formatCount } from '../base/units.ts';
import { facts, figure, page, section, table } from '../report/page.ts';
import { COLOURS, type Series } from '../report/plot.ts';
import type { MachineSample, PolicyResult, Sample } from './run.ts';
import {
  coverageRows,
  GROUPS,
  kindRows,
  lookUpRows,
  pagesOf,
  percent,
  summaryRows,
} from './summary.ts';

interface LabReport {
  /** Short phrases: scenario, seed, sizes, delays. */
  readonly facts: readonly string[];
  readonly results: readonly PolicyResult[];
}

export function labReportPage({ facts: phrases, results }: LabReport): string {
  const sections = [
    facts(phrases),
    section('Results', table(summaryRows(results)), USEFUL_TEXT),
    ...results.map((result, i) => kindsOverTime(result, i)),
    section(
      'Useful pages',
      lines(results, 'useful pages', ({ useful }) => useful),
    ),
    section('Share of the last fetches that went to spam', spamRate(results), RATE_TEXT),
    section(
      'Domains reached',
      lines(results, 'domains', ({ domains }) => domains),
    ),
    section(
      'DNS look-ups',
      lines(results, 'look-ups', ({ lookUps }) => lookUps),
    ),
    section('Disk', perPage(results), DISK_TEXT),
    section(
      'Queued URLs',
      lines(results, 'URLs', ({ queued }) => queued),
    ),
    section(
      'Front',
      lines(results, 'hosts', ({ front }) => front),
      FRONT_TEXT,
    ),
    section('Memory', memory(results), MEMORY_TEXT),
    section('Pages by kind', table(kindRows(results))),
    section('Honest domains by kind', table(coverageRows(results))),
    section('DNS look-ups by kind', table(lookUpRows(results))),
  ];
  return page('Policies in virtual time', sections);
}

const USEFUL_TEXT =
  'A page is useful if it belongs to an honest domain and arrived complete under its own address. Spam kinds are made to deceive; endless kinds have no end by carelessness.';
const RATE_TEXT = 'A share of the pages between two samples, not of all pages since the beginning.';
const DISK_TEXT =
  'Bytes per page read from and written to the files of queued URLs: the backlog and, under budgets, the files of domains.';
const FRONT_TEXT = 'Hosts in memory that have queued URLs and an address.';
const MEMORY_TEXT =
  'Memory of the whole process, the synthetic web included. Policies run one after the other, so each begins where the last ended.';

const pagesAxis = { label: 'pages fetched', scale: 'linear', format: short } as const;
const shareAxis = {
  label: 'share',
  scale: 'linear',
  format: (value: number) => percent(value, 1),
} as const;

function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  return value >= 1e4 ? `${Number((value / 1e3).toPrecision(3))}k` : formatCount(value);
}

/** One line for each policy, over the pages fetched. */
function lines(
  results: readonly PolicyResult[],
  label: string,
  figureOf: (sample: Sample, machine: MachineSample) => number,
  format: (value: number) => string = short,
): string {
  const series = results.map(({ policy, samples, machine }, colour) => ({
    label: policy,
    colour,
    points: samples.map((sample, i) => [sample.pages, figureOf(sample, machine[i])] as const),
  }));
  if (series.every(({ points }) => points.every(([, value]) => value === 0))) return '<p>None.</p>';
  return figure({ title: label, x: pagesAxis, y: { label, scale: 'linear', format }, series });
}

const perPage = (results: readonly PolicyResult[]) =>
  lines(
    results,
    'bytes a page',
    ({ backlogBytes, domainBytes, pages }) => (backlogBytes + domainBytes) / pages,
    formatBytes,
  );

const memory = (results: readonly PolicyResult[]) =>
  lines(results, 'resident memory', (_sample, { rss }) => rss, formatBytes);

function spamRate(results: readonly PolicyResult[]): string {
  const series = results.map(({ policy, samples }, colour) => ({
    label: policy,
    colour,
    points: rates(samples, (sample) => pagesOf(sample, 'spam')),
  }));
  if (series.every(({ points }) => points.every(([, share]) => share === 0))) return '<p>None.</p>';
  return figure({ title: 'share of the last fetches', x: pagesAxis, y: shareAxis, series });
}

/** The growth of a count between two samples, as a share of the pages between them. */
function rates(samples: readonly Sample[], countOf: (sample: Sample) => number): Series['points'] {
  return samples.flatMap((sample, i) => {
    const before = i === 0 ? undefined : samples[i - 1];
    const pages = sample.pages - (before?.pages ?? 0);
    const count = countOf(sample) - (before ? countOf(before) : 0);
    return pages > 0 ? [[sample.pages, count / pages] as const] : [];
  });
}

/** The share of each group and of the largest kinds of spam, over the pages of one policy. */
function kindsOverTime({ policy, samples }: PolicyResult, at: number): string {
  const last = samples[samples.length - 1];
  const largest = [...GROUPS.spam]
    .sort((a, b) => last.pagesByKind[b] - last.pagesByKind[a])
    .slice(0, 5);
  const share = (countOf: (sample: Sample) => number) =>
    samples.map((sample) => [sample.pages, countOf(sample) / sample.pages] as const);
  const series: Series[] = [
    { label: 'honest', colour: 2, points: share((sample) => pagesOf(sample, 'honest')) },
    { label: 'endless', colour: 7, points: share((sample) => pagesOf(sample, 'endless')) },
    { label: 'all spam', colour: 1, points: share((sample) => pagesOf(sample, 'spam')) },
    ...largest.map((kind, i) => ({
      label: kind,
      colour: COLOURS + [0, 3, 4, 5, 6][i],
      points: share(({ pagesByKind }) => pagesByKind[kind]),
    })),
  ];
  const text = at === 0 ? 'Shares of all pages fetched so far.' : '';
  return section(
    `Where ${policy} spent its fetches`,
    figure({ title: policy, x: pagesAxis, y: shareAxis, series }),
    text,
  );
}
