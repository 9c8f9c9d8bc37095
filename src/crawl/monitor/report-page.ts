/** The report of a crawl as an HTML page: results, plots over time, top domains, settings. */

import {
  counted,
  formatBytes,
  formatCount,
  formatDuration,
  type Millis,
} from '../../base/units.ts';
import { type CrawlConfig, SETTING_ROWS } from '../../config/settings.ts';
import {
  beside,
  facts,
  figure,
  type Html,
  page,
  section,
  table,
  tableOf,
} from '../../report/page.ts';
import { escaped, type Series as Line, type Plot } from '../../report/plot.ts';
import { type Tally, total } from '../record/counters.ts';
import type { Stretch } from '../record/series.ts';
import { refreshSections } from './refresh-section.ts';
import type { CrawlReport } from './report.ts';
import type { CrawlStatus } from './status.ts';

export function crawlReportPage(report: CrawlReport): string {
  const { status, config } = report;
  const { counters } = status;
  return page(`Crawl in ${config.dir}`, [
    facts(headline(report)),
    status.trouble &&
      section('Trouble', `<p>${escaped(`${status.trouble.fact} ${status.trouble.remedy}`)}</p>`),
    status.error !== undefined && section('Error', `<p>${escaped(status.error)}</p>`),
    report.refresh && refreshSections(report.refresh),
    section('Results', table(summaryRows(report))),
    beside(overTime(report)),
    beside([
      bars('Statuses', counters.statuses, 'pages'),
      bars('Content types', counters.types, 'pages'),
      bars('Failed', counters.errors, 'URLs', 'URLs that failed after the last retry, by fault.'),
      bars('Retries', counters.retries, 'times'),
      bars(
        'Skipped',
        refusals(status),
        'URLs',
        'URLs skipped because of robots.txt, a limit, a pattern or a filter.',
      ),
    ]),
    domainSection(report),
    configuration(config),
  ]);
}

function headline({ status, series, madeAt }: CrawlReport): string[] {
  const { counters } = status;
  const begun = series.length > 0 ? [`started ${date(series[0].begins)}`] : [];
  return [
    stateText(status),
    ...begun,
    `as of ${date(status.checkpoint?.savedAt ?? madeAt)}`,
    `${formatCount(counters.pages)} pages`,
    formatBytes(counters.bytes),
    `${counted(status.hosts, 'host')} of ${counted(status.domains, 'domain')}`,
  ];
}

function stateText({ state, end }: CrawlStatus): string {
  if (state !== 'ended') return state;
  return end === undefined || end === 'finished' ? 'finished' : `ended (${end})`;
}

const date = (time: Millis): string =>
  `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

function summaryRows({ status, series }: CrawlReport): string[][] {
  const { counters } = status;
  const millis = series.reduce((sum, stretch) => sum + stretch.millis, 0);
  const rate = millis === 0 ? 0 : counters.pages / (millis / 1000);
  return [
    ['', ''],
    ['pages', formatCount(counters.pages)],
    ['bytes', formatBytes(counters.bytes)],
    ['time spent crawling', formatDuration(millis)],
    ['pages per second', rate < 10 ? rate.toFixed(1) : formatCount(rate)],
    ['bytes per page', formatBytes(counters.pages === 0 ? 0 : counters.bytes / counters.pages)],
    ['links discovered', formatCount(counters.urlsSeen)],
    ['URLs discovered', formatCount(status.urlsUnique)],
    ['URLs queued', formatCount(status.waiting)],
    ['skipped by robots.txt', formatCount(counters.disallowed)],
    ['pages with a body seen before', formatCount(counters.duplicates)],
    ['pages with a truncated body', formatCount(total(counters.truncated))],
    ['URLs failed', formatCount(total(counters.errors))],
    ['archive', formatBytes(status.disk.archive)],
    ['crawl state', formatBytes(status.disk.agents)],
  ];
}

function refusals({ counters }: CrawlStatus): Readonly<Tally> {
  return {
    ...(counters.disallowed > 0 && { 'robots.txt': counters.disallowed }),
    ...counters.refused,
  };
}

// —— Over time ——

interface TimeUnit {
  readonly millis: Millis;
  readonly name: string;
}

const UNITS: readonly TimeUnit[] = [
  { millis: 1000, name: 'seconds' },
  { millis: 60_000, name: 'minutes' },
  { millis: 3600_000, name: 'hours' },
  { millis: 86_400_000, name: 'days' },
];

interface Moment extends Stretch {
  /** The time that the crawl has run, at the end of the stretch. */
  readonly elapsed: Millis;
}

function overTime({ series }: CrawlReport): Html[] {
  let elapsed = 0;
  const moments = series.map((stretch): Moment => {
    elapsed += stretch.millis;
    return { ...stretch, elapsed };
  });
  const paced = evenStretches(moments);
  const aSecond = (column: 'pages' | 'bytes' | 'errors' | 'retries') => (moment: Moment) =>
    (moment[column] / moment.millis) * 1000;
  const totals = cumulative(moments);
  const draw = (
    title: string,
    label: string,
    over: readonly Moment[],
    lines: readonly Curve[],
    format = short,
  ) => section(title, curves(title, label, over, lines, format));
  return [
    draw('Pages', 'pages', totals, [{ label: 'pages', value: ({ pages }) => pages }]),
    draw(
      'Bytes',
      'received',
      totals,
      [{ label: 'received', value: ({ bytes }) => bytes }],
      formatBytes,
    ),
    draw('Pages per second', 'pages per second', paced, [
      { label: 'pages per second', value: aSecond('pages') },
    ]),
    draw(
      'Bytes per second',
      'received per second',
      paced,
      [{ label: 'received per second', value: aSecond('bytes') }],
      formatBytes,
    ),
    draw('Front', 'hosts', moments, [
      { label: 'hosts with URLs to fetch', value: ({ front }) => front },
      { label: 'requests under way', value: ({ fetching }) => fetching },
    ]),
    draw('Queued', 'URLs', moments, [
      { label: 'queued URLs', value: ({ queued }) => queued },
      { label: 'of these on disk', value: ({ backlog }) => backlog },
    ]),
    draw('Failures', 'per second', paced, [
      { label: 'URLs failed', value: aSecond('errors') },
      { label: 'retries', value: aSecond('retries') },
    ]),
    ...(series.some(({ spam }) => spam > 0)
      ? [
          draw('Pages of spam', 'pages', totals, [
            {
              label: 'pages of domains that were spam by their last verdict',
              value: ({ spam }) => spam,
            },
          ]),
        ]
      : []),
  ];
}

/**
 * For rates: joins a stretch in which the crawl hardly ran with its neighbour, because one page in
 * a tenth of a second is not a rate.
 */
export function evenStretches<Part extends Moment>(moments: readonly Part[]): Part[] {
  const whole = median(moments.map(({ millis }) => millis)) * 0.75;
  const even: Part[] = [];
  let open = false;
  for (const moment of moments) {
    const last = even.at(-1);
    // A short last stretch can only join the one before it.
    const joins = last && (open || (moment === moments.at(-1) && moment.millis < whole));
    if (joins) even[even.length - 1] = joined(last, moment);
    else even.push(moment);
    open = even[even.length - 1].millis < whole;
  }
  return even;
}

function joined<Part extends Moment>(a: Part, b: Part): Part {
  const sum = (column: 'millis' | 'pages' | 'bytes' | 'errors' | 'retries') =>
    a[column] + b[column];
  const counts = {
    pages: sum('pages'),
    bytes: sum('bytes'),
    errors: sum('errors'),
    retries: sum('retries'),
  };
  return { ...b, ...counts, millis: sum('millis') };
}

/** Pages and bytes since the start of the crawl. */
function cumulative(moments: readonly Moment[]): Moment[] {
  let [pages, bytes] = [0, 0];
  return moments.map((moment) => {
    pages += moment.pages;
    bytes += moment.bytes;
    return { ...moment, pages, bytes };
  });
}

interface Curve {
  readonly label: string;
  readonly value: (moment: Moment) => number;
}

function curves(
  title: string,
  label: string,
  moments: readonly Moment[],
  lines: readonly Curve[],
  format: (value: number) => string,
): Html {
  if (moments.length < 2) return '<p>The crawl was too short for a plot.</p>';
  const unit =
    UNITS.findLast(({ millis }) => moments[moments.length - 1].elapsed >= 3 * millis) ?? UNITS[0];
  const drawn = lines.map(
    (line, colour): Line => ({
      label: line.label,
      colour,
      points: moments.map((moment) => [moment.elapsed / unit.millis, line.value(moment)] as const),
    }),
  );
  const some = drawn.filter(({ points }) => points.some(([, value]) => value > 0));
  if (some.length === 0) return '<p>None.</p>';
  const plot: Plot = {
    title,
    x: { label: `${unit.name} of crawling`, scale: 'linear', format: short },
    y: { label, scale: 'linear', format },
    series: some,
  };
  return figure(plot);
}

function median(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.toSorted((a, b) => a - b)[values.length >> 1];
}

function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return value < 10 ? String(Number(value.toPrecision(2))) : formatCount(value);
}

// —— Counts, domains, settings ——

const MOST_BARS = 20;

/** A table with one row per name, most frequent first, with a bar as long as its share. */
function bars(heading: string, tally: Readonly<Tally>, what: string, text = ''): Html {
  const all = total(tally);
  const kinds = Object.entries(tally).sort((a, b) => b[1] - a[1]);
  if (all === 0) return section(heading, '<p>None.</p>');
  const rest = kinds.slice(MOST_BARS).reduce((sum, [, n]) => sum + n, 0);
  const rows = [...kinds.slice(0, MOST_BARS), ...(rest > 0 ? [['others', rest] as const] : [])].map(
    ([kind, n]) => {
      const share = (100 * n) / all;
      return [
        escaped(kind),
        formatCount(n),
        `${share < 1 ? share.toFixed(2) : share.toFixed(1)} %`,
        `<span class="share" style="width:${share.toFixed(2)}%"></span>`,
      ];
    },
  );
  return section(heading, tableOf(['', what, 'share', ''], rows), text);
}

function domainSection({ domains, top }: CrawlReport): Html {
  const heading = 'Domains with the most pages';
  if (domains) {
    const rows = domains.map((row) => [
      row.domain,
      formatCount(row.fetched),
      row.rank === undefined ? '–' : formatCount(row.rank),
      formatCount(row.budget),
      formatCount(row.inDegree),
      row.supporters === undefined ? '–' : formatCount(row.supporters),
      formatCount(row.queued),
      row.state,
    ]);
    const head = ['domain', 'pages', 'rank', 'budget', 'in-links', 'supporters', 'queued', ''];
    return section(heading, table([head, ...rows]));
  }
  if (top.length === 0) return section(heading, '<p>None.</p>');
  return section(
    heading,
    table([['domain', 'pages'], ...top.map(({ name, pages }) => [name, formatCount(pages)])]),
  );
}

/** The settings that differ from the defaults; the others are folded. */
function configuration(config: CrawlConfig): Html {
  const rows = SETTING_ROWS.map(([key, { flag, type, default: preset }]) => {
    const value = type.print(config[key]) || 'none';
    return { isDefault: value === (type.print(preset) || 'none'), cells: [`--${flag}`, value] };
  });
  const asked = rows.filter(({ isDefault }) => !isDefault).map(({ cells }) => cells);
  const others = rows.filter(({ isDefault }) => isDefault).map(({ cells }) => cells);
  const rest = `<details><summary>${others.length} settings with default values</summary>${table([['setting', 'value'], ...others])}</details>`;
  return section('Configuration', `${table([['setting', 'value'], ...asked])}\n${rest}`);
}
