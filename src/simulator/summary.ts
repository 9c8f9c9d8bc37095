/** The tables of a run, in the terminal and in the report. */
import { formatBytes, formatCount, formatDuration } from '../base/units.ts';
import { KINDS } from '../lab/kinds.ts';
import type { PolicyResult, Sample } from './run.ts';
import { isHonest, KIND_NAMES } from './tally.ts';

export const GROUPS = {
  honest: KIND_NAMES.filter((name) => isHonest(KINDS[name])),
  spam: KIND_NAMES.filter((name) => KINDS[name].spam),
  endless: KIND_NAMES.filter((name) => !KINDS[name].spam && KINDS[name].endless),
} as const;

type GroupName = keyof typeof GROUPS;

export function pagesOf({ pagesByKind }: Sample, group: GroupName): number {
  return GROUPS[group].reduce((sum, kind) => sum + pagesByKind[kind], 0);
}

/** One row for each policy, after the head; the first column is its name. */
export function summaryRows(results: readonly PolicyResult[]): string[][] {
  const head = [
    ...['policy', 'pages', 'useful', 'on spam', 'on endless', 'domains', 'DNS', 'virtual time'],
    ...['backlog a page', 'domains a page', 'front', 'RSS', 'CPU a page'],
  ];
  return [head, ...results.map(summaryRow)];
}

function summaryRow({ policy, samples, machine }: PolicyResult): string[] {
  const last = samples[samples.length - 1];
  const { rss, cpuSeconds } = machine[machine.length - 1];
  const { pages, useful, domains, lookUps, seconds, backlogBytes, domainBytes, front } = last;
  const share = (count: number) => percent(count, pages);
  return [
    policy,
    formatCount(pages),
    `${formatCount(useful)} (${share(useful)})`,
    share(pagesOf(last, 'spam')),
    share(pagesOf(last, 'endless')),
    formatCount(domains),
    formatCount(lookUps),
    formatDuration(seconds * 1000),
    formatBytes(backlogBytes / Math.max(1, pages)),
    formatBytes(domainBytes / Math.max(1, pages)),
    formatCount(front),
    formatBytes(rss),
    `${Math.round((cpuSeconds * 1e6) / Math.max(1, pages))} µs`,
  ];
}

/**
 * Shares of the pages by kind, one column for each policy; kinds that no policy has reached are
 * left out.
 */
export function kindRows(results: readonly PolicyResult[]): string[][] {
  const head = ['kind', ...results.map(({ policy }) => policy)];
  const reached = KIND_NAMES.filter((kind) => results.some(({ kinds }) => kinds[kind].lookUps > 0));
  const rows = reached.map((kind) => [
    kind,
    ...results.map(({ kinds, samples }) =>
      percent(kinds[kind].pages, samples[samples.length - 1].pages),
    ),
  ]);
  return [head, ...rows];
}

/**
 * What an honest domain gets, by kind: the share of the domains of which a page was fetched, and
 * the useful pages of one of them.
 */
export function coverageRows(results: readonly PolicyResult[]): string[][] {
  const head = [
    'honest domains reached',
    ...results.flatMap(({ policy }) => [policy, 'useful pages of one']),
  ];
  const rows = GROUPS.honest
    .filter((kind) => results.some(({ kinds }) => kinds[kind].all > 0))
    .map((kind) => [
      kind,
      ...results.flatMap(({ kinds }) => {
        const { domains, all, useful } = kinds[kind];
        return [percent(domains, all), (useful / Math.max(1, domains)).toFixed(1)];
      }),
    ]);
  return [head, ...rows];
}

/** DNS look-ups by kind, and those of the domain with the most. */
export function lookUpRows(results: readonly PolicyResult[]): string[][] {
  const head = ['DNS by kind', ...results.flatMap(({ policy }) => [policy, 'most of one domain'])];
  const reached = KIND_NAMES.filter((kind) => results.some(({ kinds }) => kinds[kind].lookUps > 0));
  const rows = reached.map((kind) => [
    kind,
    ...results.flatMap(({ kinds }) => [
      formatCount(kinds[kind].lookUps),
      formatCount(kinds[kind].mostLookUps),
    ]),
  ]);
  return [head, ...rows];
}

/** What domains that were taken over got since then; nothing without a takeover. */
export function takeoverRows(results: readonly PolicyResult[]): string[][] {
  const rows = results.flatMap(({ policy, takeover }) => {
    if (!takeover) return [];
    const { pages, expired, budgets } = takeover;
    return [[policy, formatCount(pages), percent(expired, pages), percent(budgets, 1)]];
  });
  if (rows.length === 0) return [];
  return [['since the takeover', 'pages', 'of those domains', 'their budgets at the end'], ...rows];
}

export function percent(count: number, of: number): string {
  if (of === 0 || count === 0) return '0 %';
  const hundredths = (100 * count) / of;
  return `${hundredths >= 10 ? hundredths.toFixed(1) : Number(hundredths.toPrecision(2))} %`;
}
