/**
 * The filters of a crawl, one for each stage: from their texts to functions, across threads.
 *
 *   texts ─► loadFilters (the coordinator: reads, refuses, loads lists) ─► FilterSet, plain data ─► compileFilters (each agent)
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

/** By stage; a stage without a filter accepts everything. */
export type FilterTexts = { readonly [stage in Stage]?: string };

export interface FilterSet {
  /** In their printed form. */
  readonly texts: FilterTexts;
  readonly lists: readonly LoadedList[];
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
  /** What domains are ranked by; `none` where they are not. */
  readonly ranking: string;
}

/** Refuses filters that cannot be read, and lists. */
export async function loadFilters(
  texts: FilterTexts,
  around: FilterSurroundings,
): Promise<FilterSet> {
  const { disk, predicates, ranking } = around;
  const printed: { [stage in Stage]?: string } = {};
  const lists = new Map<string, LoadedList>();
  for (const stage of STAGES) {
    const text = texts[stage] ?? '';
    if (text.trim() === '') continue;
    const node = parseFilter(text, { predicates, stage, ranking });
    await loadLists(disk, node, lists);
    printed[stage] = print(node);
  }
  return { texts: printed, lists: [...lists.values()] };
}

/** Reads the lists that a filter names, those that were not read yet. */
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

/** For the agent that holds the set; user predicates have to be the same as when it was loaded. */
export function compileFilters({ texts, lists }: FilterSet, predicates: Predicates): StageFilters {
  const binding = bindingOf(lists);
  const filterFor = (stage: Stage): Accepts | undefined => {
    const text = texts[stage];
    return text === undefined
      ? undefined
      : compile(parseFilter(text, { predicates, stage }), binding);
  };
  const [schedule, fetch, parse, follow, store] = STAGES.map(filterFor);
  return { schedule, fetch, parse, follow, store };
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
