/**
 * The pages around a query at a time: seeds by their text, and neighbours that changed.
 *
 * Idea      The best pages by BM25 are the seeds. Of all pages that a link joins to a seed, in
 *           either direction, those count most whose own change and that of the seed are greatest:
 *           score(v) = max over seeds u of BM25(u) + change(u) + change(v). The graph of seeds and
 *           neighbours is small enough to be ranked while the user waits.
 * Requires  An index with links; two states.
 * Ensures   Pages, links and counts are those of the state after, or of both where it says so.
 *           Neighbours come in the order of their scores, equal ones in that of their keys.
 * Cost      The lists of links of the seeds and of all their neighbours.
 */
import type { LinkGraph } from '../links/link-graph.ts';
import type { SearchIndex, SearchOptions } from '../query/search-index.ts';
import { type Counts, changeOf } from './change.ts';
import type { SmallGraph } from './order.ts';
import type { TwoStates } from './states.ts';

/** A page near the query. */
export interface NearPage {
  /** Its number among the URLs of the links; -1 if its links were never read. */
  readonly node: number;
  /** As it is in the state after. */
  readonly version: number;
  /** BM25; 0 if it does not match. */
  readonly score: number;
  readonly before: Counts;
  readonly after: Counts;
  readonly change: number;
  readonly isSeed: boolean;
}

interface Candidate extends Omit<NearPage, 'score' | 'isSeed'> {
  readonly reach: number;
}

/** Pages whose lists are read at the same time. */
const AT_ONCE = 64;
const ABSENT: Counts = { in: 0, out: 0, words: 0 };

export class Neighbourhood {
  readonly #index: SearchIndex;
  readonly #links: LinkGraph;
  readonly #states: TwoStates;
  readonly #query: string;
  readonly #options: SearchOptions;
  readonly seeds: readonly NearPage[];
  /** Words of the query, for snippets. */
  readonly words: readonly string[];
  /** Best first. */
  readonly #candidates: readonly Candidate[];
  readonly #scores = new Map<number, number>();

  private constructor(
    index: SearchIndex,
    links: LinkGraph,
    states: TwoStates,
    query: string,
    options: SearchOptions,
    found: Pick<Neighbourhood, 'seeds' | 'words'> & { candidates: readonly Candidate[] },
  ) {
    this.#index = index;
    this.#links = links;
    this.#states = states;
    this.#query = query;
    this.#options = options;
    this.seeds = found.seeds;
    this.words = found.words;
    this.#candidates = found.candidates;
  }

  /** `options.top` is the number of seeds. */
  static async around(
    index: SearchIndex,
    links: LinkGraph,
    states: TwoStates,
    query: string,
    options: SearchOptions,
  ): Promise<Neighbourhood> {
    const { end } = states.after;
    const range = { from: end, to: end };
    // A month may end after the last capture.
    const asked = { from: Number.NEGATIVE_INFINITY, to: end };
    const at: SearchOptions = { ...options, range, asked };
    const pages = new PagesAt(index, links, states);
    const { results, words } = await index.search(query, at);
    const seeds: NearPage[] = [];
    for (const { page, version, score } of results) {
      const node = links.nodeOf(index.pages.keys[page]);
      const counts = await pages.countsOf(node, page);
      const change = changeOf(counts.before, counts.after);
      seeds.push({ node, version, score, ...counts, change, isSeed: true });
    }
    const candidates = await candidatesOf(links, states, pages, seeds);
    return new Neighbourhood(index, links, states, query, at, { seeds, candidates, words });
  }

  /** The seeds and at most so many neighbours. */
  async pages(expand: number): Promise<NearPage[]> {
    const added = this.#candidates.slice(0, expand);
    const unknown = added.map(({ version }) => version).filter((v) => !this.#scores.has(v));
    if (unknown.length > 0) {
      const scores = await this.#index.scores(this.#query, this.#options, unknown);
      for (const version of unknown) this.#scores.set(version, scores.get(version) ?? 0);
    }
    const near = added.map(({ reach: _, ...page }) => ({
      ...{ ...page, score: this.#scores.get(page.version) ?? 0, isSeed: false },
    }));
    return [...this.seeds, ...near];
  }

  /** The links among pages, in the state after or before. */
  async graphOf(pages: readonly NearPage[], state: keyof TwoStates = 'after'): Promise<SmallGraph> {
    const places = new Map(pages.map(({ node }, place) => [node, place]));
    const [from, to]: [number[], number[]] = [[], []];
    for (const [place, { node }] of pages.entries()) {
      if (node < 0) continue;
      for (const target of await this.#links.linksAt(node, 'out', this.#states[state].epoch)) {
        const other = places.get(target);
        if (other === undefined) continue;
        from.push(place);
        to.push(other);
      }
    }
    return { count: pages.length, from: Uint32Array.from(from), to: Uint32Array.from(to) };
  }
}

/** All neighbours of seeds that are there after, by how much the seed and they changed. */
async function candidatesOf(
  links: LinkGraph,
  { after }: TwoStates,
  pages: PagesAt,
  seeds: readonly NearPage[],
): Promise<Candidate[]> {
  const known = new Set(seeds.map(({ node }) => node));
  const best = new Map<number, number>();
  for (const { node, score, change } of seeds) {
    if (node < 0) continue;
    for (const direction of ['out', 'in'] as const) {
      for (const other of await links.linksAt(node, direction, after.epoch)) {
        if (!known.has(other))
          best.set(other, Math.max(best.get(other) ?? Number.NEGATIVE_INFINITY, score + change));
      }
    }
  }
  const there = [...best].filter(([node]) => pages.versionOf(node) >= 0);
  const candidates: Candidate[] = [];
  for (let at = 0; at < there.length; at += AT_ONCE) {
    const some = there.slice(at, at + AT_ONCE).map(async ([node, reach]) => {
      const counts = await pages.countsOf(node, pages.pageOf(node));
      const change = changeOf(counts.before, counts.after);
      return { node, version: pages.versionOf(node), ...counts, change, reach: reach + change };
    });
    candidates.push(...(await Promise.all(some)));
  }
  return candidates.sort((a, b) => b.reach - a.reach || a.node - b.node);
}

/** Which version each page has in each state, and its counts. */
class PagesAt {
  readonly #index: SearchIndex;
  readonly #links: LinkGraph;
  readonly #states: TwoStates;
  readonly #versions: Record<keyof TwoStates, Int32Array>;

  constructor(index: SearchIndex, links: LinkGraph, states: TwoStates) {
    this.#index = index;
    this.#links = links;
    this.#states = states;
    const { pages } = index;
    const versions = () => new Int32Array(pages.keys.length).fill(-1);
    this.#versions = { before: versions(), after: versions() };
    const { before, after } = states;
    pages.eachStretch((version, start, end) => {
      const page = pages.pageOf[version];
      if (start <= before.end && end > before.end) this.#versions.before[page] = version;
      if (start <= after.end && end > after.end) this.#versions.after[page] = version;
    });
  }

  /** The page of a URL; -1 if it was never captured. */
  pageOf(node: number): number {
    return this.#index.pages.pageWith(this.#links.keys[node]);
  }

  /** The version of a URL in the state after; -1 if it is not there. */
  versionOf(node: number): number {
    const page = this.pageOf(node);
    return page < 0 ? -1 : this.#versions.after[page];
  }

  async countsOf(node: number, page: number): Promise<Record<keyof TwoStates, Counts>> {
    return {
      before: await this.#countsIn('before', node, page),
      after: await this.#countsIn('after', node, page),
    };
  }

  async #countsIn(state: keyof TwoStates, node: number, page: number): Promise<Counts> {
    const version = page < 0 ? -1 : this.#versions[state][page];
    const { epoch } = this.#states[state];
    if (node < 0) return { ...ABSENT, words: this.#wordsOf(version) };
    return {
      in: await this.#links.degreeAt(node, 'in', epoch),
      out: await this.#links.degreeAt(node, 'out', epoch),
      words: this.#wordsOf(version),
    };
  }

  #wordsOf(version: number): number {
    if (version < 0) return 0;
    const { part, local } = this.#index.partOf(version);
    return part.versions.words[local];
  }
}
