/**
 * Makes one run of several neighbours: the URLs of a host one after the other, the oldest run's
 * first. The old runs do not change.
 */

import { HostMerge } from './host-merge.ts';
import type { Run } from './run.ts';
import type { RunPlace } from './run-index.ts';
import { RunWriter } from './run-writer.ts';

export function mergeRuns(place: RunPlace, id: number, runs: readonly Run[]): Promise<Run> {
  return RunWriter.make(place, id, async (writer) => {
    const cursors = await Promise.all(runs.map((run) => run.read()));
    const merge = new HostMerge(cursors);
    while (merge.find()) {
      const { high, low, host } = merge.present[0];
      await writer.begin(high, low, host);
      for (const cursor of merge.present) {
        while (cursor.count > 0) {
          const { bytes, count } = cursor.take(Infinity);
          if (count === 0) await cursor.load(Infinity);
          else await writer.append(bytes, 0, bytes.length, count);
        }
      }
      await merge.pass();
    }
  });
}
