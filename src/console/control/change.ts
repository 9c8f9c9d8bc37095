/**
 * Changes a crawl through the files of its folder: the one way of `drumlin set` and of the console.
 * The crawl may be running or stopped.
 *
 * Ensures   Everything is checked before anything is written.
 */
import { type CrawlOptions, resolveConfig } from '../../config/settings.ts';
import { askedOf } from '../../crawl/state/crawl-folder.ts';
import { setFilter } from '../../crawl/state/filters-file.ts';
import { canonicalSeed } from '../../crawl/state/seeds.ts';
import { readTuning, requireTunable, tune, tuned } from '../../crawl/state/tuning-file.ts';
import type { Disk } from '../../disk/disk.ts';
import { loadFilters } from '../../filter/filter-set.ts';
import { loadPredicates } from '../../filter/predicates.ts';
import { STAGES, type Stage } from '../../filter/subject.ts';

interface CrawlChange {
  /** Values as text, by the name or the flag of a setting. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly paused?: boolean;
  readonly stop?: boolean;
  readonly seeds?: readonly string[];
}

/** Returns what holds now, a line each. */
export async function changeCrawl(
  disk: Disk,
  dir: string,
  by: string,
  { settings = {}, paused, stop, seeds = [] }: CrawlChange,
): Promise<string[]> {
  const asked = await askedOf(disk, dir);
  const filters = new Map<Stage, string>();
  const values: Record<string, string> = {};
  for (const [key, value] of Object.entries(settings)) {
    const stage = stageOf(key);
    if (stage) filters.set(stage, value);
    else values[requireTunable(key)] = value;
  }
  tuned({ settings: values });
  const urls = seeds.map((seed) => canonicalSeed(seed));
  const printed = await checkedFilters(disk, asked.settings, filters);
  for (const [stage, text] of printed) await setFilter(disk, dir, stage, text, by);
  const before = await readTuning(disk, dir);
  const more = urls.filter((url) => !asked.seeds.includes(url) && !before.seeds.includes(url));
  const isOnlyFilters = filters.size > 0 && Object.keys(values).length + urls.length === 0;
  if (!isOnlyFilters || paused !== undefined || stop !== undefined)
    await tune(disk, dir, by, {
      settings: values,
      seeds: [...before.seeds, ...more],
      ...(paused !== undefined && { paused }),
      ...(stop !== undefined && { stop }),
    });
  return [
    ...Object.entries(values).map(([key, value]) => `${key}: ${value}`),
    ...[...printed].map(([stage, text]) => `${stage} filter: ${text || 'accepts everything'}`),
    ...more.map((url) => `seed: ${url}`),
    ...(paused === undefined ? [] : [`paused: ${paused ? 'yes' : 'no'}`]),
  ];
}

/** The stage whose filter a setting is. */
export const stageOf = (key: string): Stage | undefined =>
  STAGES.find((stage) => key === `${stage}-filter` || key === `${stage}Filter`);

/** The filters in their printed form; refuses one that cannot be read. */
export async function checkedFilters(
  disk: Disk,
  settings: CrawlOptions,
  filters: ReadonlyMap<Stage, string>,
): Promise<Map<Stage, string>> {
  if (filters.size === 0) return new Map();
  const { order, rank, spam, predicates: module } = resolveConfig(settings);
  const predicates = await loadPredicates(module);
  const ranking = order === 'budget' ? rank : 'none';
  const { texts } = await loadFilters(Object.fromEntries(filters), {
    ...{ disk, predicates, ranking, spam: spam !== '' },
  });
  return new Map([...filters.keys()].map((stage) => [stage, texts[stage] ?? '']));
}
