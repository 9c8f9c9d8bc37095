/**
 * Changes of a cluster by its console, through the keys that the commands of `drumlin cluster` use.
 *
 * Ensures   Everything is checked before anything is written.
 */
import { resumeCluster, settingsOf, stopCluster } from '../../cluster/create.ts';
import { KEYS, type SteeredText } from '../../cluster/members/keys.ts';
import { steerText, tuneCluster } from '../../cluster/steer.ts';
import {
  type CrawlConfig,
  type CrawlOptions,
  filtersOf as filtersIn,
  resolveConfig,
} from '../../config/settings.ts';
import { parseFilters, withFilter } from '../../crawl/state/filters-file.ts';
import type { Disk } from '../../disk/disk.ts';
import type { FilterTexts } from '../../filter/filter-set.ts';
import { STAGES, type Stage } from '../../filter/subject.ts';
import { OVERRIDES_FILE, withOverride } from '../../reputation/budget/overrides.ts';
import { checkedFilters, stageOf } from '../control/change.ts';
import { overrideOf, wordsFor } from '../control/decide.ts';
import { requestError } from '../fields/schema.ts';
import type { ClusterWatch } from './cluster-watch.ts';

const BY = 'console';
const FILTERS = 'the filters of the cluster';

/** The settings as the cluster was created, with `others` in their place. */
export function configOf({ crawl }: ClusterWatch, others: CrawlOptions = {}): CrawlConfig {
  if (!crawl) throw requestError('The cluster is being created.', 'Ask again in a moment.');
  return resolveConfig({ ...settingsOf(crawl), ...others });
}

/** The filters in force: of the operator, or of the crawl as long as the operator gave none. */
export function filtersOf(cluster: ClusterWatch): FilterTexts {
  return parseFilters(filterText(cluster.value<SteeredText>(KEYS.filters)?.text, cluster), FILTERS);
}

/** The filters as a file, whether or not the operator gave any. */
function filterText(steered: string | undefined, cluster: ClusterWatch): string {
  if (steered !== undefined) return steered;
  const texts = filtersIn(configOf(cluster));
  return STAGES.reduce((text, stage) => withFilter(text, stage, texts[stage] ?? '', FILTERS), '');
}

/** Settings go to the key `tuning`, filters to the key `filters`. */
export async function changeSettings(
  disk: Disk,
  cluster: ClusterWatch,
  given: Readonly<Record<string, string>>,
): Promise<string[]> {
  const filters = new Map<Stage, string>();
  const settings: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) {
    const stage = stageOf(key);
    if (stage) filters.set(stage, value);
    else settings[key] = value;
  }
  const printed = await checkedFilters(disk, configOf(cluster), filters);
  const hasSettings = Object.keys(settings).length > 0;
  const changed = hasSettings ? await tuneCluster(cluster.book, BY, { settings }) : [];
  if (printed.size > 0)
    await steerText(cluster.book, KEYS.filters, BY, (before) =>
      [...printed].reduce(
        (text, [stage, expression]) => withFilter(text, stage, expression, FILTERS),
        filterText(before, cluster),
      ),
    );
  return [
    ...changed,
    ...[...printed].map(([stage, text]) => `${stage} filter: ${text || 'accepts everything'}`),
  ];
}

/** Decides about one domain, in the key `domains`. */
export async function decide(
  { book }: ClusterWatch,
  domain: string,
  decision: Parameters<typeof overrideOf>[0],
  budget: number | undefined,
): Promise<{ readonly domain: string; readonly decision: string }> {
  const override = overrideOf(decision, budget);
  let name = domain;
  await steerText(book, KEYS.domains, BY, (before = '') => {
    const changed = withOverride(before, domain, override, OVERRIDES_FILE);
    name = changed.name;
    return changed.text;
  });
  return { domain: name, decision: wordsFor(override) };
}

type ClusterAction = 'pause' | 'resume' | 'stop' | 'run';

/** Pauses, continues, stops, or lets a crawl that has ended run again. */
export async function control(
  { book }: ClusterWatch,
  action: ClusterAction,
  now: number,
): Promise<string[]> {
  if (action === 'pause' || action === 'resume')
    return tuneCluster(book, BY, { paused: action === 'pause' });
  if (action === 'stop') {
    await stopCluster(book);
    return ['stopping'];
  }
  if (await resumeCluster(book, now)) return ['running; join it with workers'];
  throw requestError('The crawl has not ended.', 'Stop it first, and wait until it has ended.');
}
