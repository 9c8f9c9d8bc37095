/** The report of an export as a page. */
import { counted, formatBytes, formatCount } from '../base/units.ts';
import { beside, facts, type Html, page, section, table } from '../report/page.ts';
import type { Counts } from './plan.ts';
import type { CorpusSummary } from './summary.ts';

export function reportPage(summary: CorpusSummary): string {
  const { counts, inputs, parts, settings } = summary;
  const damaged = inputs.filter(({ damage }) => damage !== undefined);
  const left = [
    ...entries(counts.optOuts).map(([name, n]) => [`opted out: ${name}`, n] as const),
    ...entries(counts.conditions).map(([name, n]) => [`not ${name}`, n] as const),
    ...(settings.duplicates === 'drop'
      ? [['near-duplicate of an earlier page', counts.nearDuplicates] as const]
      : []),
  ];
  return page('Corpus', [
    facts([
      counted(counts.rows, 'row'),
      `${counted(counts.words, 'word')} before near-duplicates are dropped`,
      `${counted(parts.length, 'file')}, ${formatBytes(counts.bytes)}`,
      `from ${counted(counts.pages, 'page')} in ${counted(inputs.length, 'WARC file')}`,
      `${counted(counts.nearDuplicates, 'near-duplicate')} in ${counted(counts.clusters, 'cluster')}`,
      `${counted(counts.noText, 'page')} without text`,
      `${counted(counts.truncated, 'row')} truncated`,
      `opt-outs ${settings.includeOptOuts ? 'included' : 'left out'}`,
    ]),
    section('Left out', share('reason', left, counts.pages), 'Pages, by the first reason.'),
    beside([
      section('Languages', share('language', named(counts.languages), counts.rows)),
      section('Lengths', share('words', lengths(counts.lengths), counts.rows)),
    ]),
    section(
      'Domains',
      share('domain', counts.topDomains, counts.rows),
      `${counted(counts.domains, 'domain')}; those with the most rows.`,
    ),
    damaged.length > 0 &&
      section(
        'Damaged files',
        table([['file', 'damage'], ...damaged.map(({ name, damage = '' }) => [name, damage])]),
      ),
  ]);
}

const entries = (counts: Counts) => Object.entries(counts).sort(([, a], [, b]) => b - a);
const named = (counts: Counts) =>
  entries(counts).map(([name, count]) => [name === '' ? 'unknown' : name, count] as const);

/** Ranges of powers of two. */
const lengths = (counts: Counts) =>
  Object.entries(counts)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([digits, count]) => {
      const n = Number(digits);
      const range = n === 0 ? '0' : `${formatCount(2 ** (n - 1))} to ${formatCount(2 ** n - 1)}`;
      return [range, count] as const;
    });

function share(heading: string, rows: readonly (readonly [string, number])[], whole: number): Html {
  if (rows.length === 0) return '<p>None.</p>';
  const percent = (count: number) => (whole === 0 ? '' : `${((100 * count) / whole).toFixed(1)} %`);
  return table([
    [heading, 'pages', 'share'],
    ...rows.map(([name, count]) => [name, formatCount(count), percent(count)]),
  ]);
}
