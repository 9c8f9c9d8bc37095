/**
 * The journal: what a checkpoint stores of the queues in memory.
 *
 * Idea      Writing memory out at every checkpoint would give a slow crawl thousands of small
 *           files. While memory is less than half full, only what came since the last checkpoint is
 *           appended here, and memory stays as it is. When memory is written out, the journal is
 *           deleted.
 * Cost      an entry is written once more, only if checkpoints come more often than memory fills by
 *           half; and a second time when more than half of the journal is entries that were taken.
 */
import type { Bytes } from '../../base/units.ts';
import { type Entries, wholeEntries } from '../queue/path-queue.ts';
import type { BeastFolder } from './beast-folder.ts';
import type { MemoryQueues } from './memory-queues.ts';
import { SegmentReader, writeSegments } from './segments.ts';

const journalName = (id: number) => `journal.${id}`;

export interface JournalState {
  readonly id: number;
  /**
   * How many entries of the keys being read were taken. Of keys neither here nor awaited, all were.
   */
  readonly gone: readonly (readonly [key: number, count: number])[];
}

export class Journal {
  readonly #folder: BeastFolder;
  #file: { readonly id: number; readonly length: Bytes } | undefined;

  constructor(folder: BeastFolder) {
    this.#folder = folder;
  }

  /**
   * Appends what it does not hold yet, and adds its file to `lengths`. `read` are the keys being
   * read.
   */
  async save(
    memory: MemoryQueues,
    read: readonly number[],
    lengths: Record<string, Bytes>,
  ): Promise<JournalState | undefined> {
    const most = 2 * memory.live + this.#folder.limits.journalSlack;
    const outlived = this.#file && this.#file.length > most ? this.#file : undefined;
    if (outlived) {
      this.#file = undefined;
      memory.forgetJournal();
    }
    // No await from here to the first write: the state is that of the moment of the call.
    const segments = memory.unjournaled();
    const gone = read.flatMap((key) => {
      const count = memory.gone(key);
      return count === undefined ? [] : [[key, count] as const];
    });
    if (segments.length > 0) await this.#append(segments);
    if (outlived) await this.#folder.files.discard(journalName(outlived.id));
    if (!this.#file) return undefined;
    lengths[journalName(this.#file.id)] = this.#file.length;
    return { id: this.#file.id, gone };
  }

  /** Restores memory; of keys not in `gone`, only those that are `awaited` count. */
  async restore(
    { id, gone }: JournalState,
    lengths: Readonly<Record<string, Bytes>>,
    memory: MemoryQueues,
    isAwaited: (key: number) => boolean,
  ): Promise<void> {
    const { disk, files, limits } = this.#folder;
    const length = lengths[journalName(id)];
    this.#file = { id, length };
    const left = new Map(gone);
    const reader = await SegmentReader.begin(disk, files.path(journalName(id)), length, id);
    try {
      while (!reader.isAtEnd) {
        const { key } = reader;
        const entries = await reader.take(limits.window);
        const skipped = Math.min(left.get(key) ?? (isAwaited(key) ? 0 : Infinity), entries.count);
        if (left.has(key)) left.set(key, (left.get(key) ?? 0) - skipped);
        memory.restore(key, without(entries, skipped));
      }
    } finally {
      await reader.close();
    }
    for (const [key, count] of gone) memory.restoreGone(key, count);
  }

  /** Deletes the journal: its entries are now in other files. */
  async discard(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file) await this.#folder.files.discard(journalName(file.id));
  }

  async #append(segments: Parameters<typeof writeSegments>[3]): Promise<void> {
    const { disk, files } = this.#folder;
    const id = this.#file?.id ?? this.#folder.number();
    const name = journalName(id);
    const length = await writeSegments(disk, files.path(name), this.#file?.length, segments);
    files.reopen(name);
    this.#file = { id, length };
  }
}

function without(entries: Entries, first: number): Entries {
  const skipped = wholeEntries(entries.bytes, first);
  return {
    count: entries.count - skipped.count,
    bytes: entries.bytes.subarray(skipped.bytes.length),
  };
}
