/**
 * `drumlin plan`: estimate the cost of checking URLs and enforcing budgets before a crawl, by the
 * models of the IRLbot paper. Without options it prints the paper's Tables 2 and 3 and its example
 * of budgets.
 */
import type { Command } from 'commander';
import { DrumlinError } from '../../base/errors.ts';
import { formatBytes, formatCount, parseBytes, parseCount } from '../../base/units.ts';
import {
  type CostParameters,
  drumOverhead,
  growingDisk,
  mercatorOverhead,
  optimalBucketBuffer,
  optimalBuckets,
  optimalDisk,
  PAPER,
  pagesPerSecond,
  polybotOverhead,
} from '../../drum/cost-model.ts';
import {
  type BudgetParameters,
  beastTraffic,
  budgetRounds,
  mostBeastTraffic,
  PAPER_BUDGETS,
  queuesAtEnd,
  twoQueuesTraffic,
} from '../../frontier/beast/cost-model.ts';
import { examples } from '../input/example.ts';

interface PlanFlags {
  readonly pages?: string;
  readonly links?: string;
  readonly memory?: string;
  readonly disk?: string;
  readonly bandwidth?: string;
  readonly urlBytes?: string;
  readonly newShare?: string;
  readonly seen?: string;
  readonly domains?: string;
  readonly budget?: string;
  readonly newLinks?: string;
  readonly rate?: string;
  readonly json?: boolean;
}

interface Method {
  readonly overhead: number;
  readonly pagesPerSecond: number;
}

export interface PlanRow {
  readonly pages: number;
  readonly memory: number;
  readonly disk: number;
  readonly mercator: Method;
  readonly polybot: Method;
  readonly drum: Method;
  readonly optimalDisk: number;
  readonly optimalBuckets: number;
  readonly bucketBuffer: number;
}

/** The cost of budgets in a crawl of `pages` pages; traffic is in bytes per second, at its end. */
export interface BudgetRow {
  readonly pages: number;
  /** α: the size of the crawl divided by the sum of all budgets. */
  readonly rounds: number;
  readonly queues: number;
  readonly twoQueues: number;
  readonly beast: number;
  readonly mostBeast: number;
}

const PAPER_PAGES = [800e6, 8e9, 80e9, 800e9, 8e12];
/** The sizes in the paper's example of budgets. */
const PAPER_BUDGET_PAGES = [100e6, 8e9, 80e9];
/** The paper's disks, 675 MB/s on average, of which 15 % go to the check. */
const PAPER_BANDWIDTH = 101.25e6;

export function register(program: Command): void {
  program
    .command('plan')
    .description(
      'estimate the cost of checking URLs and enforcing budgets: disk traffic, best disk size, pages per second',
    )
    .addHelpText('after', examples('plan', 'plan --pages 1G,10G --memory 4G --bandwidth 500M'))
    .option('--pages <counts>', 'pages to crawl, separated by commas (default: 800M to 8000G)')
    .option('--links <count>', 'links per page (default: 59)')
    .option(
      '--memory <sizes>',
      'memory for the check, separated by commas (default: 1G in the first table, 4G,8G in the second)',
    )
    .option(
      '--disk <size>',
      'disk for DRUM, or "grows" with the crawl (default: 4.39T in the first table, grows in the second)',
    )
    .option('--bandwidth <size>', 'disk bandwidth in bytes per second (default: 101.25M)')
    .option('--url-bytes <count>', 'bytes per URL (default: 110)')
    .option('--new-share <share>', 'share of the links that are new (default: 1/9)')
    .option('--seen <count>', 'URLs known at the start (default: 100M)')
    .option('--domains <count>', 'domains with more pages than budget (default: 33M)')
    .option('--budget <count>', 'mean budget of a domain, in pages per round (default: 11)')
    .option('--new-links <number>', 'new links per page (default: 6.5)')
    .option('--rate <count>', 'pages per second (default: 3100)')
    .option('--json', 'print JSON')
    .action((flags: PlanFlags) => {
      process.stdout.write(plan(flags));
    });
}

export function plan(flags: PlanFlags): string {
  const [tables, budgets] = [planTables(flags), budgetTable(flags)];
  if (flags.json) return `${JSON.stringify({ checks: tables.flat(), budgets }, undefined, 2)}\n`;
  return [...tables.map(asText), budgetsAsText(budgets)].join('\n');
}

/** The paper's two tables if neither memory nor disk is given; otherwise one table. */
export function planTables(flags: PlanFlags): PlanRow[][] {
  const common = {
    ...PAPER,
    ...(flags.links && { linksPerPage: positive('--links', parseCount(flags.links)) }),
    ...(flags.urlBytes && { urlBytes: positive('--url-bytes', parseCount(flags.urlBytes)) }),
    ...(flags.newShare && { uniqueShare: parseShare(flags.newShare) }),
    ...(flags.seen && { seen: parseCount(flags.seen) }),
  };
  const pages = parsePages(flags) ?? PAPER_PAGES;
  const bandwidth = flags.bandwidth
    ? positive('--bandwidth', parseBytes(flags.bandwidth))
    : PAPER_BANDWIDTH;
  const memories = flags.memory?.split(',').map((text) => positive('--memory', parseBytes(text)));
  const disk =
    flags.disk === undefined || flags.disk === 'grows'
      ? flags.disk
      : positive('--disk', parseBytes(flags.disk));
  const table = (sizes: readonly number[], space: number | 'grows') =>
    sizes.flatMap((memory) =>
      pages.map((n) => row({ ...common, pages: n, memory }, space, bandwidth)),
    );
  if (memories || disk !== undefined)
    return [table(memories ?? [PAPER.memory], disk ?? PAPER.disk)];
  return [table([PAPER.memory], PAPER.disk), table([4e9, 8e9], 'grows')];
}

export function budgetTable(flags: PlanFlags): BudgetRow[] {
  const c: BudgetParameters = {
    ...PAPER_BUDGETS,
    ...(flags.urlBytes && { urlBytes: positive('--url-bytes', parseCount(flags.urlBytes)) }),
    ...(flags.domains && { domains: positive('--domains', parseCount(flags.domains)) }),
    ...(flags.budget && { budget: positive('--budget', parseCount(flags.budget)) }),
    ...(flags.newLinks && { uniqueLinks: parseLinks(flags.newLinks) }),
    ...(flags.rate && { pagesPerSecond: positive('--rate', parseCount(flags.rate)) }),
  };
  return (parsePages(flags) ?? PAPER_BUDGET_PAGES).map((pages) => {
    const one = { ...c, pages };
    return {
      pages,
      rounds: budgetRounds(one),
      queues: queuesAtEnd(one),
      twoQueues: twoQueuesTraffic(one),
      beast: beastTraffic(one),
      mostBeast: mostBeastTraffic(one),
    };
  });
}

function row(given: CostParameters, space: number | 'grows', bandwidth: number): PlanRow {
  const c = { ...given, disk: space === 'grows' ? growingDisk(given) : space };
  const method = (overhead: number) => ({
    overhead,
    pagesPerSecond: pagesPerSecond(c, overhead, bandwidth),
  });
  return {
    pages: c.pages,
    memory: c.memory,
    disk: c.disk,
    mercator: method(mercatorOverhead(c)),
    polybot: method(polybotOverhead(c)),
    drum: method(drumOverhead(c)),
    optimalDisk: optimalDisk(c),
    optimalBuckets: Math.round(optimalBuckets(c)),
    bucketBuffer: optimalBucketBuffer(c),
  };
}

const HEADINGS = [
  'pages',
  'memory',
  'disk',
  'Mercator-B',
  'Polybot',
  'DRUM',
  'Mercator-B',
  'Polybot',
  'DRUM',
];

function asText(rows: readonly PlanRow[]): string {
  const cells = rows.map((r) => [
    formatCount(r.pages),
    formatBytes(r.memory),
    formatBytes(r.disk),
    ...[r.mercator, r.polybot, r.drum].map(({ overhead }) => figure(overhead)),
    ...[r.mercator, r.polybot, r.drum].map((method) => figure(method.pagesPerSecond)),
  ]);
  const { text, widths } = aligned([HEADINGS, ...cells]);
  const groups = widths.slice(0, 3).reduce((sum, width) => sum + width + 2, 0);
  const left = widths.slice(3, 6).reduce((sum, width) => sum + width + 2, 0);
  const heading = `${' '.repeat(groups)}${'times each byte moves'.padEnd(left)}pages per second`;
  const best = [...new Set(rows.map((r) => r.memory))].map((memory) => {
    const r = rows.find((one) => one.memory === memory)!;
    return `Best for ${formatBytes(memory)}: ${formatBytes(r.optimalDisk)} of disk, ${formatCount(
      r.optimalBuckets,
    )} buckets, each sorted in ${formatBytes(r.bucketBuffer)}.`;
  });
  return `${heading}\n${text}\n${best.join('\n')}\n`;
}

const BUDGET_HEADINGS = ['pages', 'rounds', 'queues', 'two queues', 'BEAST', 'at most'];

function budgetsAsText(rows: readonly BudgetRow[]): string {
  const cells = rows.map((r) => [
    formatCount(r.pages),
    figure(r.rounds),
    formatCount(r.queues),
    ...[r.twoQueues, r.beast, r.mostBeast].map((bytes) => `${formatBytes(bytes)}/s`),
  ]);
  return `Budgets: disk traffic\n${aligned([BUDGET_HEADINGS, ...cells]).text}\n`;
}

function aligned(lines: readonly (readonly string[])[]): {
  text: string;
  widths: readonly number[];
} {
  const widths = lines[0].map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const text = lines
    .map((line) => line.map((cell, i) => cell.padStart(widths[i])).join('  '))
    .join('\n');
  return { text, widths };
}

/** Three significant digits, or the whole number from 100 on. */
function figure(value: number): string {
  return value >= 100 ? formatCount(value) : value.toPrecision(3);
}

function parsePages({ pages }: PlanFlags): number[] | undefined {
  return pages?.split(',').map((text) => positive('--pages', parseCount(text)));
}

function positive(flag: string, value: number): number {
  if (value > 0) return value;
  throw new DrumlinError('VALUE', `${flag} must be greater than 0.`, 'Give a positive number.');
}

/** `0.11` or `1/9`. */
function parseShare(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?$/.exec(text.trim());
  const share = match ? Number(match[1]) / Number(match[2] ?? 1) : Number.NaN;
  if (share > 0 && share <= 1) return share;
  throw new DrumlinError('VALUE', `"${text}" is not a share.`, 'Write it like 1/9 or 0.11.');
}

/** `6.5`; with one new link or fewer per page, no queue would form. */
function parseLinks(text: string): number {
  const links = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (links > 1) return links;
  throw new DrumlinError(
    'VALUE',
    `"${text}" is not a number of new links.`,
    'Write a number greater than 1, such as 6.5.',
  );
}
