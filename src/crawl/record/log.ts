/**
 * The log of a crawl, one line of JSON per event:
 * `{"time":"…","event":"host-given-up","host":"…"}`.
 *
 * Ensures   Lines are complete and in the order of the events; `open` removes the rest of a line
 *           that a crash interrupted. `event` never waits: lines collect in memory while earlier
 *           ones are written. `close` reports a failed write.
 */

import { basename, dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Bytes } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import type { EventName, Facts } from './log-events.ts';

/** Where events are logged. */
export interface EventLog {
  event<Name extends EventName>(name: Name, facts: Facts<Name>): void;
}

export class CrawlLog implements EventLog {
  readonly #file: DiskFile | undefined;
  readonly #clock: Clock;
  #position: number;
  #lines: string[] = [];
  #writing: Promise<void> | undefined;
  #failed = false;

  /** Appends to `file` from `position`; without a file, events are dropped. */
  constructor(clock: Clock, file?: DiskFile, position = 0) {
    this.#clock = clock;
    this.#file = file;
    this.#position = position;
  }

  static async open(disk: Disk, path: string, clock: Clock): Promise<CrawlLog> {
    const exists = (await disk.list(dirname(path))).includes(basename(path));
    const file = await disk.open(path, exists ? 'update' : 'create');
    try {
      const end = await endOfLastLine(file);
      await file.truncate(end);
      return new CrawlLog(clock, file, end);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  event<Name extends EventName>(name: Name, facts: Facts<Name>): void {
    if (!this.#file) return;
    const time = new Date(this.#clock.now()).toISOString();
    if (this.#failed) return;
    this.#lines.push(`${JSON.stringify({ time, event: name, ...facts })}\n`);
    this.#writing ??= this.#writeLines(this.#file);
    this.#writing.catch(() => {
      this.#failed = true; // reported by close
    });
  }

  async close(): Promise<void> {
    try {
      await this.#writing;
    } finally {
      await this.#file?.close();
    }
  }

  /** After a failure nothing more is written or collected. */
  async #writeLines(file: DiskFile): Promise<void> {
    while (this.#lines.length > 0) {
      const bytes = Buffer.from(this.#lines.join(''));
      this.#lines = [];
      await file.writeAll(bytes, this.#position);
      this.#position += bytes.length;
    }
    this.#writing = undefined;
  }
}

const PIECE: Bytes = 4096;

/** The position after the last complete line of a file. */
async function endOfLastLine(file: DiskFile): Promise<number> {
  const piece = Buffer.alloc(PIECE);
  for (let end = await file.size(); end > 0; end -= PIECE) {
    const start = Math.max(0, end - PIECE);
    await file.readAll(piece.subarray(0, end - start), start);
    const newline = piece.subarray(0, end - start).lastIndexOf('\n');
    if (newline >= 0) return start + newline + 1;
  }
  return 0;
}
