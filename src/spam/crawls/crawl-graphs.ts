/** Graphs of stored crawls, built in a folder of their own for as long as they are needed. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { packNameArcs } from '../../graph/arcs.ts';
import { buildGraph } from '../../graph/build.ts';
import { crawlLinks } from '../../graph/io/crawl-links.ts';
import { type DiskGraph, openGraph } from '../../graph/open-graph.ts';
import { rank } from '../../rank/index.ts';

interface GraphWork {
  /** An existing folder; what is made there is deleted with it. */
  readonly scratch: string;
  readonly memory: Bytes;
  readonly onProgress?: ((step: string, share: number) => void) | undefined;
  readonly onNote?: ((text: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function graphOf(
  disk: Disk,
  crawl: string,
  level: 'page' | 'host' | 'domain',
  { scratch, memory, onProgress, onNote, signal }: GraphWork,
): Promise<DiskGraph> {
  const folder = join(scratch, `graph-${randomUUID()}`);
  const links = crawlLinks(disk, crawl, {
    level,
    onRead: (share) => onProgress?.('reading links', share),
    ...(onNote && { onWarning: onNote }),
  });
  await buildGraph(
    folder,
    { names: packNameArcs(links) },
    { level, memory, disk, ...(onProgress && { onProgress }), ...(signal && { signal }) },
  );
  return openGraph(folder, disk);
}

/** The PageRank of the pages of a graph. */
export class PageRanks {
  readonly #graph: DiskGraph;
  readonly #scores: Float64Array;

  private constructor(graph: DiskGraph, scores: Float64Array) {
    this.#graph = graph;
    this.#scores = scores;
  }

  static async of(graph: DiskGraph, { memory, onProgress, signal }: GraphWork): Promise<PageRanks> {
    const { scores } = await rank(graph, {
      ...{ by: 'pagerank', memory },
      onProgress: (share: number) => onProgress?.('PageRank', share),
      ...(signal && { signal }),
    });
    return new PageRanks(graph, scores);
  }

  async rankOf(url: string): Promise<number> {
    const id = await this.#graph.names.id(url);
    return id === undefined ? Number.NEGATIVE_INFINITY : this.#scores[id];
  }
}
