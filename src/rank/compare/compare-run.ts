/**
 * Runs several ranking methods on one graph and measures them side by side: what each admits to the
 * top, how much they agree, how far estimates of supporters are off, and what each costs.
 *
 * Requires  no more than 8 bytes a node beside what the methods take: only the tops of the rankings
 *           are kept.
 * Ensures   nodes that TrustRank is given as trusted are left out of every ranking, as in the
 *           paper: to be on that list is no merit.
 */

import { stopIfAsked } from '../../base/stop.ts';
import type { Bytes } from '../../base/units.ts';
import type { Graph } from '../../graph/graph.ts';
import { findNodes } from '../engine/nodes.ts';
import { order } from '../engine/order.ts';
import { checkParameters, type Given } from '../engine/parameters.ts';
import type { NodeWeights, Ranker, RankResult } from '../engine/ranker.ts';
import { type TrustRankValues, whitelist } from '../methods/trustrank.ts';
import { findRanker } from '../registry.ts';
import { type ErrorByRank, errorByRank, kendallTau, overlap, placesOf } from './compare.ts';
import { peakMemory } from './peak-memory.ts';

export interface Contestant {
  /** The request as written: `tse:p=0.001`. */
  readonly label: string;
  readonly by: string;
  readonly given: Readonly<Record<string, Given>>;
}

export interface CompareRequest {
  readonly contestants: readonly Contestant[];
  readonly top: number;
  readonly bad?: NodeWeights;
  readonly good?: NodeWeights;
  readonly threads: number;
  readonly memory: Bytes;
  readonly onProgress?: (label: string, done: number) => void;
  /** Stops the work. */
  readonly signal?: AbortSignal;
  /** Bytes of the graph read from disk so far, if they are counted. */
  readonly bytesRead?: () => number;
}

export interface Comparison {
  readonly nodes: number;
  readonly arcs: number;
  readonly top: number;
  readonly bad?: FoundList;
  readonly good?: FoundList;
  /** Nodes that were left out because TrustRank trusts them. */
  readonly leftOut: number;
  readonly methods: readonly MethodReport[];
  /** The share of the tops that two methods have in common, by row and column. */
  readonly overlap: readonly (readonly number[])[];
  readonly kendallTau: readonly (readonly number[])[];
}

export interface FoundList {
  readonly given: number;
  /** How many of the names are in the graph. */
  readonly found: number;
}

export interface MethodReport {
  readonly label: string;
  readonly title: string;
  readonly facts: RankResult['facts'];
  readonly milliseconds: number;
  readonly cpuMilliseconds: number;
  readonly memoryBytes: Bytes;
  readonly bytesRead: Bytes;
  /** Places of bad nodes in the top. */
  readonly badPlaces: readonly number[];
  readonly goodPlaces: readonly number[];
  readonly first: readonly {
    readonly name: string;
    readonly score: number;
    readonly bad: boolean;
  }[];
  /** Error against SUPP, for methods that estimate it. */
  readonly error?: ErrorByRank;
}

/** Methods that estimate the number of supporters at level two, if their depth is 2. */
const ESTIMATORS = new Set(['tse', 'bit-vector', 'qvs', 'supp-a', 'supp-b']);
const SUPP = 'supp';
/** Names to show of each ranking. */
const SHOWN = 15;

export async function compareRankings(graph: Graph, request: CompareRequest): Promise<Comparison> {
  const methods = await Promise.all(
    request.contestants.map((contestant) => prepare(contestant, request)),
  );
  const leftOut = new Set(await trustedNodes(graph, methods, request));
  const bad = request.bad && new Set((await findNodes(graph, request.bad)).ids);
  const good = request.good && new Set((await findNodes(graph, request.good)).ids);
  const runs = await runAll(graph, methods, leftOut, request);
  const reports: MethodReport[] = [];
  for (const { list, names, ...run } of runs) {
    reports.push({
      ...run,
      badPlaces: bad ? placesOf(list, (node) => bad.has(node)) : [],
      goodPlaces: good ? placesOf(list, (node) => good.has(node)) : [],
      first: names.map((node, i) => ({ ...node, bad: bad?.has(list[i]) ?? false })),
    });
  }
  const each = <T>(measure: (a: Uint32Array, b: Uint32Array) => T) =>
    runs.map(({ list: a }) => runs.map(({ list: b }) => measure(a, b)));
  return {
    nodes: graph.nodes,
    arcs: graph.arcs,
    top: Math.min(request.top, graph.nodes - leftOut.size),
    ...(request.bad && { bad: { given: request.bad.size, found: bad?.size ?? 0 } }),
    ...(request.good && { good: { given: request.good.size, found: good?.size ?? 0 } }),
    leftOut: leftOut.size,
    methods: reports,
    overlap: each(overlap),
    kendallTau: each(kendallTau),
  };
}

interface Method {
  readonly label: string;
  readonly ranker: Ranker;
  readonly values: ReturnType<typeof checkParameters>;
}

/**
 * By default TrustRank trusts the first of the good names, the best of the paper's strategies. A
 * `whitelist` parameter overrides this.
 */
async function prepare(
  { label, by, given }: Contestant,
  { good }: CompareRequest,
): Promise<Method> {
  const ranker = await findRanker(by);
  const trust = by === 'trustrank' && good ? { good, whitelist: 'single' } : {};
  return { label, ranker, values: checkParameters(by, ranker.parameters, { ...trust, ...given }) };
}

async function trustedNodes(
  graph: Graph,
  methods: readonly Method[],
  { threads, memory }: CompareRequest,
): Promise<number[]> {
  const trusting = methods.filter(({ ranker }) => ranker.name === 'trustrank');
  if (graph.nodes === 0) return [];
  const lists = trusting.map(({ values }) =>
    whitelist(graph, values as TrustRankValues, { threads, memory }),
  );
  return (await Promise.all(lists)).flat();
}

interface Run extends Omit<MethodReport, 'badPlaces' | 'goodPlaces' | 'first'> {
  readonly list: Uint32Array;
  readonly names: readonly { readonly name: string; readonly score: number }[];
}

/**
 * Runs SUPP first, so that each later method can be compared with it at once. Reports keep the
 * order asked for.
 */
async function runAll(
  graph: Graph,
  methods: readonly Method[],
  leftOut: ReadonlySet<number>,
  request: CompareRequest,
): Promise<Run[]> {
  const isExact = ({ ranker, values }: Method) => ranker.name === SUPP && values.depth === 2;
  const inTurn = [...methods].sort((a, b) => Number(isExact(b)) - Number(isExact(a)));
  const runs = new Map<Method, Run>();
  let exact: { list: Uint32Array; scores: Float64Array } | undefined;
  for (const method of inTurn) {
    const { scores, ...run } = await runOne(graph, method, request);
    const list = topOf(scores, request.top, leftOut);
    const scoresOf = (nodes: Uint32Array) => Float64Array.from(nodes, (node) => scores[node]);
    if (isExact(method)) exact ??= { list, scores: scoresOf(list) };
    const estimates =
      exact && ESTIMATORS.has(method.ranker.name) && (method.values.depth ?? 2) === 2;
    const names: { name: string; score: number }[] = [];
    for (const node of list.subarray(0, SHOWN))
      names.push({ name: await graph.names.name(node), score: scores[node] });
    runs.set(method, {
      ...run,
      list,
      names,
      ...(exact && estimates && { error: errorByRank(exact.scores, scoresOf(exact.list)) }),
    });
  }
  return methods.map((method) => runs.get(method) as Run);
}

async function runOne(graph: Graph, { label, ranker, values }: Method, request: CompareRequest) {
  const { threads, memory, onProgress, signal, bytesRead } = request;
  const options = {
    threads,
    memory,
    onProgress(done: number) {
      stopIfAsked(signal);
      onProgress?.(label, done);
    },
  };
  const readBefore = bytesRead?.() ?? 0;
  const measured = await peakMemory(async () => {
    const start = performance.now();
    const cpuStart = process.cpuUsage();
    const result = await ranker.run(graph, values, options);
    const { user, system } = process.cpuUsage(cpuStart);
    return {
      ...result,
      milliseconds: performance.now() - start,
      cpuMilliseconds: (user + system) / 1000,
    };
  });
  const { scores, facts, milliseconds, cpuMilliseconds } = measured.result;
  return {
    label,
    title: ranker.title,
    scores,
    facts,
    milliseconds,
    cpuMilliseconds,
    memoryBytes: measured.bytes,
    // Only the method knows how many bytes it moves through files of its own.
    bytesRead: Math.max(bytesRead ? bytesRead() - readBefore : 0, Number(facts.bytesRead ?? 0)),
  };
}

/** The best nodes, without those left out. */
function topOf(scores: Float64Array, top: number, leftOut: ReadonlySet<number>): Uint32Array {
  const best = order(scores, Math.min(scores.length, top + leftOut.size));
  return best.filter((node) => !leftOut.has(node)).subarray(0, top);
}
