/** Makes one run of several neighbours: the URLs of a host one after the other, the oldest run's first. */

import { MemoryRun } from './memory-run.ts';
import { PathQueue } from './path-queue.ts';
import { type Run, type RunPlace, RunWriter } from './run.ts';
import { Sweep } from './sweep.ts';

/** Entries copied at once. */
const PIECE = 256;

export async function mergeRuns(place: RunPlace, id: number, runs: readonly Run[]): Promise<Run> {
  const writer = await RunWriter.create(place, id);
  try {
    const none = new MemoryRun();
    const sweep = await Sweep.begin(runs, none, none);
    while (await sweep.next()) {
      await writer.begin(sweep.id, sweep.host);
      const piece = new PathQueue(sweep.host);
      while ((await sweep.take(PIECE, piece)) > 0) await writer.append(piece.take(PIECE));
    }
    await sweep.end();
    return await writer.seal();
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}
