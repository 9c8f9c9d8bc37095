/**
 * What the orders of LiveRank cost on webs of the lab, seed by seed, against the lines that the
 * paper's figures suggest.
 *
 *   npm run bench -- liverank [--domains 3500] [--seeds 1,2,3,4,5] [--draw 1] [--tolerance 1e-5]
 *                             [--dir folder]
 *
 * 3,500 domains are about a million pages: some two minutes of CPU to make a web, and as much to
 * compare. With --dir webs are kept there, and found again. A looser tolerance saves time: at 1e-2
 * half the iterations, and costs change in the third digit. One draw of the sample is compared;
 * `refresh compare` shows the spread over several.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatCount, parseCount } from '../src/base/units.ts';
import { packNames } from '../src/graph/arcs.ts';
import { buildGraph } from '../src/graph/build.ts';
import { openGraph } from '../src/graph/open-graph.ts';
import { PageGraph } from '../src/lab/judge/page-graph.ts';
import { urlOf } from '../src/lab/paths.ts';
import { webOf } from '../src/lab/server/lab.ts';
import { orderWithin } from '../src/rank/engine/order.ts';
import { ratioOf, withoutNoise } from '../src/rank/methods/live.ts';
import { marked, wholeOrder } from '../src/refresh/compare/compare.ts';
import { Collection } from '../src/refresh/orders/collection.ts';
import { costsOf } from '../src/refresh/orders/cost.ts';
import { inDegrees } from '../src/refresh/orders/in-degree.ts';
import { shuffled } from '../src/refresh/orders/random.ts';
import { findOrder } from '../src/refresh/orders/registry.ts';

const STEPS = [138, 11] as const;
type Step = (typeof STEPS)[number];
const ALPHAS = Array.from({ length: 20 }, (_, i) => (i + 1) / 20);
const Z = 0.0054;
const LARGER = 5;
const PORTS = { http: 8080, https: 8443, dns: 0, control: 0 };

/** The cost of an order at a share of the living pages. */
type CostOf = (name: string, alpha: number) => number;
type Line = readonly [text: string, holds: boolean, figures: string];

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      domains: { type: 'string', default: '3500' },
      seeds: { type: 'string', default: '1,2,3,4,5' },
      draw: { type: 'string', default: '1' },
      tolerance: { type: 'string', default: '1e-5' },
      dir: { type: 'string' },
    },
  });
  const folder = values.dir ?? mkdtempSync(join(tmpdir(), 'drumlin-liverank-'));
  const options = { draw: Number(values.draw), tolerance: Number(values.tolerance) };
  try {
    for (const seed of values.seeds.split(',').map(Number)) {
      const web = { seed, domains: parseCount(values.domains), scenario: 'clean' };
      const path = join(folder, `web-${web.domains}-${seed}`);
      if (!existsSync(path)) await makeWeb(path, web);
      await compareSeed(path, web, options);
    }
  } finally {
    if (values.dir === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

interface WebOptions {
  readonly seed: number;
  readonly domains: number;
  readonly scenario: string;
}

async function makeWeb(path: string, web: WebOptions): Promise<void> {
  const pages = new PageGraph(webOf(web, PORTS));
  const source = { numbered: packNames(pages.urls()), arcs: inTurn(pages.arcs()) };
  await buildGraph(path, source, { level: 'page' });
}

async function compareSeed(
  path: string,
  web: WebOptions,
  { draw, tolerance }: { draw: number; tolerance: number },
): Promise<void> {
  const graph = await openGraph(path);
  try {
    const collection = new Collection(graph, { tolerance });
    const alive = new Map<Step, Uint8Array>();
    for (const step of STEPS) alive.set(step, (await marked(graph, living(web, step))).alive);
    const lines = await linesOf(collection, (step) => alive.get(step)!, draw);
    const failed = lines.filter(([, holds]) => !holds).length;
    print(
      `\nseed ${web.seed}: ${formatCount(graph.nodes)} pages, ${formatCount(graph.arcs)} links; ${failed} of ${lines.length} lines do not hold`,
    );
    for (const [text, holds, figures] of lines)
      print(`${holds ? '    ' : '  ✗ '}${text}: ${figures}`);
  } finally {
    await graph.close();
  }
}

/** The pages of step 0 that live at a step. In a clean web a page answers as long as it exists. */
function living(web: WebOptions, step: Step): Set<string> {
  const [then, now] = [webOf(web, PORTS), webOf({ ...web, step }, PORTS)];
  const urls = new Set<string>();
  for (let index = 0; index < web.domains; index++) {
    const [before, domain] = [then.domains.at(index), now.domains.at(index)];
    for (let page = 0; domain.alive && page < before.pages; page++)
      if (domain.hasPage(page)) urls.add(urlOf(before, page));
  }
  return urls;
}

async function linesOf(
  collection: Collection,
  aliveAt: (step: Step) => Uint8Array,
  draw: number,
): Promise<Line[]> {
  const n = collection.pages;
  const z = Math.round(Z * n);
  const byPageRank = await collection.byPageRank();
  const drawn = shuffled(collection, draw);
  const byIn = orderWithin(byPageRank, await inDegrees(collection));
  const samples = {
    random: drawn.slice(0, z),
    larger: drawn.slice(0, LARGER * z),
    in: byIn.slice(0, z),
    pagerank: byPageRank.slice(0, z),
  };
  const runs = [
    { name: 'pa+- 138', sample: samples.random, step: 138 },
    { name: 'pa+- 11', sample: samples.random, step: 11 },
    { name: 'larger', sample: samples.larger, step: 138 },
    { name: 'in', sample: samples.in, step: 138 },
    { name: 'pagerank', sample: samples.pagerank, step: 138 },
  ] as const;
  const sides = runs.flatMap(({ sample, step }) =>
    [1, 0].map((side) => sample.filter((page) => aliveAt(step)[page] === side)),
  );
  // All walks at once: three of them take one pass over the links.
  const walks = await collection.walks(sides);
  const costs = new Map<string, Float64Array>();
  const costOfAll = (name: string, step: Step, pages: Uint32Array) =>
    costs.set(name, costsOf(pages, aliveAt(step), ALPHAS));
  for (const step of STEPS) {
    costOfAll(`random ${step}`, step, drawn);
    costOfAll(`by pagerank ${step}`, step, byPageRank);
  }
  for (const [i, { name, sample, step }] of runs.entries()) {
    const [plus, minus] = [walks[2 * i], walks[2 * i + 1]];
    if (sample === samples.random) {
      const pa = orderWithin(byPageRank, withoutNoise(plus.slice()));
      costOfAll(`pa ${step}`, step, after(sample, pa));
    }
    costOfAll(name, step, after(sample, orderWithin(byPageRank, ratioOf(plus, minus))));
  }
  const size = { by: 'random', z, seed: draw } as const;
  costOfAll('bfs', 138, await wholeOrder(collection, findOrder('bfs'), size, aliveAt(138)));
  const share = (step: Step) => aliveAt(step).reduce((sum, one) => sum + one, 0) / n;
  const costOf: CostOf = (name, alpha) => costs.get(name)![Math.round(alpha * 20) - 1];
  return [...oldLines(share(138), costOf), ...newLines(share(11), costOf)];
}

/** The sample, then the other pages of an order. */
function after(sample: Uint32Array, pages: Uint32Array): Uint32Array {
  const tested = new Set(sample);
  const all = new Uint32Array(pages.length);
  all.set(sample);
  let at = sample.length;
  for (const page of pages) if (!tested.has(page)) all[at++] = page;
  return all;
}

function oldLines(share: number, cost: CostOf): Line[] {
  const [random, byPageRank] = [cost('random 138', 0.5), cost('by pagerank 138', 0.5)];
  const early = cost('pa+- 138', 0.2);
  const late = cost('pa+- 138', 0.8);
  const others = (['in', 'pagerank'] as const).flatMap((sample) =>
    [0.2, 0.5, 0.8].map((alpha): Line => {
      const [drawn, other] = [cost('pa+- 138', alpha), cost(sample, alpha)];
      return [
        `138, ${alpha}: a random Z is no dearer than by ${sample}`,
        drawn <= other,
        pair(drawn, other),
      ];
    }),
  );
  return [
    ['138: 5 to 8 % alive', share >= 0.05 && share <= 0.08, percent(share)],
    [
      '138, 0.5: pagerank costs 0.4 of random or more',
      byPageRank >= 0.4 * random,
      pair(byPageRank, random),
    ],
    ['138, 0.2: pa+- costs 3.5 or less', early <= 3.5, early.toFixed(2)],
    [
      '138, 0.2: pa+- costs 0.6 of pagerank or less',
      early <= 0.6 * cost('by pagerank 138', 0.2),
      pair(early, cost('by pagerank 138', 0.2)),
    ],
    ...others,
    ['138, 0.8: bfs is cheaper than pa+-', cost('bfs', 0.8) < late, pair(cost('bfs', 0.8), late)],
    [
      '138, 0.8: five times the sample is cheaper',
      cost('larger', 0.8) < late,
      pair(cost('larger', 0.8), late),
    ],
  ];
}

function newLines(share: number, cost: CostOf): Line[] {
  const range = [0.2, 0.35, 0.5, 0.65, 0.8];
  const lines = range.map((alpha): Line => {
    const [both, pa, byPageRank] = ['pa+- 11', 'pa 11', 'by pagerank 11'].map((name) =>
      cost(name, alpha),
    );
    const holds = both < 1.4 && both < pa && pa < byPageRank;
    return [
      `11, ${alpha}: pa+- is below 1.4, pa, pagerank`,
      holds,
      `${pair(both, pa)} ${byPageRank.toFixed(2)}`,
    ];
  });
  return [['11: 33 to 42 % alive', share >= 0.33 && share <= 0.42, percent(share)], ...lines];
}

const pair = (a: number, b: number) => `${a.toFixed(2)} ${b.toFixed(2)}`;
const percent = (share: number) => `${(100 * share).toFixed(2)} %`;

async function* inTurn<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
