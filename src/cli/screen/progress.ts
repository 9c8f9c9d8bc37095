/** The crawl in plain text: the line that is written now and then where there is no terminal, and the summary at the end. */

import {
  counted,
  formatBytes,
  formatCount,
  formatDuration,
  type Millis,
} from '../../base/units.ts';
import type { Rate } from '../../crawl/monitor/rates.ts';
import { Counters, type CountersState, type Summary, total } from '../../crawl/record/counters.ts';
import type { Waiting } from '../../crawl/record/host-waits.ts';
import { inAll, type Progress } from '../../crawl/record/progress.ts';
import { calmTime } from './calm-time.ts';

export function plainLine(now: Progress, rate: Rate): string {
  const { pages, bytes, errors, retries } = inAll(now);
  const aSecond = `${formatCount(rate.pages)}/s`;
  const before = now.before.pages > 0 ? `, ${formatCount(now.pages)} of them in this run` : '';
  const facts = [
    `${counted(pages, 'page')}${before} (${aSecond})`,
    formatBytes(bytes),
    `${formatCount(now.queued)} waiting of ${counted(now.urlsUnique, 'URL')} known`,
    `${formatCount(now.fetching)} fetching`,
    `front ${formatCount(now.front)} of ${counted(now.hosts, 'host')}`,
    `errors ${errorList(errors)}`,
    `tried again ${errorList(retries)}`,
    ...(now.vitals.waiting ? [waitingText(now.vitals.waiting, now.at)] : []),
  ];
  return `${formatDuration(now.elapsed)}: ${facts.join(', ')}`;
}

/** `example.org waits 24 s (status-5xx)`, or how many do, for what, and when the first of them is asked again. */
export function waitingText({ causes, until, host }: Waiting, at: Millis): string {
  const hosts = total(causes);
  const left = calmTime(Math.max(0, until - at));
  if (hosts === 1) return `${host} waits ${left} (${Object.keys(causes)[0]})`;
  return `${formatCount(hosts)} hosts wait, the first for ${left} (${errorList(causes)})`;
}

export function errorList(errors: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(errors).sort((a, b) => b[1] - a[1]);
  if (kinds.length === 0) return '0';
  const shown = kinds.slice(0, 4).map(([fault, n]) => `${fault} ${formatCount(n)}`);
  return shown.join(', ') + (kinds.length > 4 ? ', …' : '');
}

/** What kept URLs out, in words where its name says too little. */
const BY: Readonly<Record<string, string>> = {
  'robots.txt': 'by robots.txt',
  'fetch-filter': 'by the fetch filter',
  'schedule-filter': 'by the schedule filter',
  'parse-filter': 'by the parse filter',
  'follow-filter': 'by the follow filter',
  'store-filter': 'by the store filter',
  blocked: 'of blocked domains',
};

/** URLs that a limit, a pattern or robots.txt kept out, by which. */
export function refusedText({
  disallowed,
  refused,
}: Pick<Summary, 'disallowed' | 'refused'>): string {
  const reasons = Object.entries({ 'robots.txt': disallowed, ...refused }).filter(([, n]) => n > 0);
  return (
    reasons.map(([reason, n]) => `${formatCount(n)} ${BY[reason] ?? reason}`).join(', ') || 'none'
  );
}

export const ENDINGS: Record<Summary['end'], string> = {
  finished: 'finished: nothing is left to fetch',
  'max-pages': 'the limit of pages is reached',
  'max-bytes': 'the limit of bytes is reached',
  'max-time': 'the limit of time is reached',
  interrupted: 'stopped on request',
};

/** Finished with URLs that wait: those have no budget. */
function endingOf({ end, urlsQueued }: Summary): string {
  return end === 'finished' && urlsQueued > 0
    ? 'finished: nothing that waits has budget (--budget)'
    : ENDINGS[end];
}

/** `before` is what earlier runs have counted: what is told is told of the whole crawl. */
export function summaryText(
  summary: Summary,
  before: CountersState = { ...new Counters() },
): string {
  const { pages, bytes, seconds, cpuSeconds } = summary;
  const all = inAll({ ...summary, before });
  const rate = `${formatCount(pages / seconds)}/s`;
  const run = `${formatCount(pages)} in ${formatDuration(seconds * 1000)} (${rate}), ${formatBytes(bytes)}`;
  const rows: [string, string][] = [
    ['ended', endingOf(summary)],
    [
      'pages',
      before.pages === 0
        ? run
        : `${run}; with earlier runs ${formatCount(all.pages)}, ${formatBytes(all.bytes)}`,
    ],
    [
      'statuses',
      Object.entries(all.statuses)
        .map(([status, n]) => `${status}: ${formatCount(n)}`)
        .join(', ') || 'none',
    ],
    [
      'links',
      `${formatCount(all.urlsSeen)} met; ${counted(summary.urlsUnique, 'URL')} known, ${formatCount(summary.urlsQueued)} of them still waiting`,
    ],
    ['sites', `${counted(summary.hosts, 'host')} of ${counted(summary.domains, 'domain')}`],
    ['refused', refusedText(all)],
    ['errors', errorList(all.errors)],
    ['retries', errorList(all.retries)],
    ['repeats', `${counted(all.duplicates, 'page')} with a body seen before`],
    [
      'cost',
      `${cpuSeconds.toFixed(1)} s of processor, ${counted(Math.round(summary.pagesPerCpuSecond), 'page')} a second of it; ${formatBytes(summary.maxRssBytes)} of memory at most`,
    ],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(9)} ${value}`).join('\n');
}
