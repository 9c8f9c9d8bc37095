/**
 * The pages around a query at a time: seeds by their text, and neighbours that changed.
 *
 * Idea      The best pages by BM25 are the seeds. Of all pages that a link between sites joins to a
 *           seed, in either direction, those count most whose own change and that of the seed are
 *           greatest: score(v) = max over seeds u of BM25(u) + change(u) + change(v). The graph of
 *           seeds and neighbours is small enough to be ranked while the user waits.
 * Requires  An index with links; two states.
 * Ensures   Pages, links and counts are those of the state after, or of both where it says so.
 *           Neighbours come in the order of their scores, equal ones in that of their keys.
 * Cost      The lists of links of the seeds and of all their neighbours.
 */
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf } from '../../url/parts.ts';
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
  readonly #sites: SiteLinks;

  private constructor(
    index: SearchIndex,
    links: LinkGraph,
    states: TwoStates,
    query: string,
    options: SearchOptions,
    found: Pick<Neighbourhood, 'seeds' | 'words'> & {
      candidates: readonly Candidate[];
      sites: SiteLinks;
    },
  ) {
    this.#index = index;
    this.#links = links;
    this.#states = states;
    this.#query = query;
    this.#options = options;
    this.seeds = found.seeds;
    this.words = found.words;
    this.#candidates = found.candidates;
    this.#sites = found.sites;
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
    // Anchors are about what a page was: one that is new has none yet.
    const weights = { ...options.weights, anchor: 0 };
    const at: SearchOptions = { ...options, range, asked, weights };
    const pages = new PagesAt(index, links, states);
    const { results, words } = await index.search(query, at);
    const seeds: NearPage[] = [];
    for (const { page, version, score } of results) {
      const node = links.nodeOf(index.pages.keys[page]);
      const counts = await pages.countsOf(node, page);
      const change = changeOf(counts.before, counts.after);
      seeds.push({ node, version, score, ...counts, change, isSeed: true });
    }
    const sites = await SiteLinks.around(index, seeds);
    const candidates = await candidatesOf(links, states, pages, seeds, sites);
    const found = { seeds, candidates, words, sites };
    return new Neighbourhood(index, links, states, query, at, found);
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

  /** As `graphOf` after, with the links that count for an order. */
  async graphBetweenSites(pages: readonly NearPage[]): Promise<SmallGraph> {
    const sites: string[] = [];
    for (const { version } of pages) sites.push(await this.#sites.siteOf(version));
    const { count, from, to } = await this.graphOf(pages);
    const isCounted = (_: number, i: number) => this.#sites.counts(sites[from[i]], sites[to[i]]);
    return { count, from: from.filter(isCounted), to: to.filter(isCounted) };
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

/**
 * Which links count: those between sites. Links within a site are mostly its menus. They count on a
 * site with at least half of the seeds: such an index is about one site, as a wiki is.
 */
class SiteLinks {
  readonly #index: SearchIndex;
  readonly #known = new Map<number, string>();
  #main: string | undefined;

  private constructor(index: SearchIndex) {
    this.#index = index;
  }

  static async around(index: SearchIndex, seeds: readonly NearPage[]): Promise<SiteLinks> {
    const sites = new SiteLinks(index);
    const counts = new Map<string, number>();
    for (const { version } of seeds) {
      const site = await sites.siteOf(version);
      counts.set(site, (counts.get(site) ?? 0) + 1);
    }
    sites.#main = [...counts].find(([, count]) => 2 * count >= seeds.length)?.[0];
    return sites;
  }

  /** The pay-level domain of a page, by a version of it. */
  async siteOf(version: number): Promise<string> {
    const known = this.#known.get(version);
    if (known !== undefined) return known;
    const { part, local } = this.#index.partOf(version);
    const site = payLevelDomain(hostOf((await part.name(local)).url));
    this.#known.set(version, site);
    return site;
  }

  counts(from: string, to: string): boolean {
    return from !== to || from === this.#main;
  }
}

/** All neighbours of seeds that are there after, by how much the seed and they changed. */
async function candidatesOf(
  links: LinkGraph,
  { after }: TwoStates,
  pages: PagesAt,
  seeds: readonly NearPage[],
  sites: SiteLinks,
): Promise<Candidate[]> {
  const known = new Set(seeds.map(({ node }) => node));
  const best = new Map<number, number>();
  for (const { node, version, score, change } of seeds) {
    if (node < 0) continue;
    const site = await sites.siteOf(version);
    for (const direction of ['out', 'in'] as const) {
      for (const other of await links.linksAt(node, direction, after.epoch)) {
        const before = best.get(other) ?? Number.NEGATIVE_INFINITY;
        if (known.has(other) || before >= score + change) continue;
        const found = pages.versionOf(other);
        if (found >= 0 && sites.counts(site, await sites.siteOf(found)))
          best.set(other, score + change);
      }
    }
  }
  const there = [...best];
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
