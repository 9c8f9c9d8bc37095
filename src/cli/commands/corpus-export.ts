/** `drumlin corpus export`, `index` and `columns`. */
import { DrumlinError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { counted, formatBytes, parseBytes } from '../../base/units.ts';
import { COLUMNS } from '../../corpus/columns.ts';
import { PRESETS, type PresetName } from '../../corpus/condition.ts';
import { exportCorpus } from '../../corpus/export.ts';
import { MASKS, type Mask } from '../../corpus/mask.ts';
import { type CorpusFormat, type Duplicates, SIZES } from '../../corpus/plan.ts';
import type { CorpusSummary } from '../../corpus/summary.ts';
import { Disk } from '../../disk/disk.ts';
import type { Extract } from '../../text/text-reader.ts';
import { type Screen, watched } from './graph.ts';

export interface CorpusFlags {
  readonly out: string;
  readonly format: CorpusFormat;
  readonly extract: Extract;
  readonly where: readonly string[];
  readonly preset?: PresetName;
  readonly duplicates: Duplicates;
  readonly similarity: number;
  readonly includeOptOuts?: boolean;
  readonly mask?: string;
  readonly maxPage: string;
  readonly ranks?: string;
  readonly spam?: string;
  readonly threads: number;
  readonly segment: string;
  readonly rowGroup: string;
  readonly part: string;
}

export interface IndexFlags {
  readonly out: string;
  readonly crawl?: string;
}

export async function exportPlaces(
  places: readonly string[],
  flags: CorpusFlags,
  screen: Screen,
): Promise<void> {
  const { preset, where, mask, maxPage, includeOptOuts = false, ranks, spam } = flags;
  const { out, format, extract, duplicates, similarity, threads } = flags;
  await watched(screen, async (meter, signal) => {
    const summary = await exportCorpus(places, out, {
      ...{ format, extract, duplicates, similarity, threads, includeOptOuts, signal },
      ...(ranks !== undefined && { ranks }),
      ...(spam !== undefined && { spam }),
      where: [...(preset === undefined ? [] : [PRESETS[preset]]), ...where],
      mask: masksOf(mask),
      maxPage: parseBytes(maxPage),
      sizes: { ...SIZES, ...sizesOf(flags) },
      onProgress: meter.show,
      onWarning: meter.note,
      ranksOf: async (folder) => {
        const { ranksOf } = await import('../../crawl/state/domain-list.ts');
        return ranksOf(new Disk(), folder);
      },
    });
    meter.note(words(out, summary));
  });
}

/** Sizes that tests set. */
const sizesOf = ({ segment, rowGroup, part }: CorpusFlags) => ({
  segment: parseBytes(segment),
  rowGroup: parseBytes(rowGroup),
  part: parseBytes(part),
});

function masksOf(text: string | undefined): Mask[] {
  if (text === undefined) return [];
  return text.split(',').map((word) => {
    const mask = MASKS.find((known) => known === word.trim());
    if (mask) return mask;
    throw new DrumlinError(
      'MASK',
      `"${word}" cannot be masked.`,
      `Did you mean "${nearest(word, MASKS)}"?`,
    );
  });
}

function words(out: string, { counts, parts, settings }: CorpusSummary): string {
  const sum = (list: Readonly<Record<string, number>>) =>
    Object.values(list).reduce((total, count) => total + count, 0);
  const dropped = settings.duplicates === 'drop' ? counts.nearDuplicates : 0;
  const left = [
    [sum(counts.optOuts), 'opted out'],
    [sum(counts.conditions), 'by conditions'],
    [dropped, 'near-duplicates'],
  ] as const;
  const without = left.filter(([count]) => count > 0).map(([count, why]) => `${count} ${why}`);
  const kept = `${counted(counts.rows, 'row')} of ${counted(counts.pages, 'page')}`;
  const files = `${counted(parts.length, 'file')}, ${formatBytes(counts.bytes)}`;
  return `${out}: ${kept} in ${files}${without.length > 0 ? `; left out: ${without.join(', ')}` : ''}`;
}

export async function writeIndex(place: string, flags: IndexFlags, screen: Screen): Promise<void> {
  const { exportIndex } = await import('../../corpus/columnar/export-index.ts');
  await watched(screen, async (meter, signal) => {
    const counts = await exportIndex(place, flags.out, {
      ...(flags.crawl !== undefined && { crawl: flags.crawl }),
      onProgress: meter.show,
      onWarning: meter.note,
      signal,
    });
    const lines = Object.entries(counts).map(
      ([subset, rows]) => `${counted(rows, 'row')} ${subset}`,
    );
    meter.note(`${flags.out}: ${lines.join(', ') || 'no rows'}`);
  });
}

export async function listColumns(output: { write(text: string): unknown }): Promise<void> {
  const width = Math.max(...COLUMNS.map(({ name }) => name.length)) + 2;
  const rows = COLUMNS.map(({ name, kind, doc, late }) => {
    const note = late ? ' (not for --where)' : '';
    return `  ${name.padEnd(width)}${kind.padEnd(8)}${doc}${note}\n`;
  });
  const presets = Object.entries(PRESETS).map(([name, text]) => `\n--preset ${name}:\n  ${text}\n`);
  output.write(`Columns:\n${rows.join('')}${presets.join('')}`);
}
