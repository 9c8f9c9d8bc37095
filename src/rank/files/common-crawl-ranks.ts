/**
 * Common Crawl's file of ranks: a line for each node, by harmonic centrality, with its PageRank.
 *
 *   #harmonicc_pos  #harmonicc_val  #pr_pos  #pr_val  #host_rev  #n_hosts
 *
 * Format    as their program JoinSortRanks writes it: columns separated by tabs; places from 1, all
 *           different; harmonic centrality as a 32-bit number, PageRank as a 64-bit one, as Java
 *           prints them; names reversed, `org.example.www`. The last column is there if the numbers
 *           of hosts are known, in graphs of domains.
 * Ensures   equal numbers are placed in the order of the reversed names.
 * Costs     both rankings, one after the other; 36 bytes a node while the lines are written, and a
 *           look-up of each name.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { reversed } from '../../graph/io/common-crawl.ts';
import { reversedPlaces } from '../../graph/io/export.ts';
import type { DiskGraph } from '../../graph/open-graph.ts';
import { order, rank } from '../index.ts';
import { javaDouble, javaFloat } from './java-number.ts';

interface RanksFileOptions {
  /** Harmonic centrality exactly, not by HyperBall. */
  readonly exact: boolean;
  /** Registers of HyperBall; its own default if undefined. */
  readonly registers?: number | undefined;
  readonly threads: number;
  readonly memory: Bytes;
  readonly disk: Disk;
  /** An empty folder for temporary files. */
  readonly scratch: string;
  readonly onProgress?: (by: string, done: number) => void;
  readonly signal?: AbortSignal;
}

const COLUMNS = ['#harmonicc_pos', '#harmonicc_val', '#pr_pos', '#pr_val', '#host_rev'];

/** The lines of the file, each with its end. */
export async function* commonCrawlRanks(
  graph: DiskGraph,
  options: RanksFileOptions,
): AsyncGenerator<string> {
  if (!graph.named || graph.level === 'page') throw noHosts();
  const { exact, registers } = options;
  const method = exact
    ? { by: 'harmonic' }
    : { by: 'hyperball', ...(registers !== undefined && { registers: String(registers) }) };
  const harmonic = (await scoresBy(graph, method, options)).map(Math.fround);
  const pageRanks = await scoresBy(graph, { by: 'pagerank' }, options);
  const { disk, scratch, memory } = options;
  const places = await reversedPlaces(graph, disk, scratch, memory / 4);
  const pagePlaces = new Uint32Array(graph.nodes);
  for (const [i, node] of ordered(pageRanks, places).entries()) pagePlaces[node] = i + 1;
  const hosts = await graph.hosts?.();
  yield `${[...COLUMNS, ...(hosts ? ['#n_hosts'] : [])].join('\t')}\n`;
  for (const [i, node] of ordered(harmonic, places).entries()) {
    const cells = [
      ...[i + 1, javaFloat(harmonic[node]), pagePlaces[node], javaDouble(pageRanks[node])],
      reversed(await graph.names.name(node)),
    ];
    yield `${[...cells, ...(hosts ? [hosts[node]] : [])].join('\t')}\n`;
  }
}

async function scoresBy(
  graph: DiskGraph,
  method: { readonly by: string; readonly registers?: string },
  { threads, memory, onProgress, signal }: RanksFileOptions,
): Promise<Float64Array> {
  const { scores } = await rank(graph, {
    ...{ ...method, threads, memory },
    onProgress: (done) => onProgress?.(method.by, done),
    ...(signal && { signal }),
  });
  return scores;
}

/** Nodes by score, best first; equal ones by their places. */
function ordered(scores: Float64Array, places: Uint32Array): Uint32Array {
  const placed = new Float64Array(scores.length);
  const nodeAt = new Uint32Array(scores.length);
  for (let node = 0; node < scores.length; node++) {
    placed[places[node]] = scores[node];
    nodeAt[places[node]] = node;
  }
  return order(placed).map((place) => nodeAt[place]);
}

function noHosts(): DrumlinError {
  return new DrumlinError(
    'RANK',
    "Common Crawl's files name hosts or domains, but this graph has no such names.",
    'Use the graph of hosts or domains: drumlin graph build --level host.',
  );
}
