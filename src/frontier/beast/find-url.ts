/**
 * Looks for a URL in the rounds of a frozen BEAST that is not opened: its process may be running.
 *
 * Requires  a disk on which nothing changes (`readOnlyDisk`).
 * Cost      reads all entries up to the URL, at most `most` bytes.
 */
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import type { Frozen } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Discovery } from '../queue/discovered-url.ts';
import { findText } from '../queue/find-entry.ts';
import type { BeastState } from './beast.ts';
import { SegmentReader } from './segments.ts';

/** A URL in a round. */
export interface InRound extends Discovery {
  /** `later` for one that no round has room for. */
  readonly round: number | 'later';
  /** The round that was read last. */
  readonly now: number;
}

const WINDOW: Bytes = 2 ** 20;

/** `too-many` if there was more to look through than `most`. */
export async function findInRounds(
  disk: Disk,
  folder: string,
  { files, state }: Frozen<BeastState>,
  url: string,
  most: Bytes,
): Promise<InRound | 'too-many' | undefined> {
  const now = state.rounds.round;
  const readers: SegmentReader[] = [];
  const { rounds, later, old } = state.disk;
  for (const [name, states] of [
    ['rounds', rounds],
    ['later', [...later, ...old]],
  ] as const)
    for (const one of states) {
      const file = `${name}.${one.id}`;
      readers.push(new SegmentReader(disk, join(folder, file), files[file], one));
    }
  const { journal } = state;
  if (journal) {
    const file = `journal.${journal.id}`;
    readers.push(await SegmentReader.begin(disk, join(folder, file), files[file], journal.id));
  }
  let read = 0;
  for (const reader of readers) {
    try {
      while (!reader.isAtEnd) {
        const { key } = reader;
        const { bytes } = await reader.take(WINDOW);
        // The journal also has rounds that were read.
        const isPast = key >= 0 && (key < now || (key === now && !state.rounds.isReading));
        const found = isPast ? undefined : findText(bytes, url);
        if (found) return { ...found, round: key < 0 ? 'later' : key, now };
        read += bytes.length;
        if (read > most) return 'too-many';
      }
    } finally {
      await reader.close();
    }
  }
  return undefined;
}
