/**
 * The settings of a run as the operator has changed them, and how a change reaches its agents.
 *
 *   tuning.json ─► TuningWatch ─► limits of the crawl: here
 *                                 seeds: to the folder, then to the agents
 *                                 the rest: to each agent, which applies it at a checkpoint ─► log
 *
 * Ensures   `settings-changed` is logged when every agent has a checkpoint with the change.
 */
import type { Clock } from '../base/clock.ts';
import type { CrawlConfig } from '../config/settings.ts';
import type { Disk } from '../disk/disk.ts';
import type { Crew } from './crew.ts';
import type { EventLog } from './record/log.ts';
import type { CrawlFolder } from './state/crawl-folder.ts';
import { type TunedSettings, type Tuning, tuned } from './state/tuning-file.ts';
import { changeAllowance, type SharedAllowance } from './transport/allowance.ts';
import { TuningWatch } from './tuning-watch.ts';

interface RunTuningParts {
  readonly config: CrawlConfig;
  readonly clock: Clock;
  readonly disk: Disk;
  readonly log: EventLog;
  readonly crew: Pick<Crew, 'tune' | 'stop'>;
  /** Undefined for a crawl that keeps nothing: it cannot be tuned. */
  readonly folder: CrawlFolder | undefined;
  readonly allowance: SharedAllowance;
  /** Links are not followed, and there are no seeds. */
  readonly planned: boolean;
}

export class RunTuning {
  readonly #parts: RunTuningParts;
  readonly #watch: TuningWatch | undefined;
  readonly #startedAt: number;
  #config: CrawlConfig;
  #paused: boolean;
  #cancelTimer: (() => void) | undefined;

  constructor(parts: RunTuningParts) {
    const { config, clock, disk, log, folder } = parts;
    this.#parts = parts;
    this.#config = config;
    this.#paused = folder?.tuning.paused ?? false;
    this.#startedAt = clock.now();
    this.#setTimer();
    if (!folder) return;
    const onChange = (tuning: Tuning, before: Tuning) => this.#change(folder, tuning, before);
    this.#watch = new TuningWatch({ disk, dir: config.dir, clock, log, onChange }, folder.tuning);
  }

  /** The settings in force. */
  get config(): CrawlConfig {
    return this.#config;
  }

  get paused(): boolean {
    return this.#paused;
  }

  async end(): Promise<void> {
    this.#cancelTimer?.();
    await this.#watch?.end();
  }

  async #change(folder: CrawlFolder, tuning: Tuning, before: Tuning): Promise<void> {
    const { config, crew, log, allowance, planned } = this.#parts;
    const settings = tuned(tuning);
    const old = this.#config;
    this.#config = { ...config, ...settings };
    this.#paused = tuning.paused;
    changeAllowance(allowance, old, this.#config);
    if (old.maxTime !== this.#config.maxTime) this.#setTimer();
    const seeds = planned ? [] : await folder.addSeeds(tuning.seeds);
    const { maxPages: _, maxBytes: __, maxTime: ___, ...forAgents } = settings;
    const changes = changesOf(tuning, before, old, settings, seeds);
    await crew.tune({ settings: forAgents, paused: tuning.paused, seeds });
    log.event('settings-changed', { by: tuning.by, changes });
    if (tuning.stop && !before.stop) crew.stop('interrupted');
  }

  /** The time limit counts from the start of the run. */
  #setTimer(): void {
    const { clock, crew } = this.#parts;
    const { maxTime } = this.#config;
    this.#cancelTimer?.();
    if (maxTime === Infinity) return;
    const left = Math.max(0, this.#startedAt + maxTime - clock.now());
    this.#cancelTimer = clock.after(left, () => crew.stop('max-time'));
  }
}

/** What the log reports of a change; a write without any asks for a checkpoint. */
function changesOf(
  tuning: Tuning,
  before: Tuning,
  old: CrawlConfig,
  settings: TunedSettings,
  seeds: readonly string[],
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings))
    if (old[key as keyof CrawlConfig] !== value)
      changes[key] = tuning.settings[key as keyof TunedSettings];
  if (tuning.paused !== before.paused) changes.paused = tuning.paused;
  if (tuning.stop && !before.stop) changes.stop = true;
  if (seeds.length > 0) changes.seeds = seeds.slice(0, 100);
  return Object.keys(changes).length > 0 ? changes : { checkpoint: true };
}
