/**
 * Gives numbered nodes the ranks of their names.
 *
 * Requires  runs of `NameRuns` that hold the names in the order of their numbers, merged.
 * Costs     four bytes of memory per node if that is at most a quarter of the given memory.
 *           Otherwise two more external sorts: arcs are sorted by one end and then by the other,
 *           each time beside the ranks in order.
 */
import { join } from 'node:path';
import { AppendLog } from '../disk/append-log.ts';
import type { Disk } from '../disk/disk.ts';
import { PairSorter } from '../disk/external-sort.ts';
import { type Format, HEADER_BYTES } from '../disk/format.ts';
import type { IdArcs } from './arcs.ts';
import type { NameRuns } from './name-runs.ts';

const RANKS: Format = { type: 'grk', version: 1 };

/** Adds every arc, with its new numbers, to the sorter. */
export async function addRenumbered(
  arcs: AsyncIterable<IdArcs>,
  runs: NameRuns,
  into: PairSorter,
  room: { disk: Disk; scratch: string; memory: number },
): Promise<void> {
  let nodes = 0;
  for (let run = 0; run < runs.runs; run++) nodes += runs.names(run);
  if (nodes * 4 <= room.memory / 4) await renumberInMemory(arcs, await allRanks(runs, nodes), into);
  else await renumberOnDisk(arcs, runs, into, room);
}

/** The rank of every name, by its number. */
export async function allRanks(runs: NameRuns, nodes: number): Promise<Uint32Array> {
  const ranks = new Uint32Array(nodes);
  for (let run = 0, at = 0; run < runs.runs; at += runs.names(run++))
    ranks.set(await runs.ranks(run), at);
  return ranks;
}

async function renumberInMemory(
  arcs: AsyncIterable<IdArcs>,
  ranks: Uint32Array,
  into: PairSorter,
): Promise<void> {
  for await (const { from, to } of arcs) {
    await into.add(
      from.map((node) => ranks[node]),
      to.map((node) => ranks[node]),
    );
  }
}

async function renumberOnDisk(
  arcs: AsyncIterable<IdArcs>,
  runs: NameRuns,
  into: PairSorter,
  { disk, scratch, memory }: { disk: Disk; scratch: string; memory: number },
): Promise<void> {
  const ranks = await AppendLog.create(disk, join(scratch, 'ranks'), RANKS);
  const bySource = new PairSorter(disk, scratch, 'by-source', memory / 2);
  const byTarget = new PairSorter(disk, scratch, 'by-target', memory / 2);
  try {
    for (let run = 0; run < runs.runs; run++) {
      await ranks.append(new Uint8Array((await runs.ranks(run)).buffer));
    }
    await ranks.flush();
    for await (const { from, to } of arcs) await bySource.add(from, to);
    await rankKeys(bySource, ranks, (sources, targets) => byTarget.add(targets, sources));
    await rankKeys(byTarget, ranks, (targets, sources) => into.add(sources, targets));
  } finally {
    await bySource.abandon();
    await byTarget.abandon();
    await ranks.abandon();
  }
}

/** Passes on every pair with the rank of its key. */
async function rankKeys(
  sorter: PairSorter,
  ranks: AppendLog,
  take: (ranked: Uint32Array, values: Uint32Array) => Promise<void>,
): Promise<void> {
  for await (const groups of sorter.sorted()) {
    const own = new Uint32Array(groups.count);
    await ranks.file.readAll(new Uint8Array(own.buffer), HEADER_BYTES + groups.first * 4);
    const ranked = new Uint32Array(groups.values.length);
    for (let i = 0; i < groups.count; i++)
      ranked.fill(own[i], groups.offsets[i], groups.offsets[i + 1]);
    await take(ranked, groups.values);
  }
}
