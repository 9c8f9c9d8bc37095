/**
 * The filters of a crawl, one for each stage: from texts to functions, across threads.
 *
 *   texts ─► loadFilters ─► FilterSet ─► compileFilters
 *            coordinator:   plain data   each agent
 *            parses, loads lists
 *
 * Lists are read once and shared by all agents.
 */
import type { Disk } from '../disk/disk.ts';
import { compile } from './compile.ts';
import { readList } from './list-file.ts';
import { ListTable, type SharedList } from './list-table.ts';
import { calls, type Node, print } from './node.ts';
import { parseFilter } from './parse.ts';
import type { Binding, ListKind, Predicates } from './predicate.ts';
import { type Accepts, STAGES, type Stage } from './subject.ts';

/** The filter of each stage; a stage without one accepts everything. */
export type FilterTexts = { readonly [stage in Stage]?: string };

export interface FilterSet {
  /** The filters in their printed form. */
  readonly texts: FilterTexts;
  readonly lists: readonly LoadedList[];
  /** What is never queued nor fetched. */
  readonly blacklist?: SharedList | undefined;
  /** The scores of domains, with `--rank list`. */
  readonly ranks?: SharedList | undefined;
}

interface LoadedList {
  readonly path: string;
  readonly kind: ListKind;
  readonly list: SharedList;
}

export type StageFilters = { [stage in Stage]: Accepts | undefined };

export interface FilterSurroundings {
  readonly disk: Disk;
  readonly predicates: Predicates;
  /** What ranks the domains; `none` if nothing does. */
  readonly ranking: string;
  /** Whether the crawl gives verdicts on spam. */
  readonly spam: boolean;
  /** The file of the blacklist; empty for none. */
  readonly blacklist?: string;
  /** The file of scores of domains; empty for none. */
  readonly ranks?: string;
}

/** Parses the filters and reads their lists. Throws if one cannot be read. */
export async function loadFilters(
  texts: FilterTexts,
  around: FilterSurroundings,
): Promise<FilterSet> {
  const { disk, predicates, ranking, spam, blacklist = '', ranks = '' } = around;
  const printed: { [stage in Stage]?: string } = {};
  const lists = new Map<string, LoadedList>();
  for (const stage of STAGES) {
    const text = texts[stage] ?? '';
    if (text.trim() === '') continue;
    const node = parseFilter(text, { predicates, stage, ranking, spam });
    await loadLists(disk, node, lists);
    printed[stage] = print(node);
  }
  const refused = blacklist === '' ? undefined : await readList(disk, blacklist, false);
  const scores = ranks === '' ? undefined : await readList(disk, ranks, true);
  return { texts: printed, lists: [...lists.values()], blacklist: refused, ranks: scores };
}

/** Reads the lists that a filter names and that are not loaded yet. */
export async function loadLists(
  disk: Disk,
  node: Node,
  lists: Map<string, LoadedList>,
): Promise<void> {
  for (const { predicate, values } of calls(node)) {
    const kind = predicate.reads;
    if (kind === undefined || lists.has(listName(values[0], kind))) continue;
    const list = await readList(disk, values[0], kind === 'values');
    lists.set(listName(values[0], kind), { path: values[0], kind, list });
  }
}

/** Compiles the set in an agent. `predicates` must be the same as in `loadFilters`. */
export function compileFilters(
  { texts, lists, blacklist }: FilterSet,
  predicates: Predicates,
): StageFilters {
  const binding = bindingOf(lists);
  const filterFor = (stage: Stage): Accepts | undefined => {
    const text = texts[stage];
    return text === undefined
      ? undefined
      : compile(parseFilter(text, { predicates, stage }), binding);
  };
  const [schedule, fetch, parse, render, follow, store] = STAGES.map(filterFor);
  const unlisted = blacklist && notIn(new ListTable(blacklist));
  return {
    schedule: both(unlisted, schedule),
    fetch: both(unlisted, fetch),
    ...{ parse, render, follow, store },
  };
}

const notIn =
  (table: ListTable): Accepts =>
  ({ url }) =>
    !table.hasUrl(url);

function both(first: Accepts | undefined, second: Accepts | undefined): Accepts | undefined {
  if (!first || !second) return first ?? second;
  return (subject) => first(subject) && second(subject);
}

export function bindingOf(lists: Iterable<LoadedList>): Binding {
  const tables = new Map(
    Array.from(lists, ({ path, kind, list }) => [listName(path, kind), new ListTable(list)]),
  );
  return {
    list: (path, kind) => {
      const table = tables.get(listName(path, kind));
      if (!table) throw new Error(`The list ${path} was not loaded.`);
      return table;
    },
  };
}

const listName = (path: string, kind: ListKind): string => `${kind} ${path}`;
