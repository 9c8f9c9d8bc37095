/**
 * The live graph of domains: what it costs to gather links, to decide which are new, to keep them
 * by target, and to estimate supporters while crawling. It also checks that the estimates equal
 * those of the ranker that has the whole graph.
 *
 *   npm run bench -- domain-graph [--domains 100k] [--degree 20] [--repeats 3] [--passes 2]
 *                                 [--memory 32Mi] [--p 0.001,0.01,0.1] [--ticks 10] [--seed 1]
 *
 * The edges of a synthetic graph (bench/supporters/domain-graph.ts) are found on pages of 60 links
 * in no order, each on `--repeats` pages of its site shortly after one another, and all that in
 * `--passes` passes. After each of `--ticks` equal parts of a pass everything is decided, as in a
 * crawl that computes ranks. Rates are per second of processor time; bytes are those of the
 * system's calls.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { politePacer } from '../src/base/pacer.ts';
import { formatBytes, formatCount, parseBytes, parseCount } from '../src/base/units.ts';
import { xxh64 } from '../src/base/xxh64.ts';
import { Disk } from '../src/disk/disk.ts';
import type { Csr, Graph } from '../src/graph/graph.ts';
import { MemoryNames } from '../src/graph/memory-names.ts';
import { rank } from '../src/rank/index.ts';
import { DomainEdges } from '../src/reputation/edges/domain-edges.ts';
import { EdgeGatherer } from '../src/reputation/edges/edge-gatherer.ts';
import { unpackEdges } from '../src/reputation/edges/edge-parcel.ts';
import { estimateSupporters } from '../src/reputation/edges/live-tse.ts';
import { SupporterSample } from '../src/reputation/edges/supporter-sample.ts';
import { domainGraph } from './supporters/domain-graph.ts';

const LINKS_A_PAGE = 60;
const MOST_ARCS = 4e6;
/** Pages with different links, between two drains. */
const DISTINCT = 100;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      domains: { type: 'string', default: '100k' },
      degree: { type: 'string', default: '20' },
      repeats: { type: 'string', default: '3' },
      passes: { type: 'string', default: '2' },
      memory: { type: 'string', default: '32Mi' },
      p: { type: 'string', default: '0.001,0.01,0.1' },
      ticks: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      dir: { type: 'string', default: tmpdir() },
    },
  });
  const seed = parseCount(values.seed);
  const web = await Web.make(parseCount(values.domains), Number(values.degree), seed);
  const folder = mkdtempSync(join(values.dir, 'drumlin-bench-'));
  try {
    const disk = new Disk();
    const edges = await DomainEdges.open({ disk, folder, memory: parseBytes(values.memory) });
    const counts = { repeats: parseCount(values.repeats), passes: parseCount(values.passes) };
    await findEdges(web, edges, disk, { ...counts, ticks: parseCount(values.ticks) });
    await scan(edges);
    for (const p of values.p.split(',').map(Number))
      await estimate(web, edges, disk, folder, p, seed);
    await edges.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Page {
  readonly source: bigint;
  readonly url: string;
  readonly links: string[];
  /** How many of the links lead to other domains. */
  readonly others: number;
}

/**
 * A graph whose domains have names, and pages of 60 links with its edges: some links lead to other
 * domains, the rest to the page's own.
 */
class Web {
  readonly graph: Graph;
  readonly names: readonly string[];
  readonly keys: BigUint64Array;
  /** For each domain, the URL of the page that others link to. */
  readonly #urls: readonly string[];
  readonly #targets: Uint32Array;
  /** For each page: its domain, and where its links begin and end among the targets. */
  readonly #pages: readonly (readonly [source: number, from: number, to: number])[];

  private constructor(graph: Graph, { offsets, targets }: Csr) {
    this.names = Array.from(
      { length: graph.nodes },
      (_, i) => `domain-${String(i).padStart(9, '0')}.example`,
    );
    this.graph = { ...graph, names: new MemoryNames(this.names) };
    this.keys = BigUint64Array.from(this.names, (name) => xxh64(name));
    // In one piece, like URLs from the parser.
    this.#urls = this.names.map((name) => Buffer.from(`https://${name}/`).toString('latin1'));
    this.#targets = targets;
    const pages: [number, number, number][] = [];
    for (let node = 0; node < graph.nodes; node++) {
      for (let from = offsets[node]; from < offsets[node + 1]; from += LINKS_A_PAGE)
        pages.push([node, from, Math.min(from + LINKS_A_PAGE, offsets[node + 1])]);
    }
    this.#pages = pages;
  }

  static async make(nodes: number, degree: number, seed: number): Promise<Web> {
    const graph = domainGraph({ nodes, degree, seed });
    print(`${formatCount(nodes)} domains, ${formatCount(graph.arcs)} edges`);
    return new Web(graph, await graph.out.load());
  }

  /** The pages of a part, in large steps, so that neighbours are far apart. */
  *pages(part: number, parts: number): Generator<Page> {
    const { length } = this.#pages;
    const stride = strideOf(length);
    for (
      let i = Math.floor((part * length) / parts);
      i < Math.floor(((part + 1) * length) / parts);
      i++
    ) {
      const [source, from, to] = this.#pages[(i * stride) % length];
      const url = this.#urls[source];
      const links = new Array(LINKS_A_PAGE).fill(url);
      for (let at = from; at < to; at++) links[at - from] = this.#urls[this.#targets[at]];
      yield { source: this.keys[source], url, links, others: to - from };
    }
  }
}

async function findEdges(
  web: Web,
  edges: DomainEdges,
  disk: Disk,
  {
    repeats,
    passes,
    ticks,
  }: { readonly repeats: number; readonly passes: number; readonly ticks: number },
): Promise<void> {
  const gatherer = new EdgeGatherer({ owners: 1, ownerOf: () => 0, cash: true, cache: 2 ** 20 });
  const sum = {
    gathering: 0,
    deciding: 0,
    pages: 0,
    found: 0,
    sent: 0,
    parcels: 0,
    bytes: 0,
    unique: 0,
  };
  for (let tick = 0; tick < ticks * passes; tick++) {
    for (const distinct of inParts(web.pages(tick % ticks, ticks), DISTINCT)) {
      const pages = Array.from({ length: repeats }, () => distinct).flat();
      const start = cpuSeconds();
      for (const { source, url, links } of pages) gatherer.page(source, url, links);
      const parcel = gatherer.drain(0);
      sum.gathering += cpuSeconds() - start;
      sum.pages += pages.length;
      for (const { others } of pages) sum.found += others;
      if (!parcel) continue;
      sum.parcels++;
      sum.bytes += parcel.length;
      const decides = cpuSeconds();
      const lists = unpackEdges(parcel);
      sum.sent += lists.sources.length;
      edges.addLists(lists);
      await edges.write();
      sum.deciding += cpuSeconds() - decides;
    }
    const start = cpuSeconds();
    await edges.flush();
    for (let batch = await edges.take(); batch; batch = await edges.take())
      sum.unique += batch.length;
    await edges.discardOlder(await edges.freeze());
    sum.deciding += cpuSeconds() - start;
  }
  const { pages, found, sent, parcels, unique } = sum;
  const micros = ((1e6 * sum.gathering) / pages).toFixed(1);
  print(
    `gathering: ${micros} µs a page of ${LINKS_A_PAGE} links, ${(found / pages).toFixed(0)} of them to other domains; ${formatCount(found)} found, ${formatCount(sent)} sent in ${formatCount(parcels)} parcels of ${formatBytes(sum.bytes / parcels)}`,
  );
  const { written, read } = disk.traffic;
  print(
    `deciding: ${formatCount(sent / sum.deciding)} edges/s, ${formatCount(unique / sum.deciding)} unique/s; ${(written / unique).toFixed(0)} bytes written and ${(read / unique).toFixed(0)} read a unique edge in ${ticks * passes} ticks`,
  );
}

function* inParts<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let part: T[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

async function scan(edges: DomainEdges): Promise<void> {
  const start = cpuSeconds();
  let [lists, sources] = [0, 0];
  for await (const block of edges.lists()) {
    lists += block.length;
    sources += block.ends[block.length - 1];
  }
  const seconds = cpuSeconds() - start;
  print(
    `lists: ${formatCount(lists)} targets, ${formatCount(sources)} edges, ${((1e9 * seconds) / sources).toFixed(0)} ns an edge; peak RSS ${formatBytes(1024 * process.resourceUsage().maxRSS)}`,
  );
}

async function estimate(
  web: Web,
  edges: DomainEdges,
  disk: Disk,
  folder: string,
  p: number,
  seed: number,
) {
  const sample = await drawSample(edges, disk, folder, p, seed);
  const before = process.memoryUsage.rss();
  const pauses = new Pauses();
  const start = cpuSeconds();
  const found = new Map<bigint, number>();
  const pacer = politePacer();
  for await (const batch of estimateSupporters(edges.lists(), sample, { pacer })) {
    for (let i = 0; i < batch.length; i++) found.set(batch.targets[i], batch.supporters[i]);
  }
  const seconds = cpuSeconds() - start;
  const longest = pauses.end();
  const memory = process.memoryUsage.rss() - before;
  const offline = cpuSeconds();
  const { scores } = await rank(web.graph, { by: 'tse', p, seed, sample: 'name' });
  const offlineSeconds = cpuSeconds() - offline;
  const wrong = scores.reduce(
    (sum, score, node) => sum + (score === (found.get(web.keys[node]) ?? 0) ? 0 : 1),
    0,
  );
  print(
    `TSE, p = ${p}: ${formatCount(sample.length)} sampled arcs, ${((1e9 * seconds) / web.graph.arcs).toFixed(0)} ns an in-arc (offline ${((1e9 * offlineSeconds) / web.graph.arcs).toFixed(0)}), longest pause ${longest.toFixed(0)} ms, RSS +${formatBytes(Math.max(0, memory))}; ${wrong} of ${formatCount(scores.length)} differ`,
  );
  await sample.close();
}

async function drawSample(edges: DomainEdges, disk: Disk, folder: string, p: number, seed: number) {
  const sample = await SupporterSample.open({ disk, folder, p, seed, most: MOST_ARCS });
  for await (const block of edges.lists()) {
    const targets = new BigUint64Array(block.sources.length);
    for (let i = 0, at = 0; i < block.length; i++)
      for (; at < block.ends[i]; at++) targets[at] = block.targets[i];
    sample.offer({ length: block.ends[block.length - 1], targets, sources: block.sources });
  }
  return sample;
}

/** The longest time that the event loop was blocked. */
class Pauses {
  #last = performance.now();
  #longest = 0;
  readonly #timer = setInterval(() => this.#look(), 1);

  end(): number {
    this.#look();
    clearInterval(this.#timer);
    return this.#longest;
  }

  #look(): void {
    const now = performance.now();
    this.#longest = Math.max(this.#longest, now - this.#last - 1);
    this.#last = now;
  }
}

/** About the golden ratio, coprime to `count`. */
function strideOf(count: number): number {
  let stride = Math.max(1, Math.round(count * 0.618));
  while (divisor(stride, count) > 1) stride++;
  return stride;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
