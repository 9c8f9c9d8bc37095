/**
 * SUPP-B: exact supporters at level two in the given memory, by sorting all pairs on disk. A
 * reference that shows what TSE saves.
 *
 * Definition (Cui et al., "Unsupervised Domain Ranking", §6.5): scan the in- and the out-graph side
 * by side; for each y write the pairs (x, z) of the nodes x it links to and the nodes z that link
 * to it; sort them, remove repeats and those at distance one, and count by x. That is 2 h n E[Q]
 * bytes of pairs with labels of h bytes, written and read once for each phase of sorting: with runs
 * of M bytes and k = M / 256 KB open files, ⌈log_k(pairs / M)⌉ phases.
 *
 * Here      sorting is by distribution (disk/external-sort.ts), which reads the pairs twice a phase
 *           where a merge reads them once. The files go to the system's folder for temporary files
 *           (TMPDIR); the pairs of a web of domains take terabytes.
 */
import { tmpdir } from 'node:os';
import { formatCount } from '../../base/units.ts';
import { Disk } from '../../disk/disk.ts';
import { PairSorter } from '../../disk/external-sort.ts';
import { inTemporaryFolder } from '../../disk/temporary-folder.ts';
import type { Graph } from '../../graph/graph.ts';
import { requireMemory } from '../engine/memory.ts';
import { defineRanker, type RankOptions, type RankResult } from '../engine/ranker.ts';
import { isInList, ListCursor } from '../supporters/list-cursor.ts';

export const ranker = defineRanker({
  name: 'supp-b',
  title: 'Supporters, sorting',
  parameters: {},
  run: sortPairs,
});

const LABEL_BYTES = 4;
const MERGE_BUFFER = 256 * 1024;
const BATCH = 65_536;
const LEAST_ROOM = 4096;

async function sortPairs(graph: Graph, _: object, options: RankOptions): Promise<RankResult> {
  const { memory, onProgress } = options;
  const room = memory - 8 * graph.nodes;
  requireMemory(memory, {
    what: `The scores of ${formatCount(graph.nodes)} nodes and room to sort`,
    bytes: 8 * graph.nodes + LEAST_ROOM,
    reach: Number.POSITIVE_INFINITY,
  });
  const disk = new Disk();
  return inTemporaryFolder(disk, tmpdir(), 'drumlin-supp-b-', async (folder) => {
    const sorter = new PairSorter(disk, folder, 'supporters', room, (share) =>
      onProgress?.(0.3 + 0.7 * share),
    );
    try {
      await writePairs(graph, sorter, (share) => onProgress?.(0.3 * share));
      const scores = await countGroups(graph, sorter);
      const facts = {
        memoryBytes: memory,
        pairs: sorter.pairs,
        ...predicted(sorter.pairs, memory),
        bytesRead: disk.traffic.read + graph.out.bytes + 2 * graph.in.bytes,
        bytesWritten: disk.traffic.written,
      };
      return { scores, facts };
    } catch (error) {
      await sorter.abandon();
      throw error;
    }
  });
}

/** Writes all (x, z) with z → y → x over three different nodes. */
async function writePairs(
  graph: Graph,
  sorter: PairSorter,
  onProgress: (share: number) => void,
): Promise<void> {
  const outLists = new ListCursor(graph.out.scan());
  const keys = new Uint32Array(BATCH);
  const values = new Uint32Array(BATCH);
  let used = 0;
  try {
    for await (const { first, count, offsets, targets } of graph.in.scan()) {
      for (let i = 0; i < count; i++) {
        const y = first + i;
        const sources = targets.subarray(offsets[i], offsets[i + 1]);
        if (sources.length === 0) continue;
        for (const x of await outLists.listOf(y)) {
          for (let s = 0; s < sources.length && x !== y; s++) {
            if (sources[s] === y || sources[s] === x) continue;
            keys[used] = x;
            values[used++] = sources[s];
            if (used < BATCH) continue;
            await sorter.add(keys, values, used);
            used = 0;
          }
        }
      }
      onProgress((first + count) / graph.nodes);
    }
    await sorter.add(keys, values, used);
  } finally {
    await outLists.close();
  }
}

/**
 * Counts the groups. They come in the order of x, like the in-lists: a z in both is at distance
 * one.
 */
async function countGroups(graph: Graph, sorter: PairSorter): Promise<Float64Array> {
  const scores = new Float64Array(graph.nodes);
  const inLists = new ListCursor(graph.in.scan());
  try {
    for await (const { first, count, offsets, values } of sorter.sorted()) {
      for (let i = 0; i < count; i++) {
        if (offsets[i] === offsets[i + 1]) continue;
        const nearer = await inLists.listOf(first + i);
        for (let at = offsets[i]; at < offsets[i + 1]; at++)
          if (!isInList(nearer, values[at])) scores[first + i]++;
      }
    }
  } finally {
    await inLists.close();
  }
  return scores;
}

function predicted(pairs: number, memory: number) {
  const bytes = 2 * LABEL_BYTES * pairs;
  const files = Math.max(2, memory / MERGE_BUFFER);
  const phases = Math.max(1, Math.ceil(Math.log(bytes / memory) / Math.log(files)));
  return { predictedBytesRead: bytes * phases, predictedBytesWritten: bytes * phases };
}
