/**
 * What the operator changes while a cluster runs: filters, decisions for domains, some settings,
 * and whether anything is fetched at all.
 *
 * Idea      All of it is keys of the book. Texts are written to the folder of each worker, as the
 *           files that `drumlin filter set` and `drumlin domains set` write on one machine; there
 *           agents and the watch of filters read them. Settings go to each agent.
 * Ensures   `filters` and `orders` are those in force: of the operator, or of the crawl as long as
 *           the operator gave none. Agents that begin later start with them. What cannot be read
 *           changes nothing, and is logged.
 */
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import { FilterWatch } from '../../crawl/filter-watch.ts';
import type { AgentOrders } from '../../crawl/record/agent-orders.ts';
import type { EventLog } from '../../crawl/record/log.ts';
import { keepFilters, parseFilters } from '../../crawl/state/filters-file.ts';
import { tuned } from '../../crawl/state/tuning-file.ts';
import { ANOTHER_PROGRAM, replaceFileBy } from '../../disk/notes/written-by.ts';
import { type FilterSet, type FilterSurroundings, loadFilters } from '../../filter/filter-set.ts';
import { type ClusterTuning, KEYS, type SteeredText } from '../members/keys.ts';

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
  /** Hands a change to all agents that run; resolves when each has a checkpoint with it. */
  readonly onOrders: (orders: AgentOrders) => Promise<void>;
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
  #orders: AgentOrders = NO_ORDERS;
  #tuning: ClusterTuning | undefined;
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
    const steering = new Steering(parts, await inForce(parts, steered));
    steering.#tune(get(KEYS.tuning) as ClusterTuning | undefined);
    return steering;
  }

  get filters(): FilterSet {
    return this.#filters;
  }

  /** Settings that differ from those of the crawl, for agents that begin now. */
  get orders(): AgentOrders {
    return this.#orders;
  }

  /** A key of the book has changed; one that is none of these is ignored. */
  changed(key: string, value: unknown): void {
    if (key === KEYS.tuning) this.#tune(value as ClusterTuning | undefined);
    // What fails is written again with the next change.
    this.#writing = this.#writing.then(() => write(this.#parts, key, value)).catch(() => {});
  }

  #tune(tuning: ClusterTuning | undefined): void {
    const { log, onOrders } = this.#parts;
    const before = this.#tuning;
    if (tuning === undefined || tuning.number === before?.number) return;
    this.#tuning = tuning;
    try {
      this.#orders = { settings: agentSettings(tuning), paused: tuning.paused, seeds: [] };
    } catch (error) {
      log.event('tuning-refused', { why: (error as Error).message });
      return;
    }
    const changes = changesOf(tuning, before);
    const { by } = tuning;
    void onOrders(this.#orders).then(() => log.event('settings-changed', { by, changes }));
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
  const { text = '', by = ANOTHER_PROGRAM } = (value ?? {}) as Partial<SteeredText>;
  if (name !== undefined) await replaceFileBy(filtering.disk, dir, name, text, by);
}

const NO_ORDERS: AgentOrders = { settings: {}, paused: false, seeds: [] };

/** The settings of a tuning, checked. */
function agentSettings({ settings }: ClusterTuning): AgentOrders['settings'] {
  const { maxPages: _, maxBytes: __, maxTime: ___, ...forAgents } = tuned({ settings });
  return forAgents;
}

/** What the log reports of a change. */
function changesOf(
  { settings, paused }: ClusterTuning,
  before: ClusterTuning | undefined,
): Record<string, unknown> {
  const changed = Object.entries(settings).filter(
    ([key, value]) => before?.settings[key] !== value,
  );
  const isOther = paused !== (before?.paused ?? false);
  return { ...Object.fromEntries(changed), ...(isOther && { paused }) };
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
