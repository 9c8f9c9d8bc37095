/** The orders for small graphs, written only to be plainly right. */
import { randomNumbers } from '../../../src/base/random-numbers.ts';
import { inDegrees, pagerank, type SmallGraph } from '../../rank/methods/naive.ts';

export interface Truth {
  readonly graph: SmallGraph;
  /** The host of each page; by default each page has its own. */
  readonly hosts?: readonly number[];
  readonly seed?: number;
  /** 0 dead, 1 alive. */
  readonly alive: readonly number[];
  /** The sample, in its order. */
  readonly sample: readonly number[];
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

/** Scores that differ only in rounding are equal. */
const isMore = (a: number, b: number) => a - b > 1e-9 * Math.max(Math.abs(a), Math.abs(b));

/** Best first; equals by the first of the other scores that differs, then by number. */
function sorted(pages: readonly number[], ...scores: readonly (readonly number[])[]): number[] {
  return [...pages].sort((a, b) => {
    for (const score of scores) {
      if (isMore(score[a], score[b])) return -1;
      if (isMore(score[b], score[a])) return 1;
    }
    return a - b;
  });
}

function walkFrom(graph: SmallGraph, jumps: readonly number[]): number[] {
  const jump = range(graph.nodes).map((page) => (jumps.includes(page) ? 1 / jumps.length : 0));
  return pagerank(graph, 0.85, jump, new Array(graph.nodes).fill(0));
}

export const pageRanks = (graph: SmallGraph) => walkFrom(graph, range(graph.nodes));

/** Draws one page after the other from a bag: the last of its places gets the page drawn first. */
function drawn(pages: readonly number[], random: () => number): number[] {
  const bag = [...pages];
  const last: number[] = [];
  while (bag.length > 1) {
    const i = Math.floor(random() * bag.length);
    last.unshift(bag[i]);
    const end = bag.pop() as number;
    if (i < bag.length) bag[i] = end;
  }
  return [...bag, ...last];
}

/** k pages of each host, the largest host first, at most z in all. */
export function sampleByHost(
  { hosts = [], seed = 0 }: Pick<Truth, 'hosts' | 'seed'>,
  z: number,
  k: number,
): number[] {
  const random = randomNumbers(seed);
  const own = (host: number) => range(hosts.length).filter((page) => hosts[page] === host);
  const largest = [...new Set(hosts)].sort(
    (a, b) => own(b).length - own(a).length || own(a)[0] - own(b)[0],
  );
  return largest.flatMap((host) => drawn(own(host), random).slice(0, k)).slice(0, z);
}

/** The pages after the sample. */
export const NAIVE: Readonly<Record<string, (truth: Truth) => number[]>> = {
  random: ({ graph, seed = 0 }) => drawn(range(graph.nodes), randomNumbers(seed)),
  asf(truth) {
    const { alive, sample, hosts = range(truth.graph.nodes) } = truth;
    const shares = hosts.map((host) => {
      const tested = sample.filter((page) => hosts[page] === host);
      return tested.length === 0
        ? -1
        : tested.filter((page) => alive[page] === 1).length / tested.length;
    });
    return sorted(untested(truth), shares, pageRanks(truth.graph));
  },
  in: ({ graph }) => sorted(range(graph.nodes), inDegrees(graph), pageRanks(graph)),
  pagerank: ({ graph }) => sorted(range(graph.nodes), pageRanks(graph)),
  pa(truth) {
    const living = truth.sample.filter((page) => truth.alive[page] === 1);
    const ranks = pageRanks(truth.graph);
    if (living.length === 0) return sorted(untested(truth), ranks);
    return sorted(untested(truth), walkFrom(truth.graph, living), ranks);
  },
  'pa+-'(truth) {
    const living = truth.sample.filter((page) => truth.alive[page] === 1);
    const dead = truth.sample.filter((page) => truth.alive[page] === 0);
    const ranks = pageRanks(truth.graph);
    if (living.length === 0 || dead.length === 0) return sorted(untested(truth), ranks);
    const minus = walkFrom(truth.graph, dead);
    const least = Math.min(...minus.filter((score) => score > 0));
    const ratios = walkFrom(truth.graph, living).map((plus, page) =>
      minus[page] > 0 ? plus / minus[page] : plus / least,
    );
    return sorted(untested(truth), ratios, ranks);
  },
  bfs(truth) {
    const { graph, alive, sample } = truth;
    const best = sorted(range(graph.nodes), pageRanks(graph));
    const tested: number[] = [];
    const queue = [...sample];
    while (tested.length < graph.nodes) {
      const page = queue.shift() ?? (best.find((one) => !tested.includes(one)) as number);
      if (tested.includes(page)) continue;
      tested.push(page);
      if (alive[page] === 1) queue.push(...linksOf(graph, page));
    }
    return tested.slice(sample.length);
  },
  ai(truth) {
    const { graph, alive, sample } = truth;
    const ranks = pageRanks(graph);
    const tested = [...sample];
    while (tested.length < graph.nodes) {
      const scores = range(graph.nodes).map(
        (page) =>
          graph.arcs.filter(([from, to]) => to === page && alive[from] && tested.includes(from))
            .length,
      );
      const left = range(graph.nodes).filter((page) => !tested.includes(page));
      tested.push(sorted(left, scores, ranks)[0]);
    }
    return tested.slice(sample.length);
  },
};

const untested = ({ graph, sample }: Truth) =>
  range(graph.nodes).filter((page) => !sample.includes(page));

const linksOf = ({ arcs }: SmallGraph, page: number) =>
  arcs
    .filter(([from]) => from === page)
    .map(([, to]) => to)
    .sort((a, b) => a - b);

/** cost(L, alpha), literally. */
export function cost(order: readonly number[], alive: readonly number[], alpha: number): number {
  const living = alive.filter((one) => one === 1).length;
  let i = 0;
  const found = () => order.slice(0, i).filter((page) => alive[page] === 1).length;
  while (found() < alpha * living - 1e-9) i++;
  return i / (alpha * living);
}
