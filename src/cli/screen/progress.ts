/** A crawl in plain text: the line for output without a terminal, and the summary at the end. */

import {
  counted,
  formatBytes,
  formatCount,
  formatDuration,
  type Millis,
} from '../../base/units.ts';
import { calmTime } from '../../crawl/monitor/calm-time.ts';
import type { Rate } from '../../crawl/monitor/rates.ts';
import { ENDINGS } from '../../crawl/monitor/status-words.ts';
import {
  Counters,
  type CountersState,
  type Summary,
  type Tally,
  total,
} from '../../crawl/record/counters.ts';
import type { Waiting } from '../../crawl/record/host-waits.ts';
import { inAll, type Progress } from '../../crawl/record/progress.ts';
import { byUnit } from '../../crawl/skipped/skip-reasons.ts';

export function plainLine(now: Progress, rate: Rate): string {
  const { pages, bytes, errors, retries } = inAll(now);
  const aSecond = `${formatCount(rate.pages)}/s`;
  const before = now.before.pages > 0 ? `, ${formatCount(now.pages)} of them in this run` : '';
  const facts = [
    `${counted(pages, 'page')}${before} (${aSecond})`,
    formatBytes(bytes),
    `${formatCount(now.queued)} queued of ${counted(now.urlsUnique, 'URL')} discovered`,
    `${formatCount(now.fetching)} fetching`,
    `front ${formatCount(now.front)} of ${counted(now.hosts, 'host')}`,
    `failed ${errorList(errors)}`,
    `retries ${errorList(retries)}`,
    ...(now.vitals.waiting ? [`paused ${waitingText(now.vitals.waiting, now.at)}`] : []),
  ];
  return `${formatDuration(now.elapsed)}: ${facts.join(', ')}`;
}

/**
 * The paused hosts: `example.org for 24 s (status-5xx)`; or their number, the time until the first
 * of them is fetched from again, and the causes.
 */
export function waitingText({ causes, until, host }: Waiting, at: Millis): string {
  const hosts = total(causes);
  const left = calmTime(Math.max(0, until - at));
  if (hosts === 1) return `${host} for ${left} (${Object.keys(causes)[0]})`;
  return `${formatCount(hosts)} hosts, the first for ${left} (${errorList(causes)})`;
}

export function errorList(errors: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(errors).sort((a, b) => b[1] - a[1]);
  if (kinds.length === 0) return '0';
  const shown = kinds.slice(0, 4).map(([fault, n]) => `${fault} ${formatCount(n)}`);
  return shown.join(', ') + (kinds.length > 4 ? ', …' : '');
}

const UNITS = { url: 'URLs', link: 'links', page: 'pages' };

/** Why URLs were skipped, for reasons whose name alone is unclear. */
const BY: Readonly<Record<string, string>> = {
  'robots.txt': 'by robots.txt',
  'fetch-filter': 'by the fetch filter',
  'schedule-filter': 'by the schedule filter',
  'parse-filter': 'by the parse filter',
  'follow-filter': 'by the follow filter',
  'store-filter': 'by the store filter',
  blocked: 'of blocked domains',
};

/** What was skipped because of robots.txt, a limit or a filter: URLs, links and pages apart. */
export function skippedText({
  disallowed,
  refused,
}: Pick<Summary, 'disallowed' | 'refused'>): string {
  const text = (tally: Readonly<Tally>) =>
    Object.entries(tally)
      .map(([reason, n]) => `${formatCount(n)} ${BY[reason] ?? reason}`)
      .join(', ');
  const units = byUnit(disallowed, refused);
  return units.map(([unit, tally]) => `${UNITS[unit]} ${text(tally)}`).join('; ') || 'none';
}

/** A crawl can finish with queued URLs: all of them belong to domains with budget 0. */
function endingOf({ end, urlsQueued }: Summary): string {
  return end === 'finished' && urlsQueued > 0
    ? 'finished: all queued URLs belong to domains with budget 0 (--budget)'
    : ENDINGS[end];
}

/** Why bodies were cut. */
const CUT: Readonly<Record<string, string>> = {
  length: 'at --max-body',
  time: 'by a time-out',
  disconnect: 'by the server',
  decoding: 'when decoded',
};

/** The pages whose body was cut, by cause; undefined if there are none. */
export function truncatedText(truncated: Readonly<Record<string, number>>): string | undefined {
  const causes = Object.entries(truncated).map(
    ([why, n]) => `${formatCount(n)} ${CUT[why] ?? why}`,
  );
  return causes.join(', ') || undefined;
}

/** What rendering did; undefined if no page was rendered. */
export function renderedText(render: Readonly<Record<string, number>> = {}): string | undefined {
  const { pages = 0, gained = 0, requests = 0 } = render;
  if (pages === 0) return undefined;
  return `${counted(pages, 'page')} in ${counted(requests, 'request')}; ${formatCount(gained)} gained links or text`;
}

/** The figures of the whole crawl; `before` holds the counts of earlier runs. */
export function summaryText(
  summary: Summary,
  before: CountersState = { ...new Counters() },
): string {
  const { pages, bytes, seconds, cpuSeconds } = summary;
  const all = inAll({ ...summary, before });
  const cut = truncatedText(all.truncated);
  const rendered = renderedText(all.render);
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
    ...(all.requisites === undefined
      ? []
      : [
          ['requisites', `${formatCount(all.requisites)} fetched for these pages`] as [
            string,
            string,
          ],
        ]),
    ...(rendered === undefined ? [] : [['rendered', rendered] as [string, string]]),
    [
      'statuses',
      Object.entries(all.statuses)
        .map(([status, n]) => `${status}: ${formatCount(n)}`)
        .join(', ') || 'none',
    ],
    [
      'discovered',
      `${counted(summary.urlsUnique, 'URL')} in ${counted(all.urlsSeen, 'link')}; ${formatCount(summary.urlsQueued)} still queued`,
    ],
    ['sites', `${counted(summary.hosts, 'host')} of ${counted(summary.domains, 'domain')}`],
    ['skipped', skippedText(all)],
    ['failed', errorList(all.errors)],
    ['retries', errorList(all.retries)],
    ...(cut === undefined ? [] : [['truncated', cut] as [string, string]]),
    ['duplicates', `${counted(all.duplicates, 'page')} with a body seen before`],
    [
      'cost',
      `${cpuSeconds.toFixed(1)} s of CPU time, ${counted(Math.round(summary.pagesPerCpuSecond), 'page')} per CPU second; at most ${formatBytes(summary.maxRssBytes)} of memory`,
    ],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(10)} ${value}`).join('\n');
}
