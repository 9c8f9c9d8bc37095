/** What each filter of a crawl says of a URL, with the part that decided. */
import { type CrawlConfig, filtersOf } from '../../config/settings.ts';
import { readFilters } from '../../crawl/state/filters-file.ts';
import type { Disk } from '../../disk/disk.ts';
import { explain, type Verdict } from '../../filter/explain.ts';
import { bindingOf, type FilterTexts, loadFilters } from '../../filter/filter-set.ts';
import { ListTable } from '../../filter/list-table.ts';
import { parseFilter } from '../../filter/parse.ts';
import { loadPredicates } from '../../filter/predicates.ts';
import { STAGES, type Stage } from '../../filter/subject.ts';

export interface FilterVerdicts {
  readonly blacklisted: boolean;
  readonly stages: ReadonlyMap<Stage, Verdict & { readonly text: string }>;
}

export async function filterVerdicts(
  disk: Disk,
  dir: string,
  config: CrawlConfig,
  url: string,
  depth: number,
): Promise<FilterVerdicts> {
  return verdictsBy(disk, (await readFilters(disk, dir)) ?? filtersOf(config), config, url, depth);
}

/** What these filters say of a URL. */
export async function verdictsBy(
  disk: Disk,
  texts: FilterTexts,
  config: CrawlConfig,
  url: string,
  depth: number,
): Promise<FilterVerdicts> {
  const predicates = await loadPredicates(config.predicates);
  const ranking = config.order === 'budget' ? config.rank : 'none';
  const { blacklist } = config;
  const set = await loadFilters(texts, {
    ...{ disk, predicates, ranking, spam: config.spam !== '', blacklist },
  });
  const binding = bindingOf(set.lists);
  const nothing = { standing: undefined, visit: undefined, response: undefined, page: undefined };
  const stages = new Map<Stage, Verdict & { readonly text: string }>();
  for (const stage of STAGES) {
    const text = set.texts[stage];
    if (text === undefined) continue;
    const node = parseFilter(text, { predicates, stage });
    const subject = { url, depth, ...nothing };
    const verdict = explain(node, subject, binding, ({ from, ranking: needs }) =>
      Boolean(from === 'schedule' && !needs),
    );
    stages.set(stage, { ...verdict, text });
  }
  const blacklisted = set.blacklist !== undefined && new ListTable(set.blacklist).hasUrl(url);
  return { blacklisted, stages };
}

const partText = (part: string, answer: unknown): string =>
  answer === undefined ? `${part} is not known here` : `${part} is ${answer}`;

/** The parts that decided, as text. */
export function becauseOf({ stages }: FilterVerdicts, stage: Stage): string {
  const because = stages.get(stage)?.because ?? [];
  return because.map(({ part, answer }) => partText(part, answer)).join(', ');
}
