/**
 * What is worth telling, a line of JSON each: `{"time":"…","event":"host-given-up","host":"…"}`.
 *
 * Ensures   lines in the order of the events, whole ones only. `event` never waits: lines gather while the ones before
 *           them are on their way to the disk. A disk that refuses is reported by `close`.
 */
import type { Clock } from '../clock.ts';
import type { DiskFile } from '../disk/disk.ts';

/** Where events are told. */
export type EventLog = Pick<CrawlLog, 'event'>;

export class CrawlLog {
  readonly #file: DiskFile | undefined;
  readonly #clock: Clock;
  #position: number;
  #lines: string[] = [];
  #writing: Promise<void> | undefined;
  #failed = false;

  /** Appends to `file` from `position`; without a file, events are not kept. */
  constructor(clock: Clock, file?: DiskFile, position = 0) {
    this.#clock = clock;
    this.#file = file;
    this.#position = position;
  }

  event(name: string, facts: Readonly<Record<string, unknown>>): void {
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

  /** After a failure nothing more is written, and nothing gathers. */
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
