/**
 * Rankings of what happened, measured against judgements: one row for each combination of settings.
 *
 * Ensures   The first row is BM25 alone: seeds in their order. Every other row says how likely its
 *           NDCG differs from that by chance.
 */
import { DrumlinError } from '../../base/errors.ts';
import { type Changed, firstOf } from '../changed/changed.ts';
import { Neighbourhood } from '../changed/neighbourhood.ts';
import type { ChangedOptions } from '../changed/order.ts';
import { shifted, statesOf } from '../changed/states.ts';
import type { LinkGraph } from '../links/link-graph.ts';
import type { SearchIndex, SearchOptions } from '../query/search-index.ts';
import { chanceOf, qualityOf, shareInside } from './measures.ts';
import type { EvalQuery, Judgements } from './trec.ts';

interface EvalOptions {
  /** The first so many results are measured. */
  readonly cut: number;
  /** Compare the epochs so many later, or earlier if below 0. */
  readonly shift: number;
  readonly search: SearchOptions;
  /** Called with the results of each query and row. */
  readonly onRun?: (query: EvalQuery, settings: ChangedOptions, results: Changed['pages']) => void;
  readonly onQuery?: (done: number, all: number) => void;
}

export interface EvalRow {
  readonly settings: ChangedOptions;
  readonly queries: number;
  readonly ndcg: number;
  readonly recall: number;
  readonly reciprocalRank: number;
  readonly reciprocalRanks: number;
  /** Links among the first results, before and after. */
  readonly linksBefore: number;
  readonly linksAfter: number;
  /** The share of short walks that stay among the first results. */
  readonly inside: number;
  /** How likely NDCG differs so much from that of BM25 by chance; undefined for BM25. */
  readonly chance: number | undefined;
}

/** BM25 alone. */
const TEXT_ONLY = { by: 'none', alpha: 1, expand: 0 } as const;
/** Results that are ranked. */
const DEPTH = 1000;

type Values = Omit<EvalRow, 'settings' | 'queries' | 'chance'>;

/** Measures all settings on the queries that have a judgement, and the epochs that they ask for. */
export async function evaluate(
  index: SearchIndex,
  links: LinkGraph,
  queries: readonly EvalQuery[],
  judgements: Judgements,
  grid: readonly ChangedOptions[],
  options: EvalOptions,
): Promise<EvalRow[]> {
  const { shift, search, onQuery } = options;
  const seedCounts = [...new Set(grid.map(({ seeds }) => seeds))];
  const rows = [{ ...TEXT_ONLY, seeds: Math.max(...seedCounts) }, ...grid];
  const values: Values[][] = rows.map(() => []);
  for (const [done, query] of queries.entries()) {
    onQuery?.(done, queries.length);
    const gains = judgements.get(query.id);
    if (gains === undefined) continue;
    const states = shifted(
      index,
      await ofLine(query, () => statesOf(index, { at: query.time })),
      shift,
    );
    if (states === undefined) continue;
    for (const seeds of seedCounts) {
      const asked = { ...search, top: seeds };
      const near = await ofLine(query, () =>
        Neighbourhood.around(index, links, states, query.text, asked),
      );
      for (const [row, settings] of rows.entries()) {
        if (settings.seeds !== seeds) continue;
        values[row].push(await measured(index, near, query, settings, gains, options));
      }
    }
  }
  if (values[0].length === 0)
    throw new DrumlinError(
      'TREC',
      'No query has judgements and epochs to compare.',
      'Check that the numbers of queries and judgements agree, and that the times are in the index.',
    );
  return rows.map((settings, row) => ({
    ...{ settings, queries: values[row].length, ...meanOf(values[row]) },
    chance: row === 0 ? undefined : chanceOf(ndcgs(values[row]), ndcgs(values[0])),
  }));
}

/** Does what a query asks for; its errors name the line of the query. */
async function ofLine<T>({ where }: EvalQuery, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DrumlinError)) throw error;
    const { code, fact, remedy, exitCode } = error;
    throw new DrumlinError(code, `${where}: ${fact}`, remedy, { exitCode, cause: error });
  }
}

const ndcgs = (values: readonly Values[]): number[] => values.map(({ ndcg }) => ndcg);

async function measured(
  index: SearchIndex,
  near: Neighbourhood,
  query: EvalQuery,
  settings: ChangedOptions,
  gains: ReadonlyMap<string, number>,
  { cut, onRun }: EvalOptions,
): Promise<Values> {
  const { pages } = await firstOf(index, near, DEPTH, settings);
  onRun?.(query, settings, pages);
  const first = pages.slice(0, cut);
  const [before, after] = [await near.graphOf(first, 'before'), await near.graphOf(first)];
  const all = first.map((page) => page.after.out);
  return {
    ...qualityOf(
      pages.map(({ url }) => url),
      gains,
      cut,
    ),
    ...{ linksBefore: before.from.length, linksAfter: after.from.length },
    inside: shareInside(after, all),
  };
}

function meanOf(values: readonly Values[]): Values {
  const mean = (field: keyof Values) =>
    values.reduce((sum, each) => sum + each[field], 0) / values.length;
  return {
    ...{ ndcg: mean('ndcg'), recall: mean('recall'), inside: mean('inside') },
    ...{ reciprocalRank: mean('reciprocalRank'), reciprocalRanks: mean('reciprocalRanks') },
    ...{ linksBefore: mean('linksBefore'), linksAfter: mean('linksAfter') },
  };
}
