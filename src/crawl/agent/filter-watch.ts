/**
 * Filters that change while a crawl runs: its folder is looked at now and then, and what is new there is handed to the agents.
 *
 * Ensures   what cannot be read changes nothing, and the log tells why, once. Lists are read anew with every change of a filter.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import {
  type FilterSet,
  type FilterSurroundings,
  type FilterTexts,
  loadFilters,
} from '../../filter/filter-set.ts';
import type { EventLog } from '../record/log.ts';
import { readFilters } from '../state/filters-file.ts';

export interface FilterWatchParts extends FilterSurroundings {
  readonly dir: string;
  readonly clock: Clock;
  readonly every: Millis;
  readonly log: EventLog;
  readonly onChange: (set: FilterSet) => void;
}

export class FilterWatch {
  readonly #parts: FilterWatchParts;
  #cancel: (() => void) | undefined;
  #looking: Promise<void> = Promise.resolve();
  #ended = false;
  /** What was seen last, taken or refused. */
  #seen: string;
  #refused = '';

  constructor(parts: FilterWatchParts, current: FilterTexts) {
    this.#parts = parts;
    this.#seen = JSON.stringify(sorted(current));
    this.#wait();
  }

  /** Looks no more. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#cancel?.();
    await this.#looking;
  }

  #wait(): void {
    this.#cancel = this.#parts.clock.after(this.#parts.every, () => {
      this.#looking = this.#look().finally(() => {
        if (!this.#ended) this.#wait();
      });
    });
  }

  async #look(): Promise<void> {
    const { disk, dir, log, onChange } = this.#parts;
    try {
      const texts = (await readFilters(disk, dir)) ?? {};
      const seen = JSON.stringify(sorted(texts));
      if (seen === this.#seen) return;
      this.#seen = seen;
      const set = await loadFilters(texts, this.#parts);
      if (this.#ended) return;
      onChange(set);
      log.event('filters-changed', { filters: set.texts });
    } catch (error) {
      const why = (error as Error).message;
      if (why !== this.#refused) log.event('filters-refused', { why });
      this.#refused = why;
    }
  }
}

const sorted = (texts: FilterTexts): [string, string][] => Object.entries(texts).sort();
