/**
 * What the operator changes while a cluster runs: filters, and decisions for domains.
 *
 * Idea      The texts are keys of the book. Each worker writes them to its folder, as the files
 *           that `drumlin filter set` and `drumlin domains set` write on one machine; there agents
 *           and the watch of filters read them.
 * Ensures   `filters` are those in force: of the operator, or of the crawl as long as the operator
 *           gave none. Agents that begin later start with them. Filters that cannot be read change
 *           nothing, and are logged.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import { FilterWatch } from '../../crawl/filter-watch.ts';
import type { EventLog } from '../../crawl/record/log.ts';
import { keepFilters, parseFilters } from '../../crawl/state/filters-file.ts';
import { replaceFile } from '../../disk/checkpoint.ts';
import { type FilterSet, type FilterSurroundings, loadFilters } from '../../filter/filter-set.ts';
import { KEYS } from '../members/keys.ts';

/** The value of a key that holds a file. */
interface SteeredText {
  readonly text: string;
}

interface SteeringParts {
  readonly filtering: FilterSurroundings;
  readonly dir: string;
  readonly clock: Clock;
  readonly every: Millis;
  readonly log: EventLog;
  /** The filters of the crawl as it was created. */
  readonly filters: FilterSet;
  /** Filters have changed: for agents that run. */
  readonly onFilters: (set: FilterSet) => void;
  readonly get: (key: string) => unknown;
}

const FILES: Readonly<Record<string, string>> = {
  [KEYS.filters]: 'filters.txt',
  [KEYS.domains]: 'domains.tsv',
};

export class Steering {
  readonly #parts: SteeringParts;
  readonly #watch: FilterWatch;
  #filters: FilterSet;
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(parts: SteeringParts, filters: FilterSet) {
    const { filtering, dir, clock, every, log, onFilters } = parts;
    this.#parts = parts;
    this.#filters = filters;
    const onChange = (set: FilterSet) => {
      this.#filters = set;
      onFilters(set);
    };
    this.#watch = new FilterWatch(
      { ...filtering, dir, clock, every, log, onChange },
      filters.texts,
    );
  }

  /** Writes what the book has now. */
  static async open(parts: SteeringParts): Promise<Steering> {
    const { filtering, dir, get, filters } = parts;
    const steered = get(KEYS.filters) as SteeredText | undefined;
    if (steered === undefined) await keepFilters(filtering.disk, dir, filters.texts);
    else await write(parts, KEYS.filters, steered);
    await write(parts, KEYS.domains, get(KEYS.domains));
    return new Steering(parts, await inForce(parts, steered));
  }

  get filters(): FilterSet {
    return this.#filters;
  }

  /** A key of the book has changed; one that is none of these is ignored. */
  changed(key: string, value: unknown): void {
    // What fails is written again with the next change.
    this.#writing = this.#writing.then(() => write(this.#parts, key, value)).catch(() => {});
  }

  async end(): Promise<void> {
    await this.#watch.end();
    await this.#writing;
  }
}

async function write(
  { filtering, dir }: SteeringParts,
  key: string,
  value: unknown,
): Promise<void> {
  const name = FILES[key];
  const { text = '' } = (value ?? {}) as Partial<SteeredText>;
  if (name !== undefined) await replaceFile(filtering.disk, dir, name, Buffer.from(text));
}

/** Those of the operator, if they can be read. */
async function inForce(
  { filtering, filters }: SteeringParts,
  steered: SteeredText | undefined,
): Promise<FilterSet> {
  if (steered === undefined) return filters;
  try {
    return await loadFilters(parseFilters(steered.text, FILES[KEYS.filters]), filtering);
  } catch {
    return filters; // the watch reads them again, and logs why they are refused
  }
}
