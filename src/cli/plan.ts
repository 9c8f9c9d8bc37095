/**
 * `drumlin plan`: what checking URLs will cost, before a crawl is begun: the models of the IRLbot paper as a calculator.
 * Without numbers of one's own it prints the paper's Tables 2 and 3.
 */
import type { Command } from 'commander';
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
} from '../drum/cost-model.ts';
import { DrumlinError } from '../errors.ts';
import { formatBytes, formatCount, parseBytes, parseCount } from '../units.ts';

export interface PlanFlags {
  readonly pages?: string;
  readonly links?: string;
  readonly memory?: string;
  readonly disk?: string;
  readonly bandwidth?: string;
  readonly urlBytes?: string;
  readonly newShare?: string;
  readonly seen?: string;
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

const PAPER_PAGES = [800e6, 8e9, 80e9, 800e9, 8e12];
/** The paper's disks, 675 MB/s on average, of which 15 % go to the check. */
const PAPER_BANDWIDTH = 101.25e6;

export function register(program: Command): void {
  program
    .command('plan')
    .description(
      'Compute what checking URLs costs: disk traffic, the best disk, and the pages a second it allows.',
    )
    .option('--pages <counts>', 'pages to crawl, several apart by commas (default: 800M to 8000G)')
    .option('--links <count>', 'links on a page (default: 59)')
    .option('--memory <sizes>', 'memory for the check, several apart by commas (default: 1G; 4G,8G)')
    .option('--disk <size>', 'disk for DRUM, or "grows" with the crawl (default: 4.39T; grows)')
    .option('--bandwidth <size>', 'bytes a second of the disk (default: 101.25M)')
    .option('--url-bytes <count>', 'bytes of a URL (default: 110)')
    .option('--new-share <share>', 'part of the links that are new (default: 1/9)')
    .option('--seen <count>', 'URLs known at the start (default: 100M)')
    .option('--json', 'print JSON')
    .action((flags: PlanFlags) => {
      process.stdout.write(plan(flags));
    });
}

export function plan(flags: PlanFlags): string {
  const tables = planTables(flags);
  if (flags.json) return `${JSON.stringify(tables.flat(), undefined, 2)}\n`;
  return tables.map(asText).join('\n');
}

/** Two tables, the paper's, when neither memory nor disk is given; else one. */
export function planTables(flags: PlanFlags): PlanRow[][] {
  const common = {
    ...PAPER,
    ...(flags.links && { linksPerPage: positive('--links', parseCount(flags.links)) }),
    ...(flags.urlBytes && { urlBytes: positive('--url-bytes', parseCount(flags.urlBytes)) }),
    ...(flags.newShare && { uniqueShare: parseShare(flags.newShare) }),
    ...(flags.seen && { seen: parseCount(flags.seen) }),
  };
  const pages = flags.pages?.split(',').map((text) => positive('--pages', parseCount(text))) ?? PAPER_PAGES;
  const bandwidth = flags.bandwidth ? positive('--bandwidth', parseBytes(flags.bandwidth)) : PAPER_BANDWIDTH;
  const memories = flags.memory?.split(',').map((text) => positive('--memory', parseBytes(text)));
  const disk =
    flags.disk === undefined || flags.disk === 'grows'
      ? flags.disk
      : positive('--disk', parseBytes(flags.disk));
  const table = (sizes: readonly number[], space: number | 'grows') =>
    sizes.flatMap((memory) => pages.map((n) => row({ ...common, pages: n, memory }, space, bandwidth)));
  if (memories || disk !== undefined) return [table(memories ?? [PAPER.memory], disk ?? PAPER.disk)];
  return [table([PAPER.memory], PAPER.disk), table([4e9, 8e9], 'grows')];
}

function row(given: CostParameters, space: number | 'grows', bandwidth: number): PlanRow {
  const c = { ...given, disk: space === 'grows' ? growingDisk(given) : space };
  const method = (overhead: number) => ({ overhead, pagesPerSecond: pagesPerSecond(c, overhead, bandwidth) });
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
  const lines = [HEADINGS, ...cells];
  const widths = lines[0].map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const text = lines.map((line) => line.map((cell, i) => cell.padStart(widths[i])).join('  ')).join('\n');
  const groups = widths.slice(0, 3).reduce((sum, width) => sum + width + 2, 0);
  const left = widths.slice(3, 6).reduce((sum, width) => sum + width + 2, 0);
  const heading = `${' '.repeat(groups)}${'times each byte moves'.padEnd(left)}pages a second`;
  const best = [...new Set(rows.map((r) => r.memory))].map((memory) => {
    const r = rows.find((one) => one.memory === memory)!;
    return `Best for ${formatBytes(memory)}: ${formatBytes(r.optimalDisk)} of disk, ${formatCount(
      r.optimalBuckets,
    )} buckets, each sorted in ${formatBytes(r.bucketBuffer)}.`;
  });
  return `${heading}\n${text}\n${best.join('\n')}\n`;
}

/** Three digits, or all of them before the point. */
function figure(value: number): string {
  return value >= 100 ? formatCount(value) : value.toPrecision(3);
}

function positive(flag: string, value: number): number {
  if (value > 0) return value;
  throw new DrumlinError('VALUE', `${flag} must be more than 0.`, 'Give a positive number.');
}

/** `0.11` or `1/9`. */
function parseShare(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?$/.exec(text.trim());
  const share = match ? Number(match[1]) / Number(match[2] ?? 1) : Number.NaN;
  if (share > 0 && share <= 1) return share;
  throw new DrumlinError('VALUE', `"${text}" is not a share.`, 'Write it like 1/9 or 0.11.');
}
