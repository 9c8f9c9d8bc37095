/**
 * Looks for a URL in the rounds of a frozen BEAST that is not opened: its process may be running.
 *
 * Requires  a disk on which nothing changes (`readOnly`).
 * Cost      reads all entries up to the URL, at most `most` bytes.
 */
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import type { Frozen } from '../../disk/checkpoint.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Discovery } from '../queue/discovered-url.ts';
import { findText } from '../queue/find-entry.ts';
import { wholeEntries } from '../queue/path-queue.ts';
import type { BeastState } from './beast.ts';
import { SegmentReader } from './segments.ts';

/** A URL in a round. */
interface InRound extends Discovery {
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
  const { rounds, later, old } = state.disk;
  const looks = [
    ...rounds.map((one) => ({ name: `rounds.${one.id}`, one })),
    ...[...later, ...old].map((one) => ({ name: `later.${one.id}`, one })),
  ];
  let left = most;
  for (const { name, one } of looks) {
    const reader = new SegmentReader(disk, join(folder, name), files[name], one);
    const found = await findIn(reader, url, left, () => 0);
    if (found) return { ...found, now: state.rounds.round };
    left -= files[name];
    if (left < 0) return 'too-many';
  }
  if (!state.journal) return undefined;
  const name = `journal.${state.journal.id}`;
  const reader = await SegmentReader.begin(disk, join(folder, name), files[name], 0);
  const found = await findIn(reader, url, left, takenIn(state));
  return found && { ...found, now: state.rounds.round };
}

/** How many entries of a key in the journal were taken: all of keys that no longer count. */
function takenIn({ journal, rounds, rescan }: BeastState): (key: number, count: number) => number {
  const gone = new Map(journal?.gone);
  return (key, count) => {
    const known = gone.get(key);
    if (known === undefined) return key > rounds.round || key === -(rescan + 1) ? 0 : count;
    gone.set(key, Math.max(0, known - count));
    return Math.min(known, count);
  };
}

async function findIn(
  reader: SegmentReader,
  url: string,
  most: Bytes,
  taken: (key: number, count: number) => number,
): Promise<Omit<InRound, 'now'> | undefined> {
  try {
    for (let read = 0; !reader.isAtEnd && read < most; ) {
      const { key } = reader;
      const { bytes, count } = await reader.take(WINDOW);
      const skipped = wholeEntries(bytes, taken(key, count)).bytes.length;
      const found = findText(bytes.subarray(skipped), url);
      if (found) return { ...found, round: key < 0 ? 'later' : key };
      read += bytes.length;
    }
    return undefined;
  } finally {
    await reader.close();
  }
}
