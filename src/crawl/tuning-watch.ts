/**
 * What the operator changes while a crawl runs: reads `tuning.json` in its folder every second, and
 * hands changes to the crawl.
 *
 * Ensures   A file that cannot be read changes nothing, and the reason is logged once. Changes are
 *           applied one after the other, in the order of their numbers.
 */
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import type { Disk } from '../disk/disk.ts';
import type { EventLog } from './record/log.ts';
import { readTuning, type Tuning } from './state/tuning-file.ts';

const EVERY: Millis = 1000;

interface TuningWatchParts {
  readonly disk: Disk;
  readonly dir: string;
  readonly clock: Clock;
  readonly log: EventLog;
  /** Resolves when every agent has applied the change. */
  readonly onChange: (tuning: Tuning, before: Tuning) => Promise<void>;
}

export class TuningWatch {
  readonly #parts: TuningWatchParts;
  #cancel: (() => void) | undefined;
  #looking: Promise<void> = Promise.resolve();
  #ended = false;
  #seen: Tuning;
  #refused = '';

  constructor(parts: TuningWatchParts, current: Tuning) {
    this.#parts = parts;
    this.#seen = current;
    this.#wait();
  }

  /** Stops reading the folder. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#cancel?.();
    await this.#looking;
  }

  #wait(): void {
    this.#cancel = this.#parts.clock.after(EVERY, () => {
      this.#looking = this.#look().finally(() => {
        if (!this.#ended) this.#wait();
      });
    });
  }

  async #look(): Promise<void> {
    const { disk, dir, log, onChange } = this.#parts;
    try {
      const tuning = await readTuning(disk, dir);
      const before = this.#seen;
      if (tuning.number === before.number || this.#ended) return;
      this.#seen = tuning;
      // Not awaited: an agent that has ended never answers, and `end` waits for this look.
      void onChange(tuning, before).catch(() => {});
    } catch (error) {
      const why = (error as Error).message;
      if (why !== this.#refused) log.event('tuning-refused', { why });
      this.#refused = why;
    }
  }
}
