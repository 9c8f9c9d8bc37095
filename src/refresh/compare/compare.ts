/**
 * Orders side by side on a collection of which the truth is known: what each costs, and how much
 * that depends on the draw.
 *
 * Idea      An order learns of a page only when it tests it: here a test is a look into the list of
 *           living pages. So a comparison is a refresh without requests.
 * Ensures   runs that do not depend on a draw are made once. Beside the sample of z pages, `pa+-`
 *           is run with samples of 5 z (Figure 3a of LiveRank).
 * Cost      for each run one or two walks over all links (`pa`, `pa+-`) or one pass.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Collection } from '../orders/collection.ts';
import { costsOf } from '../orders/cost.ts';
import { inDegrees } from '../orders/in-degree.ts';
import type { OrderMethod, Verdict } from '../orders/order.ts';
import { type SampleName, sampleFor } from '../orders/sample.ts';

/** The shares of living pages at which costs are given: 0.05 to 1. */
const ALPHAS: readonly number[] = Array.from({ length: 20 }, (_, i) => (i + 1) / 20);

/** Figure 3a compares samples of z and of this many times z. */
const LARGER = 5;

interface CompareRequest {
  readonly methods: readonly OrderMethod[];
  readonly samples: readonly SampleName[];
  readonly z: number;
  readonly seeds: number;
  readonly perHost?: number;
  /** Costs are in requests, with those that each host takes, instead of tests. */
  readonly hosts?: boolean;
  readonly onProgress?: (label: string, done: number) => void;
}

/** The costs of one order at each of `ALPHAS`, over all seeds. */
export interface OrderCosts {
  readonly by: string;
  readonly title: string;
  /** How the sample was chosen: a static order, `hosts` for asf, '' without a sample. */
  readonly sample: string;
  readonly z: number;
  readonly seeds: number;
  readonly mean: readonly number[];
  readonly least: readonly number[];
  readonly most: readonly number[];
}

/** A cumulative distribution: the share of pages whose value is at most x. */
type Distribution = readonly (readonly [x: number, share: number])[];

export interface Correlation {
  readonly alive: Distribution;
  readonly dead: Distribution;
  readonly all: Distribution;
}

export interface OrderComparison {
  readonly pages: number;
  readonly links: number;
  readonly living: number;
  readonly z: number;
  readonly seeds: number;
  /** What costs count. */
  readonly unit: 'tests' | 'requests';
  readonly alphas: readonly number[];
  readonly runs: readonly OrderCosts[];
  /** Figure 1: are pages with many links to them, or a high PageRank, more often alive? */
  readonly inDegree: Correlation;
  readonly pageRank: Correlation;
}

export async function compareOrders(
  collection: Collection,
  alive: Uint8Array,
  request: CompareRequest,
): Promise<OrderComparison> {
  const planned = planOf(request, collection.pages);
  const runs: OrderCosts[] = [];
  for (const [i, run] of planned.entries()) {
    request.onProgress?.(labelOf(run), i / planned.length);
    runs.push(await costsOver(collection, alive, run, request));
  }
  const { z, seeds } = request;
  return {
    pages: collection.pages,
    links: collection.graph.arcs,
    living: alive.reduce((sum, one) => sum + one, 0),
    z,
    seeds,
    unit: request.hosts ? 'requests' : 'tests',
    alphas: ALPHAS,
    runs,
    inDegree: correlation(await inDegrees(collection), alive),
    pageRank: correlation(await collection.pageRank(), alive),
  };
}

interface Planned {
  readonly method: OrderMethod;
  readonly sample: SampleName | undefined;
  readonly z: number;
}

const labelOf = ({ method, sample }: Planned) =>
  sample && !method.sample ? `${method.name} after ${sample}` : method.name;

function planOf({ methods, samples, z }: CompareRequest, pages: number): Planned[] {
  return methods.flatMap((method): Planned[] => {
    if (method.kind === 'static') return [{ method, sample: undefined, z: 0 }];
    if (method.sample) return [{ method, sample: samples[0], z }];
    const sizes = method.name === 'pa+-' && LARGER * z <= pages ? [z, LARGER * z] : [z];
    return sizes.flatMap((size) => samples.map((sample) => ({ method, sample, z: size })));
  });
}

async function costsOver(
  collection: Collection,
  alive: Uint8Array,
  { method, sample, z }: Planned,
  { seeds, perHost, hosts: byHost = false }: CompareRequest,
): Promise<OrderCosts> {
  const hosts = byHost ? await collection.hosts() : undefined;
  const isDrawn = method.name === 'random' || method.sample || sample === 'random';
  const costs: Float64Array[] = [];
  for (let seed = 1; seed <= (isDrawn ? seeds : 1); seed++) {
    const size = { by: sample ?? 'random', z, seed, ...(perHost !== undefined && { perHost }) };
    const order = await wholeOrder(collection, method, size, alive);
    costs.push(costsOf(order, alive, ALPHAS, hosts));
  }
  const over = (fold: (values: number[]) => number) =>
    ALPHAS.map((_, i) => fold(costs.map((one) => one[i])));
  return {
    by: method.name,
    title: method.title,
    sample: method.sample ? 'hosts' : (sample ?? ''),
    z,
    seeds: costs.length,
    mean: over((values) => values.reduce((sum, value) => sum + value, 0) / values.length),
    least: over((values) => Math.min(...values)),
    most: over((values) => Math.max(...values)),
  };
}

/** All pages in the order of their tests: the sample, then the rest. */
export async function wholeOrder(
  collection: Collection,
  method: OrderMethod,
  size: Parameters<typeof sampleFor>[2],
  alive: Uint8Array,
): Promise<Uint32Array> {
  const test = (page: number) => alive[page] as Verdict;
  const pages = await sampleFor(method, collection, size);
  const verdicts = Uint8Array.from(pages, test);
  const order = await method.open(collection, { pages, verdicts }, { seed: size.seed });
  const all = new Uint32Array(collection.pages);
  all.set(pages);
  let count = pages.length;
  for (let page = order.next(); page >= 0; page = order.next()) {
    all[count++] = page;
    order.tested(page, test(page));
  }
  return all;
}

/** Points of a distribution: enough for a smooth line. */
const POINTS = 200;

function correlation(values: Float64Array, alive: Uint8Array): Correlation {
  const of = (kept: (page: number) => boolean) =>
    distribution(values.filter((_, page) => kept(page)));
  return {
    alive: of((page) => alive[page] === 1),
    dead: of((page) => alive[page] === 0),
    all: of(() => true),
  };
}

function distribution(values: Float64Array): Distribution {
  const sorted = values.sort();
  const points: [number, number][] = [];
  for (let i = 1; i <= Math.min(POINTS, sorted.length); i++) {
    const at = Math.ceil((i * sorted.length) / Math.min(POINTS, sorted.length));
    points.push([sorted[at - 1], at / sorted.length]);
  }
  return points;
}

/**
 * Marks the nodes that are named: one entry a node, 1 for those. Names that are no nodes are
 * counted.
 */
export async function marked(
  { nodes, names }: Graph,
  wanted: ReadonlySet<string>,
): Promise<{ alive: Uint8Array; unknown: number }> {
  const alive = new Uint8Array(nodes);
  let found = 0;
  let node = 0;
  for await (const name of names.all()) {
    if (wanted.has(name)) {
      alive[node] = 1;
      found++;
    }
    node++;
  }
  if (found > 0) return { alive, unknown: wanted.size - found };
  throw new DrumlinError(
    'NODES',
    `None of the ${wanted.size} names of living pages is a node of this graph.`,
    'Write the names as the graph has them; "drumlin rank <graph> --by in" shows some.',
  );
}
