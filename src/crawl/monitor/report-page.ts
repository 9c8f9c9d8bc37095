/** The report of a crawl as a page: what came of it, how it went, from whom most was fetched, what was asked. */

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
import type { CrawlReport } from './report.ts';
import type { CrawlStatus } from './status.ts';

export function crawlReportPage(report: CrawlReport): string {
  const { status, config } = report;
  const { counters } = status;
  return page(`Crawl in ${config.dir}`, [
    facts(headline(report)),
    status.trouble &&
      section('Trouble', `<p>${escaped(`${status.trouble.fact} ${status.trouble.remedy}`)}</p>`),
    status.error !== undefined && section('It failed', `<p>${escaped(status.error)}</p>`),
    section('What came of it', table(summaryRows(report))),
    beside(overTime(report)),
    beside([
      bars('Statuses', counters.statuses, 'pages'),
      bars('Content types', counters.types, 'pages'),
      bars('Errors', counters.errors, 'URLs', 'URLs that were given up, by what went wrong.'),
      bars('Tried again', counters.retries, 'times'),
      bars(
        'Not fetched',
        refusals(status),
        'URLs',
        'Links that robots.txt, a limit or a pattern kept out.',
      ),
    ]),
    domainSection(report),
    configuration(config),
  ]);
}

function headline({ status, series, madeAt }: CrawlReport): string[] {
  const { counters } = status;
  const begun = series.length > 0 ? [`begun ${date(series[0].begins)}`] : [];
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
    ['pages a second', rate < 10 ? rate.toFixed(1) : formatCount(rate)],
    ['bytes a page', formatBytes(counters.pages === 0 ? 0 : counters.bytes / counters.pages)],
    ['links met', formatCount(counters.urlsSeen)],
    ['URLs known', formatCount(status.urlsUnique)],
    ['URLs that wait', formatCount(status.waiting)],
    ['refused by robots.txt', formatCount(counters.disallowed)],
    ['pages with a body seen before', formatCount(counters.duplicates)],
    ['URLs given up', formatCount(total(counters.errors))],
    ['archive', formatBytes(status.disk.archive)],
    ['kept to go on with', formatBytes(status.disk.agents)],
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

/** The time that the crawl has run for, at the end of each stretch. */
interface Moment extends Stretch {
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
    draw('Pages a second', 'pages a second', paced, [
      { label: 'pages a second', value: aSecond('pages') },
    ]),
    draw(
      'Bytes a second',
      'received a second',
      paced,
      [{ label: 'received a second', value: aSecond('bytes') }],
      formatBytes,
    ),
    draw('Front', 'hosts', moments, [
      { label: 'hosts with something to fetch', value: ({ front }) => front },
      { label: 'requests under way', value: ({ fetching }) => fetching },
    ]),
    draw('Waiting', 'URLs', moments, [
      { label: 'URLs that wait', value: ({ queued }) => queued },
      { label: 'of them on disk', value: ({ backlog }) => backlog },
    ]),
    draw('Failures', 'a second', paced, [
      { label: 'URLs given up', value: aSecond('errors') },
      { label: 'tried again', value: aSecond('retries') },
    ]),
  ];
}

/** For paces: a stretch in which the crawl hardly ran goes with its neighbour, since one page in a tenth of a second is no pace. */
export function evenStretches<Part extends Moment>(moments: readonly Part[]): Part[] {
  const whole = median(moments.map(({ millis }) => millis)) * 0.75;
  const even: Part[] = [];
  let open = false;
  for (const moment of moments) {
    const last = even.at(-1);
    // What is left over at the end has only the one before it to go with.
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

/** Counts since the beginning. */
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
  if (moments.length < 2) return '<p>The crawl was too short to draw it.</p>';
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

/** A row each, the most frequent first, with a bar as long as its share. */
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
  const heading = 'Domains of which most was fetched';
  if (domains) {
    const rows = domains.map((row) => [
      row.domain,
      formatCount(row.fetched),
      formatCount(row.rank),
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

/** What was asked beyond the defaults, and everything for whoever wants it. */
function configuration(config: CrawlConfig): Html {
  const rows = SETTING_ROWS.map(([key, { flag, type, default: preset }]) => {
    const value = type.print(config[key]) || 'none';
    return { isDefault: value === (type.print(preset) || 'none'), cells: [`--${flag}`, value] };
  });
  const asked = rows.filter(({ isDefault }) => !isDefault).map(({ cells }) => cells);
  const others = rows.filter(({ isDefault }) => isDefault).map(({ cells }) => cells);
  const rest = `<details><summary>${others.length} settings as they are by default</summary>${table([['setting', 'value'], ...others])}</details>`;
  return section('Configuration', `${table([['setting', 'value'], ...asked])}\n${rest}`);
}
