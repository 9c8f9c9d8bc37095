/** What an export did, as written to corpus.json. */
import type { Bytes } from '../base/units.ts';
import { LineSorter } from '../disk/line-sort.ts';
import { readLines } from '../disk/lines.ts';
import { COLUMNS } from './columns.ts';
import type { InputFile } from './inputs.ts';
import type { LateResult } from './late-facts.ts';
import { addTo, type CorpusPlan, type CorpusSettings, type Counts } from './plan.ts';
import type { SegmentResult } from './read-segment.ts';
import type { Survey } from './survey.ts';
import type { WorkFolder } from './work-folder.ts';
import type { PartResult } from './write-part.ts';

export interface CorpusSummary {
  readonly drumlin: 'corpus';
  readonly version: string;
  readonly settings: CorpusSettings;
  readonly inputs: readonly (InputFile & { readonly damage?: string })[];
  readonly parts: readonly PartResult[];
  readonly columns: readonly { readonly name: string; readonly doc: string }[];
  readonly counts: CorpusCounts;
}

interface CorpusCounts {
  readonly records: number;
  /** Records that are no pages, by reason. */
  readonly otherRecords: Counts;
  readonly pages: number;
  readonly rows: number;
  readonly bytes: Bytes;
  readonly words: number;
  /** Pages left out, by what they say against their use. */
  readonly optOuts: Counts;
  /** Pages left out, by the condition that they do not meet. */
  readonly conditions: Counts;
  /** Rows with an earlier near-duplicate: left out or marked. */
  readonly nearDuplicates: number;
  readonly clusters: number;
  readonly noText: number;
  readonly truncated: number;
  readonly revisits: number;
  /** Rows by language, before near-duplicates are dropped; '' is unknown. */
  readonly languages: Counts;
  /** Rows by the binary digits of their number of words. */
  readonly lengths: Counts;
  readonly domains: number;
  /** The domains with the most rows, by rows. */
  readonly topDomains: readonly (readonly [domain: string, rows: number])[];
}

const TOP_DOMAINS = 50;

interface Results {
  readonly surveys: readonly Survey[];
  readonly read: readonly SegmentResult[];
  readonly late: readonly LateResult[];
  readonly parts: readonly PartResult[];
}

export async function summarise(
  work: WorkFolder,
  plan: CorpusPlan,
  { surveys, read, late, parts }: Results,
): Promise<CorpusSummary> {
  const sum = <T>(list: readonly T[], value: (item: T) => number) =>
    list.reduce((total, item) => total + value(item), 0);
  return {
    drumlin: 'corpus',
    ...{ version: plan.version, settings: plan.settings },
    inputs: plan.inputs.map((input, i) => {
      const { damage, crawl } = surveys[i];
      return { ...input, crawl, ...(damage !== undefined && { damage }) };
    }),
    parts,
    columns: COLUMNS.map(({ name, doc }) => ({ name, doc })),
    counts: {
      records: sum(surveys, ({ records }) => records),
      otherRecords: total(surveys.map(({ others }) => others)),
      pages: sum(read, ({ pages }) => pages),
      rows: sum(parts, ({ rows }) => rows),
      bytes: sum(parts, ({ bytes }) => bytes),
      words: sum(read, ({ words }) => words),
      optOuts: total(read.map(({ optOuts }) => optOuts)),
      conditions: total(read.map(({ conditions }) => conditions)),
      nearDuplicates: sum(late, ({ duplicates }) => duplicates),
      clusters: sum(late, ({ clusters }) => clusters),
      noText: sum(read, ({ noText }) => noText),
      truncated: sum(read, ({ truncated }) => truncated),
      revisits: sum(surveys, ({ revisits }) => revisits),
      languages: total(read.map(({ languages }) => languages)),
      lengths: total(read.map(({ lengths }) => lengths)),
      ...(await domainsOf(work, plan, read.length)),
    },
  };
}

/** Counts added up, by name. */
function total(all: readonly Counts[]): Counts {
  const counts: Counts = {};
  for (const one of all)
    for (const [name, count] of Object.entries(one)) addTo(counts, name, count);
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Domains of all segments, sorted on disk. */
async function domainsOf(
  work: WorkFolder,
  plan: CorpusPlan,
  segments: number,
): Promise<Pick<CorpusCounts, 'domains' | 'topDomains'>> {
  const { memory } = plan.settings.sizes;
  const sorter = new LineSorter(work.disk, work.path, 'domains', memory);
  for (let i = 0; i < segments; i++)
    for await (const lines of readLines(work.disk, work.file('read', i, 'domains')))
      for (const line of lines) await sorter.add(line);
  let top: [string, number][] = [];
  let [domains, last, rows] = [0, '', 0];
  const end = () => {
    if (last === '') return;
    domains++;
    top.push([last, rows]);
    if (top.length > 2 * TOP_DOMAINS) top = best(top);
  };
  for await (const lines of sorter.sorted()) {
    for (const line of lines) {
      const [domain, count] = line.split(' ');
      if (domain !== last) {
        end();
        [last, rows] = [domain, 0];
      }
      rows += Number(count);
    }
  }
  end();
  return { domains, topDomains: best(top) };
}

const best = (list: [string, number][]): [string, number][] =>
  list.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, TOP_DOMAINS);
