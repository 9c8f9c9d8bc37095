/** The crawl in plain text: the line that is written now and then where there is no terminal, and the summary at the end. */
import type { Summary } from '../crawl/counters.ts';
import type { Progress } from '../crawl/telling/progress.ts';
import type { Rate } from '../crawl/telling/rates.ts';
import { formatBytes, formatCount, formatDuration } from '../units.ts';

export function plainLine(now: Progress, rate: Rate): string {
  return (
    `${formatDuration(now.elapsed)}: ${formatCount(now.pages)} pages (${formatCount(rate.pages)}/s), ` +
    `${formatBytes(now.bytes)}, ${formatCount(now.queued)} waiting of ${formatCount(now.urlsUnique)} URLs known, ` +
    `${formatCount(now.fetching)} fetching, front ${formatCount(now.front)} of ${formatCount(now.hosts)} hosts, errors ${errorList(now.errors)}, tried again ${errorList(now.retries)}`
  );
}

export function errorList(errors: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(errors).sort((a, b) => b[1] - a[1]);
  if (kinds.length === 0) return '0';
  const shown = kinds.slice(0, 4).map(([fault, n]) => `${fault} ${formatCount(n)}`);
  return shown.join(', ') + (kinds.length > 4 ? ', …' : '');
}

/** Links that a limit or a pattern kept out, by which. */
const refusals = (refused: Summary['refused']): string[] =>
  Object.entries(refused).map(([reason, n]) => `${formatCount(n)} ${reason}`);

export const ENDINGS: Record<Summary['end'], string> = {
  finished: 'finished: nothing is left to fetch',
  'max-pages': 'the limit of pages is reached',
  'max-bytes': 'the limit of bytes is reached',
  'max-time': 'the limit of time is reached',
  interrupted: 'stopped on request',
};

export function summaryText(summary: Summary): string {
  const { pages, bytes, seconds, cpuSeconds, statuses } = summary;
  const rows: [string, string][] = [
    ['ended', ENDINGS[summary.end]],
    [
      'pages',
      `${formatCount(pages)} in ${formatDuration(seconds * 1000)} (${formatCount(pages / seconds)}/s), ${formatBytes(bytes)}`,
    ],
    [
      'statuses',
      Object.entries(statuses)
        .map(([status, n]) => `${status}: ${formatCount(n)}`)
        .join(', ') || 'none',
    ],
    [
      'links',
      `${formatCount(summary.urlsSeen)} met in this run; ${formatCount(summary.urlsUnique)} URLs known, ${formatCount(summary.urlsQueued)} of them still waiting`,
    ],
    ['sites', `${formatCount(summary.hosts)} hosts of ${formatCount(summary.domains)} domains`],
    [
      'refused',
      [`${formatCount(summary.disallowed)} URLs by robots.txt`, ...refusals(summary.refused)].join(', '),
    ],
    ['errors', errorList(summary.errors)],
    ['retries', errorList(summary.retries)],
    ['repeats', repeatsOf(summary)],
    [
      'cost',
      `${cpuSeconds.toFixed(1)} s of processor, ${formatCount(summary.pagesPerCpuSecond)} pages a second of it; ${formatBytes(summary.maxRssBytes)} of memory at most`,
    ],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(9)} ${value}`).join('\n');
}

/** What was forgotten is told where it is more than nothing: with more memory more repeats would have been noticed. */
function repeatsOf({ duplicates, forgotten }: Summary): string {
  const lost = [
    [forgotten.digests, 'digests forgotten (--dedup-memory)'],
    [forgotten.pages, 'pages to compare with forgotten (--similarity-memory)'],
  ] as const;
  const told = lost.flatMap(([n, what]) => (n ? [`${formatCount(n)} ${what}`] : []));
  return [`${formatCount(duplicates)} pages with a body seen before`, ...told].join('; ');
}
