/**
 * Filters that change while a crawl runs: reads `filters.txt` in its folder now and then, and hands
 * new filters to the agents.
 *
 * Ensures   filters that cannot be read change nothing, and the reason is logged once. Lists are
 *           read again with every change of a filter.
 */
import type { Clock } from '../base/clock.ts';
import type { Millis } from '../base/units.ts';
import { ANOTHER_PROGRAM } from '../disk/notes/written-by.ts';
import {
  type FilterSet,
  type FilterSurroundings,
  type FilterTexts,
  loadFilters,
} from '../filter/filter-set.ts';
import type { EventLog } from './record/log.ts';
import { filtersBy } from './state/filters-file.ts';

interface FilterWatchParts extends FilterSurroundings {
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
  /** The filters that were read last, used or refused. */
  #seen: string;
  #refused = '';

  constructor(parts: FilterWatchParts, current: FilterTexts) {
    this.#parts = parts;
    this.#seen = JSON.stringify(sorted(current));
    this.#wait();
  }

  /** Stops reading the folder. */
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
      const { texts = {}, by = ANOTHER_PROGRAM } = (await filtersBy(disk, dir)) ?? {};
      const seen = JSON.stringify(sorted(texts));
      if (seen === this.#seen) return;
      this.#seen = seen;
      const set = await loadFilters(texts, this.#parts);
      if (this.#ended) return;
      onChange(set);
      log.event('filters-changed', { by, filters: set.texts });
    } catch (error) {
      const why = (error as Error).message;
      if (why !== this.#refused) log.event('filters-refused', { why });
      this.#refused = why;
    }
  }
}

const sorted = (texts: FilterTexts): [string, string][] => Object.entries(texts).sort();
