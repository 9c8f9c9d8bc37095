/** The tables of the benchmark of crawls. */
import { formatBytes } from '../../src/base/units.ts';
import type { Result } from '../peers/crawl/contender.ts';

/** All runs of one crawler on one web. */
export interface Row {
  readonly name: string;
  readonly does: string;
  readonly results: readonly Result[];
}

/** The peers that every row is compared with, and what the column calls them. */
const REFERENCES = { crawlee: /^Crawlee/, spider: /^spider .*WARC/ };

export const rate = ({ pages, cpuSeconds }: Result): number => pages / cpuSeconds;

export const describe = (result: Result): string =>
  [
    `${result.pages} pages`,
    `${rate(result).toFixed(0)} pages/CPU-s`,
    result.warm && `${result.warm.toFixed(0)} when warm`,
    `${result.seconds.toFixed(1)} s`,
    formatBytes(result.maxRssBytes),
  ]
    .filter(Boolean)
    .join(', ');

/** One row a crawler: its rates over all runs, its memory, and its ratios to the peers. */
export function crawlTable(rows: readonly Row[], warm: number): string {
  const mean = (pattern: RegExp) => {
    const row = rows.find(({ name }) => pattern.test(name));
    return row && average(row.results.map(rate));
  };
  const [crawlee, spider] = [mean(REFERENCES.crawlee), mean(REFERENCES.spider)];
  const ratios = (value: number) =>
    [crawlee && (value / crawlee).toFixed(1), spider && (value / spider).toFixed(2)]
      .map((ratio) => ratio ?? '–')
      .join(', ');
  const lines = rows.map(({ name, does, results }) => {
    const rates = results.map(rate);
    const warmRates = results.flatMap((result) => result.warm ?? []);
    return [
      name,
      does,
      count(average(rates)) + (rates.length > 1 ? ` ± ${count(deviation(rates))}` : ''),
      count(Math.max(...rates)),
      meanOf(results.flatMap((result) => result.cold ?? [])),
      meanOf(warmRates),
      formatBytes(Math.max(...results.map((result) => result.maxRssBytes))),
      ratios(average(rates)) + (warmRates.length ? `; warm ${ratios(average(warmRates))}` : ''),
    ];
  });
  return table(
    [
      'crawler',
      'besides fetching and following links',
      'pages per CPU-second: mean ± sd',
      'best',
      `first ${count(warm)}`,
      'then',
      'peak memory',
      'times Crawlee, times spider with WARC',
    ],
    lines,
  );
}

/** Microseconds of processor time that a page takes, in parts; empty if no crawler reports them. */
export function partsTable(rows: readonly Row[]): string {
  const reporting = rows.filter(({ results }) => results.some(({ parts }) => parts));
  const names = new Set(
    reporting.flatMap(({ results }) => results.flatMap(({ parts }) => Object.keys(parts ?? {}))),
  );
  if (names.size === 0) return '';
  const lines = reporting.map(({ name, results }) => {
    const times = [...names].map((part) =>
      average(results.map(({ parts, pages }) => (1e6 * (parts?.[part] ?? 0)) / pages)),
    );
    const all = times.reduce((sum, time) => sum + time, 0);
    return [name, ...times.map((time) => (time ? count(time) : '')), count(all)];
  });
  return table(['µs of CPU time a page', ...names, 'all'], lines);
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')).replaceAll(' ', '') + lines.map(line).join('');
}

const count = (value: number): string => Math.round(value).toLocaleString('en');
const meanOf = (values: readonly number[]): string => (values.length ? count(average(values)) : '');
const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const deviation = (values: readonly number[]): number =>
  Math.sqrt(average(values.map((value) => (value - average(values)) ** 2)));
