/**
 * What happened: the pages that a query is about and that changed between two states, with those
 * that they link to.
 *
 *   query ─► seeds by BM25 ─► neighbours that changed ─► p(u) ─► order by links
 */
import type { LinkGraph } from '../links/link-graph.ts';
import type { SearchIndex, SearchOptions } from '../query/search-index.ts';
import { type NearPage, Neighbourhood } from './neighbourhood.ts';
import { type ChangedOptions, relevance, type SmallGraph, scoresBy } from './order.ts';
import type { TwoStates } from './states.ts';

export interface ChangedPage extends NearPage {
  readonly url: string;
  readonly title: string;
  /** p(u), and the score of the order. */
  readonly p: number;
  readonly rank: number;
}

export interface Changed {
  /** Best first. */
  readonly pages: readonly ChangedPage[];
  /** The links among them, by their places. */
  readonly before: SmallGraph;
  readonly after: SmallGraph;
  /** Words of the query, for snippets. */
  readonly words: readonly string[];
}

/** The first `top` pages of what changed. */
export async function whatChanged(
  index: SearchIndex,
  links: LinkGraph,
  states: TwoStates,
  query: string,
  options: SearchOptions & ChangedOptions,
): Promise<Changed> {
  const { seeds, top = 10 } = options;
  const near = await Neighbourhood.around(index, links, states, query, { ...options, top: seeds });
  return firstOf(index, near, top, options);
}

/** The first pages of a neighbourhood in an order. */
export async function firstOf(
  index: SearchIndex,
  near: Neighbourhood,
  top: number,
  { expand, alpha, by }: Omit<ChangedOptions, 'seeds'>,
): Promise<Changed> {
  const pages = await near.pages(expand);
  const p = relevance(
    pages.map(({ score }) => score),
    pages.map(({ change }) => change),
    alpha,
  );
  const ranks = scoresBy(by, await near.graphBetweenSites(pages), p);
  const order = [...pages.keys()].sort((a, b) => ranks[b] - ranks[a] || a - b);
  const first = order.slice(0, top);
  const chosen: ChangedPage[] = [];
  for (const place of first) {
    const { part, local } = index.partOf(pages[place].version);
    const name = await part.name(local);
    chosen.push({ ...pages[place], ...name, p: p[place], rank: ranks[place] });
  }
  const [before, after] = [
    await near.graphOf(chosen, 'before'),
    await near.graphOf(chosen, 'after'),
  ];
  return { pages: chosen, before, after, words: near.words };
}
