/**
 * An old collection as orders see it: its graph, and what several orders need of it, computed once.
 *
 * Costs     memory for each part that is asked for: PageRank and its order 12 bytes a page, links
 *           4 bytes an arc, hosts 4 bytes a page.
 */
import type { Bytes } from '../../base/units.ts';
import type { Csr, Graph } from '../../graph/graph.ts';
import { type Jump, type LiveWalk, liveWalks } from '../../rank/engine/live-walks.ts';
import { order } from '../../rank/engine/order.ts';
import { LIVE_WALK, withoutNoise } from '../../rank/methods/live.ts';
import { hostOf } from '../../url/parts.ts';

const MEMORY: Bytes = 2 * 2 ** 30;

interface CollectionOptions {
  readonly threads?: number;
  /** Limit for the walks. */
  readonly memory?: Bytes;
  /** Largest error of a score of a walk, relative to that score. */
  readonly tolerance?: number;
  /** Called with the share of the current walk that is done; it may throw, to stop the work. */
  readonly onProgress?: (done: number) => void;
}

/** The host of each page. */
export interface Hosts {
  /** How many hosts there are. */
  readonly count: number;
  /** The host's number; hosts are numbered in the order of their first pages. */
  readonly of: Uint32Array;
}

export class Collection {
  readonly graph: Graph;
  readonly #walk: LiveWalk;
  readonly #options: CollectionOptions;
  #pageRank: Promise<Float64Array> | undefined;
  #byPageRank: Promise<Uint32Array> | undefined;
  #links: Promise<Csr> | undefined;
  #hosts: Promise<Hosts> | undefined;

  constructor(graph: Graph, options: CollectionOptions = {}) {
    this.graph = graph;
    this.#options = options;
    this.#walk = { ...LIVE_WALK, tolerance: options.tolerance ?? LIVE_WALK.tolerance };
  }

  get pages(): number {
    return this.graph.nodes;
  }

  /** PageRank with each of the jumps, its dangling mass lost. */
  async walks(jumps: readonly Jump[]): Promise<Float64Array[]> {
    const { threads = 1, memory = MEMORY, onProgress } = this.#options;
    const options = { threads, memory, ...(onProgress && { onProgress }) };
    const results = await liveWalks(this.graph, jumps, this.#walk, options);
    return results.map(({ scores }) => scores);
  }

  /** PageRank of each page, d = 0.85. */
  pageRank(): Promise<Float64Array> {
    this.#pageRank ??= this.walks([undefined]).then(([scores]) => withoutNoise(scores));
    return this.#pageRank;
  }

  /** All pages by PageRank, then by name: what settles ties in all orders. */
  byPageRank(): Promise<Uint32Array> {
    this.#byPageRank ??= this.pageRank().then((scores) => order(scores));
    return this.#byPageRank;
  }

  /** The links of each page, in memory. */
  links(): Promise<Csr> {
    this.#links ??= this.graph.out.load();
    return this.#links;
  }

  /** The host of each page, by its name; a name that is no URL is a host of its own. */
  hosts(): Promise<Hosts> {
    this.#hosts ??= hostsOf(this.graph);
    return this.#hosts;
  }
}

async function hostsOf({ nodes, names }: Graph): Promise<Hosts> {
  const of = new Uint32Array(nodes);
  const numbers = new Map<string, number>();
  let page = 0;
  for await (const name of names.all()) {
    const host = /^https?:\/\/[^/]+\//.test(name) ? hostOf(name) : name;
    const number = numbers.get(host) ?? numbers.size;
    numbers.set(host, number);
    of[page++] = number;
  }
  return { count: numbers.size, of };
}
